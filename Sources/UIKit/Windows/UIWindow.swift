/// Shows a view controller in a window scene. Its size is the scene's.
@preconcurrency @MainActor open class UIWindow: UIView {
    // `@exclusivity(unchecked)`: see UISystem.swift.
    /// The scene that shows the window; `nil` for none. Without a window, an external display
    /// is mirrored or extended again. The system sets `nil` when the scene disconnects.
    @exclusivity(unchecked) open var windowScene: UIWindowScene? {
        didSet {
            guard windowScene !== oldValue else { return }
            if let windowScene { sceneReference = .passUnretained(windowScene) } else { sceneReference = nil }
            let wasItsKey = oldValue?.keyWindow === self
            oldValue?.detach(self)
            windowScene?.attach(self)
            markTraits()
            updateKey()
            UISystem.current?.connections.windowsDidChange([oldValue, windowScene].compactMap { $0 }, self)
            if wantsKey, windowScene != nil {
                windowScene?.order(self)
                makeKey()
            }
            if wasItsKey, let oldValue, oldValue.keyWindow == nil { oldValue.chooseKeyWindow() }
        }
    }

    /// The same scene, which the window retains.
    final private(set) var sceneReference: Unmanaged<UIWindowScene>?

    /// The view controller whose view fills the window.
    @exclusivity(unchecked) open var rootViewController: UIViewController? {
        didSet {
            guard rootViewController !== oldValue else { return }
            settledSize = nil
            asTurn { rootLoop.run(of: self) { followRoot() } }
        }
    }

    private let rootLoop = ContentLoop()

    /// The old root controller leaves completely, then the next one enters. What they call may set
    /// another one, and the loop goes on with that.
    private func followRoot() -> Bool {
        guard enteredController !== rootViewController else { return false }
        if let old = enteredController {
            enteredController = nil
            old.leave(self)
        } else {
            enteredController = rootViewController
            rootViewController?.enter(self)
        }
        if enteredController === rootViewController, let windowScene {
            UISystem.current?.connections.windowsDidChange([windowScene], self)
        }
        return true
    }

    /// The root controller that has entered. A window that is deallocated leaves it.
    nonisolated(unsafe) private var enteredController: UIViewController?

    deinit {
        if let enteredController, enteredController.window === self { enteredController.window = nil }
    }

    /// A hidden window in a scene, with the scene's size.
    public init(windowScene: UIWindowScene) {
        super.init(frame: .zero)
        isHidden = true
        move(to: windowScene)
    }

    /// A hidden window without a scene. In an app without scenes it is shown in the app's one
    /// interface; otherwise set `windowScene`.
    public override init(frame: CGRect) {
        super.init(frame: frame)
        isHidden = true
        UISystem.current?.connections.showWithoutScene(self)
    }

    /// A hidden window without a scene. There is nothing to decode on Linux.
    public required init?(coder: NSCoder) {
        super.init(coder: coder)
        isHidden = true
    }

    /// A separate function, as property observers do not run in an initializer.
    private func move(to scene: UIWindowScene) { windowScene = scene }

    /// Whether the window is hidden. A new one is; a hidden one has no visible view controllers.
    open override var isHidden: Bool {
        didSet {
            if isHidden != oldValue { asTurn { isHiddenDidChange() } }
        }
    }

    private func isHiddenDidChange() {
        if !isHidden { rootViewController?.show(in: self) }
        guard let windowScene, let system = UISystem.current else { return }
        system.connections.windowsDidChange([windowScene], self)
        NotificationCenter.default.post(
            name: isHidden ? Self.didBecomeHiddenNotification : Self.didBecomeVisibleNotification, object: self)
        updateKey()
        if isHidden, windowScene.keyWindow === self { windowScene.chooseKeyWindow() }
    }

    /// Runs a change of what is shown as a turn of its own, or as part of the present one.
    private func asTurn(_ body: () -> Void) {
        guard let system = UISystem.current else { return body() }
        system.turn.perform(body)
    }

    open override var window: UIWindow? { self }
    override var asWindow: UIWindow? { self }
    open override var next: UIResponder? { windowScene }

    // MARK: The turn; see Turn+Layout

