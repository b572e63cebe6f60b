internal import Dispatch
internal import Settle
internal import SettleLoop
internal import SettlePlatform

/// Wakes a live system when a deadline of its engine is due, on the main queue.
@MainActor final class WakeUp {
    /// The owner.
    unowned var system: UISystem!
    private let timer = DispatchSource.makeTimerSource(queue: .main)
    private var armed: Timestamp?

    init() {
        timer.setEventHandler { [weak self] in
            MainActor.assumeIsolated {
                self?.armed = nil
                self?.system.advance(to: MonotonicClock.now)
            }
        }
        timer.activate()
    }

    isolated deinit { timer.cancel() }

    /// Whether the timer fires at that time or before. A deadline that was postponed
    /// leaves the timer as it is: the engine is asked again when it fires.
    func comes(by time: Timestamp) -> Bool { armed.map { $0 <= time } ?? false }

    func arm(_ deadline: Timestamp?) {
        guard let deadline, !comes(by: deadline) else { return }
        armed = deadline
        let wait = max(0, Int64(deadline.nanoseconds) - Int64(MonotonicClock.now.nanoseconds))
        timer.schedule(deadline: .now() + .nanoseconds(Int(wait)))
    }
}
