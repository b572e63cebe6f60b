import Settle
import SettleClock
import SettleLoop
import SettlePlatform
import Synchronization

/// A thread that sends its scenes' events by a fixed schedule: event k is due k intervals
/// after the start, even if earlier events were late.
final class StressProducer: @unchecked Sendable {
    // All that is no atomic is its thread's from `start` to `join`, and its maker's otherwise.
    private var scenes: [StressScene]
    private var source: EventSource
    private let lags: StressLags
    /// Nanoseconds from one event to the next; zero for as fast as possible.
    private let interval: Double
    /// The first event's due time, in intervals: producers take turns.
    private let offset: Double
    private var thread: WorkerThread?
    /// The index of the scene that sent last.
    private var current = 0

    private let sentSoFar = Atomic<UInt64>(0)
    private let isStopped = Atomic<Bool>(false)
    private let hasEnded = Atomic<Bool>(false)
    /// The largest send lag in nanoseconds. Read it after `join`.
    private(set) var worstLag: UInt64 = 0

    /// - Parameter scenes: This producer's scenes, with their numbers in the run.
    init(
        number: Int, options: StressOptions, scenes: [(number: Int, scene: SceneID)], engine: LiveEngine,
        lags: StressLags
    ) throws {
        self.scenes = scenes.map {
            StressScene(
                number: $0.number, scene: $0.scene, behaviour: options.mix.behaviour(ofScene: $0.number),
                seed: options.seed &* 0x1_0000_01B3 &+ UInt64($0.number))
        }
        source = try engine.makeSource(capacity: options.capacity, overload: options.overload)
        self.lags = lags
        interval = options.rate.map { 1e9 * Double(options.producers) / $0 } ?? 0
        offset = Double(number) / Double(options.producers)
    }

    var sent: UInt64 { sentSoFar.load(ordering: .relaxed) }

    /// Each scene's number and its last size. Read it after `join`.
    var ends: [(scene: Int, size: Size)] { scenes.map { ($0.number, $0.size) } }

    func start(at start: Timestamp, until end: Timestamp) throws {
        thread = try WorkerThread { [unowned self] in run(start.nanoseconds, end.nanoseconds) }
    }

    /// The longest sleep in nanoseconds, after which `stop` takes effect.
    private static let sleepMax: UInt64 = 100_000_000

    /// Ends the sending early, with a last event per scene. Can be called on any thread.
    func stop() { isStopped.store(true, ordering: .relaxed) }

    /// Waits until everything is sent. Call it before the producer is released, as the thread
    /// does not retain it. Further calls do nothing.
    func join() {
        thread?.join()
        thread = nil
    }

    private func run(_ start: UInt64, _ end: UInt64) {
        var number: UInt64 = 0
        if interval > 0 {
            while true {
                let due = start + UInt64((Double(number) + offset) * interval)
                if due >= end { break }
                let now = wait(until: due)
                if isStopped.load(ordering: .relaxed) { break }
                send(due: due, at: now)
                number += 1
            }
        } else {
            while true {
                let now = MonotonicClock.now
                if now.nanoseconds >= end || isStopped.load(ordering: .relaxed) { break }
                send(due: now.nanoseconds, at: now)
            }
        }
        for scene in scenes { send(scene.last(at: MonotonicClock.now)) }
        hasEnded.store(true, ordering: .relaxed)
    }

    /// Whether everything is sent.
    var isDone: Bool { hasEnded.load(ordering: .relaxed) }

    /// Sleeps until a time or until `stop`, and returns the current time. It does not spin,
    /// since the loop needs the processor.
    private func wait(until due: UInt64) -> Timestamp {
        var now = MonotonicClock.now
        while now.nanoseconds < due, !isStopped.load(ordering: .relaxed) {
            let next = min(due, now.nanoseconds + Self.sleepMax)
            sleepThread(nanoseconds: next - now.nanoseconds)
            now = MonotonicClock.now
        }
        return now
    }

    /// The most scenes that are tried to find one that is not at rest.
    private static let tries = 8

    private func send(due: UInt64, at now: Timestamp) {
        for _ in 0..<Self.tries {
            current = current + 1 < scenes.count ? current + 1 : 0
            if !scenes[current].isResting(at: due) { break }
        }
        let lag = now.nanoseconds - due
        worstLag = max(worstLag, lag)
        let event = scenes[current].next(due: due, at: now)
        if scenes[current].didChange { lags[scenes[current].number] = lag }
        send(event)
    }

    private func send(_ event: Event) {
        source.send(event)
        sentSoFar.store(sentSoFar.load(ordering: .relaxed) + 1, ordering: .relaxed)
    }
}
