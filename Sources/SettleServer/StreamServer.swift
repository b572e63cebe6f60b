internal import CPlatform
public import Settle
public import SettleLog
public import SettlePlatform

#if canImport(Glibc)
    internal import Glibc
#endif

/// Takes event streams from other processes, on a Unix-domain socket.
///
/// Each client is read on a thread of its own by a `StreamReader`, and decided about by an
/// engine of its own: what a client sends, and when it goes, changes no decision about
/// another's scenes. A client takes at most `clientBytesMax` bytes of memory. Only the
/// user who runs the server may connect, and root. A client that is refused or dropped
/// gets one line that says why.
///
/// Stop the server before its recorder, so that the clients' scenes still disconnect. A
/// server holds its recorder, and one that was started holds itself until it is stopped:
/// letting go of it does not stop it.
/// All members may be used from any thread, but `stop` not from the handler, which it
/// waits for.
public final class StreamServer: @unchecked Sendable {
    /// 2 MiB: the memory that a client takes at most, besides its thread's unused stack.
    public static let clientBytesMax = 2 << 20

    private let path: String
    private let clientsMax: Int
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
    /// Ends the acceptor's wait.
    private let bell: EventDescriptor
    private let ending = PthreadMutex()

    private struct Client {
        let descriptor: Int32
        var thread: WorkerThread?
    }

    /// What a server counted since it was made.
    public struct Statistics: Hashable, Sendable {
        /// Clients that connected, with those that were refused.
        public var clients = 0
        public var refused = 0
        /// Clients whose streams could not be read on.
        public var dropped = 0
        /// Events of clients that are gone.
        public var events = 0
        /// Those of them whose time was later than CLOCK_MONOTONIC's and was taken as now.
        public var clamped = 0
    }

    /// A server that decides about its clients' events.
    ///
    /// - Parameters:
    ///   - policy: What all scenes get.
    ///   - clientsMax: Clients at the same time; more are refused.
    ///   - report: Called for every client that comes or goes, on some thread.
    ///   - handler: Gets every decision, a client's in order, one at a time on a thread of
    ///     the server's. While it does not return, clients have to wait once 64 decisions
    ///     of theirs wait for it.
    public convenience init(
        path: String, policy: Policy = .default, clientsMax: Int = 64,
        report: @escaping @Sendable (StreamReport) -> Void,
        handler: @escaping @Sendable (StreamDecision) -> Void
    ) throws {
        try self.init(
            path: path, policy: policy, clientsMax: clientsMax, clock: { MonotonicClock.now }, report: report,
            handler: handler)
    }

    convenience init(
        path: String, policy: Policy, clientsMax: Int, clock: @escaping StreamEngine.Clock,
        report: @escaping @Sendable (StreamReport) -> Void,
        handler: @escaping @Sendable (StreamDecision) -> Void
    ) throws {
        // Told of a policy out of range now rather than by the first client.
        _ = try Engine(.init(policy: policy, scenesMax: 1, decisionsMax: 1, policiesMax: 1))
        let delivery = DecisionDelivery(handler)
        try self.init(path, clientsMax, report, delivery) { input, number in
            let queue = DecisionDelivery.Queue(delivery)
            return try StreamReader(input, policy: policy, clock: clock) { decision, scene in
                queue.put(StreamDecision(client: number, scene: scene, decision: decision))
            }
        }
    }

    /// A server whose clients' events are recorded. When the recorder fails, every
    /// client that sends more is dropped with the reason.
    public convenience init(
        path: String, recorder: LogRecorder, clientsMax: Int = 64,
        report: @escaping @Sendable (StreamReport) -> Void
    ) throws(SystemError) {
        try self.init(path: path, recorder: { recorder }, clientsMax: clientsMax, report: report)
    }

    /// A server whose recorder is only there once `start` has called its `opening`.
    ///
    /// - Parameter recorder: Called for each client that is let in.
    public convenience init(
        path: String, recorder: @escaping @Sendable () throws -> LogRecorder, clientsMax: Int = 64,
        report: @escaping @Sendable (StreamReport) -> Void
    ) throws(SystemError) {
        try self.init(path, clientsMax, report, nil) { input, number in
            StreamReader(input, client: "\(number)", recorder: try recorder())
        }
    }

    private init(
        _ path: String, _ clientsMax: Int, _ report: @escaping @Sendable (StreamReport) -> Void,
        _ delivery: DecisionDelivery?,
        makeReader: @escaping @Sendable (ByteInput, Int) throws -> StreamReader
    ) throws(SystemError) {
        self.path = path
        self.clientsMax = clientsMax
        self.makeReader = makeReader
        self.report = report
        self.delivery = delivery
        bell = try EventDescriptor()
    }

