internal import Settle

/// Finds every fault of a log: content that cannot be read, and events that an engine
/// rejects or corrects. Use it from one thread.
public struct LogValidator {
    private let path: String
    private let format: LogFormat?
    private var latest = Timestamp(nanoseconds: 0)
    private var bindings = SceneBindings<Void>()

    /// The kinds of faults.
    public enum FaultKind: CaseIterable, Hashable, Sendable {
        /// The reader cannot read it.
        case unreadable
        /// The size is negative or not finite: the engine rejects the event.
        case rejectedSize
        /// The time is earlier than a previous one: the engine applies the event at that one.
        case timeGoesBack
        /// The scene is not connected: the engine rejects its disconnect.
        case disconnectedScene
    }

    /// What a log has.
    public struct Result: Sendable {
        /// Events that were read.
        public var events = 0
        /// The number of faults; a kind without any is absent.
        public var faultsByKind: [FaultKind: Int] = [:]
        /// What the format could not represent, in sentences.
        public var notes: [String] = []

        /// The number of all faults.
        public var faults: Int { faultsByKind.values.reduce(0, +) }
    }

    /// A validator of the log at a path; `-` is standard input. `format` overrides detection.
    public init(path: String, format: LogFormat? = nil) {
        self.path = path
        self.format = format
    }

    /// Reads the log to its end. Once.
    ///
    /// - Parameter report: Called for each fault, in the order of the log.
    /// - Throws: `.io` when the log cannot be read; what `report` throws.
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

    /// The fault of an event, `nil` if it has none. The engine is asked about its own rules.
    private mutating func problem(of event: LogEvent, _ scenes: SceneNames) -> (FaultKind, String)? {
        // An event that the engine rejects connects its scene all the same.
        let binding = bindings.bind(event) {}
        if let size = event.size, !size.isValid {
            return (.rejectedSize, "the size \(size) is negative or not finite; the engine rejects the event")
        }
        if case .unknownDisconnect = binding {
            return (.disconnectedScene, "scene \"\(scenes[event.name])\" disconnects without being connected")
        }
        // A rejected event moves no time.
        if event.at >= latest {
            latest = event.at
            return nil
        }
        return (
            .timeGoesBack,
            "the time goes back by \(latest.nanoseconds - event.at.nanoseconds) ns; the engine takes the event at \(latest.nanoseconds)"
        )
    }
}
