internal import Settle

/// Bounds on a window scene's size, in points. They hold at once for the present size
/// and for every later one.
///
/// They are preferences, to which the system sets limits: no minimum asks for more than
/// the scene's screen has, so a window can always cover its screen; and a side that is
/// not a number, negative or zero bounds nothing.
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

    /// The nearest size within the bounds, on a screen of that size. A side that no scene
    /// can have stays as it is, for the engine to judge.
    func clamp(_ size: CGSize, on screen: CGSize) -> CGSize {
        func clamp(_ length: CGFloat, _ minimum: CGFloat, _ maximum: CGFloat, _ room: CGFloat) -> CGFloat {
            guard length > 0, length.isFinite else { return length }
            // Comparisons with what is not a number are false.
            let most = maximum > 0 ? maximum : .infinity
            let least = minimum > 0 ? min(minimum, room) : 0
            return max(min(length, most), least)
        }
        return CGSize(
            width: clamp(size.width, minimumSize.width, maximumSize.width, screen.width),
            height: clamp(size.height, minimumSize.height, maximumSize.height, screen.height))
    }

    private func didChange() {
        isLimiting = true
        guard let system = UISystem.current, let scene = system.windowScene(scene) else { return }
        system.restrictionsDidChange(scene)
    }
}
