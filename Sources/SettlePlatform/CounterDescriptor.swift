internal import CPlatform

/// A descriptor that is readable from a signal on until it is drained. It does not block, and is
/// closed with its last reference. Any thread.
package class CounterDescriptor: @unchecked Sendable {
    /// The descriptor's number, valid for as long as this object lives.
    package final let number: Int32

    init(_ call: String, _ number: Int32) throws(SystemError) {
        if number < 0 { throw .last(call) }
        self.number = number
    }

    deinit { close(number) }

    /// Takes all signals; true if there were any.
    @discardableResult
    package final func drain() -> Bool { drainCounter(number) }

    /// Waits until the descriptor is readable.
    ///
    /// - Parameter milliseconds: The longest wait; 0 looks only, a negative number waits
    ///   for as long as it takes.
    /// - Returns: False when the time is over, and when a signal ended the wait.
    package final func wait(milliseconds: Int32) -> Bool {
        var waiting = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        return poll(&waiting, 1, milliseconds) > 0
    }
}

/// Takes all signals of an eventfd, a timerfd or a pipe; true if there were any.
@discardableResult
package func drainCounter(_ descriptor: Int32) -> Bool {
    var isSignalled = false
    // A counter is 8 bytes; a pipe has a byte for each signal.
    return withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { bytes in
        while true {
            let count = read(descriptor, bytes.baseAddress, bytes.count)
            if count > 0 { isSignalled = true }
            if count < bytes.count { return isSignalled }
        }
    }
}

/// Checks that the process has so many descriptors left: some libraries end a process that has not.
package func checkDescriptors(_ count: Int) throws(SystemError) {
    var free: [UnixDomainSocket] = []
    defer { for socket in free { socket.close() } }
    for _ in 0..<count { free.append(try UnixDomainSocket()) }
}

/// How many more descriptors the process can open, up to a number.
package func freeDescriptors(upTo most: Int) -> Int {
    var free: [UnixDomainSocket] = []
    defer { for socket in free { socket.close() } }
    while free.count < most, let socket = try? UnixDomainSocket() { free.append(socket) }
    return free.count
}

/// Closes a descriptor that no object owns.
package func closeDescriptor(_ number: Int32) { close(number) }
