internal import Dispatch
public import Settle
internal import SettleClock
internal import SettlePlatform

// How the main queue wakes a system: for an engine's deadline, for events of other
// threads, and for work that waits until a call of the app has returned. docs/guide/scenes.md
// says why that is not the live engine's loop.

/// Wakes a live system on the main queue when its engine's next deadline is due.
///
/// A deadline that is postponed leaves the timer as it is, as in the live engine: when it
/// fires, the engine is asked again.
@MainActor final class WakeUp {
    private let timer = DispatchSource.makeTimerSource(queue: .main)
    private var time: Timestamp?

    /// Calls `fire` with the present time when the timer fires.
    init(_ fire: @escaping @MainActor (Timestamp) -> Void) {
        timer.setEventHandler { [weak self] in
            MainActor.assumeIsolated {
                guard let self else { return }
                self.time = nil
                fire(MonotonicClock.now)
            }
        }
        timer.activate()
    }

    isolated deinit { timer.cancel() }

    func isSet(by deadline: Timestamp) -> Bool { time.map { $0 <= deadline } ?? false }

    /// Sets the timer to a deadline, unless it fires before that anyway.
    func set(to deadline: Timestamp?) {
        guard let deadline, !isSet(by: deadline) else { return }
        time = deadline
        let wait = max(0, Int64(deadline.nanoseconds) - Int64(MonotonicClock.now.nanoseconds))
        timer.schedule(deadline: .now() + .nanoseconds(Int(wait)))
    }
}

/// Events from other threads, until the main thread drains them all at once. Any thread.
final class EventInbox: @unchecked Sendable {
    private let lock = PthreadMutex()
    private var events: [Event] = []

    /// - Returns: Whether the inbox was empty: then the caller schedules the draining.
    func append(_ event: Event) -> Bool {
        lock.withLock {
            events.append(event)
            return events.count == 1
        }
    }

    func drain() -> [Event] {
        lock.withLock {
            defer { events = [] }
            return events
        }
    }

    /// Runs work on the main queue's next turn, unless another system has replaced the inbox's by then. A
    /// weak reference would make every use of the system slower.
    func onMainQueue(_ work: @escaping @Sendable @MainActor (UISystem) -> Void) {
        DispatchQueue.main.async {
            MainActor.assumeIsolated {
                if let system = UISystem.current, system.inbox === self { work(system) }
            }
        }
    }
}

extension UISystem {
    /// Submits an event from any thread. The main thread applies it on its queue's next
    /// turn, together with all others that were posted meanwhile, and each scene gets at
    /// most one callback for them. Events of one thread keep their order. Their times are
    /// of the system's clock; with the monotonic clock a later one than the present counts as
    /// the present.
    public nonisolated func post(_ event: Event) {
        guard inbox.append(event) else { return }
        inbox.onMainQueue { $0.submitPostedEvents() }
    }

    private func submitPostedEvents() {
        inbox.drain().withUnsafeBufferPointer { submit(Span(_unsafeElements: $0)) }
    }
}
