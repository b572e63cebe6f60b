#if canImport(Glibc)
    internal import Glibc
#endif

/// Makes servers that start at one path take turns, so that none removes the socket that
/// another has just made. Held only while a server starts.
///
/// It is a lock on a file of our own beside the socket, which is removed again. Only its
/// owner can open that file and so lock it; a lock on the folder could be held by whoever
/// may read it, in `/tmp` by everybody.
struct TakeoverLock {
    private let path: String
    private let descriptor: Int32

    init(_ socket: String) throws(StreamError) {
        path = socket + ".lock"
        for _ in 0..<200 {
            if let descriptor = try Self.tryLock(path, of: socket) {
                self.descriptor = descriptor
                return
            }
            usleep(10_000)
        }
        throw StreamError(path: socket, problem: "another server has been starting there for two seconds")
    }

    /// `nil` while another holds it.
    private static func tryLock(_ path: String, of socket: String) throws(StreamError) -> Int32? {
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let descriptor = open(path, flags, 0o600)
        if descriptor < 0 { throw .system(socket, "cannot open \(path), which servers lock as they start") }
        var isLocked = false
        defer { if !isLocked { close(descriptor) } }
        var (opened, named) = (stat(), stat())
        guard fstat(descriptor, &opened) == 0 else { throw .system(socket, "cannot look at \(path)") }
        guard opened.st_mode & S_IFMT == S_IFREG, opened.st_uid == geteuid(), opened.st_mode & 0o077 == 0 else {
            throw StreamError(
                path: socket, problem: "\(path) is not a file of our own that nobody else can open; remove it")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
        // Whoever held it before may have removed the file since it was opened.
        guard lstat(path, &named) == 0, named.st_dev == opened.st_dev, named.st_ino == opened.st_ino else { return nil }
        isLocked = true
        return descriptor
    }

    func release() {
        unlink(path)
        close(descriptor)
    }
}
