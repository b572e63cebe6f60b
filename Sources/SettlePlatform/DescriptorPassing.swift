internal import CPlatform

/// Streams that carry descriptors besides bytes (SCM_RIGHTS), without blocking.
extension UnixDomainSocket {
    /// The most descriptors that the system passes with one message.
    package static let descriptorsMax = Int(settle_descriptors_max)

    /// Receives what has come, the descriptors of at most one message among it.
    ///
    /// - Parameters:
    ///   - bytes: Where the bytes go, at least one.
    ///   - descriptors: The descriptors are appended; the caller closes them. The array must have
    ///     at least `descriptorsMax` of capacity left, or memory is allocated.
    /// - Returns: The number of bytes, 0 at the end of the stream; `nil` if nothing has come yet.
    /// - Throws: With the code EMFILE if descriptors were lost, because the process has no room
    ///   for more.
    package func receive(
        into bytes: UnsafeMutableRawBufferPointer, descriptors: inout [Int32]
    ) throws(SystemError) -> Int? {
        var count: UInt32 = 0
        var isLost = false
        let result = withUnsafeTemporaryAllocation(of: Int32.self, capacity: Self.descriptorsMax) { passed in
            let result = settle_receive_descriptors(
                descriptor, bytes.baseAddress, bytes.count, passed.baseAddress, &count, &isLost)
            if result >= 0, count > 0 { descriptors.append(contentsOf: passed[..<Int(count)]) }
            return result
        }
        guard result >= 0 else {
            if errno == EAGAIN || errno == EINTR { return nil }
            throw .last("recvmsg")
        }
        if isLost { throw SystemError(call: "recvmsg", code: EMFILE) }
        return result
    }

    /// Sends bytes, and the descriptors with the first of them.
    ///
    /// - Parameters:
    ///   - bytes: At least one.
    ///   - descriptors: At most `descriptorsMax`; they stay open. They are sent if any byte is.
    /// - Returns: How many bytes the system took; `nil` if it has no space now.
    package func send(_ bytes: UnsafeRawBufferPointer, descriptors: [Int32]) throws(SystemError) -> Int? {
        let result = descriptors.withUnsafeBufferPointer {
            settle_send_descriptors(descriptor, bytes.baseAddress, bytes.count, $0.baseAddress, UInt32($0.count))
        }
        guard result >= 0 else {
            if errno == EAGAIN || errno == EINTR { return nil }
            throw .last("sendmsg")
        }
        return result
    }

    /// Lets no call on the socket block: `accept` and `connect` then throw with the code EAGAIN.
    package func setNonblocking() { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }

    /// Ends one direction: this end sends nothing more, and the other reads the end of the stream.
    package func shutdownSending() { _ = SettlePlatform.shutdown(descriptor, Int32(SHUT_WR)) }

    /// Ends one direction: this end takes nothing more, and what the other sends fails.
    package func shutdownReceiving() { _ = SettlePlatform.shutdown(descriptor, Int32(SHUT_RD)) }
}

/// Closes descriptors that came with a message.
package func closeDescriptors(_ descriptors: [Int32]) {
    for descriptor in descriptors { close(descriptor) }
}
