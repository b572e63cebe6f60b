import Settle
import SettleLoop
import SettlePlatform
import SettleServer

/// A process that counts its own threads and descriptors while it creates and releases
/// engines: `LoopProbe limits` or `LoopProbe drops COUNT`. Prints the counts, and exits with
/// 1 if a thread or a descriptor is left.
@main
enum LoopProbe {
    static func main() throws {
        let arguments = CommandLine.arguments
        switch arguments.dropFirst().first {
        case "limits": exit(limits() ? 0 : 1)
        case "drops": exit(try drops(Int(arguments[2])!) ? 0 : 1)
        default: fatalError("LoopProbe limits, or LoopProbe drops COUNT")
        }
    }

    /// Prints a line without buffering, so that a crash loses none.
    static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(1, bytes, bytes.count)
    }

    static func count(_ folder: String) -> Int {
        guard let entries = opendir(folder) else { fatalError("cannot read \(folder)") }
        defer { closedir(entries) }
        var count = 0
        while let entry = readdir(entries) {
            // A name that does not begin with a dot.
            if entry.pointee.d_name.0 != 46 { count += 1 }
        }
        return count
    }

    /// The open descriptors, including the one that reads the folder.
    static var descriptors: Int { count("/proc/self/fd") }
    static var threads: Int { count("/proc/self/task") }

    // MARK: Limits

    /// Functions that open descriptors, and close them before they return.
    private static let makers: [(name: String, make: @Sendable () throws -> Void)] = [
        ("a timer", { _ = try LoopTimer() }),
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
        (
            "a server",
            {
                let server = try StreamServer(
                    .init(path: "/tmp/settle-probe-\(getpid())"), report: { _ in }, handler: { _ in })
                try server.start()
                server.stop()
            }
        ),
    ]

    /// Calls every maker under every limit on descriptors from 3 to 32. libuv keeps two
    /// descriptors for the process from the first loop on.
    private static func limits() -> Bool {
        var old = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &old)
        let before = descriptors
        var (made, refused) = (0, 0)
        for number in 3...32 {
            for (name, make) in makers {
                var limit = rlimit(rlim_cur: rlim_t(number), rlim_max: old.rlim_max)
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                do {
                    try make()
                    made += 1
                } catch {
                    refused += 1
                    if !"\(error)".contains("Too many open files") { say("\(number): \(name): \(error)") }
                }
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &old)
                let left = descriptors - before
                guard left == 0 || left == 2 else {
                    say("\(number): \(name) leaves \(left) descriptors open")
                    return false
                }
            }
        }
        say("made \(made), refused \(refused), nothing left open")
        return made > 0 && refused > 0
    }
}
