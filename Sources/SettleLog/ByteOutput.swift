#if canImport(Glibc)
    internal import Glibc
#endif

/// The system calls by which a file is written, so that a test can let them fail. Each
/// returns what the system's own does and sets `errno`.
struct FileCalls: Sendable {
    var write: @Sendable (Int32, UnsafeRawPointer, Int) -> Int = { Glibc.write($0, $1, $2) }
    var datasync: @Sendable (Int32) -> Int32 = { fdatasync($0) }
    var truncate: @Sendable (Int32, UInt64) -> Int32 = { ftruncate($0, off_t($1)) }
    /// Of a folder, whose names are to outlast a power failure.
    var syncFolder: @Sendable (Int32) -> Int32 = { fsync($0) }

    static let system = FileCalls()
}

/// Bytes on their way to a file, standard output or memory, through one buffer.
///
/// A new regular file is written under a temporary name beside it and renamed by
/// `finish`, so that a failure leaves neither a torn file nor a lost older one.
public final class ByteOutput {
    public let name: String
    private var descriptor: Int32
    private let ownsDescriptor: Bool
    private let temporaryPath: String?
    private let isSynced: Bool
    private let calls: FileCalls
    private var buffer: [UInt8] = []
    /// Bytes handed in so far.
    public private(set) var count: UInt64 = 0
    /// Bytes of them that the system took.
    private(set) var written: UInt64 = 0

    private static let flushSize = 1 << 18

    /// Opens a file for writing; `-` is standard output. Anything that is not a
    /// regular file (a pipe, a device) is written in place; with `inPlace` all are,
    /// for a file that somebody watches while it grows. With `synced`, `finish`
    /// waits until the content is on the disk before the file gets its name.
    public init(path: String, inPlace: Bool = false, synced: Bool = false) throws(LogError) {
        isSynced = synced
        calls = .system
        buffer.reserveCapacity(Self.flushSize + 4096)
        if path == "-" {
            name = "standard output"
            descriptor = 1
            ownsDescriptor = false
            temporaryPath = nil
            return
        }
        name = path
        var status = stat()
        let inPlace = inPlace || (stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG)
        let temporary = "\(path).partial-\(getpid())"
        temporaryPath = inPlace ? nil : temporary
        descriptor = open(inPlace ? path : temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        ownsDescriptor = true
        if descriptor < 0 { throw .system(path, "cannot write") }
    }

    /// Writes to an open descriptor, which stays the caller's.
    public init(descriptor: Int32, name: String) {
        buffer.reserveCapacity(Self.flushSize + 4096)
        self.name = name
        self.descriptor = descriptor
        ownsDescriptor = false
        temporaryPath = nil
        isSynced = false
        calls = .system
    }

    /// Goes on in a regular file, in place, at `offset`, where the descriptor stands.
    init(owning descriptor: Int32, name: String, at offset: UInt64, by calls: FileCalls) {
        self.calls = calls
        buffer.reserveCapacity(Self.flushSize + 4096)
        self.name = name
        self.descriptor = descriptor
        ownsDescriptor = true
        temporaryPath = nil
        isSynced = false
        count = offset
        written = offset
    }

    deinit {
        // Reached without finish() only after a failure.
        if ownsDescriptor, descriptor >= 0 { close(descriptor) }
        if descriptor >= 0, let temporaryPath { unlink(temporaryPath) }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(LogError) {
        buffer.append(contentsOf: bytes)
        count += UInt64(bytes.count)
        if buffer.count >= Self.flushSize { try flush() }
    }

    func write(_ bytes: [UInt8]) throws(LogError) {
        buffer.append(contentsOf: bytes)
        count += UInt64(bytes.count)
        if buffer.count >= Self.flushSize { try flush() }
    }

    func write(_ text: String) throws(LogError) { try write(Array(text.utf8)) }

    /// Writes a line of text.
    public func writeLine(_ line: String) throws(LogError) { try write(line + "\n") }

    /// Hands everything to the system.
    public func flush() throws(LogError) {
        var done = 0
        while done < buffer.count {
            let written = buffer.withUnsafeBytes { calls.write(descriptor, $0.baseAddress! + done, $0.count - done) }
            if written >= 0 {
                done += written
                self.written += UInt64(written)
            } else if errno != EINTR {
                buffer.removeAll()
                throw .system(name, "cannot write")
            }
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Waits until what the system took is on the disk. A pipe or a device has none.
    func sync() throws(LogError) {
        while calls.datasync(descriptor) != 0 {
            if errno == EINVAL || errno == EROFS { return }
            if errno != EINTR { throw .system(name, "cannot write to the disk") }
        }
    }

    /// Cuts a file that is written in place; false when it cannot be done.
    func cut(to length: UInt64) -> Bool {
        while calls.truncate(descriptor, length) != 0 { if errno != EINTR { return false } }
        return true
    }

    /// Writes what is left and gives the file its name.
    public func finish() throws(LogError) {
        try flush()
        guard ownsDescriptor else { return }
        if isSynced { try sync() }
        // A full disk may show only here.
        guard close(descriptor) == 0 else {
            let problem = LogError.system(name, "cannot write")
            if let temporaryPath { unlink(temporaryPath) }
            descriptor = -1
            throw problem
        }
        descriptor = -1
        guard let temporaryPath else { return }
        guard rename(temporaryPath, name) == 0 else {
            let problem = LogError.system(name, "cannot write")
            unlink(temporaryPath)
            throw problem
        }
    }
}
