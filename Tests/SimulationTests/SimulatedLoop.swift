import Settle
import SettlePlatform

@testable import SettleLoop

/// A loop without waiting. The simulation advances its clock, and checks whether a real loop
/// would wake up.
final class SimulatedLoop: LoopWaiting {
    var time: UInt64
    /// Called after the loop has read the clock. Other threads may act at that moment.
    var didReadClock: () -> Void = {}
    /// The time that the loop read last.
    private(set) var seen = Timestamp(nanoseconds: 0)
    let bell: EventDescriptor
    private var alarm = Alarm()
    /// When the timer fires; `nil` if it is not set or has fired.
    private(set) var timer: Timestamp?

    init(time: UInt64) {
        self.time = time
        do throws(SystemError) {
            bell = try EventDescriptor()
        } catch {
            fatalError("\(error)")
        }
    }

    var now: Timestamp {
        seen = Timestamp(nanoseconds: time)
        let seen = seen
        didReadClock()
        return seen
    }

    var isRung: Bool { bell.wait(milliseconds: 0) }

    /// Whether a real loop would stop waiting. It may do so at any later time.
    var wouldWake: Bool { isRung || timer.map { $0.nanoseconds <= time } ?? false }

    func wake(at deadline: Timestamp) {
        let moment = Timestamp(nanoseconds: time)
        if alarm.mustSet(to: deadline, now: moment) { timer = deadline }
    }

    func run(_ mode: LoopMode) {
        precondition(mode == .withoutWaiting, "a simulated loop does not wait")
        bell.drain()
        if let timer, timer.nanoseconds <= time { self.timer = nil }
    }

    var backendDescriptor: Int32 { -1 }

    func close() {}
}
