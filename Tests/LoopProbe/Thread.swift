import Dispatch
import Settle
import SettleClock
import SettleLog
import SettlePlatform
import SettleServer

/// A server in a process that has room for one thread and not for two.
extension LoopProbe {
    private static let stack = 1 << 30

    /// The thread of the decisions can start, that which accepts clients cannot. Nothing is left of either; with more room
    /// the server starts and serves.
    ///
    /// - Parameter isAgain: Whether the size of stacks is set, of which the system's library learns at a program's beginning.
    static func thread(isAgain: Bool) throws -> Bool {
        if !isAgain {
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_STACK.rawValue), &limit)
            limit.rlim_cur = rlim_t(stack)
            setrlimit(__rlimit_resource_t(RLIMIT_STACK.rawValue), &limit)
            let words: [String] = ["LoopProbe", "thread", "again"]
            var arguments = words.map { strdup($0) } + [nil]
            execv("/proc/self/exe", &arguments)
            return false
        }
        let folder = try makeFolder()
        let path = "\(folder.path)/server"
        let decided = DispatchSemaphore(value: 0)
        let server = try StreamServer(
            .init(path: path, policy: .uikit), report: { _ in }, handler: { _ in decided.signal() })
        let before = (threads, descriptors)
        // With a sanitizer, addresses have no limit.
        let isLimited = addresses < 1 << 40
        if isLimited {
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
            let old = limit
            limit.rlim_cur = rlim_t(addresses + stack + stack / 2)
            setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
            for _ in 0..<3 {
                do {
                    try server.start()
                    say("it started")
                    return false
                } catch {
                    guard (error as? SystemError)?.call == "pthread_create" else {
                        say("\(error)")
                        return false
                    }
                }
                let isWhole = waitUntil { (threads, descriptors) == before }
                if !isWhole || access(path, F_OK) == 0 {
                    say("\(threads - before.0) threads and \(descriptors - before.1) descriptors left, or a file")
                    return false
                }
            }
            limit = old
            setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
        }
        try server.start()
        let client = try UnixDomainSocket()
        try client.connect(to: path)
        let now = MonotonicClock.now.nanoseconds
        client.sendIfPossible(
            Array(#"{"settle":"events","version":1}\#n{"t_ns":\#(now),"scene":"a","width":1,"height":1}\#n"#.utf8))
        let isDecided = decided.wait(timeout: .now() + 60) == .success
        client.close()
        server.stop()
        say("decided: \(isDecided), limited: \(isLimited)")
        return isDecided && waitUntil { threads == before.0 }
    }
}
