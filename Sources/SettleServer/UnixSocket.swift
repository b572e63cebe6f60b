internal import SettleClock
internal import SettlePlatform

/// A problem with a socket.
public struct StreamError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The socket's path.
    public var path: String
    /// The problem, and often what to do, for people.
    public var problem: String

    public var description: String { "\(path): \(problem)" }
}

extension StreamError {
    /// A problem with the system's reason for it.
    init(_ path: String, _ problem: String, _ cause: SystemError) {
        self.init(path: path, problem: "\(problem): \(cause.reason)")
    }

    /// Runs calls of the system; an error of theirs becomes the problem's reason.
    static func explain<Result>(
        _ path: String, _ problem: String, _ calls: () throws(SystemError) -> Result
    ) throws(StreamError) -> Result {
        do { return try calls() } catch { throw StreamError(path, problem, error) }
    }
}

/// Unix-domain stream sockets, by their paths.
public enum UnixSocket {
    /// The longest path in bytes.
    public static let pathLengthMax = UnixDomainSocket.pathLengthMax

    /// Connects to a server's socket.
    ///
    /// - Returns: A descriptor that the caller closes.
    /// - Throws: When no server listens there, or the path is empty or too long.
    public static func connect(to path: String) throws(StreamError) -> Int32 {
        try check(path)
        let socket = try make(path)
        do { try socket.connect(to: path) } catch {
            socket.close()
            throw StreamError(path, "cannot connect", error)
        }
        return socket.descriptor
    }

    /// Waits until the other end writes or closes the connection; false after the time.
    public static func waitForAnswer(_ descriptor: Int32, milliseconds: Int32) -> Bool {
        let end = MonotonicClock.now.nanoseconds + UInt64(max(milliseconds, 0)) * 1_000_000
        while true {
            let now = MonotonicClock.now.nanoseconds
            let rest = now < end ? Int64(end - now) : 0
            if waitUntilReadable(descriptor, nanoseconds: rest) { return true }
            // A signal may have ended the wait.
            if rest == 0 { return false }
        }
    }

    static func make(_ path: String) throws(StreamError) -> UnixDomainSocket {
        try StreamError.explain(path, "cannot make a socket") { () throws(SystemError) in try UnixDomainSocket() }
    }

    static func check(_ path: String) throws(StreamError) {
        guard UnixDomainSocket.accepts(path: path) else {
            throw StreamError(path: path, problem: "a socket's path has 1 to \(pathLengthMax) bytes")
        }
    }
}
