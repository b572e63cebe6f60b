public import Settle
internal import SettleClock
public import SettleLog
internal import SettlePlatform

/// The windows of one app under Wayland, where only the app itself receives their sizes: the app
/// runs behind a proxy, which passes everything on between it and the compositor, unchanged.
///
/// The proxy listens on a private socket in a folder that only this user can enter; the app finds
/// it by WAYLAND_DISPLAY. Each connection that the app, or a program that it starts, opens there
/// gets one of its own to the compositor. Of what passes, only sizes, states, pointer buttons,
/// titles and app ids are read; nothing else is looked at or kept.
///
/// It ends when the app has ended and all connections are over, with the app's exit status. So
/// the windows of a program that the app leaves behind go on. Without a compositor, the app has
/// two seconds to end.
///
/// Releasing the source closes all connections, and removes the socket and its folder. The app,
/// if it runs still, loses its display.
public final class WaylandSource: GeometrySource {
    /// How long the app may run after the compositor is gone.
    static let graceTime = Duration.seconds(2)
    /// How long a compositor that is killed may still seem to answer: the system closes its sockets
    /// one after another.
    private static let closingTime = Duration.milliseconds(100)
    /// How often programs that the app has left behind are looked for.
    private static let lookTime = Duration.milliseconds(50)
    /// How soon a busy compositor is asked again, or a descriptor for a client looked for.
    private static let retryTime = Duration.milliseconds(5)
    /// Connections at the same time, if the process may have so many descriptors.
    static let clientsMax = 256

    /// What the epoll instance calls the descriptors. That of a client is even, and one more is that
    /// of the compositor for it.
    private enum Key {
        static let app: UInt64 = 0
        static let listener: UInt64 = 1
        static func client(_ number: Int) -> UInt64 { UInt64(number) * 2 }
    }

    public let header: LogHeader
    public var scenes: SceneNames { reports.scenes }
    public var descriptor: Int32 { epoll.number }

    private let reports: WaylandReports
    private let epoll: EpollDescriptor
    private let listener: WaylandListener
    private let compositor: WaylandCompositor
    private let app: ChildProcess
    private let appName: String
    private var connections: [Int: WaylandConnection] = [:]
    private var clientCount = 0
    /// The most connections at the same time.
    var connectionsMax: Int
    private var isListening = false
    /// Until when nobody is listened to: the compositor has no time yet for a client, or there is no
    /// descriptor for the next one.
    private var waiting: (client: UnixDomainSocket?, retry: Timestamp)?
    private var status: Int32?
    private var compositorGone: Timestamp?
    /// When to look again for a compositor that has ended a connection.
    private var secondLook: Timestamp?
    private var isStopped = false
    /// Until when programs that the app has left behind may open their first connection.
    private var launchLimit: Timestamp?
    private var isLaunching = false
    private let adopts: Bool

    /// Starts an app behind a proxy, with this process's environment except for WAYLAND_DISPLAY. What it
    /// prints goes to standard error.
    ///
    /// - Parameters:
    ///   - command: The app, which is looked for on the PATH, and its arguments.
    ///   - adopts: Whether programs that the app leaves behind become children of this process, which
    ///     must have no others: then a launcher may end before what it has started has connected,
    ///     which gets two seconds for that. It stays so for the life of the process.
    /// - Throws: `SourceError` if there is no compositor, no folder for the socket, or no such app.
    public convenience init(command: [String], adopts: Bool = false) throws(SourceError) {
        let folders = [environmentVariable("XDG_RUNTIME_DIR"), environmentVariable("TMPDIR"), "/tmp"]
        try self.init(
            command: command, compositor: WaylandCompositor(), folders: folders.compactMap { $0 }, adopts: adopts)
    }

    /// The same, with a compositor and folders for the socket that do not come from the environment.
    init(
        command: [String], compositor: WaylandCompositor, folders: [String], adopts: Bool = false
    ) throws(SourceError) {
        self.adopts = adopts
        if adopts { adoptDescendants() }
        guard let program = command.first, !program.isEmpty else {
            throw SourceError("no app was named; name its command")
        }
        appName = program.split(separator: "/").last.map(String.init) ?? program
        self.compositor = compositor
        reports = WaylandReports(app: appName)
        header = LogHeader(source: Self.kind.name, name: appName)
        listener = try WaylandListener(in: folders)
        connectionsMax = Self.connectionsMax(descriptors: descriptorLimit)
        do throws(SystemError) {
            epoll = try EpollDescriptor()
            // The standard output is for decisions or a recording, not for the app's text.
            app = try ChildProcess(command, environment: ["WAYLAND_DISPLAY": listener.path], output: 2)
            try epoll.watch(app.descriptor, for: .reading, key: Key.app)
        } catch {
            throw Self.startFailure(program, error)
        }
        listen(true)
    }

