/// Shows a view controller in a window scene. It has the scene's size and follows it.
@preconcurrency @MainActor open class UIWindow: UIView {
    /// Where the window is shown. `nil` takes it off the screen; on an external display
    /// that gives the display back to the system. So it is when the scene disconnects.
    open var windowScene: UIWindowScene? {
        didSet {
            guard windowScene !== oldValue else { return }
            oldValue?.detach(self)
            windowScene?.attach(self)
            UISystem.current?.windowsDidChange([oldValue, windowScene].compactMap { $0 })
        }
    }

    /// The controller whose view fills the window.
    open var rootViewController: UIViewController? {
        didSet {
            guard rootViewController !== oldValue else { return }
            oldValue?.leave(self)
            rootViewController?.enter(self)
            if let windowScene { UISystem.current?.windowsDidChange([windowScene]) }
        }
    }

    /// A window in a scene, as large as the scene and hidden.
    public init(windowScene: UIWindowScene) {
        super.init(frame: .zero)
        isHidden = true
        move(to: windowScene)
    }

    /// A window for an app without scenes: it is shown in the app's one interface. With
    /// scenes it stays off screen until it is given one.
    public override init(frame: CGRect) {
        super.init(frame: frame)
        isHidden = true
        UISystem.current?.showWithoutScene(self)
    }

    public required init?(coder: NSCoder) {
        super.init(coder: coder)
        isHidden = true
    }

    /// A function of its own, as observers do not run for what an initializer sets.
    private func move(to scene: UIWindowScene) { windowScene = scene }

    open override var isHidden: Bool {
        didSet {
            guard isHidden != oldValue else { return }
            if !isHidden { rootViewController?.show(in: self) }
            guard let windowScene else { return }
            UISystem.current?.windowsDidChange([windowScene])
        }
    }

    open override var frame: CGRect {
        didSet {
            guard frame.size != oldValue.size, let rootViewController else { return }
            rootViewController.layOut(in: bounds)
        }
    }

    open override var window: UIWindow? { self }
    open override var next: UIResponder? { windowScene }

    public var screen: UIScreen { windowScene?.screen ?? .main }
    public var isKeyWindow: Bool { windowScene?.keyWindow === self && !isHidden }

    /// Shows the window.
    open func makeKeyAndVisible() {
        isHidden = false
        makeKey()
    }

    /// Gives the window the keyboard.
    open func makeKey() {
        guard let windowScene, windowScene.keyWindow !== self else { return }
        windowScene.keyWindow = self
        // Another controller's preferences count now.
        UISystem.current?.windowsDidChange([windowScene])
    }
}
