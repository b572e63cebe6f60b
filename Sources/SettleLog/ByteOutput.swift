internal import Settle
internal import SettlePlatform

/// The system calls that write a file, so that a test can replace them. Each returns the
/// same values as the system's and sets `errno`.
struct FileCalls: Sendable {
    var write: @Sendable (Int32, UnsafeRawPointer, Int) -> Int = { SettlePlatform.write($0, $1, $2) }
    var datasync: @Sendable (Int32) -> Int32 = { synchronizeData($0) }
    var truncate: @Sendable (Int32, UInt64) -> Int32 = { ftruncate($0, off_t($1)) }
    /// Syncs a folder, so that the names in it survive a power failure.
    var syncFolder: @Sendable (Int32) -> Int32 = { fsync($0) }
    /// Closes a descriptor, also when it reports a failure: some file systems write only then.
    var close: @Sendable (Int32) -> Int32 = { SettlePlatform.close($0) }

    static let system = FileCalls()
}

/// A buffered output to a file or a descriptor. Use it from one thread at a time.
public final class ByteOutput {
    /// The name in messages.
    public let name: String
    private var descriptor: Int32
    private let ownsDescriptor: Bool
    private let file: OutputFile?
    private let temporary: (path: String, target: String)?
    /// The path of a file that this output created under its own name.
    private let made: String?
    private let calls: FileCalls
    private var buffer: [UInt8] = []
    /// The bytes written into the buffer so far.
    public private(set) var count: UInt64 = 0
    /// The bytes passed to the system so far.
    private(set) var written: UInt64 = 0

    private static let flushSize = 1 << 18

    /// Opens an output by the rule of `OutputFile`.
    ///
    /// - Throws: `.io` when the rule or the system refuses it.
    public convenience init(_ file: OutputFile) throws(LogError) {
        try self.init(file) { create throws(LogError) in try create() }
    }

    /// The same, with something to do around the creation of a file under its temporary name.
    package convenience init(_ file: OutputFile, creating: OutputFile.Creating) throws(LogError) {
        try self.init(file, by: .system, creating: creating)
    }

    init(_ file: OutputFile, by calls: FileCalls, creating: OutputFile.Creating) throws(LogError) {
        let opened = try file.open(creating: creating)
        self.file = file
        name = file.name
        descriptor = opened.descriptor
        ownsDescriptor = opened.isOwned
        temporary = opened.temporary
        made = opened.made
        self.calls = calls
        buffer.reserveCapacity(Self.flushSize + 4096)
    }

    /// Opens a new file, which gets its name with `finish`; `-` is standard output.
    ///
    /// - Throws: `.io` when the rule of `OutputFile` or the system refuses it.
    public convenience init(path: String) throws(LogError) { try self.init(OutputFile(path)) }

    /// The file's name until it is complete; `nil` for an output that is visible while it
    /// grows.
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

    /// Passes the bytes to a closure instead of the system, within the calls of this output.
    package init(name: String, into receive: @escaping @Sendable (UnsafeRawBufferPointer) -> Void) {
        var calls = FileCalls()
        calls.write = { _, bytes, count in
            receive(UnsafeRawBufferPointer(start: bytes, count: count))
            return count
        }
        self.calls = calls
        self.name = name
        descriptor = -1
        ownsDescriptor = false
        file = nil
        temporary = nil
        made = nil
    }

    /// Appends to a regular file in place. The descriptor's position is `offset`.
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
        if ownsDescriptor { _ = calls.close(descriptor) }
        if let temporary { unlink(temporary.path) }
        if let made, written == 0 { unlink(made) }
    }

    package func write(_ bytes: UnsafeRawBufferPointer) throws(LogError) {
        buffer.append(contentsOf: bytes)
        count += UInt64(bytes.count)
        if buffer.count >= Self.flushSize { try flush() }
    }

    package func write(_ bytes: [UInt8]) throws(LogError) {
        buffer.append(contentsOf: bytes)
        count += UInt64(bytes.count)
        if buffer.count >= Self.flushSize { try flush() }
    }

    package func write(_ text: String) throws(LogError) { try write(Array(text.utf8)) }

    /// Appends a line of text.
    ///
    /// - Throws: `.io` when writing fails.
    public func writeLine(_ line: String) throws(LogError) { try write(line + "\n") }

    /// Passes buffered bytes to the system.
    ///
    /// - Throws: `.io` when writing fails.
    public func flush() throws(LogError) {
        var done = 0
        while done < buffer.count {
            // There are bytes, so they have an address.
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

    /// Waits until all written bytes are on the disk. Does nothing for a pipe or a device.
    ///
    /// - Throws: `.io` when the disk fails.
    func sync() throws(LogError) {
        while calls.datasync(descriptor) != 0 {
            if errno == EINVAL || errno == EROFS { return }
            if errno != EINTR { throw .system(name, "cannot write to the disk") }
        }
    }

    /// The file's current status; `nil` if it cannot be read.
    var status: stat? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status : nil
    }

    /// Whether `finish` has closed the descriptor, so that nothing more can be done with the file.
    var isClosed: Bool { ownsDescriptor && descriptor < 0 }

    /// Truncates a file that is written in place; false if that fails.
    func cut(to length: UInt64) -> Bool {
        while calls.truncate(descriptor, length) != 0 { if errno != EINTR { return false } }
        return true
    }

    /// Writes the buffered bytes and gives the file its name. Call it once.
    ///
    /// - Throws: `.io` when writing fails; the file is then removed.
    public func finish() throws(LogError) {
        try flush()
        guard ownsDescriptor else { return }
        // Else a power failure could leave the name to a file without its content.
        if temporary != nil { try sync() }
        // Some file systems report a full disk only here.
        let problem = calls.close(descriptor) == 0 ? nil : LogError.system(name, "cannot write")
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
        try RecordingFile.syncFolder(of: temporary.target, by: calls)
    }
}
