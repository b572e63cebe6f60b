import Glibc
import Settle

/// The Python package, which reads and writes Parquet. It runs in a process of its own.
enum PythonPackage {
    /// Runs `python3 -m settle` and returns what it prints. The environment variable SETTLE_PYTHON names
    /// another Python. Messages of the package go to standard error.
    ///
    /// - Parameter arguments: The arguments after `settle`.
    /// - Throws: `Failure` if Python cannot be started, or ends with another status than 0.
    static func output(of arguments: [String]) throws -> [UInt8] {
        let python = getenv("SETTLE_PYTHON").map { String(cString: $0) } ?? "python3"
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw failure(python, reason(errno)) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        let child: pid_t
        do {
            defer { close(ends[1]) }
            child = try start(python, arguments, output: ends[1])
        }
        var bytes: [UInt8] = []
        let problem = read(all: ends[0], into: &bytes)
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        if let problem { throw failure(python, problem) }
        guard status == 0 else {
            let words = ([python, "-m", "settle"] + arguments).joined(separator: " ")
            throw Failure(
                code: .io,
                message: "'\(words)' failed; it needs the Python package settle with pyarrow (docs/fleet.md), and"
                    + " SETTLE_PYTHON names another Python")
        }
        return bytes
    }

    private static func start(_ python: String, _ arguments: [String], output: Int32) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        var words = ([python, "-m", "settle"] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var child: pid_t = 0
        let result = posix_spawnp(&child, python, &actions, nil, &words, environ)
        guard result == 0 else { throw failure(python, reason(result)) }
        return child
    }

    /// Reads a pipe to its end; says why if that fails.
    private static func read(all descriptor: Int32, into bytes: inout [UInt8]) -> String? {
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &part, part.count)
            if count > 0 {
                bytes.append(contentsOf: part[..<count])
            } else if count == 0 {
                return nil
            } else if errno != EINTR {
                return reason(errno)
            }
        }
    }

    private static func failure(_ python: String, _ reason: String) -> Failure {
        Failure(
            code: .io,
            message: "\(python): \(reason); Parquet is read by the Python package settle (docs/fleet.md), and"
                + " SETTLE_PYTHON names another Python")
    }

    private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}
