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
        return isDecided && time < .seconds(6)
    }
}
