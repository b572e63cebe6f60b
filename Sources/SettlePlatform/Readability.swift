internal import CPlatform

#if canImport(Glibc)
    internal import Glibc
#endif

/// Whether a read of the descriptor would not block.
package func isReadable(_ descriptor: Int32) -> Bool { settle_is_readable(descriptor, 0) != 0 }

/// Waits until a read of the descriptor would not block.
///
/// - Parameter nanoseconds: The longest wait; a negative number waits for as long as it takes.
/// - Returns: False when the time is over, and when a signal ended the wait.
package func waitUntilReadable(_ descriptor: Int32, nanoseconds: Int64) -> Bool {
    settle_is_readable(descriptor, nanoseconds) != 0
}

/// Waits until a read of one of two descriptors would not block, or a signal comes.
///
/// - Parameters:
///   - first: A descriptor; a negative number is ignored.
///   - milliseconds: The longest wait; a negative number waits for as long as it takes.
package func waitUntilReadable(_ first: Int32, or second: Int32, milliseconds: Int32) {
    var waiting = [
        pollfd(fd: first, events: Int16(POLLIN), revents: 0), pollfd(fd: second, events: Int16(POLLIN), revents: 0),
    ]
    poll(&waiting, 2, milliseconds)
}
