import SettlePlatform

/// A process whose threads, descriptors and limits are its own: `LoopProbe limits`, `LoopProbe drops COUNT`,
/// `LoopProbe crowd` or `LoopProbe thread`. Exits with 1 if something is left, or not as it must be.
@main
enum LoopProbe {
    static func main() throws {
        let arguments = CommandLine.arguments
        switch arguments.dropFirst().first {
        case "limits": exit(try limits() ? 0 : 1)
        case "drops": exit(try drops(Int(arguments[2])!) ? 0 : 1)
        case "crowd": exit(try crowd() ? 0 : 1)
        case "thread": exit(try thread(isAgain: arguments.count > 2) ? 0 : 1)
        default: fatalError("LoopProbe limits, LoopProbe drops COUNT, LoopProbe crowd, or LoopProbe thread")
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

    /// A folder of the probe's own.
    static func makeFolder() throws -> PrivateFolder {
        try PrivateFolder(in: getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp", prefix: "settle-probe-")
    }

    /// The open descriptors, including the one that reads the folder.
    static var descriptors: Int { count("/proc/self/fd") }
    static var threads: Int { count("/proc/self/task") }

    /// The bytes of addresses that the process has.
    static var addresses: Int {
        guard let file = fopen("/proc/self/statm", "r") else { fatalError("cannot read /proc/self/statm") }
        defer { fclose(file) }
        var text = [CChar](repeating: 0, count: 64)
        guard fgets(&text, 64, file) != nil else { return 0 }
        return strtol(text, nil, 10) * sysconf(Int32(_SC_PAGESIZE))
    }

    /// Waits for a condition, at most ten seconds; whether it came true.
    @discardableResult
    static func waitUntil(_ condition: () -> Bool) -> Bool {
        for _ in 0..<10_000 {
            if condition() { return true }
            usleep(1000)
        }
        return condition()
    }
}
