internal import SettlePlatform

/// A socket that listens at a path. The path is its own while it is open. One thread
/// accepts clients; the server's mutex guards the removal of the file and the end.
final class ListeningSocket: @unchecked Sendable {
    private let socket: UnixDomainSocket
    private let path: String
    /// The file that was made, so that another server's is not removed.
    private let file: SocketFile
    private var isRemoved = false
    private var isClosed = false

    /// Listens at a path, and replaces the socket of a server that is gone.
    ///
    /// - Throws: When another server listens there, when the path is something other than a
    ///   socket, or when the system refuses.
    init(path: String) throws(StreamError) {
        self.path = path
        try UnixSocket.check(path)
        let claim = try SocketPathClaim(path)
        defer { claim.release() }
        try Self.removeStale(path)
        let socket = try UnixSocket.make(path)
        do throws(StreamError) {
            // The file that bind makes takes its mode from the socket, so that nobody
            // else can connect even for a moment.
            try StreamError.explain(path, "cannot set the socket's mode") { () throws(SystemError) in
                try socket.setMode(0o600)
            }
            file = try StreamError.explain(path, "cannot listen") { () throws(SystemError) in
                try socket.bind(to: path)
                try socket.listen(waitingMax: 128)
                // The path is still claimed, so the file is the one that was just made.
                return try SocketFile(path)
            }
        } catch {
            socket.close()
            throw error
        }
        self.socket = socket
    }

    private static func removeStale(_ path: String) throws(StreamError) {
        let found = try StreamError.explain(path, "cannot listen") { () throws(SystemError) in
            try SocketFile.find(path)
        }
        switch found {
        case .nothing: return
        case .other: throw StreamError(path: path, problem: "there is a file that is no socket; it is left alone")
        case .socket: break
        }
        let probe = try UnixSocket.make(path)
        defer { probe.close() }
        let isAnswered = try StreamError.explain(path, "cannot find out whether another server listens there") {
            () throws(SystemError) in try probe.isAnswered(at: path)
        }
        if isAnswered { throw StreamError(path: path, problem: "another server listens there") }
        try StreamError.explain(path, "cannot remove a dead server's socket") { () throws(SystemError) in
            try SocketFile.remove(path)
        }
    }

    /// Readable while a client waits.
    var descriptor: Int32 { socket.descriptor }

    /// The next client that waits, which the caller closes; `nil` if it has disconnected.
    ///
    /// - Throws: When the system has no descriptor or memory left.
    func accept() throws(SystemError) -> UnixDomainSocket? { try socket.accept() }

    /// Removes the socket's file. Clients that are connected stay connected. Only the first
    /// call has an effect, as another server's socket may have the same inode later.
    func removeFile() {
        if isRemoved { return }
        isRemoved = true
        if let found = try? SocketFile(path), found == file { try? SocketFile.remove(path) }
    }

    /// Stops listening and removes the file. Further calls do nothing.
    func close() {
        if isClosed { return }
        isClosed = true
        removeFile()
        socket.close()
    }

    deinit { close() }
}
