import Settle
import SettlePlatform

@testable import SettleLoop

/// A loop whose clock stands until the simulation moves it, and which never waits: the
/// simulation asks whether it would wake.
final class SimulatedLoop: LoopWaiting {
    var time: UInt64
    /// Called whenever the loop has read the clock: a moment for other threads.
    var hasLooked: () -> Void = {}
    /// The last moment that the loop saw.
    private(set) var seen = Timestamp(nanoseconds: 0)
    private var bell: EventDescriptor?
    let bellDescriptor: Int32
    private var alarm = Alarm()
    /// When the timer goes off, `nil` when it is not set or has gone off.
    private(set) var timer: Timestamp?

    init(time: UInt64) {
        self.time = time
        do throws(SystemError) {
            let bell = try EventDescriptor()
            (self.bell, bellDescriptor) = (bell, bell.number)
        } catch {
            fatalError("\(error)")
        }
    }

    var now: Timestamp {
        seen = Timestamp(nanoseconds: time)
        let seen = seen
        hasLooked()
        return seen
    }

    var isRung: Bool { bell?.wait(milliseconds: 0) ?? false }

    /// Whether a real loop would return from waiting; it may do so as late as it likes.
    var wouldWake: Bool { isRung || timer.map { $0.nanoseconds <= time } ?? false }

    func wake(at deadline: Timestamp) {
        let moment = Timestamp(nanoseconds: time)
        if alarm.mustSet(to: deadline, now: moment) { timer = deadline }
    }

    func run(_ mode: EventLoop.Mode) {
        precondition(mode == .withoutWaiting, "a simulated loop does not wait")
        bell?.drain()
        if let timer, timer.nanoseconds <= time { self.timer = nil }
    }

    var backendDescriptor: Int32 { -1 }

    func close() { bell = nil }
}
