internal import CUnpack
internal import SettlePlatform

/// The bytes of a file, of standard input or of a pipe, read through one growing buffer. Its
/// memory depends on a log's longest line or chunk and on its index, not on its length. Use
/// an input from one thread.
public final class ByteInput {
    /// The name as the user gave it.
    public let name: String
    private let descriptor: Int32
    private let ownsDescriptor: Bool
    private var buffer: UnsafeMutableRawPointer
    private var capacity: Int
    private var start = 0
    private var end = 0
    private var atEnd = false
    /// The input ends once this descriptor hangs up or becomes readable.
    private let interruption: Int32?
    /// The reads of buffered bytes that are left after the interruption, against a writer that
    /// never stops.
    private var readsWhenInterrupted = 4
    /// Called with the descriptor before each read. It may wait until a read does not block
    /// and do other work meanwhile.
    package var willRead: ((Int32) -> Void)?
    /// The offset of the first unread byte.
    public private(set) var offset: UInt64 = 0
    /// The input's length in bytes, `nil` for a pipe and for a compressed file.
    public private(set) var length: UInt64?
    /// What unpacks a compressed input.
    private var unpacking: Unpacking?
    /// Nothing more can be unpacked.
    private var hasUnpackingFailed = false
    /// The most bytes that are unpacked; 0 refuses what is packed.
    package var unpackedBytesMax = Unpacking.bytesMaxDefault
    /// Which file it is, `nil` for a pipe.
    public let file: FileIdentity?

    /// The bytes of one read.
    private let readSize: Int

