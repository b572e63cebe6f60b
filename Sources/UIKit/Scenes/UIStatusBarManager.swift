/// What is known about the status bar of a scene. Nothing is drawn: it is where the system covers the
/// scene's top.
@preconcurrency @MainActor public final class UIStatusBarManager: NSObject {
    private weak var scene: UIWindowScene?

    init(_ scene: UIWindowScene) {
        self.scene = scene
        super.init()
    }

    /// In the scene's coordinates, in points: as high as the safe area's top; empty without one.
    public var statusBarFrame: CGRect {
        guard let scene, !isStatusBarHidden else { return .zero }
        return CGRect(x: 0, y: 0, width: scene.pending.size.width, height: scene.surroundings.safeArea.top)
    }

    /// Whether the system covers nothing at the top.
    public var isStatusBarHidden: Bool { !((scene?.surroundings.safeArea.top ?? 0) > 0) }

    /// Always the default.
    public var statusBarStyle: UIStatusBarStyle { .default }
}

/// How the status bar is hidden or shown. There are no animations. The raw values are Apple's.
public enum UIStatusBarAnimation: Int, Sendable {
    case none = 0
    case fade = 1
    case slide = 2
}

/// How the status bar is drawn. The raw values are Apple's.
public enum UIStatusBarStyle: Int, Sendable {
    /// By the interface's style.
    case `default` = 0
    /// For a dark background.
    case lightContent = 1
    /// For a light background.
    case darkContent = 3
}