    deinit { waiting?.client?.close() }

    /// As many connections as leave descriptors for those that pass through, and for the process.
    private static func connectionsMax(descriptors: Int) -> Int {
        let passing = min(2 * UnixDomainSocket.descriptorsMax, descriptors / 4)
        return max(1, min(clientsMax, (descriptors - passing - ownDescriptors) / 2))
    }

    /// Descriptors that the process has besides those of connections, and some more.
    private static let ownDescriptors = 24

    /// The socket that the app finds.
    var socketPath: String { listener.path }
    /// The app's process.
    var process: Int32 { app.process }
    /// Whether the app has ended.
    var hasAppEnded: Bool { status != nil }
    var connectionCount: Int { connections.count }

    private static func startFailure(_ program: String, _ error: SystemError) -> SourceError {
        guard error.call == "posix_spawnp" else { return SourceError("\(program) cannot be started: \(error)") }
        return SourceError(
            "\(program) cannot be started: \(error.reason); check its name, and that it is installed", start: error)
    }

    /// Asks the app to end, by SIGTERM, and at a second call by SIGKILL. What the app still has to
    /// say is passed on until it ends; then the connections of programs that it left behind are
    /// closed, and the source ends.
    ///
    /// - Returns: True.
    public func stop() -> Bool {
        app.send(isStopped ? SIGKILL : SIGTERM)
        isStopped = true
        if status != nil { closeAll() }
        return true
    }

    private func closeAll() {
        listen(false)
        waiting?.client?.close()
        waiting = nil
        // What the app has started has nobody to connect to any more.
        launchLimit = nil
        isLaunching = false
        for number in connections.keys.sorted() {
            connections[number]?.endReports()
            connections[number]?.ignore(epoll)
        }
        connections = [:]
    }

    public var nextWake: Timestamp? {
        if !reports.isEmpty || isEnding { return MonotonicClock.now }
        let limit = status == nil ? compositorGone?.advanced(by: Self.graceTime) : nil
        let look = isLaunching ? MonotonicClock.now.advanced(by: Self.lookTime) : nil
        return [waiting?.retry, secondLook, limit, look].compactMap { $0 }.min()
    }

    /// Whether the app has ended, and nothing is left to be passed on.
    private var isEnding: Bool {
        status != nil && waiting?.client == nil && secondLook == nil && !isLaunching
            && connections.values.allSatisfy { $0.isOver }
    }

    /// Looks whether something that the app has started may still open its first connection.
    private func lookForPrograms() {
        guard let launchLimit else { return }
        isLaunching = connections.isEmpty && MonotonicClock.now < launchLimit && hasChildren()
        if !isLaunching { self.launchLimit = nil }
    }

    public func read(into batch: EventBatch) throws(SourceError) -> [SourceNews] {
        var isQuiet = false
        if reports.isEmpty {
            retryWaiting()
            isQuiet = epoll.ready(serve) == 0
            lookForPrograms()
            if let secondLook, secondLook <= MonotonicClock.now {
                lookForCompositor()
                self.secondLook = nil
            }
        }
        reports.move(into: batch)
        var news = reports.takeNews()
        if let status, isQuiet, isEnding, reports.isEmpty {
            if clientCount == 0, !isStopped { news.append(.message(noConnection)) }
            news.append(.ended(status: status))
        } else if let compositorGone, status == nil, compositorGone.duration(to: MonotonicClock.now) >= Self.graceTime {
            throw SourceError(
                "the Wayland compositor at \(compositor.path) is gone, and \(appName) (process \(app.process)) runs on"
                    + " without it; end it, and start it again when the compositor runs")
        }
        return news
    }

