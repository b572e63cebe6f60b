import Glibc
import Settle
import SettleLoop
import SettlePlatform
import Synchronization

/// A thread that sends its scenes' events by a fixed schedule: event k is due k
/// intervals after the start, however late the ones before it were.
final class StressProducer: @unchecked Sendable {
    private var hands: [StressHand]
    private var source: EventSource
    private let lags: StressLags
    /// Nanoseconds from one event to the next; zero for as fast as possible.
    private let interval: Double
    private let offset: Double
    private var thread: WorkerThread?
    private var turn = 0

    private let sentSoFar = Atomic<UInt64>(0)
    private let isStopped = Atomic<Bool>(false)
    private let hasEnded = Atomic<Bool>(false)
    /// For after `join`.
    private(set) var worstLag: UInt64 = 0

    /// - Parameter scenes: This producer's, with their numbers in the run.
    init(
        number: Int, options: StressOptions, scenes: [(number: Int, scene: SceneID)], engine: LiveEngine,
        lags: StressLags
    ) throws {
        hands = scenes.map {
            StressHand(
                number: $0.number, scene: $0.scene, habit: options.mix.habit(ofScene: $0.number),
                seed: options.seed &* 0x1_0000_01B3 &+ UInt64($0.number))
        }
        source = try engine.makeSource(capacity: options.capacity, overload: options.overload)
        self.lags = lags
        interval = options.rate.map { 1e9 * Double(options.producers) / $0 } ?? 0
        offset = Double(number) / Double(options.producers)
    }

    var sent: UInt64 { sentSoFar.load(ordering: .relaxed) }

    /// Each scene's number and the size it was sent last; for after `join`.
    var ends: [(scene: Int, size: Size)] { hands.map { ($0.number, $0.size) } }

    func start(at start: Timestamp, until end: Timestamp) throws {
        thread = try WorkerThread { [unowned self] in run(start.nanoseconds, end.nanoseconds) }
    }

    /// How long it may take to notice that it is stopped, in nanoseconds.
    private static let napMax: UInt64 = 100_000_000

    /// Sends no more than each scene's last event.
    func stop() { isStopped.store(true, ordering: .relaxed) }

    /// Waits until all is sent. Must be called before the producer goes away, as its thread
    /// does not keep it; further calls do nothing.
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
        for hand in hands { send(hand.last(at: MonotonicClock.now)) }
        hasEnded.store(true, ordering: .relaxed)
    }

    /// Whether all is sent.
    var isDone: Bool { hasEnded.load(ordering: .relaxed) }

    /// Sleeps until the time, if it has not passed, or until it is stopped. No spinning: a
    /// processor that is kept busy would be missed by the loop.
    private func wait(until due: UInt64) -> Timestamp {
        var now = MonotonicClock.now
        while now.nanoseconds < due, !isStopped.load(ordering: .relaxed) {
            let next = min(due, now.nanoseconds + Self.napMax)
            var time = timespec(tv_sec: Int(next / 1_000_000_000), tv_nsec: Int(next % 1_000_000_000))
            clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil)
            now = MonotonicClock.now
        }
        return now
    }

    /// How many scenes at rest are passed over to find one that has something to say.
    private static let tries = 8

    private func send(due: UInt64, at now: Timestamp) {
        for _ in 0..<Self.tries {
            turn = turn + 1 < hands.count ? turn + 1 : 0
            if !hands[turn].isResting(at: due) { break }
        }
        let lag = now.nanoseconds - due
        worstLag = max(worstLag, lag)
        let event = hands[turn].next(due: due, at: now)
        if hands[turn].didChange { lags[hands[turn].number] = lag }
        send(event)
    }

    private func send(_ event: Event) {
        source.send(event)
        sentSoFar.store(sentSoFar.load(ordering: .relaxed) + 1, ordering: .relaxed)
    }
}
