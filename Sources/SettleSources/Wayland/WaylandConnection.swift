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
    private var clientInterest: EpollDescriptor.Interest = []
    private var compositorInterest: EpollDescriptor.Interest = []

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

    /// Whether the client or the compositor has ended it, and has got everything before.
    var isOver: Bool { requests.phase == .closed || events.phase == .closed }

    /// Whether both have, so that it can be closed.
    var isClosed: Bool { requests.phase == .closed && events.phase == .closed }

    /// Whether the compositor has ended it, or is gone.
    var isEndedByCompositor: Bool { events.phase == .closed && requests.phase != .closed }

    /// Hands on what there is in both directions.
    func turn() throws(SystemError) {
        try requests.turn { bytes in
            reports.now = MonotonicClock.now
            decoder.decode(bytes, from: .client)
        }
        try events.turn { bytes in
            reports.now = MonotonicClock.now
            decoder.decode(bytes, from: .compositor)
        }
        if isOver { endReports() }
    }

    /// Reports that its windows are gone.
    func endReports() {
        reports.now = MonotonicClock.now
        decoder.finish()
    }

    /// Waits for what can be done next.
    func watch(_ epoll: EpollDescriptor, clientKey: UInt64, compositorKey: UInt64) throws(SystemError) {
        let fromClient = Self.interest(reading: requests, writing: events)
        try epoll.watch(client.descriptor, for: fromClient, before: clientInterest, key: clientKey)
        clientInterest = fromClient
        let fromCompositor = Self.interest(reading: events, writing: requests)
        try epoll.watch(compositor.descriptor, for: fromCompositor, before: compositorInterest, key: compositorKey)
        compositorInterest = fromCompositor
    }

    private static func interest(reading: WaylandPipe, writing: WaylandPipe) -> EpollDescriptor.Interest {
        var interest: EpollDescriptor.Interest = []
        if reading.phase == .receiving { interest.insert(.reading) }
        if writing.phase == .sending { interest.insert(.writing) }
        return interest
    }
}
