import Settle
import SettleClock
import SettleLog
import SettleLoop
import SettlePlatform
import SettleProgram

/// One stress run: engine, producers and observer.
struct StressRun {
    let options: StressOptions
    let endSignal: EndSignal

    /// Holds the observer, which is created after the engine that makes its table of scenes, and before
    /// that starts the thread that reads this.
    private final class Box: @unchecked Sendable {
        var observer: StressObserver?
    }

    func run() throws -> StressResult {
        let box = Box()
        let engine = try LiveEngine(.init(policy: options.policy, scenesMax: options.scenes, decisionsMax: 4096)) {
            box.observer?.receive($0)
        }
        let scenes = try (0..<options.scenes).map { number in
            let policy = StressScene.policy(options.policy, for: options.mix.behaviour(ofScene: number))
            return (number: number, scene: try engine.connect(policy: policy == options.policy ? nil : policy))
        }
        var numbers = engine.makeSceneTable(of: Int.self)
        for scene in scenes { numbers[scene.scene] = scene.number }
        let lags = StressLags(count: scenes.count)
        // Without reports of builds nothing would be live.
        let hasBuilder = options.buildTime > .zero || options.policy.liveSharePercent != nil
        let builder =
            hasBuilder
            ? try StressBuilder(time: options.buildTime, scenes: lags.count) { [weak engine] number, build in
                engine?.post(
                    .finished(
                        scenes[number].scene, at: build.end, generation: build.generation, cost: build.cost))
            } : nil
        defer { builder?.stop() }
        let observer = StressObserver(
            numbers: numbers, lags: lags, policy: options.policy, lateLimit: options.lateLimit, builder: builder)
        box.observer = observer
        let producers = try (0..<options.producers).map { number in
            try StressProducer(
                number: number, options: options,
                scenes: scenes.filter { $0.number % options.producers == number }, engine: engine, lags: lags)
        }
        try engine.start()

        let took = try send(producers, engine)
        observer.end()
        engine.stop(draining: true)
        for producer in producers { for end in producer.ends { observer.checkEnd(end.scene, sent: end.size) } }
        return StressResult(
            options: options, took: took, sent: producers.reduce(0) { $0 + $1.sent },
            worstLag: producers.map(\.worstLag).max() ?? 0, statistics: engine.statistics, observer: observer,
            builds: builder?.stop(), peakMemory: Self.peakMemory)
    }

    /// Runs the producers for the run's duration or until a signal arrives. Returns the time
    /// they took.
    private func send(_ producers: [StressProducer], _ engine: LiveEngine) throws -> Duration {
        let start = MonotonicClock.now
        let end = start.after(options.duration.wholeNanoseconds)
        // Also if a producer could not start: the others must be joined.
        defer { for producer in producers { producer.join() } }
        for producer in producers { try producer.start(at: start, until: end) }
        while MonotonicClock.now < end {
            let look = Terminal.showsProgress ? MonotonicClock.now.after(100_000_000) : end
            if endSignal.wait(until: min(look, end)) == .signalled { break }
            guard Terminal.showsProgress else { continue }
            let sent = producers.reduce(0) { $0 + $1.sent }
            let rate = Double(sent) / max(MonotonicClock.now.duration(since: start).seconds, 1e-9)
            Terminal.progress(
                "\(grouped(Int(sent))) events, \(fixed(rate / 1e6, 2)) million/s, "
                    + "\(grouped(Int(engine.statistics.engine.decisions))) decisions")
        }
        // At a rate that cannot be reached, the events would take much longer.
        let last = end.after(Self.overrunMax)
        while !endSignal.hasArrived, MonotonicClock.now < last, !producers.allSatisfy(\.isDone) {
            _ = endSignal.wait(until: MonotonicClock.now.after(10_000_000))
        }
        for producer in producers { producer.stop() }
        for producer in producers { producer.join() }
        Terminal.clearProgress()
        return MonotonicClock.now.duration(since: start)
    }

    /// How long after the run's duration events that were due within it are still sent, in
    /// nanoseconds.
    private static let overrunMax: UInt64 = 1_000_000_000

    /// The process's peak memory in bytes.
    private static var peakMemory: Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss * 1024
    }
}
