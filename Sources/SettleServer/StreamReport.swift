/// What happened to a client of a `StreamServer`.
public struct StreamReport: Hashable, Sendable {
    /// 1 for the first client, then 2, 3 …; never reused.
    public var client: Int
    public var change: Change

    public enum Change: Hashable, Sendable {
        case came(process: Int32)
        /// Its stream was complete.
        case left(events: Int)
        /// Its stream could not be read on; the reason names the line or byte.
        case dropped(reason: String, events: Int)
        /// It was not let in.
        case refused(reason: String)
        /// The server stopped before the client did.
        case stopped(events: Int)
    }
}

extension StreamReport: CustomStringConvertible {
    public var description: String {
        switch change {
        case .came(let process): "client \(client) came, process \(process)"
        case .left(let events): "client \(client) left after \(counted(events))"
        case .dropped(let reason, let events): "client \(client) was dropped after \(counted(events)): \(reason)"
        case .refused(let reason): "client \(client) was refused: \(reason)"
        case .stopped(let events): "client \(client) was disconnected after \(counted(events)), as the server stopped"
        }
    }

    private func counted(_ events: Int) -> String { events == 1 ? "1 event" : "\(events) events" }
}
