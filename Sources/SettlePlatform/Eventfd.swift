internal import CPlatform

/// An eventfd, with which one thread wakes another.
package final class EventDescriptor: CounterDescriptor, @unchecked Sendable {
    /// - Throws: `SystemError` if the process has no descriptor left.
    package init() throws(SystemError) {
        try super.init("eventfd", eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)))
    }

    /// Makes the descriptor readable.
    package func signal() {
        var one: UInt64 = 1
        _ = write(number, &one, 8)
    }
}
