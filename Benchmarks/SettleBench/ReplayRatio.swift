import BenchSupport
import CSettle
import Glibc
import Settle
import SettleLog

/// What reading and deciding a binary log costs beside the core alone, on the same events in the
/// same run.
struct ReplayRatio {
    var name: String
    var events: Int
    /// Medians, ns per event.
    var core, replay, withBaselines: Double
    /// Medians of the runs' ratios to the core.
    var ratio, baselinesRatio: Double

    /// Measures a binary log. Each run measures all three; the file stays in the page cache.
    static func measure(_ name: String, path: String, runs: Int) throws -> ReplayRatio {
        let bound = try BoundLog(path: path)
        let expected = try replay(path, countsBaselines: false).rebuilds
        var (core, plain, counting): ([Double], [Double], [Double]) = ([], [], [])
        for _ in 0..<runs {
            try core.append(timed(bound.count) { try bound.decide() == expected })
            try plain.append(timed(bound.count) { try replay(path, countsBaselines: false).rebuilds == expected })
            try counting.append(timed(bound.count) { try replay(path, countsBaselines: true).rebuilds == expected })
        }
        func ratio(_ of: [Double]) -> Double { median(zip(of, core).map { $0 / $1 }) }
        return ReplayRatio(
            name: name, events: bound.count, core: median(core), replay: median(plain),
            withBaselines: median(counting), ratio: ratio(plain), baselinesRatio: ratio(counting))
    }

    /// Nanoseconds per event.
    private static func timed(_ events: Int, _ decidesTheSame: () throws -> Bool) throws -> Double {
        let start = monotonicNanoseconds()
        let isSame = try decidesTheSame()
        let took = monotonicNanoseconds() - start
        guard isSame else { throw BenchError(description: "the core and the replay decide differently") }
        return Double(took) / Double(events)
    }

    private static func replay(_ path: String, countsBaselines: Bool) throws -> ReplaySummary {
        let replay = try LogReplay(LogReader(path: path), policy: .default, countsBaselines: countsBaselines)
        while try replay.readNext() { replay.submit { _, _ in } }
        replay.finish { _, _ in }
        return replay.summary
    }

    var json: String {
        #"{"kind":"replay","case":"\#(name)","events":\#(events),"core_ns":\#(core),"ns":\#(replay),"#
            + #""baselines_ns":\#(withBaselines),"ratio":\#(ratio),"baselines_ratio":\#(baselinesRatio)}"#
    }
}

/// A log's events in memory, bound to the scenes of a core.
private final class BoundLog {
    private let events: UnsafeMutableBufferPointer<settle_log_event>
    private let memory: UnsafeMutableRawPointer
    private let workspace: UnsafeMutableRawPointer
    private var log = settle_sweep_log()
    private var config = settle_config_default()

    var count: Int { log.count }

    init(path: String) throws {
        let reader = try LogReader(path: path)
        let batch = EventBatch()
        var read: [settle_log_event] = []
        while try reader.read(into: batch) {
            read += (0..<batch.count).map { unsafeBitCast(batch[$0], to: settle_log_event.self) }
        }
        events = .allocate(capacity: read.count)
        _ = events.initialize(from: read)
        let names = UInt32(reader.scenes.count)
        var scratch = [Bool](repeating: false, count: reader.scenes.count)
        let connections = settle_sweep_connections(events.baseAddress, events.count, names, &scratch)
        let size = settle_sweep_log_size(events.count, names, connections)
        memory = .allocate(byteCount: size, alignment: 64)
        // The bound events are for a core of so many scenes.
        config.scenes_max = UInt32(max(connections, 1))
        config.decisions_max = 4096
        workspace = .allocate(byteCount: settle_core_size(&config), alignment: 64)
        let bound = settle_sweep_bind(events.baseAddress, events.count, names, connections, memory, size, &log)
        guard bound == SETTLE_OK.rawValue else { throw BenchError(description: "\(path) cannot be bound") }
    }

    deinit {
        events.deallocate()
        memory.deallocate()
        workspace.deallocate()
    }

    private static func makeCore(_ workspace: UnsafeMutableRawPointer, _ config: inout settle_config) -> OpaquePointer {
        var core: OpaquePointer?
        let result = settle_core_init(workspace, settle_core_size(&config), &config, &core)
        guard result == SETTLE_OK.rawValue, let core else { fatalError("settle_core_init: \(result)") }
        return core
    }

    /// Decides with the core alone; returns the number of rebuilds.
    func decide() throws -> Int {
        let core = Self.makeCore(workspace, &config)
        var scene: settle_scene = 0
        // The handles that the events were bound to.
        for _ in 0..<log.connections { settle_core_connect(core, 0, &scene) }
        var rebuilds = 0
        var done = 0
        while done < count {
            var accepted = 0
            settle_core_submit(core, log.events + done, count - done, &accepted)
            done += accepted
            rebuilds += Self.rebuilds(core)
        }
        while settle_core_finish(core) != SETTLE_OK.rawValue { rebuilds += Self.rebuilds(core) }
        return rebuilds + Self.rebuilds(core)
    }

    /// Takes the decisions that wait; returns how many are rebuilds.
    private static func rebuilds(_ core: OpaquePointer) -> Int {
        withUnsafeTemporaryAllocation(of: settle_decision.self, capacity: 64) { decisions in
            var rebuilds = 0
            var popped: Int
            repeat {
                popped = settle_core_pop_decisions(core, decisions.baseAddress!, decisions.count)
                for index in 0..<popped where decisions[index].kind == SETTLE_REBUILD.rawValue { rebuilds += 1 }
            } while popped == decisions.count
            return rebuilds
        }
    }
}

/// A recording again and again, 2 s after itself, until it has a number of events.
enum RepeatedLog {
    static func write(_ recording: String, events: Int, to path: String) throws {
        let reader = try LogReader(path: recording)
        let part = EventBatch()
        var all: [LogEvent] = []
        while try reader.read(into: part) { all += (0..<part.count).map { part[$0] } }
        guard let first = all.map(\.at).min(), let last = all.map(\.at).max() else {
            throw BenchError(description: "\(recording) has no events")
        }
        let period = last.nanoseconds - first.nanoseconds + 2_000_000_000
        let writer = try BinaryWriter(ByteOutput(path: path), header: reader.header)
        let batch = EventBatch()
        for number in 0..<events {
            var event = all[number % all.count]
            event.at = Timestamp(nanoseconds: event.at.nanoseconds + UInt64(number / all.count) * period)
            batch.append(event, at: .line(0))
            if batch.isFull || number == events - 1 {
                try writer.write(batch, scenes: reader.scenes)
                batch.removeAll()
            }
        }
        try writer.finish()
    }
}
