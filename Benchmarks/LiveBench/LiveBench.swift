import BenchSupport
import Glibc
import Settle
import SettleLoop

/// The live engine: the time per event through ring, loop, core and a Swift handler, and the
/// lateness of decisions. Prints JSON Lines.
@main
enum LiveBench {
    static func main() async throws {
        let scale = CommandLine.arguments.dropFirst().first ?? "full"
        let (events, runs, deadlines) =
            switch scale {
            case "tiny": (1 << 15, 1, 10)
            case "quick": (1 << 22, 3, 200)
            default: (20 << 20, 7, 1000)
            }
        for (name, scenes) in [("hot", 1), ("many", 10_000)] {
            let all = try (0..<runs).map { _ in try throughput(events: events, scenes: scenes) }
            let times = all.map(\.nanosecondsPerEvent)
            print(
                #"{"kind":"threads","language":"Swift","case":"\#(name)","streams":\#(scenes),"events":\#(events),"#
                    + #""peer":"settle live","runs":\#(times),"ns":\#(times.sorted()[runs / 2]),"#
                    + #""decisions":\#(all[0].decisions),"wake_ups":\#(all[0].wakeUps),"hash":"\#(all[0].hash)"}"#)
        }
        try await handlers(events: scale == "tiny" ? 10_000 : 1_000_000)
        let late = try lateness(deadlines: deadlines)
        func at(_ part: Double) -> Double { Double(late[Int(Double(late.count - 1) * part)]) / 1000 }
        print(
            #"{"kind":"lateness","peer":"settle live","delay_ms":5,"deadlines":\#(late.count),"p50_us":\#(at(0.5)),"#
                + #""p90_us":\#(at(0.9)),"p99_us":\#(at(0.99)),"max_us":\#(at(1)),"earliest_us":\#(at(0)),"#
                + #""early":\#(late.count { $0 < 0 })}"#)
    }

    /// The cost of `GeometryStream.update`, and of calls of an actor on the loop.
    static func handlers(events: Int) async throws {
        func print(_ what: String, _ start: Timestamp, _ count: Int) {
            let ns = Double(MonotonicClock.now.nanoseconds - start.nanoseconds) / Double(count)
            Swift.print(#"{"kind":"handler","what":"\#(what)","ns":\#(ns)}"#)
        }
        let engine = try LiveEngine()
        let scene = try engine.connect()
        let stream = GeometryStream()
        var start = MonotonicClock.now
        for index in 0..<events {
            stream.update(
                .geometry(scene, at: start, size: Size(width: Double(1 + index % 97), height: 1)))
        }
        print("GeometryStream.update, per event", start, events)

        let resident = Resident(executor: engine.executor)
        try engine.start()
        start = MonotonicClock.now
        for _ in 0..<events / 1000 { await resident.count() }
        print("a call of an actor on the loop, from another thread", start, events / 1000)
        start = MonotonicClock.now
        await Task(executorPreference: engine.executor) {
            for _ in 0..<events / 10 { await resident.count() }
        }.value
        print("a call of an actor on the loop, from a task on the loop", start, events / 10)
        engine.stop()
        guard await resident.counted == events / 1000 + events / 10 else { fatalError("calls were lost") }
    }

    actor Resident {
        private let executor: LoopExecutor
        private(set) var counted = 0
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
        init(executor: LoopExecutor) { self.executor = executor }
        func count() { counted += 1 }
    }

    struct Run {
        var nanosecondsPerEvent: Double
        var decisions: Int
        /// Of the sizes settled.
        var hash: String
        var wakeUps: UInt64
    }

    /// A producer sends batches of 256 as fast as the loop pops them; a handler on the
    /// loop keeps the sizes that are settled.
    static func throughput(events: Int, scenes: Int) throws -> Run {
        nonisolated(unsafe) var decisions = 0
        // The handler exists before its engine; another of the same bounds has the same slots.
        nonisolated(unsafe) var settled = try Engine(.init(scenesMax: scenes)).makeSceneTable(of: Size.self)
        // One delay after each change, as the peers have it. The first size is built at once, as by
        // default, so that the flood is one of scenes in use.
        var policy = Policy.fixed(.milliseconds(50))
        policy.firstDelay = .zero
        let engine = try LiveEngine(.init(policy: policy, scenesMax: scenes, decisionsMax: 4096)) { decision in
            guard case .rebuild(let rebuild) = decision.kind else { return }
            decisions += 1
            settled[decision.scene] = rebuild.size
        }
        let identities = try (0..<scenes).map { _ in try engine.connect() }
        var source = try engine.makeSource(capacity: 1 << 12, overload: .block)
        try engine.start()
        // Ready events, as the peers have; only their time is written as they are sent.
        var ready: [Event] = (0..<1 << 15).map { index in
            .geometry(
                identities[index % scenes], at: MonotonicClock.now,
                size: Size(width: Double(400 + index / scenes % 97), height: 300), isInteractivelyResizing: false)
        }
        let start = MonotonicClock.now.nanoseconds
        var sent = 0
        while sent < events {
            let now = MonotonicClock.now
            let first = sent % ready.count
            for index in first..<first + 256 { ready[index].at = now }
            source.send(ready.span.extracting(first..<first + 256))
            sent += 256
        }
        engine.stop(draining: true)
        let took = MonotonicClock.now.nanoseconds - start
        guard engine.statistics.engine.events == sent else { fatalError("events were lost") }
        return Run(
            nanosecondsPerEvent: Double(took) / Double(sent), decisions: decisions,
            hash: digits(FNV1a(sizes: identities.lazy.map { size(settled[$0, default: .zero]) })),
            wakeUps: engine.statistics.wakeUps)
    }

    static func size(_ size: Size) -> (width: Double, height: Double) { (size.width, size.height) }

    /// Sixteen digits, as threads_uv.c prints them.
    static func digits(_ hash: FNV1a) -> String {
        let digits = String(hash.value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// How long after its deadline a decision reaches the handler, ns, sorted.
    static func lateness(deadlines: Int) throws -> [Int64] {
        nonisolated(unsafe) var late: [Int64] = []
        late.reserveCapacity(deadlines)
        let policy = Policy.fixed(.milliseconds(5))
        let engine = try LiveEngine(policy: policy) { decision in
            late.append(Int64(MonotonicClock.now.nanoseconds) - Int64(decision.at.nanoseconds))
        }
        let scene = try engine.connect()
        var source = try engine.makeSource()
        try engine.start()
        for index in 0..<deadlines {
            source.send(
                .geometry(scene, at: MonotonicClock.now, size: Size(width: Double(index + 1), height: 1)))
            usleep(UInt32(6000 + index * 7919 % 3000))
        }
        engine.stop(draining: false)
        return late.sorted()
    }
}
