internal import SettlePlatform

/// The target of an output. One rule applies to all outputs:
/// - An output is never the input, whatever its name, nor the file that standard output is
///   redirected to; nor is that file the input.
/// - An existing file is replaced only on request and only if it is writable. It keeps its
///   mode. For a symbolic link, the file that it names is replaced.
/// - A file gets its name when it is complete and on the disk. A failure, also of the power, does
///   not change an older file, and leaves no part of the new one under its name.
///
/// Pipes, devices, and files that somebody watches while they grow are written as the bytes
/// arrive. `/dev/stdout` and `/dev/fd/N` are descriptors of this process.
public struct OutputFile: Sendable {
    /// `-` is standard output.
    public var path: String
    /// Whether an existing file may be replaced.
    public var replaces: Bool
    /// The inputs, which must be other files.
    public var inputs: [FileIdentity]
    /// Whether the program also prints to standard output.
    public var printsBeside: Bool
    /// Whether it is a recording, which must be a regular file.
    public var isRecording: Bool
    /// Whether somebody reads it while it grows: it is written under its own name, with a file
    /// lock (`flock`) against other writers.
    public var isWatched: Bool

    /// An output that is not open yet. Nothing is checked or made before it is opened. `inputs` takes
    /// more than one `input`.
    public init(
        _ path: String, replaces: Bool = false, input: FileIdentity? = nil, isWatched: Bool = false,
        printsBeside: Bool = false, isRecording: Bool = false
    ) {
        self.path = path
        self.replaces = replaces
        inputs = input.map { [$0] } ?? []
        self.isWatched = isWatched
        self.printsBeside = printsBeside
        self.isRecording = isRecording
    }

    /// An open output.
    package struct Opened {
        var descriptor: Int32
        var isOwned = true
        /// The file's name until it is complete, and the one it gets then.
        var temporary: (path: String, target: String)?
        /// The path of a file that was created under its own name.
        var made: String?

        /// The file's name until it is complete; `nil` for an output that is visible while it grows.
        package var temporaryPath: String? { temporary?.path }
    }

    /// Calls its argument, which creates the file under its temporary name, and returns the result.
    package typealias Creating = (_ create: () throws(LogError) -> Opened) throws(LogError) -> Opened

    /// Its name in messages.
    public var name: String { path == "-" ? "standard output" : path }

    /// Whether it is standard output, under any of its names.
    public var isStandardOutput: Bool { Self.descriptor(path) == 1 }

    /// Checks the rule, and that a new file's folder can be written, without opening the output.
    ///
    /// - Throws: `.io` if the rule forbids the output, or for a folder that is missing or read-only.
    public func check() throws(LogError) {
        // A recording opens even a descriptor by its name.
        if !isRecording, let number = Self.descriptor(path) { return try check(number) }
        guard try existing() == nil else { return }
        let folder = Self.folder(of: try target())
        if access(folder.isEmpty ? "." : folder, W_OK | X_OK) != 0 {
            throw .system(path, errno == ENOENT ? "cannot write" : "cannot write into its folder")
        }
    }

    /// - Parameter creating: Surrounds the creation of a file under a temporary name. Other outputs
    ///   may block while they are opened, such as a pipe without a reader.
    func open(creating: Creating) throws(LogError) -> Opened {
        if let number = Self.descriptor(path) { return try open(number) }
        let target = try target()
        let older = try existing()
        if let older, isWatched || older.st_mode & S_IFMT != S_IFREG { return try openInPlace() }
        if isWatched { return try makeInPlace(target) }
        return try creating { () throws(LogError) in try openBeside(target, replacing: older) }
    }

    /// Gives a complete file its name.
    ///
    /// - Throws: `.io` if another file has that name by now and must not be replaced, or if
    ///   renaming fails.
    func rename(_ temporary: (path: String, target: String)) throws(LogError) {
        defer { unlink(temporary.path) }
        // A hard link never replaces a file that was created meanwhile.
        if !replaces, link(temporary.path, temporary.target) != 0 {
            if errno == EEXIST { throw existsAlready }
            // Some file systems have no hard links.
            if access(temporary.target, F_OK) == 0 { throw existsAlready }
        } else if !replaces {
            return
        }
        if SettlePlatform.rename(temporary.path, temporary.target) != 0 { throw .system(path, "cannot write") }
    }

    // MARK: The rule

    /// The path with symbolic links resolved. The file need not exist.
    ///
    /// - Throws: `.io` for a loop of links, or for a link whose target is not valid UTF-8.
    func target() throws(LogError) -> String {
        var target = path
        for _ in 0..<40 {
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
            let length = readlink(target, &buffer, buffer.count)
            if length < 0 { return target }
            // With its invalid bytes replaced, it could be another file's name.
            guard let next = String(validating: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self) else {
                throw LogError(
                    .io(code: EILSEQ), file: name, "is a link to a name that is not valid UTF-8; name another file")
            }
            target = next.hasPrefix("/") ? next : Self.folder(of: target) + next
        }
        throw LogError(.io(code: ELOOP), file: path, "cannot write: \(String(cString: strerror(ELOOP)))")
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    }

