internal import Settle

/// Finds every fault of a log: content that cannot be read, and events that an engine
/// rejects or corrects. Use it from one thread.
///
/// Each event is submitted to an engine, whose counters show what it did. A replay stops at the
/// first fault that is `unreadable` or `tooManyScenes`; up to there, the faults of a log are
/// exactly what the replay counts.
public struct LogValidator {
    private let path: String
    private let format: LogFormat?
    private let scenesMax: Int

    public enum FaultKind: CaseIterable, Hashable, Sendable {
        /// The reader cannot read it: a replay stops there.
        case unreadable
        /// The size is negative or not finite: the engine rejects the event.
        case rejectedSize
        /// The scene is not connected: the engine rejects its disconnect, and the report of a build.
        case disconnectedScene
        /// One pointer button too many is held, or the time is out of range: the engine rejects
        /// the event.
        case rejectedEvent
        /// The time is earlier than a previous one: the engine applies the event at that one.
        case timeGoesBack
        /// More scenes are connected than an engine can have: a replay stops at the event.
        case tooManyScenes
    }

    /// What a log has.
    public struct Result: Sendable {
        /// Events that were read.
        public var events = 0
        /// The number of faults; a kind without any is absent.
        public var faultsByKind: [FaultKind: Int] = [:]
        /// What the format could not represent, in sentences, and whether the times seem to be of another unit.
        public var notes: [String] = []

        /// The number of all faults.
        public var faults: Int { faultsByKind.values.reduce(0, +) }
    }

    /// A validator of the log at a path; `-` is standard input. `format` overrides detection.
    public init(path: String, format: LogFormat? = nil) {
        self.init(path: path, format: format, scenesMax: Engine.scenesLimit)
    }

    /// - Parameter scenesMax: The most scenes that the engine can have.
    init(path: String, format: LogFormat? = nil, scenesMax: Int) {
        self.path = path
        self.format = format
        self.scenesMax = scenesMax
    }

    /// Reads the log to its end. Once.
    ///
    /// - Parameter report: Called for each fault, in the order of the log.
    /// - Throws: `.io` when the log cannot be read; what `report` throws.
    public mutating func run(report: (LogError, FaultKind) throws(LogError) -> Void) throws(LogError) -> Result {
        let reader: LogReader
        do throws(LogError) {
            reader = try LogReader(path: path, format: format)
        } catch {
            if case .io = error.kind { throw error }
            try report(error, .unreadable)
            return Result(faultsByKind: [.unreadable: 1])
        }
        return try run(reader, visit: { _ throws(LogError) in }, report: report)
    }

    /// The same for a log that is open, with its events.
    ///
    /// - Parameter visit: Called with each batch, before `report` is called for its events.
    package mutating func run(
        _ reader: LogReader, visit: (EventBatch) throws(LogError) -> Void,
        report: (LogError, FaultKind) throws(LogError) -> Void
    ) throws(LogError) -> Result {
        var result = Result()
        var judge = EventJudge(scenesMax: scenesMax)
        var times: ClosedRange<Timestamp>?
        reader.reportsSkipped = true
        let batch = EventBatch(recordsPositions: true)
        while true {
            do throws(LogError) {
                guard try reader.read(into: batch) else {
                    let span = times.map { $0.upperBound.duration(since: $0.lowerBound) } ?? .zero
                    let unit = TimeUnitHint.note(
                        reader.format, events: result.events, scenes: reader.scenes.count, span: span)
                    result.notes = reader.notes + [unit].compactMap(\.self)
                    return result
                }
            } catch {
                if case .io = error.kind { throw error }
                result.faultsByKind[.unreadable, default: 0] += 1
                try report(error, .unreadable)
                continue
            }
            result.events += batch.count
            try visit(batch)
            for index in 0..<batch.count {
                let at = batch[index].at
                times = min(times?.lowerBound ?? at, at)...max(times?.upperBound ?? at, at)
                guard let (kind, problem) = judge.fault(of: batch[index], reader.scenes) else { continue }
                result.faultsByKind[kind, default: 0] += 1
                try report(LogError(.malformed, file: reader.name, at: batch.positions[index], problem), kind)
            }
        }
    }
}

/// Finds the faults of events by what an engine counts when they are submitted one by one.
private struct EventJudge: ~Copyable {
    private var engine: LogEngine

    init(scenesMax: Int) {
        do {
            engine = try LogEngine(policy: .default, scenesMax: scenesMax, decisionsMax: 64)
        } catch {
            preconditionFailure("an engine with the default policy and \(scenesMax) scenes: \(error)")
        }
    }

    /// Submits the log's next event.
    ///
    /// - Returns: The event's fault, `nil` if it has none.
    mutating func fault(of event: LogEvent, _ scenes: SceneNames) -> (LogValidator.FaultKind, String)? {
        let before = engine.statistics
        do {
            try engine.submit(event) { _, _ in }
        } catch {
            return (.tooManyScenes, "\(error); a replay stops here")
        }
        let counted = engine.statistics.since(before)
        if counted.rejectedSizes > 0 {
            let size = event.size.map { " \($0)" } ?? ""
            return (.rejectedSize, "the size\(size) is negative or not finite; the engine rejects the event (rule 2)")
        }
        if counted.rejectedScenes > 0 {
            let name = "scene \"\(scenes[event.name])\""
            if event.kind == .finished {
                return (
                    .disconnectedScene, "\(name) has a build without being connected; the engine rejects it (rule 18)"
                )
            }
            if event.kind == .previewed {
                return (
                    .disconnectedScene,
                    "\(name) has work for a preview without being connected; the engine rejects it (rule 17)"
                )
            }
            return (
                .disconnectedScene,
                "\(name) disconnects without being connected; the engine rejects the event (rule 10)"
            )
        }
        if counted.rejectedEvents > 0 { return (.rejectedEvent, Self.rejection(of: event)) }
        if counted.regressions > 0 {
            let now = engine.now.nanoseconds
            let back = now - event.at.nanoseconds
            return (.timeGoesBack, "the time goes back by \(back) ns; the engine applies the event at \(now)")
        }
        return nil
    }

    private static func rejection(of event: LogEvent) -> String {
        guard event.kind == .pointer, event.at <= .latest else {
            return "the time \(event.at.nanoseconds) is out of range; the engine rejects the event"
        }
        return "button \(event.button) is pressed while \(Engine.buttonsLimit) others are held;"
            + " the engine rejects the event"
    }
}
