internal import Settle

/// Bounds on a window scene's size, in points. They hold at once for the present size
/// and for every later one.
@preconcurrency @MainActor public final class UISceneSizeRestrictions: NSObject {
    /// Neither side is smaller than this. Where it is above `maximumSize`, it wins.
    public var minimumSize = CGSize.zero { didSet { didChange() } }

    /// Neither side is larger than this.
    public var maximumSize = CGSize(
        width: CGFloat.greatestFiniteMagnitude, height: CGFloat.greatestFiniteMagnitude)
    { didSet { didChange() } }

    /// Whether the window may cover the screen.
    public var allowsFullScreen = true

    private(set) var isLimiting = false
    /// The scene by its name in the engine, as a reference to it would be a cycle.
    private let scene: SceneID

    init(_ scene: UIWindowScene) {
        self.scene = scene.identity
        super.init()
    }

    /// The nearest size within the bounds. A side that no scene can have stays as it is,
    /// for the engine to judge.
    func clamp(_ size: CGSize) -> CGSize {
        func clamp(_ length: CGFloat, _ least: CGFloat, _ most: CGFloat) -> CGFloat {
            guard length > 0, length.isFinite else { return length }
            return max(min(length, most), least)
        }
        return CGSize(
            width: clamp(size.width, minimumSize.width, maximumSize.width),
            height: clamp(size.height, minimumSize.height, maximumSize.height))
    }

    private func didChange() {
        isLimiting = true
        guard let system = UISystem.current, let scene = system.windowScene(scene) else { return }
        system.restrictionsDidChange(scene)
    }
}
