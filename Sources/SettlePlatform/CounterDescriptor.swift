internal import CPlatform
package import Settle

#if canImport(Glibc)
    internal import Glibc
#endif

/// A descriptor with a counter: readable while the counter is above zero. It does not block,
/// and is closed with its last reference. Any thread.
package class CounterDescriptor: @unchecked Sendable {
    /// The descriptor's number, valid for as long as this object lives.
    package final let number: Int32

    fileprivate init(_ call: String, _ number: Int32) throws(SystemError) {
        if number < 0 { throw .last(call) }
        self.number = number
    }

    deinit { close(number) }

    /// Sets the counter to zero; true if it was above.
    @discardableResult
    package final func drain() -> Bool { drainCounter(number) }

    /// Waits until the counter is above zero.
    ///
    /// - Parameter milliseconds: The longest wait; 0 looks only, a negative number waits
    ///   for as long as it takes.
    /// - Returns: False when the time is over, and when a signal ended the wait.
    package final func wait(milliseconds: Int32) -> Bool {
        var waiting = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        return poll(&waiting, 1, milliseconds) > 0
    }
}

/// An eventfd, with which one thread wakes another.
package final class EventDescriptor: CounterDescriptor, @unchecked Sendable {
    /// - Throws: `SystemError` if the process has no descriptor left.
    package init() throws(SystemError) {
        try super.init("eventfd", eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)))
    }

    /// Another descriptor of the same counter, which lives on its own.
    ///
    /// - Throws: `SystemError` if the process has no descriptor left.
    package init(duplicating number: Int32) throws(SystemError) {
        try super.init("fcntl", fcntl(number, F_DUPFD_CLOEXEC, 0))
    }

    /// Makes the descriptor readable.
    package func signal() {
        var one: UInt64 = 1
        _ = write(number, &one, 8)
    }
}

/// A timerfd on CLOCK_MONOTONIC: readable from a set time on.
package final class TimerDescriptor: CounterDescriptor, @unchecked Sendable {
    /// - Throws: `SystemError` if the process has no descriptor left.
    package init() throws(SystemError) {
        try super.init("timerfd_create", timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK | TFD_CLOEXEC)))
    }

    /// Makes the descriptor readable at a time of the monotonic clock. It replaces a time
    /// that was set before.
    package func set(to time: Timestamp) {
        var setting = itimerspec()
        // Zero would disarm the timer.
        let nanoseconds = max(time.nanoseconds, 1)
        setting.it_value.tv_sec = Int(nanoseconds / 1_000_000_000)
        setting.it_value.tv_nsec = Int(nanoseconds % 1_000_000_000)
        timerfd_settime(number, Int32(TFD_TIMER_ABSTIME), &setting, nil)
    }
}

/// Sets the counter of an eventfd or a timerfd to zero; true if it was above.
@discardableResult
package func drainCounter(_ descriptor: Int32) -> Bool {
    var count: UInt64 = 0
    return read(descriptor, &count, 8) == 8
}

/// Checks that the process has so many descriptors left: some libraries end a process that has not.
package func checkDescriptors(_ count: Int) throws(SystemError) {
    var free: [EventDescriptor] = []
    for _ in 0..<count { free.append(try EventDescriptor()) }
}

/// Closes a descriptor that no object owns.
package func closeDescriptor(_ number: Int32) { close(number) }
