/// A display.
@preconcurrency @MainActor public final class UIScreen: NSObject {
    /// In points, turned as the interface is.
    @exclusivity(unchecked) public internal(set) var bounds: CGRect
    /// Pixels per point.
    public let scale: CGFloat
    /// The screen that this one repeats; `nil` when it shows content of its own.
    public internal(set) weak var mirrored: UIScreen?

    let isExternal: Bool
    /// How the interface on the screen is turned.
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

    /// In pixels.
    public var nativeBounds: CGRect {
        CGRect(x: 0, y: 0, width: bounds.width * scale, height: bounds.height * scale)
    }

    public var coordinateSpace: any UICoordinateSpace { self }

    public nonisolated static let didConnectNotification = NSNotification.Name("UIScreenDidConnectNotification")
    public nonisolated static let didDisconnectNotification = NSNotification.Name("UIScreenDidDisconnectNotification")
}

extension UIScreen: PlacedSpace {
    var originOnScreen: CGPoint { .zero }
}
