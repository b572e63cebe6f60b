/// Manages a view and the view controllers within it.
@preconcurrency @MainActor open class UIViewController: UIResponder, Sibling {
    /// The name that the app passed. Nothing is loaded from there.
    public let nibName: String?
    /// The bundle that the app passed. Nothing is loaded from there.
    public let nibBundle: Bundle?
    /// A short name of the content, for bars.
    open var title: String? {
        didSet { linksIfAny?.titleDidChange(title) }
    }

    // What each layout uses; see UIView.
    nonisolated(unsafe) final private(set) var loadedView: UIView?
    nonisolated(unsafe) unowned(unsafe) var container: UIViewController?
    // `@exclusivity(unchecked)`: see UISystem.swift.
    @exclusivity(unchecked) nonisolated(unsafe) final var childList = SiblingList<UIViewController>()
    nonisolated(unsafe) final var siblingPlace = 0
    /// The window whose root view controller this is, which clears it.
    nonisolated(unsafe) unowned(unsafe) var window: UIWindow?
    var appearance = Appearance.disappeared
    /// What is known of its present change of appearance, or of the last one.
    var appearanceChange = AppearanceChange()
    var parentMove = ParentMove.none
    /// Whether the view was visible once. Before, sizes are not transitions.
    var hasAppeared = false
    /// The size that `viewWillTransition` passed, until the view has it.
    var notifiedSize: CGSize?
    /// What the container covers of the view, in the view's coordinates, in points.
    var coveredInsets = UIEdgeInsets.zero {
        didSet { if coveredInsets != oldValue { coveredInsetsDidChange() } }
    }

    // MARK: Safe area and margins

    /// What the app adds to the safe area's insets of the root view, in points. Insets that are
    /// not finite count as zero.
    @exclusivity(unchecked) open var additionalSafeAreaInsets = UIEdgeInsets.zero {
        didSet {
            if !additionalSafeAreaInsets.isFinite { additionalSafeAreaInsets = .zero }
            if additionalSafeAreaInsets != oldValue { coveredInsetsDidChange() }
        }
    }

    /// Whether the root view has at least the `systemMinimumLayoutMargins`. True by default.
    @exclusivity(unchecked) open var viewRespectsSystemMinimumLayoutMargins = true {
        didSet { if viewRespectsSystemMinimumLayoutMargins != oldValue { viewIfLoaded?.markAgain() } }
    }