    /// Opens a file; `-` is standard input.
    ///
    /// - Parameters:
    ///   - path: The file, or `-`.
    ///   - interruption: A descriptor that ends the input when it becomes readable or hangs up.
    ///     Bytes that a pipe already holds are still read.
    /// - Throws: `.io` when the file cannot be opened.
    public convenience init(path: String, interruption: Int32? = nil) throws(LogError) {
        if path == "-" {
            guard fcntl(0, F_GETFL) & O_ACCMODE != O_WRONLY else {
                throw LogError(
                    .io(code: EBADF), file: "standard input", "is not open for reading; connect a file or a pipe to it")
            }
            self.init(descriptor: 0, name: "standard input", ownsDescriptor: false, interruption: interruption)
            return
        }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        var status = stat()
        guard descriptor >= 0 else {
            let problem = LogError.system(path, "cannot open")
            guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { throw problem }
            throw LogError(problem.kind, file: path, "is a socket, not a file")
        }
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
            close(descriptor)
            throw LogError(.io(code: EISDIR), file: path, "is a directory, not a file")
        }
        self.init(descriptor: descriptor, name: path, ownsDescriptor: true, interruption: interruption)
    }

    /// Reads from an open descriptor, which `deinit` closes if `ownsDescriptor`.
    public convenience init(descriptor: Int32, name: String, ownsDescriptor: Bool, interruption: Int32? = nil) {
        self.init(
            descriptor: descriptor, name: name, ownsDescriptor: ownsDescriptor, interruption: interruption,
            readSize: 1 << 18)
    }

    /// Reads from a client's socket, with a buffer of a live stream's size.
    package convenience init(client descriptor: Int32, name: String) {
        self.init(
            descriptor: descriptor, name: name, ownsDescriptor: false, interruption: nil,
            readSize: StreamLimits.readBytes)
    }

    private init(descriptor: Int32, name: String, ownsDescriptor: Bool, interruption: Int32?, readSize: Int) {
        self.descriptor = descriptor
        self.interruption = interruption
        self.name = name
        self.ownsDescriptor = ownsDescriptor
        self.readSize = readSize
        capacity = 2 * readSize
        buffer = .allocate(byteCount: capacity, alignment: 64)
        var status = stat()
        let isKnown = fstat(descriptor, &status) == 0
        length = isKnown && status.st_mode & S_IFMT == S_IFREG ? UInt64(status.st_size) : nil
        file = isKnown ? FileIdentity(status) : nil
    }

    /// Reads from memory, for tests and embedding.
    public init(bytes: [UInt8], name: String) {
        descriptor = -1
        ownsDescriptor = false
        interruption = nil
        file = nil
        self.name = name
        readSize = 0
        capacity = max(bytes.count, 1)
        buffer = .allocate(byteCount: capacity, alignment: 64)
        buffer.copyMemory(from: bytes, byteCount: bytes.count)
        end = bytes.count
        atEnd = true
        length = UInt64(bytes.count)
    }

    deinit {
        buffer.deallocate()
        if ownsDescriptor { close(descriptor) }
    }

    /// The buffered bytes; valid until the next call.
    var available: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: buffer + start, count: end - start)
    }

    func consume(_ count: Int) {
        precondition(count >= 0 && count <= end - start)
        start += count
        offset += UInt64(count)
    }

    /// Reads until `count` bytes are available; false if the input ends first.
    func require(_ count: Int) throws(LogError) -> Bool {
        while end - start < count {
            if try !more(capacity: count) { return false }
        }
        return true
    }

    /// The whole input, `nil` if it has more than `most` bytes. Call it before anything else is read.
    package func contents(atMost most: Int) throws(LogError) -> [UInt8]? {
        try require(most + 1) ? nil : Array(available)
    }

    /// The next bytes: so many, or fewer if the input ends before.
    package func take(_ count: Int) throws(LogError) -> [UInt8] {
        _ = try require(count)
        let bytes = Array(available.prefix(count))
        consume(bytes.count)
        return bytes
    }

    /// Waits for a byte; true if the input ends before one.
    package func isEmpty() throws(LogError) -> Bool { try !require(1) }

    /// The next bytes, without moving past them: at least `count`, or fewer if the input ends before.
    /// They are valid until the next call.
    ///
    /// - Throws: `.io` when reading fails.
    package func peek(_ count: Int) throws(LogError) -> UnsafeRawBufferPointer {
        _ = try require(count)
        return available
    }

    /// Unpacks what follows from here on. What is buffered is packed, and so is what is still to be read.
    ///
    /// - Throws: `.io` if the library that unpacks it is not installed.
    func unpack(_ kind: unpack_kind) throws(LogError) {
        unpacking = try Unpacking(kind, Array(available), name, bytesMax: unpackedBytesMax)
        length = nil
        start = end
    }

    /// Reads more bytes; false at the end of the input.
    ///
    /// - Parameter capacity: The least capacity of the buffer afterwards.
    func more(capacity wanted: Int = 0) throws(LogError) -> Bool {
        if unpacking == nil {
            if atEnd { return false }
            reserve(max(wanted, end - start + readSize))
            let count = try readStored(buffer + end, capacity - end)
            end += count
            return count > 0
        }
        if hasUnpackingFailed { return false }
        reserve(max(wanted, end - start + Unpacking.stepBytes))
        let room = UnsafeMutableRawBufferPointer(start: buffer + end, count: capacity - end)
        // A fault ends the input, or a reader that goes on would meet it for ever.
        hasUnpackingFailed = true
        let count = try unpacking!.unpack(into: room, name) { () throws(LogError) in
            if atEnd { return nil }
            let stored = UnsafeMutableRawBufferPointer.allocate(byteCount: Unpacking.stepBytes, alignment: 64)
            defer { stored.deallocate() }
            let count = try readStored(stored.baseAddress!, stored.count)
            return count > 0 ? Array(stored[..<count]) : nil
        }
        hasUnpackingFailed = false
        end += count
        return count > 0
    }

    /// Reads stored bytes; 0 at their end.
    private func readStored(_ into: UnsafeMutableRawPointer, _ most: Int) throws(LogError) -> Int {
        while mayRead() {
            willRead?(descriptor)
            let count = read(descriptor, into, most)
            if count > 0 { return count }
            if count == 0 { break }
            if errno != EINTR { throw .system(name, "cannot read") }
        }
        atEnd = true
        return 0
    }

    /// Waits for input or the interruption; false when the interruption ends the input.
    private func mayRead() -> Bool {
        guard let interruption else { return true }
        var waiting = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: interruption, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&waiting, 2, -1) < 0 { if errno != EINTR { return true } }
        if waiting[1].revents == 0 { return true }
        readsWhenInterrupted -= 1
        return waiting[0].revents != 0 && readsWhenInterrupted >= 0
    }

    private func reserve(_ wanted: Int) {
        if capacity - start >= wanted { return }
        if wanted <= capacity {
            buffer.copyMemory(from: buffer + start, byteCount: end - start)
        } else {
            capacity = max(wanted, 2 * capacity)
            let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 64)
            larger.copyMemory(from: buffer + start, byteCount: end - start)
            buffer.deallocate()
            buffer = larger
        }
        end -= start
        start = 0
    }
}

extension LogError {
    /// The error of the system call that failed last, from `errno`.
    static func system(_ file: String, _ problem: String) -> LogError {
        let code = errno
        return LogError(.io(code: code), file: file, "\(problem): \(String(cString: strerror(code)))")
    }
}
