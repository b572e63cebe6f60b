public import Settle
internal import SettleClock
public import SettleLog
public import SettlePlatform

/// Serves event streams of other processes on a Unix-domain socket.
///
/// Each client has a thread, a `StreamReader` and an engine of its own. What one client sends,
/// and when it disconnects, changes no decision about another's scenes. A client uses at most
/// `clientBytesMax` bytes of memory. Only the user who runs the server and root may connect. A
/// client that is refused or dropped receives one line with the reason.
///
/// ```swift
/// let server = try StreamServer(.init(path: "/run/user/1000/settle")) { print($0) } handler: { decision in … }
/// try server.start()
/// …
/// server.stop()
/// ```
///
/// Call `stop` before the recorder's `finish`, so that the recording has the disconnects of
/// the clients' scenes. A started server keeps itself alive until `stop`.
///
/// All members may be used from any thread, but `stop` not from the handler, which it waits
/// for.
public final class StreamServer: @unchecked Sendable {
    /// 2.25 MiB: the most memory that a client uses, without the unused part of its thread's stack.
    public static let clientBytesMax = 9 << 18

    /// 10 s: the longest duration that a client may ask for, unless its server says otherwise.
    public static let clientDelayMaximum = Duration.seconds(10)

    /// Where and for whom a server works.
    public struct Configuration: Hashable, Sendable {
        /// The socket's path, at most `UnixSocket.pathLengthMax` bytes.
        public var path: String
        /// The policy of the clients that ask for none of their own; unused by a server that
        /// records.
        public var policy: Policy
        /// How long a duration may be in a policy that a client asks for, unless the same one of
        /// `policy` is longer or `nil`. A client that asks for more, or for no
        /// `interactionTimeout` where `policy` has one, is dropped with a reason that names the
        /// duration.
        public var clientDelayMaximum: Duration
        /// The most clients that are connected at a time, at least 1; more are refused.
        public var clientsMax: Int

        /// A configuration with the default policy and 64 clients, unless arguments say otherwise.
        public init(
            path: String, policy: Policy = .default, clientsMax: Int = 64,
            clientDelayMaximum: Duration = StreamServer.clientDelayMaximum
        ) {
            self.path = path
            self.policy = policy
            self.clientDelayMaximum = clientDelayMaximum
            self.clientsMax = clientsMax
        }
    }

    private let configuration: Configuration
    private let makeReader: @Sendable (ByteInput, Int) throws -> StreamReader
    private let report: @Sendable (StreamReport) -> Void
    /// `nil` for a server that records.
    let delivery: DecisionDelivery?

    /// Guards the socket only, so that its file can be removed while `start` waits.
    private let listening = PthreadMutex()
    private var socket: ListeningSocket?
    private let lock = PthreadMutex()
    private var acceptor: WorkerThread?
    private var clients: [Int: Client] = [:]
    /// Threads that have nothing left to do and wait to be joined.
    private var finished: [WorkerThread] = []
    private var counted = Statistics()
    private var isStopped = false
    /// Ends the acceptor's wait: when the server stops, and when a client has left.
    private let bell: EventDescriptor
    private let ending = PthreadMutex()

    private struct Client {
        let socket: UnixDomainSocket
        let thread: WorkerThread
    }

    /// What a server counted since it was made.
    public struct Statistics: Hashable, Sendable {
        /// Clients that connected, including those that were refused.
        public var clients = 0
        /// Clients that were refused.
        public var refused = 0
        /// Clients that were dropped because of a fault in their streams.
        public var dropped = 0
        /// Events of clients that have disconnected.
        public var events = 0
        /// Events among them whose time was later than CLOCK_MONOTONIC's and was replaced by now.
        public var clamped = 0
    }

    /// A server that decides about its clients' events.
    ///
    /// - Parameters:
    ///   - configuration: The socket's path, the clients' policy and their number.
    ///   - report: Called for each client that connects or disconnects, on any thread.
    ///   - handler: Receives each decision, one at a time on a thread of the server's, and a
    ///     client's in order. While it does not return, clients wait once 64 decisions of
    ///     theirs are queued.
    /// - Throws: `EngineError` for a policy that no engine accepts; `SystemError` when the
    ///   system has no descriptor left.
    public convenience init(
        _ configuration: Configuration, report: @escaping @Sendable (StreamReport) -> Void,
        handler: @escaping @Sendable (StreamDecision) -> Void
    ) throws {
        try self.init(configuration, clock: { MonotonicClock.now }, report: report, handler: handler)
    }

