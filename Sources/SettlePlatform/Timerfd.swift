internal import CPlatform

/// A timerfd on CLOCK_MONOTONIC: readable from a set time on.
package final class TimerDescriptor: CounterDescriptor, @unchecked Sendable {
    /// - Throws: `SystemError` if the process has no descriptor left.
    package init() throws(SystemError) {
        try super.init("timerfd_create", timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK | TFD_CLOEXEC)))
    }

    /// Makes the descriptor readable at a time of the clock, in nanoseconds. It replaces a time
    /// that was set before.
    package func set(to nanoseconds: UInt64) {
        var setting = itimerspec()
        // Zero would disarm the timer.
        let nanoseconds = max(nanoseconds, 1)
        setting.it_value.tv_sec = Int(nanoseconds / 1_000_000_000)
        setting.it_value.tv_nsec = Int(nanoseconds % 1_000_000_000)
        timerfd_settime(number, Int32(TFD_TIMER_ABSTIME), &setting, nil)
    }
}
