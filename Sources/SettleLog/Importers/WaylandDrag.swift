internal import Settle

extension WaylandWindows {
    /// A resize by the pointer that the client asked the compositor for.
    enum Drag: Equatable {
        case none
        /// A compositor may ignore it, or not have answered yet.
        case asked(at: Timestamp)
        /// The compositor took the pointer from the client.
        case taken
        /// With the bytes of its last configure's states, of which `resizing` is four.
        case on(stateBytes: UInt64?)

        /// Motion that was sent before the compositor knew of the request arrives until then.
        static let motionMax = Duration.milliseconds(100)
        /// Compositors answer at once, by the states or by taking the pointer.
        static let answerMax = Duration.seconds(1)

        /// Whether a request is still without an answer after a time.
        func isUnanswered(at now: Timestamp, after limit: Duration) -> Bool {
            if case .asked(let time) = self { now > time + limit } else { false }
        }
    }
}

extension WaylandWindows.Window {
    /// Forgets a request for a drag that has not begun.
    mutating func lapse() {
        if case .on = drag { return }
        drag = .none
    }
}
