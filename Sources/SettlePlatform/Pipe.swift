internal import CPlatform

/// A pipe, with which one thread wakes another.
package final class EventDescriptor: CounterDescriptor, @unchecked Sendable {
    private let writing: Int32

    /// - Throws: `SystemError` if the process has no two descriptors left.
    package init() throws(SystemError) {
        var reading: Int32 = -1
        var writing: Int32 = -1
        let result = settle_pipe(&reading, &writing)
        self.writing = writing
        try super.init("pipe", result == 0 ? reading : -1)
    }

    deinit { close(writing) }

    /// Makes the descriptor readable. A pipe that is full is readable already.
    package func signal() {
        var byte: UInt8 = 1
        _ = write(writing, &byte, 1)
    }
}

extension CounterDescriptor {
    /// Another descriptor of the same signals, which lives on its own.
    ///
    /// - Throws: `SystemError` if the process has no descriptor left.
    package convenience init(duplicating other: CounterDescriptor) throws(SystemError) {
        try self.init("fcntl", fcntl(other.number, F_DUPFD_CLOEXEC, 0))
    }
}
