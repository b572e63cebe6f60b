internal import Dispatch
public import Settle
internal import SettlePlatform

/// Events from other threads, until the main thread takes them all at once. While it is
/// busy they gather, and each scene is told once what they changed together.
final class EventInbox: @unchecked Sendable {
    private let lock = PthreadMutex()
    private var events: [Event] = []

    /// True for the first since the inbox was emptied: somebody must see to that.
    func append(_ event: Event) -> Bool {
        lock.withLock {
            events.append(event)
            return events.count == 1
        }
    }

    func take() -> [Event] {
        lock.withLock {
            defer { events = [] }
            return events
        }
    }
}

extension UISystem {
    /// Feeds an event from any thread. The main thread applies it when it comes to it,
    /// together with all others that came meanwhile. Events of one thread keep their
    /// order; their times are those of the system's clock.
    public nonisolated func post(_ event: Event) {
        guard inbox.append(event) else { return }
        // No weak reference to the system, which would make every use of it slower.
        DispatchQueue.main.async { [inbox] in
            MainActor.assumeIsolated {
                guard let system = UISystem.current, system.inbox === inbox else { return }
                system.takePosted()
            }
        }
    }

    private func takePosted() {
        inbox.take().withUnsafeBufferPointer { submit(Span(_unsafeElements: $0)) }
    }
}