    /// The status of an existing file that may be written; `nil` if there is no file.
    private func existing() throws(LogError) -> stat? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT else { throw .system(path, "cannot write") }
            try checkIdentity(nil)
            return nil
        }
        try checkIdentity(FileIdentity(status))
        switch status.st_mode & S_IFMT {
        case S_IFDIR: throw LogError(.io(code: EISDIR), file: path, "is a directory; name a file")
        case S_IFREG, S_IFBLK:
            if !replaces { throw existsAlready }
            // The folder's mode or root's rights would allow to replace it.
            if status.st_mode & 0o222 == 0 || access(path, W_OK) != 0 {
                throw LogError(.io(code: EACCES), file: path, "is read-only; it is left alone")
            }
        default: break
        }
        if isRecording, status.st_mode & S_IFMT != S_IFREG {
            throw LogError(.io(code: EINVAL), file: path, "is no regular file, which a recording needs")
        }
        return status
    }

    private func check(_ number: Int32) throws(LogError) {
        try checkIdentity(FileIdentity(descriptor: number), isStandardOutput: number == 1)
    }

    /// - Parameter own: The identity of the output; `nil` for a new file, a pipe or a device.
    private func checkIdentity(_ own: FileIdentity?, isStandardOutput: Bool = false) throws(LogError) {
        if let own, inputs.contains(own) { throw isInput(name) }
        guard printsBeside, let printed = FileIdentity(descriptor: 1) else { return }
        if inputs.contains(printed) { throw isInput("standard output") }
        if printed == own, !isStandardOutput {
            throw LogError(
                .io(code: EINVAL), file: name,
                "is the file that standard output goes into; name another, or redirect standard output elsewhere")
        }
    }

    private func isInput(_ name: String) -> LogError {
        LogError(.io(code: EINVAL), file: name, "is the input itself, which it would destroy; name another file")
    }

    private var existsAlready: LogError {
        LogError(.io(code: EEXIST), file: path, "there is such a file already; it is left alone")
    }

    private var isInUse: LogError {
        LogError(.io(code: EWOULDBLOCK), file: path, "another process is writing into it; name another file")
    }

    // MARK: Opening

    /// The descriptor of this process that a path names, such as 1 for `-`.
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
        try check(number)
        if number == 1 { return Opened(descriptor: number, isOwned: false) }
        guard fcntl(number, F_GETFL) & O_ACCMODE != O_RDONLY else {
            throw LogError(.io(code: EBADF), file: path, "is not open for writing")
        }
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
        if copy < 0 { throw .system(path, "cannot write") }
        return Opened(descriptor: copy)
    }

    private func makeInPlace(_ target: String) throws(LogError) -> Opened {
        let descriptor = SettlePlatform.open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        if descriptor < 0 { throw errno == EEXIST ? existsAlready : .system(path, "cannot write") }
        var status = stat()
        if fstat(descriptor, &status) == 0, isWrittenElsewhere(descriptor, status) {
            close(descriptor)
            throw isInUse
        }
        return Opened(descriptor: descriptor, made: target)
    }

    private func openInPlace() throws(LogError) -> Opened {
        let descriptor = SettlePlatform.open(path, O_WRONLY | O_CLOEXEC)
        if descriptor < 0 { throw .system(path, "cannot write") }
        var status = stat()
        var problem: LogError?
        if fstat(descriptor, &status) != 0 {
            problem = .system(path, "cannot write")
        } else if let own = FileIdentity(status), inputs.contains(own) {
            problem = isInput(name)
        } else if isWrittenElsewhere(descriptor, status) {
            problem = isInUse
        } else if status.st_mode & S_IFMT == S_IFREG, ftruncate(descriptor, 0) != 0 {
            problem = .system(path, "cannot write")
        }
        guard let problem else { return Opened(descriptor: descriptor) }
        close(descriptor)
        throw problem
    }

    /// Locks the file for this output until its descriptor is closed. On a file system without
    /// file locks, nothing prevents a second writer.
    private func isWrittenElsewhere(_ descriptor: Int32, _ status: stat) -> Bool {
        status.st_mode & S_IFMT == S_IFREG && flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    private func openBeside(_ target: String, replacing older: stat?) throws(LogError) -> Opened {
        var descriptor: Int32 = -1
        var temporary = ""
        // Other outputs of this process may use the first names.
        for number in 0..<100 {
            temporary = "\(Self.folder(of: target)).settle-\(getpid())-\(number).partial"
            descriptor = SettlePlatform.open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
            if descriptor >= 0 || errno != EEXIST { break }
        }
        if descriptor < 0 { throw .system(path, errno == ENOENT ? "cannot write" : "cannot write into its folder") }
        if let older {
            // Only root can keep the owner.
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
