/// A window scene's geometry as a value, which is cheap to compare for every event.
/// Lengths are in points.
struct GeometryState: Equatable, Sendable {
    var size = CGSize.zero
    var origin = CGPoint.zero
    var orientation = UIInterfaceOrientation.unknown
    var isInteractivelyResizing = false
    var isInterfaceOrientationLocked = false
}

extension UIWindowScene {
    /// An immutable snapshot of a window scene's geometry. After each change the scene has
    /// a new one.
    @preconcurrency @MainActor public class Geometry: NSObject, NSCopying {
        nonisolated final let state: GeometryState

        /// Use `GeometrySnapshot`, which every geometry is.
        fileprivate init(_ state: GeometryState) {
            self.state = state
            super.init()
        }

        /// The scene's own coordinate space. Its `bounds` have the scene's size, in points,
        /// and the origin zero.
        public final var coordinateSpace: any UICoordinateSpace { unsafeDowncast(self, to: GeometrySnapshot.self) }

        /// Whether a person is resizing the scene. Build expensive resources only while
        /// this is false.
        public final var isInteractivelyResizing: Bool { state.isInteractivelyResizing }

        /// Whether the interface orientation is locked. A new value appears here once it
        /// has held for the policy's `lockDelay`.
        public final var isInterfaceOrientationLocked: Bool { state.isInterfaceOrientationLocked }

        /// The orientation of the scene's interface.
        public final var interfaceOrientation: UIInterfaceOrientation { state.orientation }

        /// The scene's frame on its screen, in points. Apple has it on the Mac only; here
        /// every platform has it.
        public final var systemFrame: CGRect { CGRect(origin: state.origin, size: state.size) }

        /// The geometry itself, as it is immutable.
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

/// A geometry that is its own coordinate space, so that a callback allocates one object
/// and no more. `UIWindowScene.Geometry` itself has no public `bounds`, as Apple's has
/// none.
final class GeometrySnapshot: UIWindowScene.Geometry, PlacedSpace {
    /// The geometry before the first callback: everything is zero, unknown or false.
    static let empty = GeometrySnapshot(GeometryState())

    override init(_ state: GeometryState) { super.init(state) }

    var bounds: CGRect { CGRect(origin: .zero, size: state.size) }
    var originOnScreen: CGPoint { state.origin }
}
