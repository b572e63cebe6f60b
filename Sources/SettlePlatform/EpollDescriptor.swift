internal import CPlatform

/// An epoll instance: readable while one of the descriptors that it watches is ready. Closed with
/// its last reference. One thread at a time.
package final class EpollDescriptor {
    /// What is waited for. An end or an error of a descriptor counts as both.
    package struct Interest: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        /// A read would not block.
        package static let reading = Interest(rawValue: 1)
        /// A write would not block.
        package static let writing = Interest(rawValue: 2)
    }

    /// The descriptor's number, valid for as long as this object lives.
    package let number: Int32
    private var interests: [Int32: (interest: Interest, key: UInt64)] = [:]
    private static let eventsMax = 64
    private let events: UnsafeMutablePointer<epoll_event>

    /// - Throws: When the process has no descriptor left.
    package init() throws(SystemError) {
        // Once all properties are set, `deinit` also runs when an initializer throws.
        number = epoll_create1(Int32(EPOLL_CLOEXEC))
        if number < 0 { throw .last("epoll_create1") }
        events = .allocate(capacity: Self.eventsMax)
    }

    deinit {
        close(number)
        events.deallocate()
    }

    /// Watches a descriptor, or changes what for. With no interest it still counts as ready once
    /// its other end has hung up.
    ///
    /// - Parameter key: What `ready` calls it; the first call's counts.
    /// - Throws: For a descriptor that cannot be watched, such as a file.
    package func watch(_ descriptor: Int32, for interest: Interest, key: UInt64 = 0) throws(SystemError) {
        let former = interests[descriptor]
        if former?.interest == interest { return }
        let key = former?.key ?? key
        var event = epoll_event()
        if interest.contains(.reading) { event.events |= UInt32(settle_epoll_in) }
        if interest.contains(.writing) { event.events |= UInt32(settle_epoll_out) }
        event.data.u64 = key
        let change = former == nil ? EPOLL_CTL_ADD : EPOLL_CTL_MOD
        if epoll_ctl(number, change, descriptor, &event) != 0 { throw .last("epoll_ctl") }
        interests[descriptor] = (interest, key)
    }

    /// Watches a descriptor no longer. To be called before it is closed.
    package func ignore(_ descriptor: Int32) {
        guard interests.removeValue(forKey: descriptor) != nil else { return }
        epoll_ctl(number, EPOLL_CTL_DEL, descriptor, nil)
    }

    /// Calls the closure with the key of each descriptor that is ready, without waiting. At most
    /// 64 of them; the next call has the others.
    ///
    /// - Returns: Their number.
    @discardableResult
    package func ready(_ body: (UInt64) -> Void) -> Int {
        let count = Int(max(0, epoll_wait(number, events, Int32(Self.eventsMax), 0)))
        for index in 0..<count { body(events[index].data.u64) }
        return count
    }
}
