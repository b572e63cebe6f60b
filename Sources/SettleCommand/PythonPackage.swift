import Settle
import SettlePlatform

/// The Python package `settle`, which reads and writes Parquet. It runs in a process of its own:
/// `python3 -m settle`. The environment variable SETTLE_PYTHON names another Python.
///
/// A folder named settle in the working directory is not taken for it (PYTHONSAFEPATH).
enum PythonPackage {
    /// Replaces this process by the package: streams, signals and the exit status are its own. It
    /// finds this program by the environment variable SETTLE_COMMAND.
    ///
    /// - Parameter arguments: The arguments after `settle`.
    /// - Throws: `Failure` if Python or the package is missing; otherwise this does not return.
    static func run(_ arguments: [String]) throws -> Never {
        try prepare()
        var words = ([python, "-m", "settle"] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        execvp(python, &words)
        throw missing("cannot be started: \(reason(errno))")
    }

    /// Runs the package and returns what it prints. Its messages go to standard error.
    ///
    /// - Parameter arguments: The arguments after `settle`.
    /// - Throws: `Failure` if Python or the package is missing, or ends with another status than 0.
    static func output(of arguments: [String]) throws -> [UInt8] {
        try prepare()
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Failure(code: .io, message: "pipe: \(reason(errno))") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        let child: ChildProcess
        do {
            defer { close(ends[1]) }
            child = try start(["-m", "settle"] + arguments, output: ends[1])
        }
        var bytes: [UInt8] = []
        let problem = read(all: ends[0], into: &bytes)
        let status = child.waitForExit()
        if let problem { throw Failure(code: .io, message: "\(python): cannot read what it prints: \(problem)") }
        guard status == 0 else {
            let command = ([python, "-m", "settle"] + arguments).joined(separator: " ")
            throw Failure(code: ExitCode(rawValue: status) ?? .io, message: "'\(command)' ended with status \(status)")
        }
        return bytes
    }

    private static var python: String {
        getenv("SETTLE_PYTHON").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 } ?? "python3"
    }

    /// Sets the package's environment, and throws unless there is the package.
    private static func prepare() throws {
        setenv("SETTLE_COMMAND", try OwnProgram.path(), 0)
        setenv("PYTHONSAFEPATH", "1", 1)
        let check = "import importlib.util, sys; sys.exit(importlib.util.find_spec('settle') is None)"
        let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
        defer { close(nowhere) }
        guard try start(["-c", check], output: nowhere).waitForExit() == 0 else {
            throw missing("has no package settle")
        }
    }

    private static func missing(_ problem: String) -> Failure {
        Failure(
            code: .io,
            message: "\(python) \(problem); in a checkout, scripts/build-wheel makes the package, and"
                + " 'python3 -m pip install .build/wheel/*.whl pyarrow' installs it; SETTLE_PYTHON names another Python"
        )
    }

    private static func start(_ arguments: [String], output: Int32) throws -> ChildProcess {
        do throws(SystemError) { return try ChildProcess([python] + arguments, output: output) } catch {
            throw missing("cannot be started: \(error.reason)")
        }
    }

    /// Reads a pipe to its end; returns why if that fails.
    private static func read(all descriptor: Int32, into bytes: inout [UInt8]) -> String? {
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = SettlePlatform.read(descriptor, &part, part.count)
            if count > 0 {
                bytes.append(contentsOf: part[..<count])
            } else if count == 0 {
                return nil
            } else if errno != EINTR {
                return reason(errno)
            }
        }
    }

    private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}
