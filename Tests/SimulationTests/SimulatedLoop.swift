import Glibc
import Settle

@testable import SettleLoop

/// A loop whose clock stands until the simulation moves it, and which never waits: the
/// simulation asks whether it would wake.
final class SimulatedLoop: LoopWaiting {
    var time: UInt64
    /// Called whenever the loop has looked at the clock: a moment for other threads.
    var hasLooked: () -> Void = {}
    /// The last moment that the loop saw.
    private(set) var seen = Timestamp(nanoseconds: 0)
    let bellDescriptor: Int32
    private var alarm = Alarm()
    /// When the timer goes off, `nil` when it is not set or has gone off.
    private(set) var timer: Timestamp?
    private var isClosed = false

    init(time: UInt64) {
        self.time = time
        bellDescriptor = makeEventDescriptor()
        precondition(bellDescriptor >= 0, "no eventfd: \(String(cString: strerror(errno)))")
    }

    deinit { close() }

    var now: Timestamp {
        seen = Timestamp(nanoseconds: time)
        let seen = seen
        hasLooked()
        return seen
    }

    var isRung: Bool {
        var waiting = pollfd(fd: bellDescriptor, events: Int16(POLLIN), revents: 0)
        return poll(&waiting, 1, 0) == 1
    }

    /// Whether a real loop would return from waiting; it may do so as late as it likes.
    var wouldWake: Bool { isRung || timer.map { $0.nanoseconds <= time } ?? false }

    func wake(at deadline: Timestamp) {
        let moment = Timestamp(nanoseconds: time)
        if alarm.mustSet(to: deadline, now: moment) { timer = deadline }
    }

    func run(_ mode: EventLoop.Mode) {
        precondition(mode == .withoutWaiting, "a simulated loop does not wait")
        var rings: UInt64 = 0
        _ = read(bellDescriptor, &rings, 8)
        if let timer, timer.nanoseconds <= time { self.timer = nil }
    }

    var backendDescriptor: Int32 { -1 }

    func close() {
        if isClosed { return }
        isClosed = true
        Glibc.close(bellDescriptor)
    }
}
