/// What happened to a client of a `StreamServer`.
public struct StreamReport: Hashable, Sendable {
    /// 1 for the first client, then 2, 3 …; never reused.
    public var client: Int
    /// What happened.
    public var change: Change

    /// What can happen to a client. Counts are of its events until then.
    public enum Change: Hashable, Sendable {
        /// It connected, from this process.
        case connected(process: Int32)
        /// It closed the connection at the end of a complete log.
        case disconnected(events: Int)
        /// Its stream has a fault; the reason names the line or byte.
        case dropped(reason: String, events: Int)
        /// It was not accepted.
        case refused(reason: String)
        /// The server stopped first.
        case stopped(events: Int)
    }
}

extension StreamReport: CustomStringConvertible {
    /// A sentence without a full stop, for example `client 1 connected, process 4711`.
    public var description: String {
        switch change {
        case .connected(let process): "client \(client) connected, process \(process)"
        case .disconnected(let events): "client \(client) disconnected after \(counted(events))"
        case .dropped(let reason, let events): "client \(client) was dropped after \(counted(events)): \(reason)"
        case .refused(let reason): "client \(client) was refused: \(reason)"
        case .stopped(let events): "client \(client) was disconnected after \(counted(events)), as the server stopped"
        }
    }

    private func counted(_ events: Int) -> String { events == 1 ? "1 event" : "\(events) events" }
}
