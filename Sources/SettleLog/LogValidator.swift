internal import Settle

/// Finds every fault of a log: what its reader cannot read, and what the engine
/// would reject or correct.
public struct LogValidator {
    private let path: String
    private let format: LogFormat?
    private var latest = Timestamp(nanoseconds: 0)
    private var isConnected: [Bool] = []

    public struct Result: Sendable {
        public var events = 0
        public var faults = 0
        /// What the log could not tell, in sentences.
        public var notes: [String] = []
    }

    public init(path: String, format: LogFormat? = nil) {
        self.path = path
        self.format = format
    }

    /// Reads the log to its end and reports each fault. Throws what keeps it from
    /// reading or reporting at all.
    public mutating func run(report: (LogError) throws(LogError) -> Void) throws(LogError) -> Result {
        var result = Result()
        let reader: LogReader
        do throws(LogError) {
            reader = try LogReader(path: path, format: format)
        } catch {
            if case .io = error.kind { throw error }
            try report(error)
            result.faults = 1
            return result
        }
        let batch = EventBatch(recordsPositions: true)
        while true {
            do throws(LogError) {
                guard try reader.read(into: batch) else {
                    result.notes = reader.notes
                    return result
                }
            } catch {
                if case .io = error.kind { throw error }
                result.faults += 1
                try report(error)
                continue
            }
            result.events += batch.count
            for index in 0..<batch.count {
                guard let problem = problem(of: batch[index], reader.scenes) else { continue }
                result.faults += 1
                try report(LogError(.malformed, file: reader.name, at: batch.positions[index], problem))
            }
        }
    }

    private mutating func problem(of event: Event, _ scenes: SceneNames) -> String? {
        let previous = latest
        latest = max(latest, event.at)
        if let size = event.size, !Self.isLength(size.width) || !Self.isLength(size.height) {
            return "the size \(size) is negative or not finite; the engine rejects the event"
        }
        if let problem = connectionProblem(of: event, scenes) { return problem }
        if event.at < previous {
            return
                "the time goes back by \(previous.nanoseconds - event.at.nanoseconds) ns; the engine takes the event at \(previous.nanoseconds)"
        }
        return nil
    }

    private static func isLength(_ length: Double) -> Bool { length >= 0 && length.isFinite }

    private mutating func connectionProblem(of event: Event, _ scenes: SceneNames) -> String? {
        if event.kind == .pointer { return nil }
        let scene = Int(event.scene.rawValue)
        while scene >= isConnected.count { isConnected.append(false) }
        let wasConnected = isConnected[scene]
        isConnected[scene] = event.kind != .disconnect
        if event.kind == .disconnect, !wasConnected {
            return "scene \"\(scenes[event.scene])\" disconnects without being connected"
        }
        return nil
    }
}
