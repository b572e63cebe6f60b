#if canImport(Glibc)
    internal import Glibc
#endif

/// Makes servers that start at one path take turns, so that none removes the socket that
/// another has just made. Held only while a server starts.
///
/// It is a lock on a file of our own beside the socket, which is removed again. Only its
/// owner can open that file and so lock it; a lock on the folder could be held by whoever
/// may read it, in `/tmp` by everybody. Where somebody else's file has the name, the next
/// name is taken: servers of one user find the same one.
struct TakeoverLock {
    /// Names that are tried: `SOCKET.lock`, `SOCKET.lock.1`, …
    static let namesMax = 100

    private let path: String
    private let descriptor: Int32

    init(_ socket: String) throws(StreamError) {
        for _ in 0..<200 {
            if let (path, descriptor) = try Self.tryLock(socket) {
                (self.path, self.descriptor) = (path, descriptor)
                return
            }
            usleep(10_000)
        }
        throw StreamError(path: socket, problem: "another server has been starting there for two seconds")
    }

    /// The first file that is ours; `nil` while another server holds it.
    private static func tryLock(_ socket: String) throws(StreamError) -> (String, Int32)? {
        for number in 0..<namesMax {
            let path = number == 0 ? "\(socket).lock" : "\(socket).lock.\(number)"
            guard let descriptor = try openOurs(path, of: socket) else { continue }
            if isLocked(descriptor, path) { return (path, descriptor) }
            close(descriptor)
            return nil
        }
        throw StreamError(
            path: socket,
            problem: "\(socket).lock and the \(namesMax - 1) names after it are not files of our own that nobody else"
                + " can open; remove one, or listen in a folder that only you can write")
    }

    /// `nil` for what is not our own, or could be opened by somebody else.
    private static func openOurs(_ path: String, of socket: String) throws(StreamError) -> Int32? {
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let descriptor = open(path, flags, 0o600)
        var status = stat()
        if descriptor < 0 {
            let code = errno
            // The kernel may refuse to open a stranger's file even to root.
            if lstat(path, &status) == 0, [EACCES, ELOOP, EISDIR, ENXIO].contains(code) { return nil }
            errno = code
            throw .system(socket, "cannot open \(path), which servers lock as they start")
        }
        if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_mode & 0o077 == 0
        {
            return descriptor
        }
        close(descriptor)
        return nil
    }

    private static func isLocked(_ descriptor: Int32, _ path: String) -> Bool {
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return false }
        // Whoever held it before may have removed the file since it was opened.
        var (opened, named) = (stat(), stat())
        return fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0 && named.st_dev == opened.st_dev
            && named.st_ino == opened.st_ino
    }

    func release() {
        unlink(path)
        close(descriptor)
    }
}