    /// A view controller whose view is not loaded yet. There are no nib files on Linux:
    /// override `loadView` or `viewDidLoad`.
    public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) {
        nibName = nibNameOrNil
        nibBundle = nibBundleOrNil
        super.init()
    }

    /// A view controller without content. There is nothing to decode on Linux.
    public required init?(coder: NSCoder) {
        nibName = nil
        nibBundle = nil
        super.init()
    }

    public convenience override init() { self.init(nibName: nil, bundle: nil) }

    deinit {
        for child in childList.elements { child.container = nil }
        if let loadedView, loadedView.controller === self { loadedView.controller = nil }
    }

    // MARK: The view

    /// The root view, which is loaded at the first access.
    open var view: UIView! {
        get {
            loadViewIfNeeded()
            return loadedView
        }
        set {
            let old = loadedView
            old?.controller = nil
            loadedView = newValue
            loadedView?.controller = self
            viewDidChange(from: old)
        }
    }

    /// Loads the root view if it is not loaded.
    open func loadViewIfNeeded() {
        guard loadedView == nil else { return }
        loadView()
        viewDidLoad()
    }

    /// Makes the root view, with the main screen's bounds, which follows its superview's size: an
    /// override sets `view`.
    open func loadView() { view = UIView(frame: .zero).likeScreen() }
    /// The root view was loaded.
    open func viewDidLoad() {}
    /// The view becomes visible. `animated` is what the change was asked for with.
    open func viewWillAppear(_ animated: Bool) {}
    /// The view becomes visible: it is in the window, and has its size and traits. Its safe area and its
    /// layout follow.
    open func viewIsAppearing(_ animated: Bool) {}
    /// The view has become visible, and was laid out.
    open func viewDidAppear(_ animated: Bool) {}
    /// The view stops being visible.
    open func viewWillDisappear(_ animated: Bool) {}
    /// The view has stopped being visible.
    open func viewDidDisappear(_ animated: Bool) {}
    /// The root view is about to be laid out, as it was marked or has another size.
    open func viewWillLayoutSubviews() {}
    /// The root view was laid out. The views within it follow.
    open func viewDidLayoutSubviews() {}
    /// Changes the constraints of the root view: calls its `updateConstraints`.
    open func updateViewConstraints() { viewIfLoaded?.updateConstraints() }
    /// The safe area's insets of the root view have changed.
    open func viewSafeAreaInsetsDidChange() {}
    /// The layout margins of the root view have changed.
    open func viewLayoutMarginsDidChange() {}

    /// The engine has decided to rebuild what is expensive for the view's size, in points: never
    /// while a person is resizing, once at the end, and not for a size that was built. Called for
    /// a window's root controller, and for those of a split view's columns. It is not Apple's.
    open func viewSizeDidSettle(_ size: CGSize) {}

    /// Those that were added; `nil` for none.
    open override var keyCommands: [UIKeyCommand]? {
        linksIfAny.flatMap { $0.keyCommands.isEmpty ? nil : $0.keyCommands }
    }
    open override var next: UIResponder? { viewIfLoaded?.superview ?? parent }

    // MARK: Containment

    /// Adds a view controller to this container. It is removed from its parent before. One that
    /// this container is, or is in, stops the program.
    open func addChild(_ childController: UIViewController) { adopt(childController) }

    /// Removes the view controller from its container.
    open func removeFromParent() { leaveParent() }

    /// The view controller is about to be added to a container or, with `nil`, to leave it. An
    /// override calls `super`.
    open func willMove(toParent parent: UIViewController?) { if parent == nil { parentMove = .leaving } }
    /// The view controller was removed from its container; the app calls it after adding.
    open func didMove(toParent parent: UIViewController?) {}

    /// Whether the view appears as the view controller was added to its container. True until
    /// `viewDidAppear` has returned.
    open var isMovingToParent: Bool { parentMove == .entering && appearance.isVisible }
    /// Whether the view disappears as the view controller leaves its container. Until it has left.
    open var isMovingFromParent: Bool { parentMove == .leaving && !appearance.isVisible }

    /// Replaces a child's view by that of another one, in the same superview, with the calls of their
    /// appearance. A view controller that is no child stops the program. `animations` runs once both views
    /// are in the superview, `completion` after the layout, with true; the rest changes nothing.
    open func transition(
        from fromViewController: UIViewController, to toViewController: UIViewController, duration: TimeInterval,
        options: UIView.AnimationOptions = [], animations: (() -> Void)?, completion: ((Bool) -> Void)? = nil
    ) { turn { replace(fromViewController, by: toViewController, animations, completion) } }

    /// Whether the appearance calls of the children follow the system. True unless an override says
    /// otherwise, which calls `beginAppearanceTransition(_:animated:)` and `endAppearanceTransition()`
    /// of its children itself.
    open var shouldAutomaticallyForwardAppearanceMethods: Bool { true }

    /// Calls `viewWillAppear` or `viewWillDisappear`, here and in the children. Until
    /// `endAppearanceTransition()` the system makes no such calls. All of them pass `animated`.
    open func beginAppearanceTransition(_ isAppearing: Bool, animated: Bool) {
        beginAppearanceByApp(isAppearing, animated)
    }
    /// Makes the calls that end what `beginAppearanceTransition(_:animated:)` began; else does nothing.
    open func endAppearanceTransition() { endAppearanceByApp() }

    // MARK: What the view controller is in

    /// The nearest navigation controller around this one.
    open var navigationController: UINavigationController? { ancestor() }
    /// The nearest tab bar controller around this one.
    open var tabBarController: UITabBarController? { ancestor() }
    /// The nearest split view controller around this one; `nil` for none. An inspector that is
    /// a sheet still has its own.
    open var splitViewController: UISplitViewController? { nearestSplit }
    /// Whether the view controller is becoming a presented one: true in `viewWillAppear`.
    open var isBeingPresented: Bool { linksIfAny?.presentationChange == .presented }
    /// Whether the view controller stops being a presented one: true in `viewWillDisappear`.
    open var isBeingDismissed: Bool { linksIfAny?.presentationChange == .dismissed }

    // MARK: Sizes and traits of content

    /// The size that the view wants, in points. The parent is notified of another one, and a form
    /// sheet has it.
    open var preferredContentSize = CGSize.zero {
        didSet { if preferredContentSize != oldValue { preferredSizeDidChange() } }
    }

    /// A child's preferred size has changed.
    open func preferredContentSizeDidChange(forChildContentContainer container: any UIContentContainer) {}

    /// The size that a child gets when this container has the size `parentSize`, in points: the
    /// same one, unless an override says another.
    open func size(
        forChildContentContainer container: any UIContentContainer, withParentContainerSize parentSize: CGSize
    ) -> CGSize { parentSize }

    /// Whether a child that is shown will be shown where this view has another size.
    func keeps(_ child: UIViewController, at size: CGSize) -> Bool { true }

    /// The view is about to get another size, in points. An override calls `super`, which notifies
    /// the children whose views are in the window of their sizes.
    open func viewWillTransition(to size: CGSize, with coordinator: any UIViewControllerTransitionCoordinator) {
        passTransition(to: size, with: coordinator)
    }

    @exclusivity(unchecked) var traits = TraitState()
    /// The traits of which `willTransition(to:with:)` has notified, until the view controller has them.
    var announcedTraits: UITraitCollection?

    /// The present traits. Outside of a window they are those of a scene that covers the main
    /// screen, with what its containers and overrides change.
    open var traitCollection: UITraitCollection { presentTraits }

    /// The traits have changed from the previous ones.
    open func traitCollectionDidChange(_ previousTraitCollection: UITraitCollection?) {}

    /// The traits are about to change. An override calls `super`.
    open func willTransition(
        to newCollection: UITraitCollection, with coordinator: any UIViewControllerTransitionCoordinator
    ) {}

    /// Traits that this container sets for a child; `nil` for none.
    open func setOverrideTraitCollection(
        _ collection: UITraitCollection?, forChild childViewController: UIViewController
    ) {
        childViewController.traits.overridesOfParent = collection
        childViewController.setNeedsTraitUpdate()
    }

    /// What `setOverrideTraitCollection(_:forChild:)` has set for a child.
    open func overrideTraitCollection(forChild childViewController: UIViewController) -> UITraitCollection? {
        childViewController.traits.overridesOfParent
    }

    /// The traits of a child whose container has `traits`.
    func childTraits(_ child: UIViewController, from traits: UITraitCollection) -> UITraitCollection { traits }

    // MARK: Orientations

    /// The orientations that the view controller supports as the root of a window. The system
    /// reads it where it rotates a scene that covers the screen: on phones, and for an app that
    /// requires the full screen. By default all, on a phone without upside down.
    open var supportedInterfaceOrientations: UIInterfaceOrientationMask {
        UISystem.current?.platform.kind.defaultOrientations ?? .all
    }

    /// The orientation in which the view controller is best shown, for the app's own use.
    open var preferredInterfaceOrientationForPresentation: UIInterfaceOrientation {
        containingWindow?.windowScene?.interfaceOrientation ?? .portrait
    }

    /// Whether `supportedInterfaceOrientations` counts. Deprecated on Apple's platforms.
    open var shouldAutorotate: Bool { true }

    /// Makes the system read `supportedInterfaceOrientations` again, and rotate the interface
    /// if its orientation is not supported any more.
    open func setNeedsUpdateOfSupportedInterfaceOrientations() {
        guard let scene = containingWindow?.windowScene, let system = UISystem.current else { return }
        system.turn.perform { system.displays.updateOrientation(of: scene) }
    }

    // MARK: Status bar and home indicator, which are not drawn: an app's own values

    /// How the status bar is to be drawn over the view controller.
    open var preferredStatusBarStyle: UIStatusBarStyle { .default }
    /// Whether the status bar is to be hidden.
    open var prefersStatusBarHidden: Bool { false }
    /// How the status bar is to change. There are no animations.
    open var preferredStatusBarUpdateAnimation: UIStatusBarAnimation { .fade }
    /// The child whose style counts instead; `nil` for the view controller's own.
    open var childForStatusBarStyle: UIViewController? { nil }
    /// The child whose preference counts instead; `nil` for the view controller's own.
    open var childForStatusBarHidden: UIViewController? { nil }
    /// The values are read when a host asks for them, so it changes nothing.
    open func setNeedsStatusBarAppearanceUpdate() {}
    /// Whether the home indicator is to be hidden while nobody touches the screen.
    open var prefersHomeIndicatorAutoHidden: Bool { false }
    /// The child whose preference counts instead; `nil` for the view controller's own.
    open var childForHomeIndicatorAutoHidden: UIViewController? { nil }
    /// Changes nothing, as `setNeedsStatusBarAppearanceUpdate()`.
    open func setNeedsUpdateOfHomeIndicatorAutoHidden() {}
    /// The edges at which the app's gestures come before the system's. There are none.
    open var preferredScreenEdgesDeferringSystemGestures: UIRectEdge { [] }
    /// Changes nothing, as `setNeedsStatusBarAppearanceUpdate()`.
    open func setNeedsUpdateOfScreenEdgesDeferringSystemGestures() {}

    // MARK: The orientation lock

    /// Whether the view controller prefers that the interface orientation does not change
    /// while it is visible. The system reads it when the view controller becomes visible, and
    /// again when `setNeedsUpdateOfPrefersInterfaceOrientationLocked` is called.
    open var prefersInterfaceOrientationLocked: Bool { false }

    /// The child whose preference counts instead; `nil` for the view controller's own.
    open var childViewControllerForInterfaceOrientationLock: UIViewController? {
        childForInterfaceOrientationLock
    }

    /// The same under its shorter name. Override either.
    open var childForInterfaceOrientationLock: UIViewController? { nil }

    /// Makes the system read the preference, or the child's whose preference counts, again,
    /// at once.
    open func setNeedsUpdateOfPrefersInterfaceOrientationLocked() {
        guard let scene = containingWindow?.windowScene else { return }
        UISystem.current?.displays.readLockPreference(of: scene)
    }

    // MARK: Navigation, tabs and presentation

    final var linksIfAny: ControllerLinks?

    /// What a navigation bar shows for the view controller, at first its title.
    open var navigationItem: UINavigationItem { links.navigationItem(title) }

    /// What a tab bar shows for the view controller where it has no tabs, at first its title.
    open var tabBarItem: UITabBarItem! {
        get { links.tabBarItem(title) }
        set { links.tabBarItem = newValue }
    }

    /// The buttons of the toolbar of the navigation controller around this one; `nil` for none. Nothing is
    /// drawn, and a toolbar covers nothing.
    open var toolbarItems: [UIBarButtonItem]? {
        get { linksIfAny?.toolbarItems }
        set { links.toolbarItems = newValue }
    }

    /// Sets `toolbarItems`. `animated` changes nothing.
    open func setToolbarItems(_ toolbarItems: [UIBarButtonItem]?, animated: Bool) { self.toolbarItems = toolbarItems }

    /// How the view controller is presented. `automatic` is read as what it stands for, `pageSheet`.
    open var modalPresentationStyle: UIModalPresentationStyle {
        get { linksIfAny?.modalPresentationStyle ?? .pageSheet }
        set { links.modalPresentationStyle = newValue == .automatic ? .pageSheet : newValue }
    }

    /// How a presentation is animated. There are no animations, so it changes nothing.
    open var modalTransitionStyle: UIModalTransitionStyle {
        get { linksIfAny?.modalTransitionStyle ?? .coverVertical }
        set { links.modalTransitionStyle = newValue }
    }

    /// Whether a person cannot dismiss the view controller while it is presented. The app can.
    open var isModalInPresentation: Bool {
        get { linksIfAny?.isModalInPresentation ?? false }
        set { links.isModalInPresentation = newValue }
    }

    /// Presents a view controller over the outermost container's view, or over what that is
    /// presented in.
    ///
    /// While that presents another one, is being dismissed, or is in no window, nothing happens,
    /// which is logged. In a callback of another presentation it takes effect after that. A view
    /// controller that is presented already or has a parent stops the program. `animated` is what the appearance calls pass,
    /// and `completion` runs after the layout.
    open func present(
        _ viewControllerToPresent: UIViewController, animated flag: Bool, completion: (() -> Void)? = nil
    ) { turn { presentNow(viewControllerToPresent, isAnimated: flag, completion) } }

    /// Dismisses what `presentedViewController` returns and all above it, or else the
    /// presented controller that this is or is in. The parameters are those of `present`.
    open func dismiss(animated flag: Bool, completion: (() -> Void)? = nil) {
        turn { dismissNow(isAnimated: flag, completion) }
    }

    /// Shows a view controller in the nearest container around this one that does, such as
    /// a navigation controller; else presents it.
    open func show(_ vc: UIViewController, sender: Any?) {
        if !showInContainer({ $0.showsContent(vc, sender: sender) }) { present(vc, animated: false) }
    }

    /// Shows a view controller as the detail of the nearest container around this one that
    /// has details, such as a split view controller; else presents it.
    open func showDetailViewController(_ vc: UIViewController, sender: Any?) {
        if !showInContainer({ $0.showsDetail(vc, sender: sender) }) { present(vc, animated: false) }
    }

    /// A container's part of `show(_:sender:)`: whether it has shown the view controller.
    func showsContent(_ vc: UIViewController, sender: Any?) -> Bool { false }
    /// The same for `showDetailViewController(_:sender:)`.
    func showsDetail(_ vc: UIViewController, sender: Any?) -> Bool { false }
    /// A container shows its first content: called when its view appears.
    func prepareContent() {}
    /// A child's view has appeared.
    func childDidAppear(_ child: UIViewController) {}
    /// A child was removed, or has another container.
    func didRemoveChild(_ child: UIViewController) {}
}
