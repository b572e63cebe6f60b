import Dispatch
import Settle
import SettleClock
import SettleLog
import SettlePlatform
import SettleServer

/// A server in a process that has run out of descriptors.
extension LoopProbe {
    private static let goneCount = 120

    /// Clients that have connected and left wait to be accepted, and behind them one that stays. Then the process has
    /// one descriptor for them: each that is found to have left returns it for the next, without a wait.
    static func crowd() throws -> Bool {
        let folder = try makeFolder()
        let path = "\(folder.path)/server"
        let decided = DispatchSemaphore(value: 0)
        let server = try StreamServer(
            .init(path: path, policy: .uikit), report: { _ in }, handler: { _ in decided.signal() })
        try server.start()
        defer { server.stop() }
        let sockets = try (0...goneCount).map { _ in try UnixDomainSocket() }
        defer { for socket in sockets { socket.close() } }
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let old = limit
        let used = try UnixDomainSocket()
        limit.rlim_cur = rlim_t(used.descriptor + 1)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        defer {
            var old = old
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &old)
        }
        for socket in sockets { try socket.connect(to: path) }
        for socket in sockets.dropLast() { socket.shutdown() }
        let now = MonotonicClock.now.nanoseconds
        sockets[goneCount].sendIfPossible(
            Array(#"{"settle":"events","version":1}\#n{"t_ns":\#(now),"scene":"a","width":1,"height":1}\#n"#.utf8))
        usleep(300_000)
        guard server.statistics.clients == 0 else {
            say("a client was accepted without a descriptor")
            return false
        }
        let start = MonotonicClock.now
        used.close()
        let isDecided = decided.wait(timeout: .now() + 60) == .success
        let time = start.duration(to: MonotonicClock.now)
        say("decided: \(isDecided), behind \(goneCount) clients that had left, after \(time)")
        // Of 100 ms for each it would be twelve seconds.
        guard isDecided, time < .seconds(6) else { return false }
        limit = old
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return try isQuick(server, path, decided) && isQuiet(server, path)
    }

    /// With descriptors again, a client is accepted at once, and no more after 100 ms.
    private static func isQuick(_ server: StreamServer, _ path: String, _ decided: DispatchSemaphore) throws -> Bool {
        let start = MonotonicClock.now
        let clients = try (0..<60).map { _ in try UnixDomainSocket() }
        defer { for client in clients { client.close() } }
        for client in clients {
            try client.connect(to: path)
            client.sendIfPossible(
                Array(
                    #"{"settle":"events","version":1}\#n{"t_ns":\#(start.nanoseconds),"scene":"a","width":1,"height":1}\#n"#
                        .utf8))
            guard decided.wait(timeout: .now() + 60) == .success else { return false }
        }
        let time = start.duration(to: MonotonicClock.now)
        say("60 clients after \(time)")
        return time < .seconds(4)
    }

    /// Clients that have left leave no stack of their threads, and nothing to do.
    private static func isQuiet(_ server: StreamServer, _ path: String) throws -> Bool {
        let before = addresses
        for _ in 0..<100 {
            let events = server.statistics.clients
            let client = try UnixDomainSocket()
            try client.connect(to: path)
            client.close()
            waitUntil { server.statistics.clients > events }
        }
        let more = addresses - before
        let isAsleep = waitUntil { threadsAwake == 0 }
        say("100 clients leave \(more >> 20) MiB; the others are asleep: \(isAsleep)")
        // A stack has 8 MiB of addresses, of which some are kept for the next threads.
        return more < 400 << 20 && isAsleep
    }

    /// How many other threads do not wait for something.
    private static var threadsAwake: Int {
        guard let entries = opendir("/proc/self/task") else { return 0 }
        defer { closedir(entries) }
        var count = 0
        while let entry = readdir(entries) {
            let name = withUnsafePointer(to: entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard let number = Int32(name), number != getpid(), let file = fopen("/proc/self/task/\(name)/stat", "r")
            else {
                continue
            }
            defer { fclose(file) }
            var text = [CChar](repeating: 0, count: 256)
            guard fgets(&text, 256, file) != nil else { continue }
            // The state is behind the name in brackets.
            let state = String(cString: text).split(separator: ")").last?.split(separator: " ").first
            if state != "S" { count += 1 }
        }
        return count
    }
}