    /// Listens. Once; `stop` must be called before the server goes away.
    ///
    /// - Parameter opening: Opens what the server writes into. Called once the path is the
    ///   server's and nothing else can fail, and before any client is let in: a server
    ///   that cannot start destroys no older file. When it throws, the server is stopped.
    public func start(opening: () throws -> Void = {}) throws {
        do {
            // The acceptor's thread waits for this lock before it lets a client in.
            try lock.withLock {
                guard acceptor == nil, !isStopped else {
                    throw StreamError(path: path, problem: "the server was started before")
                }
                let socket = try ListeningSocket(path: path)
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

    private struct OpeningFailure: Error { let cause: any Error }

    /// Lets nobody find the socket any more. From any thread at any time, also while
    /// `start` has not returned.
    public func removeSocket() { listening.withLock { socket?.removeFile() } }

    public var statistics: Statistics { lock.withLock { counted } }

    /// Removes the socket, disconnects all clients, and waits until they are gone and the
    /// handler has had their last decisions. Idempotent.
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
            // From here on no client comes.
            listening.withLock { socket?.close() }
            lock.withLock {
                for client in clients.values { shutdown(client.descriptor, Int32(SHUT_RDWR)) }
            }
            while let thread = lock.withLock({ finished.popLast() ?? clients.values.compactMap(\.thread).first }) {
                thread.join()
                lock.withLock { forget(thread) }
            }
            delivery?.finish()
        }
    }

    // MARK: The acceptor's thread

    private func accept(from socket: ListeningSocket) {
        while wait(for: socket.descriptor) {
            guard let descriptor = socket.accept() else {
                // Out of descriptors or memory: others may soon return some.
                if errno != ECONNABORTED, errno != EINTR { _ = wait(for: -1, milliseconds: 100) }
                continue
            }
            joinFinished()
            welcome(descriptor)
        }
    }

    /// Waits for a client; false once the server has stopped.
    private func wait(for descriptor: Int32, milliseconds: Int32 = -1) -> Bool {
        var waiting = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: bell.number, events: Int16(POLLIN), revents: 0),
        ]
        poll(&waiting, 2, milliseconds)
        return !lock.withLock { isStopped }
    }

    private func welcome(_ descriptor: Int32) {
        let number = lock.withLock {
            counted.clients += 1
            return counted.clients
        }
        var user: UInt32 = 0
        var process: Int32 = 0
        let isKnown = settle_peer_credentials(descriptor, &user, &process) == 0
        if let reason = isKnown ? Self.objection(to: user, of: geteuid()) : "its user cannot be told" {
            return refuse(number, descriptor, reason)
        }
        if lock.withLock({ clients.count }) >= clientsMax {
            return refuse(
                number, descriptor,
                clientsMax == 1 ? "a client is connected already" : "\(clientsMax) clients are connected already")
        }
        report(StreamReport(client: number, change: .came(process: process)))
        do throws(SystemError) {
            try lock.withLock { () throws(SystemError) in
                // The thread cannot end before this lock is released.
                let thread = try WorkerThread { [self] in serve(number, descriptor) }
                clients[number] = Client(descriptor: descriptor, thread: thread)
            }
        } catch {
            refuse(number, descriptor, "\(error)")
        }
    }

    /// Why a user may not connect, `nil` if they may.
    static func objection(to user: UInt32, of server: UInt32) -> String? {
        user == server || user == 0 ? nil : "user \(user) is neither user \(server), who runs the server, nor root"
    }

    private func refuse(_ number: Int, _ descriptor: Int32, _ reason: String) {
        Self.say("refused: \(reason)", to: descriptor)
        Glibc.close(descriptor)
        lock.withLock { counted.refused += 1 }
        report(StreamReport(client: number, change: .refused(reason: reason)))
    }

    /// One line for whoever listens; a client that does not is not waited for.
    private static func say(_ text: String, to descriptor: Int32) {
        let line = Array((text + "\n").utf8)
        _ = send(descriptor, line, line.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    }

    private func joinFinished() {
        while let thread = lock.withLock({ finished.popLast() }) { thread.join() }
    }

    private func forget(_ thread: WorkerThread) {
        finished.removeAll { $0 == thread }
    }

    // MARK: A client's thread

    private func serve(_ number: Int, _ descriptor: Int32) {
        let end = read(number, descriptor)
        let isStopped = lock.withLock { self.isStopped }
        let change: StreamReport.Change
        switch end {
        case .complete(let events) where !isStopped: change = .left(events: events)
        case .faulty(let reason, let events) where !isStopped:
            change = .dropped(reason: reason, events: events)
            Self.say("dropped: \(reason)", to: descriptor)
        case .complete(let events), .faulty(_, let events): change = .stopped(events: events)
        }
        lock.withLock { counted.count(change) }
        report(StreamReport(client: number, change: change))
        lock.withLock {
            // Closed with the lock held, so that `stop` cannot shut down another's.
            Glibc.close(descriptor)
            if let thread = clients.removeValue(forKey: number)?.thread { finished.append(thread) }
        }
    }

    private func read(_ number: Int, _ descriptor: Int32) -> StreamReader.End {
        do {
            let reader = try makeReader(ByteInput(client: descriptor, name: "client \(number)"), number)
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
        case .left(let events), .stopped(let events): self.events += events
        case .dropped(_, let events):
            self.events += events
            dropped += 1
        case .came, .refused: break
        }
    }
}