    private func serve(_ key: UInt64) {
        switch key {
        case Key.app:
            guard let ended = app.exitStatus() else { return }
            status = ended
            if isStopped {
                closeAll()
            } else if adopts {
                launchLimit = MonotonicClock.now.advanced(by: Self.graceTime)
                isLaunching = true
            }
            epoll.ignore(app.descriptor)
        // The end of the app, just before, may have closed everything.
        case Key.listener: if isListening { acceptClients() }
        default: turn(Int(key / 2), isClientReady: key % 2 == 0)
        }
    }

    /// Many apps hand over to an instance that runs already, and end at once.
    private var noConnection: String {
        "\(appName) has ended without a connection to Wayland: it may have handed over to an instance that was running,"
            + " or use X11, or have failed"
    }

    // MARK: Connections

    private func turn(_ number: Int, isClientReady: Bool) {
        guard let connection = connections[number] else { return }
        let wasEnded = connection.isEndedByCompositor
        do throws(SystemError) {
            try connection.turn(isClientReady: isClientReady)
            let key = Key.client(number)
            try connection.watch(epoll, clientKey: key, compositorKey: key + 1)
        } catch {
            reports.say("connection \(number) of \(appName) was closed: \(error)")
            return remove(connection)
        }
        if !wasEnded, connection.isEndedByCompositor {
            lookForCompositor()
            secondLook = compositorGone == nil ? MonotonicClock.now.advanced(by: Self.closingTime) : nil
        }
        if connection.isClosed { remove(connection) }
    }

    private func remove(_ connection: WaylandConnection) {
        connection.endReports()
        connection.ignore(epoll)
        connections[connection.number] = nil
        if !isListening, waiting == nil { listen(true) }
    }

    private func lookForCompositor() {
        if compositorGone == nil, !compositor.isAnswering { loseCompositor() }
    }

    private func loseCompositor() {
        compositorGone = MonotonicClock.now
        reports.say("the Wayland compositor at \(compositor.path) is gone; waiting for \(appName) to end")
    }

    private func listen(_ isOn: Bool) {
        isListening = false
        if !isOn { return epoll.ignore(listener.socket.descriptor) }
        do throws(SystemError) {
            try epoll.watch(listener.socket.descriptor, for: .reading, key: Key.listener)
            isListening = true
        } catch {
            reports.say("further clients of \(appName) cannot connect: \(error)")
        }
    }

    private func acceptClients() {
        while waiting == nil {
            switch listener.accept() {
            case .client(let client): connect(client)
            case .refused: sayFull()
            case .full:
                sayFull()
                return wait(with: nil)
            case .nobody: return
            }
        }
    }

    private func sayFull() {
        reports.sayOnce(
            about: "connections",
            "\(appName) has \(counted(connections.count, "connection")), as many as fit; further ones are refused. Raise the"
                + " limit of open files (ulimit -n) for more, up to \(Self.clientsMax)")
    }

    /// Opens a connection to the compositor for a client, or refuses the client.
    private func connect(_ client: UnixDomainSocket) {
        guard connections.count < connectionsMax else {
            client.close()
            return sayFull()
        }
        let server: UnixDomainSocket
        do throws(SystemError) {
            server = try compositor.connect()
        } catch {
            if error.isAgain { return wait(with: client) }
            client.close()
            if error.isOutOfDescriptors { return sayFull() }
            if compositorGone == nil { loseCompositor() }
            return
        }
        compositorGone = nil
        clientCount += 1
        connections[clientCount] = WaylandConnection(clientCount, client: client, compositor: server, reports: reports)
        turn(clientCount, isClientReady: true)
    }

    private func wait(with client: UnixDomainSocket?) {
        listen(false)
        waiting = (client, MonotonicClock.now.advanced(by: Self.retryTime))
    }

    private func retryWaiting() {
        guard let (client, retry) = waiting, retry <= MonotonicClock.now else { return }
        waiting = nil
        if let client { connect(client) }
        if waiting == nil { listen(true) }
    }
}

extension WaylandSource {
    public static let kind = SourceKind(
        name: "wayland", summary: "the windows of one app under Wayland, which runs behind a proxy", unit: "px",
        hasResizingFlag: true, pointer: "over the app's windows; not while the compositor moves or resizes one",
        timeStamps: .receipt, names: "app id or title, connection and object", selection: .command,
        problem: {
            do throws(SourceError) {
                _ = try WaylandCompositor()
                return nil
            } catch {
                return error.description
            }
        },
        open: { arguments throws(SourceError) in
            try WaylandSource(command: arguments.command, adopts: arguments.ownsProcess)
        })
}
