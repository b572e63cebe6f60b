internal import CSettle
internal import Settle

#if canImport(Glibc)
    internal import Glibc
#endif

/// A regular file that one recorder at a time writes, and what stands in it already.
struct RecordingFile {
    let output: ByteOutput
    /// Whether opening it made the file.
    let isNew: Bool
    /// What a recorder goes on behind.
    let contents: Contents

    struct Contents {
        /// `nil` when there is no header yet.
        var chunks: [settle_log_index_entry]?
        var end: UInt64 = 0
        /// Bytes behind the last whole chunk that are no index.
        var tornBytes: UInt64 = 0

        /// The time of its last event.
        var latest: Timestamp? { chunks?.map(\.last_ns).max().map(Timestamp.init(nanoseconds:)) }
    }

    /// Opens the file and cuts off what no recording goes on behind: a torn end, the
    /// index, or all of it when it is to be replaced.
    static func open(
        _ path: String, _ opening: LogRecorder.Opening, header: LogHeader, firstEvent: Timestamp? = nil,
        by calls: FileCalls
    ) throws(LogError) -> RecordingFile {
        let (descriptor, isNew) = try descriptor(path, opening)
        do throws(LogError) {
            try claim(descriptor, path)
            let contents = opening == .appending ? try read(descriptor, path, header) : Contents()
            if let firstEvent, let last = contents.latest, firstEvent < last {
                throw LogError(
                    .outOfOrder, file: path,
                    "its events end at \(last.nanoseconds) ns, and the new ones begin before, at "
                        + "\(firstEvent.nanoseconds) ns: they may be in it already, or the clock began anew")
            }
            guard calls.truncate(descriptor, contents.end) == 0,
                lseek(descriptor, off_t(contents.end), SEEK_SET) >= 0
            else { throw .system(path, "cannot write") }
            let output = ByteOutput(owning: descriptor, name: path, at: contents.end, by: calls)
            return RecordingFile(output: output, isNew: isNew, contents: contents)
        } catch {
            close(descriptor)
            throw error
        }
    }

    private static func descriptor(
        _ path: String, _ opening: LogRecorder.Opening
    ) throws(LogError) -> (descriptor: Int32, isNew: Bool) {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC
        // Links are followed first, also one whose file is not there yet.
        let new = Glibc.open(try OutputFile(path).target(), flags | O_EXCL, 0o666)
        if new >= 0 { return (new, true) }
        if errno == EEXIST, opening == .new {
            throw LogError(.io(code: EEXIST), file: path, "there is such a file already; it is left alone")
        }
        let existing = errno == EEXIST ? Glibc.open(path, flags, 0o666) : -1
        if existing < 0 { throw .system(path, "cannot write") }
        return (existing, false)
    }

    /// Takes the file for this recorder alone, until its descriptor is closed.
    private static func claim(_ descriptor: Int32, _ path: String) throws(LogError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw LogError(.io(code: EINVAL), file: path, "is no regular file, which a recording needs")
        }
        // Where a file system knows no locks, the user must see to it.
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
            throw LogError(.io(code: EWOULDBLOCK), file: path, "another process is recording into it")
        }
    }

    /// Verifies every chunk. Damage at the end is what a crash leaves; anywhere else
    /// going on would hide it.
    private static func read(
        _ descriptor: Int32, _ path: String, _ header: LogHeader
    ) throws(LogError) -> Contents {
        let input = ByteInput(descriptor: descriptor, name: path, ownsDescriptor: false)
        if try input.isEmpty() { return Contents() }
        let frames = BinaryFrames(input)
        let there: LogHeader
        do throws(LogError) {
            there = try frames.readHeader()
        } catch {
            // Whoever began this log came no further, so there is nothing to go on behind.
            guard error.kind == .truncated, frames.beginsLikeALog else { throw error }
            return Contents(tornBytes: input.length ?? 0)
        }
        guard there.clock == header.clock, there.unit == header.unit else {
            throw LogError(
                .malformed, file: path,
                "its times are of the clock \(there.clock) and its sizes in \(there.unit), the new events' are of"
                    + " \(header.clock) and in \(header.unit)")
        }
        var contents = Contents(chunks: [], end: frames.position)
        var chunks = ChunkList(keepsChunks: true)
        var damage: LogLoss?
        while true {
            switch try frames.next() {
            case .chunk(let chunk, _, let offset):
                if let damage {
                    throw LogError(
                        .malformed, file: path, at: .byte(damage.bytes.lowerBound),
                        "\(damage.problem); recover the log before going on with it")
                }
                let entry = settle_log_index_entry(chunk, at: offset)
                chunks.add(entry)
                contents.chunks?.append(entry)
                contents.end = entry.end
            case .streamIndex: continue
            case .index(let index):
                guard damage == nil, !chunks.agrees(with: index) else { continue }
                throw LogError(
                    .malformed, file: path, at: .byte(index.offset),
                    "the index contradicts what stands before it; recover the log before going on with it")
            case .damage(let loss, _):
                if damage == nil { damage = loss }
                if loss.part == .chunks { contents.tornBytes += UInt64(loss.bytes.count) }
            case .end: return contents
            }
        }
    }

    /// Makes sure that the file's name outlives a power failure.
    static func syncFolder(of path: String, by calls: FileCalls) throws(LogError) {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // A folder that may be written but not read cannot be synced.
        if descriptor < 0 { return }
        defer { close(descriptor) }
        if calls.syncFolder(descriptor) != 0, errno == EIO {
            throw .system(path, "cannot write its folder to the disk")
        }
    }
}
