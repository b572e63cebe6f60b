package import CSettle
public import SettleLog
internal import SettlePlatform

/// The events of a log that somebody reads, until they are bound.
package struct LogCollector: ~Copyable {
    fileprivate var buffer = EventBuffer()
    fileprivate var counter = BaselineCounter()

    package init() {}

    package var count: Int { buffer.count }

    /// Adds a log's next events, whose scenes are numbers of names; false if there is no memory for them.
    ///
    /// - Parameter names: How many names the log has so far.
    package mutating func add(_ events: UnsafeMutableBufferPointer<settle_event>, names: Int) -> Bool {
        counter.add(events, names: names)
        return buffer.append(events)
    }
}

/// A log in memory, ready to be decided under many policies: its events are bound to connections of
/// scenes once. Takes 40 bytes an event. Safe from any thread.
public final class BoundLog: @unchecked Sendable {
    /// The file's name as it was given.
    public let name: String
    /// The number of events in the window.
    public let events: Int
    /// How many scenes connected; one that disconnects and comes back counts twice.
    public let connections: Int
    /// What two common ways of handling resizes make of the events.
    public let baselines: Baselines
    /// The fault at which reading stopped, `nil` for a log that was read to its end. The events
    /// before it are all here.
    public let fault: LogError?
    /// Whether the log is complete: true if its index lists exactly what was read, false after a fault,
    /// and `nil` if nobody knows: for a text log, which may have been cut between two lines, and if
    /// reading stopped behind the window.
    public let isComplete: Bool?
    /// What the format could not represent, in sentences.
    public let notes: [String]

    package let scenes: SceneNames
    /// The time from the log's first event to its last; known for a window only.
    package let span: Duration?

    /// Never changes.
    let raw: settle_sweep_log
    private let collector: LogCollector
    private let memory: UnsafeMutableRawPointer

    /// Reads a log to its end, its window's end or its first fault.
    ///
    /// - Parameters:
    ///   - reader: The log, from where it stands.
    ///   - window: The part of the log to decide.
    ///   - progress: Called with the number of events so far, after each part.
    /// - Throws: `.malformed` for a log whose scenes connect more often than an engine can have
    ///   scenes, or of more than 2^32 − 1 events; `.io` if the log does not fit in memory.
    public convenience init(
        _ reader: LogReader, window: ReplayWindow = ReplayWindow(), progress: (Int) -> Void = { _ in }
    ) throws(LogError) {
        try self.init(reader, window: window, connectionsMax: Int(SETTLE_SCENES_MAX), progress: progress)
    }

    convenience init(
        _ reader: LogReader, window: ReplayWindow = ReplayWindow(), connectionsMax: Int,
        progress: (Int) -> Void = { _ in }
    ) throws(LogError) {
        var collector = LogCollector()
        var filter = WindowFilter(window)
        let batch = EventBatch()
        var fault: LogError?
        while fault == nil, !filter.isOver {
            do throws(LogError) {
                guard try reader.read(into: batch) else { break }
            } catch {
                fault = error
                break
            }
            filter.start(batch, reader.scenes)
            var next = filter.next(in: batch, from: 0)
            while !next.isEmpty {
                guard collector.add(batch.events.extracting(next), names: reader.scenes.count) else {
                    throw Self.tooLarge(reader, collector.count + next.count)
                }
                next = filter.next(in: batch, from: next.upperBound)
            }
            progress(collector.count)
        }
        try self.init(reader, collector, fault: fault, span: filter.span, connectionsMax: connectionsMax)
    }

    /// Binds what was collected of a log.
    ///
    /// - Throws: As the other initializer.
    package init(
        _ reader: LogReader, _ collector: consuming LogCollector, fault: LogError?, span: Duration? = nil,
        connectionsMax: Int = Int(SETTLE_SCENES_MAX)
    ) throws(LogError) {
        name = reader.name
        events = collector.count
        baselines = Baselines(collector.counter.finish())
        self.fault = fault
        isComplete = fault != nil ? false : reader.lacksEnd ? nil : true
        scenes = reader.scenes
        self.span = span
        notes = reader.notes
        (raw, memory) = try Self.bind(reader, &collector.buffer, connectionsMax: connectionsMax)
        connections = Int(raw.connections)
        self.collector = collector
    }

    deinit { freeLines(memory) }

    private static func bind(
        _ reader: LogReader, _ buffer: inout EventBuffer, connectionsMax: Int
    ) throws(LogError) -> (settle_sweep_log, UnsafeMutableRawPointer) {
        let (count, names) = (buffer.count, reader.scenes.count)
        var scratch = [Bool](repeating: false, count: names)
        let connections = settle_sweep_connections(buffer.events, count, UInt32(names), &scratch)
        guard connections <= connectionsMax else {
            throw LogError(
                .malformed, file: reader.name,
                "its scenes connect \(connections) times, and at most \(connectionsMax) can be tried at once;"
                    + " split the log")
        }
        let size = settle_sweep_log_size(count, UInt32(names), connections)
        guard size > 0 else {
            throw LogError(.malformed, file: reader.name, "it has more than \(UInt32.max) events; split the log")
        }
        guard let memory = allocateLines(byteCount: size) else { throw tooLarge(reader, count) }
        var raw = settle_sweep_log()
        let result = settle_sweep_bind(buffer.events, count, UInt32(names), connections, memory, size, &raw)
        precondition(result == SETTLE_OK.rawValue, "a reader's events have names below the number of its names")
        return (raw, memory)
    }

    private static func tooLarge(_ reader: LogReader, _ events: Int) -> LogError {
        LogError(
            .io(code: ENOMEM), file: reader.name,
            "more than \(events) events do not fit in memory; split the log")
    }
}
