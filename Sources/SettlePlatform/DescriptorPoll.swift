internal import CPlatform

#if canImport(Glibc)
    internal import Glibc
#endif

/// An epoll instance: one descriptor that is readable when one of several is ready. One thread
/// at a time.
package final class DescriptorPoll {
    /// What a descriptor is to be ready for. One that is in no set still counts as ready once its
    /// other end has hung up.
    package struct Interest: OptionSet, Hashable, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }
        /// A read would not block.
        package static let reading = Interest(rawValue: EPOLLIN.rawValue)
        /// A write would not block.
        package static let writing = Interest(rawValue: EPOLLOUT.rawValue)
    }

    /// Readable when a descriptor is ready; closed with this object.
    package let descriptor: Int32
    private var interests: [Int32: Interest] = [:]

    /// - Throws: When the system has no descriptor left.
    package init() throws(SystemError) {
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        if descriptor < 0 { throw .last("epoll_create1") }
    }

    deinit { close(descriptor) }

    /// Watches a descriptor, or changes what for.
    ///
    /// - Throws: For a descriptor that cannot be watched, such as a file.
    package func watch(_ watched: Int32, for interest: Interest) throws(SystemError) {
        if interests[watched] == interest { return }
        var event = epoll_event()
        event.events = interest.rawValue
        event.data.fd = watched
        let call = interests[watched] == nil ? EPOLL_CTL_ADD : EPOLL_CTL_MOD
        if epoll_ctl(descriptor, Int32(call), watched, &event) != 0 { throw .last("epoll_ctl") }
        interests[watched] = interest
    }

    /// Watches a descriptor no longer. To be called before it is closed.
    package func ignore(_ watched: Int32) {
        guard interests.removeValue(forKey: watched) != nil else { return }
        epoll_ctl(descriptor, Int32(EPOLL_CTL_DEL), watched, nil)
    }
}
