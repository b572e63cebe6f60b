/// The app's own part of a window scene's life. Every method has a default body. The system
/// calls them on the main thread.
@preconcurrency @MainActor public protocol UIWindowSceneDelegate: UISceneDelegate {
    /// The scene's main window. The system sets it if the scene's configuration has a
    /// storyboard.
    var window: UIWindow? { get set }

    /// The scene's effective geometry has changed: its size, position, orientation, lock or
    /// `isInteractivelyResizing`; or the scene has moved to another screen.
    ///
    /// There is no call without a change. Several changes may share a call. The previous
    /// geometry of a call is the effective geometry of the call before; for the first call,
    /// which reports the geometry with which the scene connected, it is empty. A scene in
    /// the background gets the call when it enters the foreground.
    func windowScene(
        _ windowScene: UIWindowScene, didUpdateEffectiveGeometry previousEffectiveGeometry: UIWindowScene.Geometry)

    /// The scene's size, orientation or traits have changed: called before
    /// `windowScene(_:didUpdateEffectiveGeometry:)`, and not for the first geometry.
    /// Deprecated on Apple's platforms in favour of that method and of
    /// `registerForTraitChanges`.
    func windowScene(
        _ windowScene: UIWindowScene, didUpdate previousCoordinateSpace: any UICoordinateSpace,
        interfaceOrientation previousInterfaceOrientation: UIInterfaceOrientation,
        traitCollection previousTraitCollection: UITraitCollection)

    /// Runs the quick action that a person chose while the scene was connected, and says
    /// whether it worked. The action with which a scene connects is in its connection options.
    func windowScene(
        _ windowScene: UIWindowScene, performActionFor shortcutItem: UIApplicationShortcutItem,
        completionHandler: @escaping (Bool) -> Void)

    /// Returns the style that the scene prefers for the window's own controls.
    func preferredWindowingControlStyle(for windowScene: UIWindowScene) -> UIWindowScene.WindowingControlStyle
}

extension UIWindowSceneDelegate {
    public var window: UIWindow? {
        get { nil }
        set {}
    }

    public func windowScene(
        _ windowScene: UIWindowScene, didUpdateEffectiveGeometry previousEffectiveGeometry: UIWindowScene.Geometry
    ) {}

    public func windowScene(
        _ windowScene: UIWindowScene, didUpdate previousCoordinateSpace: any UICoordinateSpace,
        interfaceOrientation previousInterfaceOrientation: UIInterfaceOrientation,
        traitCollection previousTraitCollection: UITraitCollection
    ) { windowScene.lacksUpdateMethod = true }

    public func windowScene(
        _ windowScene: UIWindowScene, performActionFor shortcutItem: UIApplicationShortcutItem,
        completionHandler: @escaping (Bool) -> Void
    ) { completionHandler(false) }

    public func preferredWindowingControlStyle(
        for windowScene: UIWindowScene
    ) -> UIWindowScene.WindowingControlStyle { .automatic }
}
