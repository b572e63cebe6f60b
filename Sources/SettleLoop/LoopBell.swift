internal import CPlatform
internal import SettlePlatform
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#endif

/// How producers reach a loop: which sources have something, whether the loop sleeps, and
/// the bell that wakes it.
///
/// It outlives the engine, so that a source may go away last.
final class LoopBell: Sendable {
    private let doorbell = Doorbell()
    /// The sources that have something for the loop.
    let ready = ReadyList()
    private let descriptor: Int32
    private let stopped = Atomic<Bool>(false)
    private let rings = Atomic<UInt64>(0)

    /// - Parameter descriptor: The loop's eventfd; a duplicate of it is kept.
    init(descriptor: Int32) throws(LoopError) {
        let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        if own < 0 { throw .system("fcntl") }
        self.descriptor = own
    }

    deinit { Glibc.close(descriptor) }

    var isStopped: Bool { stopped.load(ordering: .acquiring) }
    func stop() {
        stopped.store(true, ordering: .sequentiallyConsistent)
        ring()
    }

    /// Times the bell was rung: the loop's wake-ups by producers.
    var wakeUps: UInt64 { rings.load(ordering: .relaxed) }

    /// After work was published: wakes the loop if it sleeps.
    func ringIfAsleep() {
        if doorbell.mustWake() { ring() }
    }

    /// The same by a producer with a source, which is listed for the loop.
    func announce(_ node: ReadyNode) {
        if ready.announce(node, doorbell) { ring() }
    }

    func ring() {
        rings.wrappingAdd(1, ordering: .relaxed)
        var one: UInt64 = 1
        _ = write(descriptor, &one, 8)
    }

    func prepareToSleep() { doorbell.prepareToSleep() }
    func awake() { doorbell.awake() }
}
