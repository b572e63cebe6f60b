internal import Settle

/// A scene that shows windows. Its geometry comes from the system; see `UISystem`.
@preconcurrency @MainActor open class UIWindowScene: UIScene {
    /// The scene's geometry as its delegate was last told it.
    @exclusivity(unchecked) public internal(set) var effectiveGeometry: Geometry = GeometrySnapshot.empty

    /// The bounds on the scene's size; `nil` where windows cannot vary in size.
    @exclusivity(unchecked) public internal(set) var sizeRestrictions: UISceneSizeRestrictions?

    /// Where the scene is shown.
    @exclusivity(unchecked) public internal(set) var screen = UIScreen.main

    /// The windows attached to the scene, which keeps them.
    @exclusivity(unchecked) public private(set) var windows: [UIWindow] = []

    /// The window that was made key last, if it still is in the scene and visible.
    public internal(set) var keyWindow: UIWindow?

    public var coordinateSpace: any UICoordinateSpace { effectiveGeometry.coordinateSpace }
    public var interfaceOrientation: UIInterfaceOrientation { effectiveGeometry.interfaceOrientation }

    /// Whether the scene covers its screen.
    public var isFullScreen: Bool { effectiveGeometry.systemFrame == screen.bounds }

    // What the system keeps of the scene. What every event uses goes without the run-time
    // check for overlapping uses; the main actor is the only user.

    /// The scene in the engine.
    @exclusivity(unchecked) var identity = SceneID(rawValue: 0)
    /// The geometry as it is, told or not.
    @exclusivity(unchecked) var state = GeometryState()
    /// The geometry that the delegate was told last; empty before the first time.
    @exclusivity(unchecked) var told: Geometry = GeometrySnapshot.empty
    /// In the system's list of scenes whose geometry may have changed.
    @exclusivity(unchecked) var isTouched = false
    /// Moved to another screen, which is told even if nothing else changed.
    @exclusivity(unchecked) var hasMovedScreen = false
    /// Not on screen: changes and rebuilds wait for the foreground.
    @exclusivity(unchecked) var isHeld = true
    /// The engine decided a rebuild while the scene was held.
    var owesRebuild = false
    /// Somebody says whether the scene is being resized; else pointer buttons tell.
    @exclusivity(unchecked) var reportsResizing = false
    @exclusivity(unchecked) var lock = OrientationLock()
    @exclusivity(unchecked) var sizing = Sizing.window
    @exclusivity(unchecked) var scaling = Scaling.none
    /// Whether the scene covered its screen when locks were last looked at.
    @exclusivity(unchecked) var wasCovering = false
    /// How often the delegate was told within one call from outside, and within which.
    @exclusivity(unchecked) var toldInCall = (call: 0, count: 0)
    /// It was logged that `UISystem.callbacksMax` was reached.
    var isRestless = false
    /// `delegate`, asked once whether it is interested in windows.
    @exclusivity(unchecked) private(set) var windowDelegate: (any UIWindowSceneDelegate)?

    override func delegateDidChange() {
        windowDelegate = delegate as? any UIWindowSceneDelegate
    }

    func attach(_ window: UIWindow) {
        windows.append(window)
        window.frame = CGRect(origin: .zero, size: state.size)
    }

    func detach(_ window: UIWindow) {
        windows.removeAll { $0 === window }
        window.updateAppearance()
        if keyWindow === window { keyWindow = nil }
    }
}
