/// What a geometry says, as a value: cheap to compare on every event.
struct GeometryState: Equatable, Sendable {
    var size = CGSize.zero
    /// Of the scene on its screen, in points.
    var origin = CGPoint.zero
    var orientation = UIInterfaceOrientation.unknown
    var isInteractivelyResizing = false
    var isInterfaceOrientationLocked = false
}

extension UIWindowScene {
    /// A window scene's geometry at one moment. It never changes: the scene has a new
    /// one after each change.
    @preconcurrency @MainActor public final class Geometry: NSObject, NSCopying {
        nonisolated let state: GeometryState

        init(_ state: GeometryState) {
            self.state = state
            super.init()
        }

        /// The scene's own space; its `bounds` have the scene's size, in points, and a
        /// zero origin. The geometry stands for it itself, so that a callback allocates
        /// one object and no more.
        public var coordinateSpace: any UICoordinateSpace { self }

        /// Whether somebody is resizing the scene: build what is expensive only when
        /// this is off.
        public var isInteractivelyResizing: Bool { state.isInteractivelyResizing }

        /// Whether the orientation is locked. It has held for the system's lock delay.
        public var isInterfaceOrientationLocked: Bool { state.isInterfaceOrientationLocked }

        public var interfaceOrientation: UIInterfaceOrientation { state.orientation }

        /// The scene on its screen, in points. Apple has it on the Mac only; here it is
        /// told on every platform.
        public var systemFrame: CGRect { CGRect(origin: state.origin, size: state.size) }

        public nonisolated func copy(with zone: NSZone? = nil) -> Any { self }

        public nonisolated override func isEqual(_ object: Any?) -> Bool {
            (object as? Geometry)?.state == state
        }

        public nonisolated override var hash: Int {
            var hasher = Hasher()
            hasher.combine(state.size.width)
            hasher.combine(state.size.height)
            hasher.combine(state.isInteractivelyResizing)
            return hasher.finalize()
        }

        public nonisolated override var description: String {
            let flags = [
                state.isInteractivelyResizing ? "resizing" : nil,
                state.isInterfaceOrientationLocked ? "locked" : nil,
            ]
            let words = ["\(state.size.width)×\(state.size.height)", "\(state.orientation)"] + flags.compactMap { $0 }
            return "<UIWindowScene.Geometry \(words.joined(separator: " "))>"
        }
    }
}

extension UIWindowScene.Geometry: PlacedSpace {
    public var bounds: CGRect { CGRect(origin: .zero, size: state.size) }
    var originOnScreen: CGPoint { state.origin }
}
