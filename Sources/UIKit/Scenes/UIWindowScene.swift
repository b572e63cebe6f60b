internal import Settle

/// A scene that shows windows. The system sets its geometry; see `UISystem`.
@preconcurrency @MainActor open class UIWindowScene: UIScene {
    /// The scene's current geometry: the one that its delegate got last or, before that,
    /// the one with which the scene connects.
    public var effectiveGeometry: Geometry { initialGeometry ?? current }

    // `@exclusivity(unchecked)`: see UISystem.swift.
    /// The bounds of the scene's size; `nil` where the scene is not a window of variable
    /// size.
    @exclusivity(unchecked) public internal(set) var sizeRestrictions: UISceneSizeRestrictions?

    /// The screen that shows the scene.
    @exclusivity(unchecked) public internal(set) var screen = UIScreen.main

    /// The windows attached to the scene, which retains them: from the back to the front, so
    /// by their levels.
    @exclusivity(unchecked) public private(set) var windows: [UIWindow] = []

    /// The window that was made key last. If it is hidden or leaves the scene, the front-most
    /// visible one that can be key takes its place; if there is none, a hidden one stays, and
    /// `nil` is returned for one that has left.
    public internal(set) var keyWindow: UIWindow?

    public var coordinateSpace: any UICoordinateSpace { effectiveGeometry.coordinateSpace }
    public var interfaceOrientation: UIInterfaceOrientation { effectiveGeometry.interfaceOrientation }

    /// Whether the scene covers its screen.
    public var isFullScreen: Bool { effectiveGeometry.systemFrame == screen.bounds }

    /// What is known about the status bar: the same object each time.
    public private(set) lazy var statusBarManager: UIStatusBarManager? = UIStatusBarManager(self)

    // The system's state of the scene.

    var identity = SceneID(rawValue: 0)
    /// The geometry that the scene has by now, delivered or not.
    var pending = GeometryState()
    /// The geometry that the delegate got last; empty before the first one.
    private(set) var current = GeometrySnapshot.empty
    /// The geometry with which the scene connects, until the delegate gets the first one.
    private var initialGeometry: GeometrySnapshot?
    /// In the transaction's list of scenes whose pending geometry may differ.
    var isDirty = false
    /// Moved to another screen, which is a change even if the geometry is equal.
    var hasMovedScreen = false
    /// The scene has entered the foreground, and is not about to disconnect: its windows show what they
    /// contain, also while it is in the background.
    var showsWindows = false
    /// The engine decided a rebuild while the scene was not in the foreground.
    var hasDeferredRebuild = false
    var lock = OrientationLock()
    var sizing = Sizing.window
    var scaling = Scaling.none
    /// Whether the scene covered its screen when the locks were last updated.
    var coveredScreen = false
    var callbacks = (hostCall: 0, count: 0)
    var hasLoggedCallbacksMax = false
    /// The columns of split views in the scene that are connected to the engine. The main thread's, and
    /// `deinit`'s, which is of no actor.
    @exclusivity(unchecked) nonisolated(unsafe) var columns: [ColumnTarget] = []
    private(set) var windowDelegate: (any UIWindowSceneDelegate)?

    deinit {
        for column in columns { column.scene = nil }
    }

    // MARK: The safe area and the window control; see WindowControl

    var surroundings = SceneSurroundings()
    /// How much of the scene's bottom the keyboard covers, in points.
    var keyboardHeight: CGFloat = 0
    /// What the host set instead of the platform's insets.
    var hostInsets: UIEdgeInsets?
    /// The orientation before, while the windows get another geometry.
    var rotatedFrom: UIInterfaceOrientation?
    /// What the delegate preferred when it was asked last.
    var controlStyle = WindowingControlStyle.automatic

    /// Makes the pending geometry current, as the delegate is about to get it.
    func commitGeometry() {
        current = GeometrySnapshot(pending)
        if initialGeometry != nil { initialGeometry = nil }
    }

    /// Sets the geometry that the scene has before its first event.
    func setPending(_ frame: CGRect, _ orientation: UIInterfaceOrientation) {
        pending = GeometryState(size: frame.size, origin: frame.origin, orientation: orientation)
    }

    /// Makes the pending geometry the one with which the scene connects. Call after the
    /// scene's first event, which may change it.
    func setInitialGeometry() {
        initialGeometry = GeometrySnapshot(pending)
        updateSurroundings()
    }

    /// A window may wait for `viewSizeDidSettle(_:)`.
    var hasDecidedSizes = false

    // MARK: Traits; see SystemTraits

    @exclusivity(unchecked) var traits = TraitState()
    /// What the system sets, before the app's overrides.
    var systemTraitCollection: UITraitCollection? {
        didSet {
            if let systemTraitCollection { systemSizeClasses = SizeClasses(systemTraitCollection.values) }
            needsTraits = true
        }
    }
    private(set) var systemSizeClasses: SizeClasses?
    /// The traits of the scene, or of what is in it, may have changed. Most events read only this.
    var needsTraits = true
    /// The windows whose traits, or those of what is in them, may have changed: only they are visited, so that
    /// a change of one costs the same among many.
    var markedWindows: [UIWindow] = []
    /// The traits before this turn, if they have changed in it and the delegate has not been called.
    var previousTraits: UITraitCollection?
    /// The number of times that traits were computed in a turn.
    @exclusivity(unchecked) var traitUpdates = (turn: 0, count: 0)
    /// The delegate does not have `windowScene(_:didUpdate:interfaceOrientation:traitCollection:)`.
    var lacksUpdateMethod = false

    /// The present traits, which the scene's windows inherit.
    open var traitCollection: UITraitCollection { presentTraits }

    /// The traits have changed from the previous ones.
    open func traitCollectionDidChange(_ previousTraitCollection: UITraitCollection?) {}

    override func delegateDidChange() {
        windowDelegate = delegate as? any UIWindowSceneDelegate
        lacksUpdateMethod = false
    }

    func markTraits(of window: UIWindow) {
        needsTraits = true
        guard !window.isTraitMarked else { return }
        window.isTraitMarked = true
        markedWindows.append(window)
    }

    func attach(_ window: UIWindow) {
        order(window)
        window.isTraitMarked = false
        markTraits(of: window)
        window.frame = CGRect(origin: .zero, size: pending.size)
    }

    func order(_ window: UIWindow) {
        windows.removeAll { $0 === window }
        let index = windows.firstIndex { $0.windowLevel > window.windowLevel }
        windows.insert(window, at: index ?? windows.count)
    }

    func detach(_ window: UIWindow) {
        windows.removeAll { $0 === window }
        window.updateAppearance()
        if window.isTraitMarked { markedWindows.removeAll { $0 === window } }
        window.isTraitMarked = false
        if keyWindow === window { keyWindow = nil }
    }

    /// Gives the windows the scene's present size, whether the delegate has got it or not. Their
    /// traits come first.
    func resizeWindows() {
        for window in windows { window.follow(pending.size) }
    }
}
