internal import CPlatform

#if canImport(Glibc)
    internal import Glibc
#endif

/// A socket that listens at a path. The path is its own while it is open.
final class ListeningSocket: @unchecked Sendable {
    let descriptor: Int32
    private let path: String
    /// The file that was made, so that another server's is not removed.
    private let device: dev_t
    private let inode: ino_t
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
        descriptor = try UnixSocket.make(path)
        var isBound = false
        do throws(StreamError) {
            // The file that bind makes takes its mode from the socket, so that nobody
            // else can connect even for a moment.
            if fchmod(descriptor, 0o600) != 0 { throw .system(path, "cannot set the socket's mode") }
            if try UnixSocket.withAddress(path, { [descriptor] in bind(descriptor, $0, $1) }) != 0 {
                throw .system(path, "cannot listen")
            }
            isBound = true
            if listen(descriptor, 128) != 0 { throw .system(path, "cannot listen") }
            var status = stat()
            if lstat(path, &status) != 0 { throw .system(path, "cannot listen") }
            device = status.st_dev
            inode = status.st_ino
        } catch {
            Glibc.close(descriptor)
            // The folder is still locked, so the file is the one that was just made.
            if isBound { unlink(path) }
            throw error
        }
    }

    private static func removeStale(_ path: String) throws(StreamError) {
        var status = stat()
        if lstat(path, &status) != 0 {
            if errno == ENOENT { return }
            throw .system(path, "cannot listen")
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw StreamError(path: path, problem: "there is a file that is no socket; it is left alone")
        }
        let probe = try UnixSocket.make(path)
        defer { Glibc.close(probe) }
        // A server whose queue is full would block us; it is alive.
        _ = fcntl(probe, F_SETFL, O_NONBLOCK)
        let result = try UnixSocket.withAddress(path) { connect(probe, $0, $1) }
        let code = errno
        if result == 0 || code == EAGAIN {
            throw StreamError(path: path, problem: "another server listens there")
        }
        if code != ECONNREFUSED { throw .system(path, "cannot find out whether another server listens there") }
        if unlink(path) != 0 { throw .system(path, "cannot remove a dead server's socket") }
    }

    /// The next waiting client's descriptor, which is the caller's; `nil` with errno.
    func accept() -> Int32? {
        let client = Glibc.accept(descriptor, nil, nil)
        if client < 0 { return nil }
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        return client
    }

    /// Removes the socket's file. Clients that are connected stay connected. Only the first
    /// call has an effect, as another server's socket may have the same inode later.
    func removeFile() {
        if isRemoved { return }
        isRemoved = true
        var status = stat()
        if lstat(path, &status) == 0, status.st_dev == device, status.st_ino == inode { unlink(path) }
    }

    /// Stops listening and removes the file. Further calls do nothing.
    func close() {
        if isClosed { return }
        isClosed = true
        removeFile()
        Glibc.close(descriptor)
    }

    deinit { close() }
}
