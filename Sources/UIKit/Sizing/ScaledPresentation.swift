/// Why a scene is not shown point for point.
enum ScaledPresentation: Equatable {
    /// It is.
    case none
    /// The app requires the full screen and is shown in a window: the scene keeps the
    /// screen's size and is scaled into the frame.
    case window(CGRect)
    /// The app was built before the screen existed: the scene has an older screen's size
    /// and is scaled to fit, with bars beside it.
    case letterbox
}

/// How a scene appears on its screen.
public struct UIPresentation: Equatable, Sendable {
    /// What the scene covers, in points of the screen.
    public var frame: CGRect
    /// Points of the screen per point of the scene.
    public var scale: CGFloat
    /// Whether bars fill the rest of the screen.
    public var isLetterboxed: Bool

    public init(frame: CGRect, scale: CGFloat = 1, isLetterboxed: Bool = false) {
        self.frame = frame
        self.scale = scale
        self.isLetterboxed = isLetterboxed
    }
}

extension UISystem {
    /// How a scene appears on its screen: point for point, unless the app requires the
    /// full screen or was built for older screens.
    public func presentation(of scene: UIWindowScene) -> UIPresentation {
        let size = scene.state.size
        switch scene.presentation {
        case .none:
            return UIPresentation(
                frame: CGRect(origin: scene.state.origin, size: size), scale: 1, isLetterboxed: false)
        case .window(let frame):
            return Self.fit(size, into: frame, isLetterboxed: false)
        case .letterbox:
            // The app sees an older screen; this is the real one.
            let screen = platform.screenSize.turned(mainScreen.orientation)
            return Self.fit(size, into: CGRect(origin: .zero, size: screen), isLetterboxed: true)
        }
    }

    private static func fit(_ size: CGSize, into frame: CGRect, isLetterboxed: Bool) -> UIPresentation {
        guard size.width > 0, size.height > 0 else {
            return UIPresentation(frame: frame, scale: 1, isLetterboxed: isLetterboxed)
        }
        let scale = min(frame.width / size.width, frame.height / size.height)
        let shown = CGSize(width: size.width * scale, height: size.height * scale)
        let origin = CGPoint(
            x: frame.origin.x + (frame.width - shown.width) / 2, y: frame.origin.y + (frame.height - shown.height) / 2)
        return UIPresentation(frame: CGRect(origin: origin, size: shown), scale: scale, isLetterboxed: isLetterboxed)
    }
}
