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
    private let events: UnsafeMutableBufferPointer<settle_event>
    let count: Int
    private let scenes: Int
    private let workspace: UnsafeMutableRawPointer
    private var config = settle_config_default()

    init(path: String) throws {
        let reader = try LogReader(path: path)
        let batch = EventBatch()
        var bound: [settle_event] = []
        var bindings = SceneBindings<SceneID>()
        var scenes = 0
        // Each scene that comes back is one more here; still few enough for the core's caches.
        config.scenes_max = 1 << 14
        config.decisions_max = 4096
        workspace = .allocate(byteCount: settle_core_size(&config), alignment: 64)
        let core = Self.makeCore(workspace, &config)
        while try reader.read(into: batch) {
            for index in 0..<batch.count {
                var scene: settle_scene = 0
                let binding = try bindings.bind(batch[index]) {
                    guard settle_core_connect(core, 0, &scene) == SETTLE_OK.rawValue else {
                        throw BenchError(description: "\(path) has too many scenes")
                    }
                    scenes += 1
                    return SceneID(rawValue: scene)
                }
                switch binding {
                case .bound(let known), .newlyBound(let known): scene = known.rawValue
                case .pointer, .rejected: break
                }
                bound.append(unsafeBitCast(batch[index].event(for: SceneID(rawValue: scene)), to: settle_event.self))
            }
        }
        self.scenes = scenes
        count = bound.count
        events = .allocate(capacity: bound.count)
        _ = events.initialize(from: bound)
    }

    deinit {
        events.deallocate()
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
        // The handles that the events were bound to: a new core gives the same ones.
        for _ in 0..<scenes { settle_core_connect(core, 0, &scene) }
        var rebuilds = 0
        var done = 0
        while done < count {
            var accepted = 0
            settle_core_submit(core, events.baseAddress! + done, count - done, &accepted)
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
            var popped = 0
            repeat {
                settle_core_pop_decisions(core, decisions.baseAddress!, decisions.count, &popped)
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
