internal import Settle

/// The bounds of a window scene's size, in points. A new value applies at once to the
/// present size, and to every later one.
///
/// They are preferences that the system limits: a minimum larger than the scene's screen
/// counts as the screen's size, so a window can always cover its screen. A side that is
/// zero, negative or not a number sets no bound.
@preconcurrency @MainActor public final class UISceneSizeRestrictions: NSObject {
    /// The smallest size, in points. It takes precedence over a smaller `maximumSize`.
    public var minimumSize = CGSize.zero { didSet { didChange() } }

    /// The largest size, in points.
    public var maximumSize = CGSize(
        width: CGFloat.greatestFiniteMagnitude, height: CGFloat.greatestFiniteMagnitude)
    { didSet { didChange() } }

    /// Whether the window may cover the screen by `UISystem.enterFullScreen`.
    public var allowsFullScreen = true

    /// The app has set a bound.
    private(set) var isLimiting = false
    /// The scene's handle in the engine, as a reference to the scene would be a cycle.
    private let scene: SceneID

    init(_ scene: UIWindowScene) {
        self.scene = scene.identity
        super.init()
    }

    /// The nearest size within the bounds, on a screen of that size. A side that no scene
    /// can have stays as it is, for the engine to reject.
    func clamp(_ size: CGSize, on screen: CGSize) -> CGSize {
        func clamp(_ length: CGFloat, _ minimum: CGFloat, _ maximum: CGFloat, _ screen: CGFloat) -> CGFloat {
            guard length > 0, length.isFinite else { return length }
            // A comparison with NaN is false.
            let largest = maximum > 0 ? maximum : .infinity
            let smallest = minimum > 0 ? min(minimum, screen) : 0
            return max(min(length, largest), smallest)
        }
        return CGSize(
            width: clamp(size.width, minimumSize.width, maximumSize.width, screen.width),
            height: clamp(size.height, minimumSize.height, maximumSize.height, screen.height))
    }

    private func didChange() {
        isLimiting = true
        guard let system = UISystem.current, let scene = system.engine.windowScene(scene) else { return }
        system.displays.applyRestrictions(of: scene)
    }
}
