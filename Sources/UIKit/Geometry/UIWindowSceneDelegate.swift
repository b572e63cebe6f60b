/// Hears what happens to a window scene. All methods may be left out.
@preconcurrency @MainActor public protocol UIWindowSceneDelegate: UISceneDelegate {
    /// The scene's main window. The system sets it when the scene's configuration names
    /// a storyboard.
    var window: UIWindow? { get set }

    /// The scene's effective geometry has changed: its size, place, orientation, lock or
    /// `isInteractivelyResizing`; or it was moved to another screen.
    ///
    /// Every difference is told, and nothing else: the previous geometry of a call is the
    /// effective geometry of the call before. Several changes may be told by one call.
    /// The first call tells the geometry with which the scene connected; its previous
    /// geometry is empty. A scene in the background is told when it enters the foreground.
    func windowScene(
        _ windowScene: UIWindowScene, didUpdateEffectiveGeometry previousEffectiveGeometry: UIWindowScene.Geometry)

    /// How the window's own controls should look.
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

    public func preferredWindowingControlStyle(
        for windowScene: UIWindowScene
    ) -> UIWindowScene.WindowingControlStyle { .automatic }
}

extension UIWindowScene {
    /// How the controls that close, minimize and arrange a window look.
    @preconcurrency @MainActor public final class WindowingControlStyle: NSObject {
        private let name: String

        private init(_ name: String) {
            self.name = name
            super.init()
        }

        /// The system's choice.
        public static let automatic = WindowingControlStyle("automatic")
        /// As small as can be.
        public static let minimal = WindowingControlStyle("minimal")
        /// In line with the bar at the top of the scene.
        public static let unified = WindowingControlStyle("unified")
    }
}
