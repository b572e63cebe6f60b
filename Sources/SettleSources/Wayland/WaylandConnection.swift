internal import SettleClock
internal import SettlePlatform

/// A client of the app, and the connection to the compositor that was opened for it. Owns both
/// sockets.
final class WaylandConnection {
    /// From 1 on, in the order in which the clients came.
    let number: Int
    private let client: UnixDomainSocket
    private let compositor: UnixDomainSocket
    private let requests: WaylandPipe
    private let events: WaylandPipe
    private let decoder: WaylandDecoder
    private let reports: WaylandReports

    /// - Parameters:
    ///   - client: A client that was accepted.
    ///   - compositor: A connection to the compositor. Both do not block, and belong to this object.
    init(_ number: Int, client: UnixDomainSocket, compositor: UnixDomainSocket, reports: WaylandReports) {
        self.number = number
        self.client = client
        self.compositor = compositor
        self.reports = reports
        requests = WaylandPipe(from: client, to: compositor)
        events = WaylandPipe(from: compositor, to: client)
        decoder = WaylandDecoder(client: number, reports: reports)
    }

    deinit {
        client.close()
        compositor.close()
    }

    /// Whether the client or the compositor has ended it, and nothing that the client sent waits to
    /// be handed on.
    var isOver: Bool { requests.isEnded || events.isEnded && requests.phase != .sending }

    /// Whether both have, so that it can be closed.
    var isClosed: Bool { requests.isEnded && events.isEnded }

    /// Whether the compositor was the first to end it, as it does when it is gone.
    private(set) var isEndedByCompositor = false

    /// Hands on what there is, after one side has become ready to be read or written.
    func turn(isClientReady: Bool) throws(SystemError) {
        let wasOver = isOver
        if requests.phase == (isClientReady ? .receiving : .sending) {
            try requests.turn { bytes in
                reports.now = MonotonicClock.now
                decoder.decode(bytes, from: .client)
            }
        }
        if events.phase == (isClientReady ? .sending : .receiving) {
            try events.turn { bytes in
                reports.now = MonotonicClock.now
                decoder.decode(bytes, from: .compositor)
            }
        }
        guard isOver, !wasOver else { return }
        let isEndedByClient = requests.phase == .ended(by: .source) || events.phase == .ended(by: .destination)
        isEndedByCompositor = !isEndedByClient
        endReports()
    }

    /// Reports that its windows are gone.
    func endReports() {
        reports.now = MonotonicClock.now
        decoder.finish()
    }

    /// Waits for what can be done next.
    func watch(_ epoll: EpollDescriptor, clientKey: UInt64, compositorKey: UInt64) throws(SystemError) {
        let fromClient = Self.interest(reading: requests, writing: events)
        try Self.watch(client, fromClient, epoll, clientKey)
        let fromCompositor = Self.interest(reading: events, writing: requests)
        try Self.watch(compositor, fromCompositor, epoll, compositorKey)
    }

    /// Waits for nothing any more; to be called before the connection is released.
    func ignore(_ epoll: EpollDescriptor) {
        epoll.ignore(client.descriptor)
        epoll.ignore(compositor.descriptor)
    }

    private static func watch(
        _ socket: UnixDomainSocket, _ interest: EpollDescriptor.Interest, _ epoll: EpollDescriptor, _ key: UInt64
    ) throws(SystemError) {
        // An end of a side that is not served would be ready without end.
        if interest.isEmpty { return epoll.ignore(socket.descriptor) }
        try epoll.watch(socket.descriptor, for: interest, key: key)
    }

    private static func interest(reading: WaylandPipe, writing: WaylandPipe) -> EpollDescriptor.Interest {
        var interest: EpollDescriptor.Interest = []
        if reading.phase == .receiving { interest.insert(.reading) }
        if writing.phase == .sending { interest.insert(.writing) }
        return interest
    }
}
