import Settle
import SettleLog
import SettleLoop
import SettlePlatform
import SettleServer
import SettleSources

/// What owns descriptors, under every limit on them.
extension LoopProbe {
    /// Functions that open descriptors, and close them before they return.
    private static func makers(in folder: String) -> [(name: String, make: () throws -> Void)] {
        let (log, header) = ("\(folder)/log", LogHeader(source: "probe"))
        func discard(_ output: ByteOutput) throws {
            try output.write("content")
            try output.finish()
        }
        return [
            ("a timer", { _ = try LoopTimer() }),
            ("an event descriptor", { _ = try EventDescriptor() }),
            ("an epoll descriptor", { _ = try EpollDescriptor() }),
            ("a program", { _ = try ChildProcess(["true"]).waitForExit() }),
            (
                "a lock",
                { if case .locked(let lock) = try FileLock.attempt("\(folder)/lock") { lock.remove() } }
            ),
            ("an engine", { _ = try LiveEngine() }),
            (
                "an engine with sources",
                {
                    let engine = try LiveEngine()
                    try engine.start()
                    for _ in 0..<4 { _ = try engine.makeSource(overload: .block) }
                    engine.stop()
                }
            ),
            ("an engine's sink", { _ = try EngineSink(LiveEngine()) }),
            (
                "a server",
                {
                    let server = try StreamServer(
                        .init(path: "\(folder)/server", clientsMax: 4), report: { _ in }, handler: { _ in })
                    try server.start()
                    server.stop()
                }
            ),
            ("a client", { closeDescriptor(try UnixSocket.connect(to: "\(folder)/others")) }),
            ("a recording", { try LogRecorder(path: log, header: header, opening: .replacing).finish() }),
            ("a recording that goes on", { try LogRecorder(path: log, header: header, opening: .appending).finish() }),
            ("a log", { _ = try LogReader(path: log) }),
            ("a recovery", { _ = try LogRecovery(path: log) }),
            ("a new file", { try discard(ByteOutput(OutputFile("\(folder)/new", replaces: true))) }),
            ("a watched file", { try discard(ByteOutput(OutputFile(log + "2", replaces: true, isWatched: true))) }),
            (
                "an app behind the proxy",
                {
                    let source = try WaylandSource(command: ["true"])
                    let batch = EventBatch()
                    var isEnded = false
                    while !isEnded {
                        waitUntilReadable(source.descriptor, nanoseconds: 10_000_000)
                        for case .ended in try source.read(into: batch) { isEnded = true }
                    }
                }
            ),
        ]
    }

    /// Calls every maker under every limit on descriptors from 3 to 32. libuv keeps two
    /// descriptors for the process from the first loop on.
    static func limits() throws -> Bool {
        let folder = try makeFolder()
        let others = try UnixDomainSocket()
        try others.bind(to: "\(folder.path)/others")
        // Nobody takes the connections.
        try others.listen(waitingMax: 1000)
        setenv("WAYLAND_DISPLAY", "\(folder.path)/others", 1)
        setenv("XDG_RUNTIME_DIR", folder.path, 1)
        defer {
            others.close()
            for name in ["others", "log", "log2", "new"] { unlink("\(folder.path)/\(name)") }
        }
        try LogRecorder(path: "\(folder.path)/log", header: LogHeader(source: "probe")).finish()
        let makers = makers(in: folder.path)
        // Programs that cannot load their libraries complain there.
        let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
        dup2(nowhere, 2)
        close(nowhere)
        var old = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &old)
        let before = descriptors
        var (made, refused) = (Set<String>(), Set<String>())
        for number in 3...32 {
            for (name, make) in makers {
                var limit = rlimit(rlim_cur: rlim_t(number), rlim_max: old.rlim_max)
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                do {
                    try make()
                    made.insert(name)
                } catch {
                    refused.insert(name)
                    if !"\(error)".contains("oo many open files") { say("\(number): \(name): \(error)") }
                }
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &old)
                let left = descriptors - before
                guard left == 0 || left == 2 else {
                    say("\(number): \(name) leaves \(left) descriptors open")
                    return false
                }
            }
        }
        say("made \(made.count), refused \(refused.count) of \(makers.count), nothing left open")
        return made.count == makers.count && refused.count == makers.count
    }
}
