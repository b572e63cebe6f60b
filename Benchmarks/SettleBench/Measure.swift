import BenchSupport
import Glibc

struct BenchError: Error, CustomStringConvertible {
    var description: String
}

/// What one run of a program took.
struct ProcessRun {
    var seconds: Double
    /// The largest resident memory, bytes.
    var peakMemory: Int
    var output: String
}

/// Runs a program on one core and waits for it.
func runProcess(_ arguments: [String], outputPath: String) throws -> ProcessRun {
    let words = (["taskset", "-c", "0"] + arguments).map { strdup($0) }
    defer { for word in words { free(word) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 1, outputPath, O_WRONLY | O_CREAT | O_TRUNC, 0o600)

    let start = monotonicNanoseconds()
    var child: pid_t = 0
    guard posix_spawnp(&child, "taskset", &actions, nil, words + [nil], environ) == 0 else {
        throw BenchError(description: "cannot run \(arguments[0])")
    }
    var status: Int32 = 0
    var usage = rusage()
    while wait4(child, &status, 0, &usage) < 0 {
        guard errno == EINTR else { throw BenchError(description: "cannot wait for \(arguments[0])") }
    }
    let seconds = Double(monotonicNanoseconds() - start) / 1e9
    guard status == 0 else {
        throw BenchError(description: "\(arguments.joined(separator: " ")) failed: status \(status)")
    }
    return ProcessRun(seconds: seconds, peakMemory: usage.ru_maxrss * 1024, output: try text(ofFile: outputPath))
}

func text(ofFile path: String) throws -> String {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { throw BenchError(description: "cannot read \(path)") }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
}

func fileSize(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_size : 0
}
