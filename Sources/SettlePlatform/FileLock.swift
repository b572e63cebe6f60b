internal import CPlatform

/// An exclusive lock (`flock`) on a regular file that belongs to the process's user and that
/// nobody else can open. Held until `remove`, or until the process ends. Any thread.
package struct FileLock: Sendable {
    /// The result of one attempt to lock a file.
    package enum Attempt: Sendable {
        case locked(FileLock)
        /// Another holder has the lock, or has just removed the file.
        case held
        /// The file is another user's, can be opened by others, or is not a regular file.
        case notOurs
    }

    private let path: String
    private let descriptor: Int32

    /// Locks the file at a path, which is made if there is none. Does not wait.
    ///
    /// - Throws: When the file cannot be opened or made.
    package static func attempt(_ path: String) throws(SystemError) -> Attempt {
        let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
        if descriptor < 0 {
            let error = SystemError.last("open")
            // The kernel may refuse to open a stranger's file even to root.
            var status = stat()
            if lstat(path, &status) == 0, [EACCES, ELOOP, EISDIR, ENXIO].contains(error.code) { return .notOurs }
            throw error
        }
        guard isOurs(descriptor) else {
            close(descriptor)
            return .notOurs
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, isNamed(descriptor, path) else {
            close(descriptor)
            return .held
        }
        return .locked(FileLock(path: path, descriptor: descriptor))
    }

    private static func isOurs(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_uid == geteuid()
            && status.st_mode & 0o077 == 0
    }

    /// False if the previous holder removed the file after it was opened here.
    private static func isNamed(_ descriptor: Int32, _ path: String) -> Bool {
        var (opened, named) = (stat(), stat())
        return fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0 && named.st_dev == opened.st_dev
            && named.st_ino == opened.st_ino
    }

    /// Removes the file and releases the lock. Once.
    package func remove() {
        unlink(path)
        close(descriptor)
    }
}
