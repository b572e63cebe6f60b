internal import SettlePlatform
internal import Synchronization

/// How producers reach a loop: the list of sources with events, whether the loop sleeps, and
/// the bell that wakes it.
///
/// It may live longer than the engine, because a source holds it.
final class LoopBell: Sendable {
    private let doorbell = Doorbell()
    /// The sources with events for the loop.
    let ready = ReadyList()
    private let event: EventDescriptor
    private let stopped = Atomic<Bool>(false)
    private let rings = Atomic<UInt64>(0)

    init(_ event: EventDescriptor) {
        self.event = event
    }

    var isStopped: Bool { stopped.load(ordering: .acquiring) }
    func stop() {
        stopped.store(true, ordering: .sequentiallyConsistent)
        ring()
    }

    /// How often the bell was rung: the loop's wake-ups by producers.
    var wakeUps: UInt64 { rings.load(ordering: .relaxed) }

    /// Wakes the loop if it sleeps. Called after work was published.
    func ringIfAsleep() {
        if doorbell.mustWake() { ring() }
    }

    /// The same by a producer, whose source is listed for the loop.
    func announce(_ node: ReadyNode) {
        if ready.announce(node, doorbell) { ring() }
    }

    func ring() {
        rings.wrappingAdd(1, ordering: .relaxed)
        event.signal()
    }

    func prepareToSleep() { doorbell.prepareToSleep() }
    func awake() { doorbell.awake() }
}
