/// Manages a view, and what it contains.
@preconcurrency @MainActor open class UIViewController: UIResponder {
    public let nibName: String?
    public let nibBundle: Bundle?
    open var title: String?
    public private(set) weak var parent: UIViewController?
    public private(set) var children: [UIViewController] = []

    private var loadedView: UIView?
    private weak var window: UIWindow?
    var appearance = Appearance.disappeared

    /// - Parameters: Name what would hold the view. Nothing is loaded from there:
    ///   override `loadView` or `viewDidLoad`.
    public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) {
        nibName = nibNameOrNil
        nibBundle = nibBundleOrNil
        super.init()
    }

    public required init?(coder: NSCoder) {
        nibName = nil
        nibBundle = nil
        super.init()
    }

    public convenience override init() { self.init(nibName: nil, bundle: nil) }

    // MARK: The view

    /// Loaded when it is first asked for.
    open var view: UIView! {
        get {
            loadViewIfNeeded()
            return loadedView
        }
        set {
            loadedView?.controller = nil
            loadedView = newValue
            loadedView?.controller = self
        }
    }

    public var viewIfLoaded: UIView? { loadedView }
    public var isViewLoaded: Bool { loadedView != nil }

    open func loadViewIfNeeded() {
        guard loadedView == nil else { return }
        loadView()
        viewDidLoad()
    }

    /// Makes the view.
    open func loadView() { view = UIView(frame: .zero) }
    open func viewDidLoad() {}
    open func viewWillAppear(_ animated: Bool) {}
    open func viewDidAppear(_ animated: Bool) {}
    open func viewWillDisappear(_ animated: Bool) {}
    open func viewDidDisappear(_ animated: Bool) {}
    open func viewWillLayoutSubviews() {}
    open func viewDidLayoutSubviews() {}

    open override var next: UIResponder? { viewIfLoaded?.superview ?? parent }

    // MARK: Containment

    open func addChild(_ childController: UIViewController) {
        childController.removeFromParent()
        childController.willMove(toParent: self)
        childController.parent = self
        children.append(childController)
    }

    open func removeFromParent() {
        guard let parent else { return }
        parent.children.removeAll { $0 === self }
        self.parent = nil
        didMove(toParent: nil)
    }

    open func willMove(toParent parent: UIViewController?) {}
    open func didMove(toParent parent: UIViewController?) {}

    // MARK: The orientation lock

    /// Whether the orientation should stay as it is while the controller is visible. It
    /// is read when the controller becomes visible, and again only when
    /// `setNeedsUpdateOfPrefersInterfaceOrientationLocked` is called.
    open var prefersInterfaceOrientationLocked: Bool { false }

    /// The child whose preference counts instead; `nil` for the controller's own.
    open var childViewControllerForInterfaceOrientationLock: UIViewController? {
        childForInterfaceOrientationLock
    }

    /// The same by its shorter name: override either.
    open var childForInterfaceOrientationLock: UIViewController? { nil }

    /// Says that the preference, or which child's counts, has changed. It is read at once.
    open func setNeedsUpdateOfPrefersInterfaceOrientationLocked() {
        guard let scene = shownIn?.windowScene else { return }
        UISystem.current?.readLockPreference(of: scene)
    }

    private var shownIn: UIWindow? {
        window ?? parent?.shownIn ?? viewIfLoaded?.window
    }

    // MARK: What the window does

    /// The window is this controller's; its view is loaded once the window is shown.
    func enter(_ window: UIWindow) {
        self.window = window
        if !window.isHidden { show(in: window) }
    }

    /// Loads the view, if need be, and fills the window with it.
    func show(in window: UIWindow) {
        if view.superview !== window { window.addSubview(view) }
        layOut(in: window.bounds)
    }

    func leave(_ window: UIWindow) {
        viewIfLoaded?.removeFromSuperview()
        self.window = nil
    }

    func layOut(in bounds: CGRect) {
        guard let loadedView, loadedView.frame != bounds else { return }
        loadedView.frame = bounds
        viewWillLayoutSubviews()
        viewDidLayoutSubviews()
    }
}
