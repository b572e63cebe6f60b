/// A display that the system shows scenes on.
@preconcurrency @MainActor public final class UIScreen: NSObject {
    // `@exclusivity(unchecked)`: see UISystem.swift.
    /// In points, in the interface's orientation.
    @exclusivity(unchecked) public internal(set) var bounds: CGRect
    /// Pixels per point.
    public let scale: CGFloat
    /// The screen that this one mirrors; `nil` if it shows its own content.
    public internal(set) weak var mirrored: UIScreen?

    let isExternal: Bool
    /// The orientation of the screen's interface.
    var orientation: UIInterfaceOrientation

    init(size: CGSize, scale: CGFloat, isExternal: Bool, orientation: UIInterfaceOrientation) {
        bounds = CGRect(origin: .zero, size: size)
        self.scale = scale
        self.isExternal = isExternal
        self.orientation = orientation
        super.init()
    }

    /// The device's own screen.
    public static var main: UIScreen { UISystem.running.mainScreen }
    /// All screens, the device's own first.
    public static var screens: [UIScreen] { UISystem.running.screens }

    /// In pixels, in the interface's orientation.
    public var nativeBounds: CGRect {
        CGRect(x: 0, y: 0, width: bounds.width * scale, height: bounds.height * scale)
    }

    /// The coordinate space of the screen, in points.
    public var coordinateSpace: any UICoordinateSpace { self }

    /// Posted when an external display is attached. The object is its screen.
    public nonisolated static let didConnectNotification = NSNotification.Name("UIScreenDidConnectNotification")
    /// Posted when an external display was detached. The object is its screen.
    public nonisolated static let didDisconnectNotification = NSNotification.Name("UIScreenDidDisconnectNotification")
}

extension UIScreen: PlacedSpace {
    var originOnScreen: CGPoint { .zero }
}
