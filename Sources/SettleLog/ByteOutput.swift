@_spi(Faults) internal import Settle

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
public final class ByteOutput {
    public let name: String
    private var descriptor: Int32
    private let ownsDescriptor: Bool
    private let file: OutputFile?
    private let temporary: (path: String, target: String)?
    /// A file that this output made under its own name.
    private let made: String?
    private let calls: FileCalls
    private var buffer: [UInt8] = []
    /// Bytes handed in so far.
    public private(set) var count: UInt64 = 0
    /// Bytes of them that the system took.
    private(set) var written: UInt64 = 0

    private static let flushSize = 1 << 18

    /// Opens an output by the rule of `OutputFile`.
    public init(_ file: OutputFile) throws(LogError) {
        let opened = try file.open()
        self.file = file
        name = file.name
        descriptor = opened.descriptor
        ownsDescriptor = opened.isOwned
        temporary = opened.temporary
        made = opened.made
        calls = .system
        buffer.reserveCapacity(Self.flushSize + 4096)
    }

    /// Opens a new file for writing, which gets its name by `finish`; `-` is standard
    /// output.
    public convenience init(path: String) throws(LogError) { try self.init(OutputFile(path)) }

    /// What the file is called until it is whole; `nil` for an output that others see
    /// as it comes.
    public var temporaryPath: String? { temporary?.path }

    /// Writes to an open descriptor, which stays the caller's.
    public init(descriptor: Int32, name: String) {
        buffer.reserveCapacity(Self.flushSize + 4096)
        self.name = name
        self.descriptor = descriptor
        ownsDescriptor = false
        file = nil
        temporary = nil
        made = nil
        calls = .system
    }

    /// Goes on in a regular file, in place, at `offset`, where the descriptor stands.
    init(owning descriptor: Int32, name: String, at offset: UInt64, by calls: FileCalls) {
        self.calls = calls
        buffer.reserveCapacity(Self.flushSize + 4096)
        self.name = name
        self.descriptor = descriptor
        ownsDescriptor = true
        file = nil
        temporary = nil
        made = nil
        count = offset
        written = offset
    }

    deinit {
        // Reached without finish() only after a failure.
        guard descriptor >= 0 else { return }
        if ownsDescriptor { close(descriptor) }
        if let temporary { unlink(temporary.path) }
        if let made, written == 0 { unlink(made) }
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
                done += Planted.shortWriteCountsAsWhole ? buffer.count : written
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

    /// The file as it is now.
    var status: stat? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status : nil
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
        if file?.isSynced == true { try sync() }
        // A full disk may show only here.
        let problem = close(descriptor) == 0 ? nil : LogError.system(name, "cannot write")
        descriptor = -1
        guard let file, let temporary else {
            if let problem { throw problem }
            return
        }
        if let problem {
            unlink(temporary.path)
            throw problem
        }
        try file.rename(temporary)
        if file.isSynced { try RecordingFile.syncFolder(of: temporary.target, by: calls) }
    }
}