    /// In the list of windows that the turn lays out.
    var isInTurn = false
    /// The number of layout passes in a turn.
    var passes = (turn: 0, count: 0)
    /// Its traits, or those of a view or controller within it, may have changed.
    @exclusivity(unchecked) var needsTraitUpdate = false
    /// It is among its scene's `markedWindows`.
    var isTraitMarked = false
    /// The size of the last rebuild that was decided, until the root controller gets it.
    var decidedSize: CGSize?
    /// The size that the root controller got last.
    var settledSize: CGSize?

    /// Gets its scene's size: first the view controllers are notified, then the frames change.
    func follow(_ size: CGSize) {
        guard storedFrame.size != size else { return }
        frame = CGRect(origin: .zero, size: size)
    }

    /// Computes the traits of the window, and of all within it, if it can be seen.
    func updateTraits() {
        guard isOnScreen, let windowScene, let system = UISystem.current else { return }
        needsTraitUpdate = false
        // While it was hidden, it was left out.
        windowScene.markTraits(of: self)
        system.turn.updateTraits(of: windowScene)
        system.turn.notifyUpdate(of: windowScene, previous: windowScene.current)
    }

    /// Marks the window for a computation of traits in this turn.
    func setNeedsTraits() {
        needsTraitUpdate = true
        windowScene?.markTraits(of: self)
        UISystem.current?.turn.setNeedsTurn(self)
    }

    override func sizeWillChange(to new: CGSize) {
        let isInteractive = sceneReference?.borrow { $0.pending.isInteractivelyResizing } ?? false
        rootViewController?.transition(to: new, isInteractive: isInteractive)
        rootViewController?.linksIfAny?.presented?.transition(to: new, isInteractive: isInteractive)
    }

    override func sizeDidChange(from old: CGSize) {
        super.sizeDidChange(from: old)
        // The window control is at the leading side, and the keyboard at the bottom. First, so that the frames
        // that follow find the views marked.
        let isMirrored = hasControl && effectiveUserInterfaceLayoutDirection == .rightToLeft
        if !adaptiveViews.isEmpty, isMirrored || keyboardArea != nil {
            markAdaptiveViews(within: self)
        }
        rootViewController?.viewIfLoaded?.frame = bounds
        rootViewController?.linksIfAny?.presented?.place(in: bounds)
    }

    override func topWasMarked() { UISystem.current?.turn.setNeedsTurn(self) }

    /// The views within it whose guides keep clear of the window control or the keyboard.
    @exclusivity(unchecked) final var adaptiveViews: [ItemHandle] = []

    /// The window control is at the leading side.
    override func directionDidChange() { markAdaptiveViews(within: self) }

    override var safeAreaOfTop: UIEdgeInsets? { sceneReference?.borrow { $0.surroundings.safeArea } ?? .zero }

    override var originOfTop: CGPoint { sceneReference?.borrow { $0.pending.origin } ?? .zero }

    /// The screen that shows the window; the main screen if there is no scene.
    public var screen: UIScreen { windowScene?.screen ?? .main }
    /// Whether the window is its scene's key window, and visible.
    public var isKeyWindow: Bool { windowScene?.keyWindow === self && !isHidden }

    /// How far in front the window is among its scene's windows.
    open var windowLevel = Level.normal {
        didSet { if windowLevel != oldValue { windowScene?.order(self) } }
    }

    /// Whether `makeKey` makes the window key. The default is true.
    open var canBecomeKey: Bool { true }
    /// The window has become its scene's key window. Do not call it.
    open func becomeKey() {}
    /// The window is not its scene's key window any more. Do not call it.
    open func resignKey() {}
    /// `becomeKey` was called last, not `resignKey`.
    var wasKey = false
    /// It was made key before it had a scene.
    private var wantsKey = false

    /// Shows the window in front of the others of its level, and makes it the key window.
    open func makeKeyAndVisible() {
        windowScene?.order(self)
        isHidden = false
        makeKey()
    }

    /// Makes the window its scene's key window; without a scene, once it has one.
    open func makeKey() {
        wantsKey = windowScene == nil
        guard let windowScene, windowScene.keyWindow !== self, canBecomeKey else { return }
        let previous = windowScene.keyWindow
        windowScene.keyWindow = self
        previous?.updateKey()
        updateKey()
        // The preference of another view controller counts now.
        UISystem.current?.connections.windowsDidChange([windowScene], self)
    }
}
