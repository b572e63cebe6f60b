internal import CPlatform

/// Whether a read of the descriptor would not block.
package func isReadable(_ descriptor: Int32) -> Bool { settle_is_readable(descriptor, -1, 0) != 0 }

/// Waits until a read of the descriptor would not block.
///
/// - Parameters:
///   - descriptor: A descriptor; a negative number is ignored.
///   - nanoseconds: The longest wait; a negative number waits for as long as it takes.
/// - Returns: False when the time is over, and when a signal ended the wait.
@discardableResult
package func waitUntilReadable(_ descriptor: Int32, nanoseconds: Int64) -> Bool {
    settle_is_readable(descriptor, -1, nanoseconds) != 0
}

/// Lets the calling thread sleep. A signal may end the sleep early.
package func sleepThread(nanoseconds: UInt64) { waitUntilReadable(-1, nanoseconds: Int64(clamping: nanoseconds)) }

/// Waits until a read of one of two descriptors would not block; see above.
///
/// - Returns: Whether that is so of the other one.
@discardableResult
package func waitUntilReadable(_ descriptor: Int32, or other: Int32, nanoseconds: Int64) -> Bool {
    settle_is_readable(descriptor, other, nanoseconds) & 2 != 0
}
