internal import Settle

/// Finds every fault of a log: what its reader cannot read, and what the engine
/// would reject or correct.
public struct LogValidator {
    private let path: String
    private let format: LogFormat?
    private var latest = Timestamp(nanoseconds: 0)
    private var isConnected: [Bool] = []

    /// What sort of fault something is.
    public enum FaultKind: CaseIterable, Hashable, Sendable {
        case unreadable, rejectedSize, timeGoesBack, disconnectedScene
    }

    public struct Result: Sendable {
        public var events = 0
        public var faultsByKind: [FaultKind: Int] = [:]
        /// What the log could not tell, in sentences.
        public var notes: [String] = []

        public var faults: Int { faultsByKind.values.reduce(0, +) }
    }

    public init(path: String, format: LogFormat? = nil) {
        self.path = path
        self.format = format
    }

    /// Reads the log to its end and reports each fault. Throws what keeps it from
    /// reading or reporting at all.
    public mutating func run(report: (LogError, FaultKind) throws(LogError) -> Void) throws(LogError) -> Result {
        var result = Result()
        let reader: LogReader
        do throws(LogError) {
            reader = try LogReader(path: path, format: format)
        } catch {
            if case .io = error.kind { throw error }
            try report(error, .unreadable)
            result.faultsByKind[.unreadable] = 1
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
                result.faultsByKind[.unreadable, default: 0] += 1
                try report(error, .unreadable)
                continue
            }
            result.events += batch.count
            for index in 0..<batch.count {
                guard let (kind, problem) = problem(of: batch[index], reader.scenes) else { continue }
                result.faultsByKind[kind, default: 0] += 1
                try report(LogError(.malformed, file: reader.name, at: batch.positions[index], problem), kind)
            }
        }
    }

    private mutating func problem(of event: Event, _ scenes: SceneNames) -> (FaultKind, String)? {
        let previous = latest
        latest = max(latest, event.at)
        if let size = event.size, !size.isValid {
            return (.rejectedSize, "the size \(size) is negative or not finite; the engine rejects the event")
        }
        if let problem = connectionProblem(of: event, scenes) { return (.disconnectedScene, problem) }
        if event.at < previous {
            return (
                .timeGoesBack,
                "the time goes back by \(previous.nanoseconds - event.at.nanoseconds) ns; the engine takes the event at \(previous.nanoseconds)"
            )
        }
        return nil
    }

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