    convenience init(
        _ configuration: Configuration, clock: @escaping StreamEngine.Clock,
        report: @escaping @Sendable (StreamReport) -> Void,
        handler: @escaping @Sendable (StreamDecision) -> Void
    ) throws {
        // A policy out of range is an error now rather than at the first client.
        _ = try Engine(.init(policy: configuration.policy, scenesMax: 1, decisionsMax: 1, policiesMax: 1))
        let delivery = DecisionDelivery(handler)
        let policy = ClientPolicy(server: configuration.policy, delayMaximum: configuration.clientDelayMaximum)
        try self.init(configuration, report, delivery) { input, number in
            let queue = DecisionDelivery.Queue(delivery)
            return try StreamReader(input, policy: policy, clock: clock) { decision, scene, takesReports in
                queue.enqueue(
                    StreamDecision(client: number, scene: scene, decision: decision, takesReports: takesReports))
            }
        }
    }

    /// A server that records its clients' events. When the recorder fails, each client that
    /// sends more is dropped with the reason.
    ///
    /// - Parameters:
    ///   - configuration: The socket's path and the number of clients.
    ///   - recorder: Records all clients.
    ///   - report: Called for each client that connects or disconnects, on any thread.
    /// - Throws: When the system has no descriptor left.
    public convenience init(
        _ configuration: Configuration, recorder: LogRecorder, report: @escaping @Sendable (StreamReport) -> Void
    ) throws(SystemError) {
        try self.init(configuration, recorder: { recorder }, report: report)
    }

    /// A server whose recorder is opened by the `opening` of `start`.
    ///
    /// - Parameters:
    ///   - configuration: The socket's path and the number of clients.
    ///   - recorder: Called for each client that is accepted, on the client's thread.
    ///   - report: Called for each client that connects or disconnects, on any thread.
    /// - Throws: When the system has no descriptor left.
    public convenience init(
        _ configuration: Configuration, recorder: @escaping @Sendable () throws -> LogRecorder,
        report: @escaping @Sendable (StreamReport) -> Void
    ) throws(SystemError) {
        try self.init(configuration, report, nil) { input, number in
            StreamReader(input, client: "\(number)", recorder: try recorder())
        }
    }

    private init(
        _ configuration: Configuration, _ report: @escaping @Sendable (StreamReport) -> Void,
        _ delivery: DecisionDelivery?, makeReader: @escaping @Sendable (ByteInput, Int) throws -> StreamReader
    ) throws(SystemError) {
        self.configuration = configuration
        self.makeReader = makeReader
        self.report = report
        self.delivery = delivery
        bell = try EventDescriptor()
    }

    /// Starts to listen. Once; a started server must be stopped.
    ///
    /// - Parameter opening: Opens the server's output, for which one descriptor is left. Called when nothing
    ///   else can fail, and before the first client is accepted, so a server that cannot start leaves an older
    ///   output file unchanged. If it throws, the server is stopped.
    /// - Throws: `StreamError` when the path cannot be used, or when the process cannot open a descriptor for
    ///   each of `clientsMax` clients; `SystemError` when the system has no thread left; what `opening` throws.
    public func start(opening: () throws -> Void = {}) throws {
        do {
            // The acceptor's thread waits for this lock before it lets a client in.
            try lock.withLock {
                guard acceptor == nil, !isStopped else {
                    throw StreamError(path: configuration.path, problem: "the server was started before")
                }
                let socket = try ListeningSocket(path: configuration.path)
                try checkRoom()
                try delivery?.start()
                do {
                    acceptor = try WorkerThread { [self] in accept(from: socket) }
                } catch {
                    delivery?.finish()
                    throw error
                }
                listening.withLock { self.socket = socket }
                do { try opening() } catch { throw OpeningFailure(cause: error) }
            }
        } catch let failure as OpeningFailure {
            stop()
            throw failure.cause
        }
    }

    /// Checks that each client can have a descriptor: one that has none waits, and is not told why. Another two are
    /// for a client that is refused and for the server's output.
    private func checkRoom() throws(StreamError) {
        let (clients, needed) = (configuration.clientsMax, configuration.clientsMax + 2)
        let free = freeDescriptors(upTo: needed)
        if free == needed { return }
        throw StreamError(
            path: configuration.path,
            problem:
                "too many open files: \(clients) clients need \(needed) descriptors, and \(free) \(free == 1 ? "is" : "are") left; raise"
                + " the limit (ulimit -n) by \(needed - free), or let fewer clients connect at a time (--clients)")
    }

    private struct OpeningFailure: Error { let cause: any Error }

    /// Removes the socket's file, so that no more clients connect. From any thread at any time,
    /// also while `start` has not returned.
    public func removeSocket() { listening.withLock { socket?.removeFile() } }

    /// What the server counted so far.
    public var statistics: Statistics { lock.withLock { counted } }

    /// Removes the socket and disconnects all clients. Returns after the handler's last call.
    /// Further calls have no effect.
    public func stop() {
        ending.withLock {
            let acceptor = lock.withLock {
                isStopped = true
                removeSocket()
                defer { self.acceptor = nil }
                return self.acceptor
            }
            bell.signal()
            acceptor?.join()
            // No client is accepted any more.
            listening.withLock { socket?.close() }
            lock.withLock {
                for client in clients.values { client.socket.shutdown() }
            }
            while let thread = lock.withLock({ finished.popLast() ?? clients.values.first?.thread }) {
                thread.join()
                lock.withLock { forget(thread) }
            }
            delivery?.finish()
        }
    }

