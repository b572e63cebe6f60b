enum Scaling: Equatable {
    case none
    /// The app requires the full screen and is shown in a window: the scene keeps the
    /// screen's size and is scaled into this frame, in points of the screen.
    case window(CGRect)
    /// The app was built before the screen existed: the scene has an older screen's size
    /// and is scaled to fit, with bars on two sides.
    case letterbox
}

extension UISystem {
    /// How a scene appears on its screen.
    public struct Presentation: Equatable, Sendable {
        /// What the scene covers, in points of the screen.
        public var frame: CGRect
        /// Points of the screen per point of the scene.
        public var scale: CGFloat
        /// Whether bars fill the rest of the screen.
        public var isLetterboxed: Bool

        /// A presentation; by default unscaled.
        public init(frame: CGRect, scale: CGFloat = 1, isLetterboxed: Bool = false) {
            self.frame = frame
            self.scale = scale
            self.isLetterboxed = isLetterboxed
        }

        /// A scene of that size, scaled to fit a frame and centred in it.
        fileprivate init(of size: CGSize, scaledInto frame: CGRect, isLetterboxed: Bool) {
            guard size.width > 0, size.height > 0 else {
                self.init(frame: frame, isLetterboxed: isLetterboxed)
                return
            }
            let scale = min(frame.width / size.width, frame.height / size.height)
            let scaled = CGSize(width: size.width * scale, height: size.height * scale)
            let origin = CGPoint(
                x: frame.origin.x + (frame.width - scaled.width) / 2,
                y: frame.origin.y + (frame.height - scaled.height) / 2)
            self.init(frame: CGRect(origin: origin, size: scaled), scale: scale, isLetterboxed: isLetterboxed)
        }
    }

    /// How a scene appears on its screen: unscaled, unless the app requires the full screen
    /// or was built for older screens.
    public func presentation(of scene: UIWindowScene) -> Presentation {
        let size = scene.pending.size
        switch scene.scaling {
        case .none:
            return Presentation(frame: CGRect(origin: scene.pending.origin, size: size))
        case .window(let frame):
            return Presentation(of: size, scaledInto: frame, isLetterboxed: false)
        case .letterbox:
            // `mainScreen` is the older screen that the app sees; this is the real one.
            let screen = platform.screenSize.turned(mainScreen.orientation)
            return Presentation(of: size, scaledInto: CGRect(origin: .zero, size: screen), isLetterboxed: true)
        }
    }
}
