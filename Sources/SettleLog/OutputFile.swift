#if canImport(Glibc)
    internal import Glibc
#endif

/// Where an output goes. One rule for all:
/// - it is never the input, by whatever name;
/// - an existing file is replaced only when asked, and keeps its mode; a symbolic link
///   stays one, and the file it names is replaced;
/// - it gets its name when it is whole; a failure leaves no part of it behind, and an
///   older file as it was.
///
/// What is no regular file (a pipe, a device) is written as it comes, and so is a file
/// that somebody watches while it grows. `/dev/stdout` and `/dev/fd/N` are the
/// descriptors of this process.
public struct OutputFile: Sendable {
    /// `-` is standard output.
    public var path: String
    /// Whether an existing file may be replaced.
    public var replaces: Bool
    /// The file that is read meanwhile.
    public var input: FileIdentity?
    /// Somebody reads it while it grows, so it is written under its own name.
    public var isWatched: Bool
    /// Whether the content must be on the disk before the file gets its name.
    public var isSynced: Bool

    public init(
        _ path: String, replaces: Bool = false, input: FileIdentity? = nil, isWatched: Bool = false,
        isSynced: Bool = false
    ) {
        self.path = path
        self.replaces = replaces
        self.input = input
        self.isWatched = isWatched
        self.isSynced = isSynced
    }

    /// An output that is open.
    struct Opened {
        var descriptor: Int32
        var isOwned = true
        /// The name it has until it is whole, and the one it gets then.
        var temporary: (path: String, target: String)?
        /// A file that was made under its own name.
        var made: String?
    }

    /// Refuses what the rule refuses, without opening anything.
    public func check() throws(LogError) { _ = try existing() }

    func open() throws(LogError) -> Opened {
        if let number = Self.descriptor(path) { return try open(number) }
        let target = try target()
        let older = try existing()
        if let older, isWatched || older.st_mode & S_IFMT != S_IFREG { return try openInPlace() }
        if isWatched { return try makeInPlace(target) }
        return try openBeside(target, replacing: older)
    }

    /// Gives a whole file its name.
    func rename(_ temporary: (path: String, target: String)) throws(LogError) {
        defer { unlink(temporary.path) }
        // A link never replaces a file that has come in the meantime.
        if !replaces, link(temporary.path, temporary.target) != 0 {
            if errno == EEXIST { throw existsAlready }
            // Some file systems have no links.
            if access(temporary.target, F_OK) == 0 { throw existsAlready }
        } else if !replaces {
            return
        }
        if Glibc.rename(temporary.path, temporary.target) != 0 { throw .system(path, "cannot write") }
    }

    // MARK: What the rule says

    /// The file that the name stands for, behind symbolic links; it need not be there.
    func target() throws(LogError) -> String {
        var target = path
        for _ in 0..<40 {
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
            let length = readlink(target, &buffer, buffer.count)
            if length < 0 { return target }
            let next = String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            target = next.hasPrefix("/") ? next : Self.folder(of: target) + next
        }
        throw LogError(.io(code: ELOOP), file: path, "cannot write: \(String(cString: strerror(ELOOP)))")
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    }

    /// What stands there already and may be written.
    private func existing() throws(LogError) -> stat? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw .system(path, "cannot write")
        }
        if let input, FileIdentity(status) == input { throw isInput }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: throw LogError(.io(code: EISDIR), file: path, "is a directory; name a file")
        case S_IFREG, S_IFBLK: if !replaces { throw existsAlready }
        default: break
        }
        return status
    }

    private var isInput: LogError {
        LogError(.io(code: EINVAL), file: path, "is the input itself, which it would destroy; name another file")
    }

    private var existsAlready: LogError {
        LogError(.io(code: EEXIST), file: path, "there is such a file already; it is left alone")
    }

    // MARK: The ways to write

    /// The descriptor that a name stands for.
    private static func descriptor(_ path: String) -> Int32? {
        switch path {
        case "-", "/dev/stdout": return 1
        case "/dev/stderr": return 2
        default:
            for folder in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(folder) {
                return Int32(path.dropFirst(folder.count))
            }
            return nil
        }
    }

    private func open(_ number: Int32) throws(LogError) -> Opened {
        if let input, FileIdentity(descriptor: number) == input { throw isInput }
        if number == 1 { return Opened(descriptor: number, isOwned: false) }
        guard fcntl(number, F_GETFL) & O_ACCMODE != O_RDONLY else {
            throw LogError(.io(code: EBADF), file: path, "is not open for writing")
        }
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
        if copy < 0 { throw .system(path, "cannot write") }
        return Opened(descriptor: copy)
    }

    private func makeInPlace(_ target: String) throws(LogError) -> Opened {
        let descriptor = Glibc.open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        if descriptor < 0 { throw errno == EEXIST ? existsAlready : .system(path, "cannot write") }
        return Opened(descriptor: descriptor, made: target)
    }

    private func openInPlace() throws(LogError) -> Opened {
        let descriptor = Glibc.open(path, O_WRONLY | O_CLOEXEC)
        if descriptor < 0 { throw .system(path, "cannot write") }
        var status = stat()
        var problem: LogError?
        if fstat(descriptor, &status) != 0 {
            problem = .system(path, "cannot write")
        } else if let input, FileIdentity(status) == input {
            problem = isInput
        } else if status.st_mode & S_IFMT == S_IFREG, ftruncate(descriptor, 0) != 0 {
            problem = .system(path, "cannot write")
        }
        guard let problem else { return Opened(descriptor: descriptor) }
        close(descriptor)
        throw problem
    }

    private func openBeside(_ target: String, replacing older: stat?) throws(LogError) -> Opened {
        var descriptor: Int32 = -1
        var temporary = ""
        // Another output of this process may have the first names.
        for number in 0..<100 {
            temporary = "\(Self.folder(of: target)).settle-\(getpid())-\(number).partial"
            descriptor = Glibc.open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
            if descriptor >= 0 || errno != EEXIST { break }
        }
        if descriptor < 0 { throw .system(path, errno == ENOENT ? "cannot write" : "cannot write into its folder") }
        if let older {
            // Its owner can be kept by root only.
            _ = fchown(descriptor, older.st_uid, older.st_gid)
            if fchmod(descriptor, older.st_mode & 0o777) != 0 {
                let problem = LogError.system(path, "cannot keep its mode")
                close(descriptor)
                unlink(temporary)
                throw problem
            }
        }
        return Opened(descriptor: descriptor, temporary: (temporary, target))
    }
}