    // MARK: The acceptor's thread

    private func accept(from socket: ListeningSocket) {
        // Without descriptors or memory, others may soon return some; a client of ours that leaves rings.
        var isFull = false
        while true {
            waitUntilReadable(
                isFull ? -1 : socket.descriptor, or: bell.number, nanoseconds: isFull ? 100_000_000 : -1)
            bell.drain()
            if lock.withLock({ isStopped }) { return }
            joinFinished()
            isFull = false
            // A bell, or a signal, ends the wait as well.
            guard isReadable(socket.descriptor) else { continue }
            do { if let client = try socket.accept() { welcome(client) } } catch { isFull = true }
        }
    }

    private func welcome(_ socket: UnixDomainSocket) {
        let number = lock.withLock {
            counted.clients += 1
            return counted.clients
        }
        guard let peer = socket.peer else { return refuse(number, socket, "its user is unknown") }
        if let reason = Self.objection(to: peer.user, of: effectiveUser) { return refuse(number, socket, reason) }
        awaitRoom()
        if lock.withLock({ clients.count }) >= configuration.clientsMax {
            return refuse(
                number, socket,
                configuration.clientsMax == 1
                    ? "a client is connected already" : "\(configuration.clientsMax) clients are connected already")
        }
        do throws(SystemError) {
            try lock.withLock { () throws(SystemError) in
                // The thread cannot end before this lock is released.
                let thread = try WorkerThread { [self] in serve(number, of: peer.process, socket) }
                clients[number] = Client(socket: socket, thread: thread)
            }
        } catch {
            refuse(number, socket, "\(error)")
        }
    }

    /// Waits for at most a second for clients that have closed already and whose threads are about to end: a client
    /// that comes after them is not refused because of them.
    private func awaitRoom() {
        for _ in 0..<200 {
            let isFullOfLeaving = lock.withLock {
                !isStopped && clients.count >= configuration.clientsMax
                    && clients.values.contains { $0.socket.hasPeerClosed }
            }
            if !isFullOfLeaving { return }
            sleepThread(nanoseconds: 5_000_000)
        }
    }

    /// Why a user may not connect, `nil` if they may connect.
    static func objection(to user: UInt32, of server: UInt32) -> String? {
        user == server || user == 0 ? nil : "user \(user) is neither user \(server), who runs the server, nor root"
    }

    private func refuse(_ number: Int, _ socket: UnixDomainSocket, _ reason: String) {
        Self.say("refused: \(reason)", to: socket)
        socket.close()
        lock.withLock { counted.refused += 1 }
        report(StreamReport(client: number, change: .refused(reason: reason)))
    }

    /// Sends one line without blocking; it is lost if the client does not read.
    private static func say(_ text: String, to socket: UnixDomainSocket) {
        socket.sendIfPossible(Array((text + "\n").utf8))
    }

    private func joinFinished() {
        while let thread = lock.withLock({ finished.popLast() }) { thread.join() }
    }

    private func forget(_ thread: WorkerThread) {
        finished.removeAll { $0 == thread }
    }

    // MARK: A client's thread

    private func serve(_ number: Int, of process: Int32, _ socket: UnixDomainSocket) {
        // Not by the acceptor: a client whose thread cannot start is only refused.
        report(StreamReport(client: number, change: .connected(process: process)))
        let end = read(number, socket)
        let isStopped = lock.withLock { self.isStopped }
        let change: StreamReport.Change
        switch end {
        case .complete(let events) where !isStopped: change = .disconnected(events: events)
        case .faulty(let reason, let events) where !isStopped:
            change = .dropped(reason: reason, events: events)
            Self.say("dropped: \(reason)", to: socket)
        case .complete(let events), .faulty(_, let events): change = .stopped(events: events)
        }
        lock.withLock { counted.count(change) }
        report(StreamReport(client: number, change: change))
        lock.withLock {
            // Closed with the lock held, so that `stop` cannot shut down another's.
            socket.close()
            if let thread = clients.removeValue(forKey: number)?.thread { finished.append(thread) }
        }
        bell.signal()
    }

    private func read(_ number: Int, _ socket: UnixDomainSocket) -> StreamReader.End {
        do {
            let reader = try makeReader(ByteInput(client: socket.descriptor, name: "client \(number)"), number)
            defer { lock.withLock { counted.clamped += reader.clamped } }
            return reader.run()
        } catch {
            return .faulty("\(error)", events: 0)
        }
    }
}

extension StreamServer.Statistics {
    fileprivate mutating func count(_ change: StreamReport.Change) {
        switch change {
        case .disconnected(let events), .stopped(let events): self.events += events
        case .dropped(_, let events):
            self.events += events
            dropped += 1
        case .connected, .refused: break
        }
    }
}
