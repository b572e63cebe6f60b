internal import CPlatform
internal import SettlePlatform

#if canImport(Glibc)
    internal import Glibc
#endif

/// Why a socket could not be used.
public struct StreamError: Error, Hashable, Sendable, CustomStringConvertible {
    public var path: String
    public var problem: String

    public var description: String { "\(path): \(problem)" }

    /// What the system said about the last call.
    static func system(_ path: String, _ problem: String) -> StreamError {
        StreamError(path: path, problem: "\(problem): \(String(cString: strerror(errno)))")
    }
}

/// Unix-domain stream sockets, by their paths.
public enum UnixSocket {
    /// The longest path in bytes.
    public static let pathLengthMax = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// Connects to a server's socket. The descriptor is the caller's.
    public static func connect(to path: String) throws(StreamError) -> Int32 {
        let descriptor = try make(path)
        let result = try withAddress(path) { Glibc.connect(descriptor, $0, $1) }
        if result == 0 { return descriptor }
        let problem = StreamError.system(path, "cannot connect")
        Glibc.close(descriptor)
        throw problem
    }

    /// Waits until the other end says something, hangs up or goes away; false when the
    /// time is over.
    public static func waitForAnswer(_ descriptor: Int32, milliseconds: Int32) -> Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let end = MonotonicClock.now.nanoseconds + UInt64(max(milliseconds, 0)) * 1_000_000
        while true {
            let now = MonotonicClock.now.nanoseconds
            let rest = now < end ? Int32(clamping: (end - now + 999_999) / 1_000_000) : 0
            let count = poll(&waiting, 1, rest)
            if count > 0 { return true }
            if count == 0 || errno != EINTR { return false }
        }
    }

    static func make(_ path: String) throws(StreamError) -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        if descriptor < 0 { throw .system(path, "cannot make a socket") }
        return descriptor
    }

    static func check(_ path: String) throws(StreamError) {
        let bytes = path.utf8
        guard !bytes.isEmpty, bytes.count <= pathLengthMax, !bytes.contains(0) else {
            throw StreamError(path: path, problem: "a socket's path has 1 to \(pathLengthMax) bytes")
        }
    }

    static func withAddress(
        _ path: String, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws(StreamError) -> Int32 {
        try check(path)
        let bytes = Array(path.utf8)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
