internal import CSettle
internal import Settle
internal import SettlePlatform

/// A recording's file, which one recorder at a time writes, and its earlier contents.
struct RecordingFile {
    let output: ByteOutput
    /// Its path with symbolic links resolved.
    let target: String
    /// Whether opening it created the file.
    let isNew: Bool
    /// The contents that the recorder appends to.
    let contents: Contents

    struct Contents {
        /// The intact chunks; `nil` if the file has no header yet.
        var chunks: [settle_log_index_entry]?
        /// The end of the last intact chunk, or of the header.
        var end: UInt64 = 0
        /// Whether the file had contents without an intact index, so that chunks may be
        /// missing from it.
        var lacksIndex = false
        /// The number of bytes of a torn end behind the last intact chunk.
        var tornBytes: UInt64 = 0

        /// The time of its last event.
        var latest: Timestamp? { chunks?.map(\.last_ns).max().map(Timestamp.init(nanoseconds:)) }
    }

    /// Opens the file for one recorder. Cuts off a torn end and the index, or everything when
    /// the file is to be replaced.
    ///
    /// - Throws: `.io` when the file cannot be opened, locked or written; `.outOfOrder` when
    ///   its events end after `firstEvent`; `.malformed` when it is not a log of the same
    ///   clock and unit, or is damaged other than by a torn end.
    static func open(
        _ path: String, _ opening: LogRecorder.Opening, header: LogHeader, firstEvent: Timestamp? = nil,
        by calls: FileCalls
    ) throws(LogError) -> RecordingFile {
        // Resolved also for a link to a file that does not exist yet.
        let target = try OutputFile(path).target()
        let (descriptor, isNew) = try descriptor(path, target, opening)
        do throws(LogError) {
            try lockFile(descriptor, path)
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
            return RecordingFile(output: output, target: target, isNew: isNew, contents: contents)
        } catch {
            close(descriptor)
            throw error
        }
    }

    private static func descriptor(
        _ path: String, _ target: String, _ opening: LogRecorder.Opening
    ) throws(LogError) -> (descriptor: Int32, isNew: Bool) {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC
        let new = SettlePlatform.open(target, flags | O_EXCL, 0o666)
        if new >= 0 { return (new, true) }
        if errno == EEXIST, opening == .new {
            throw LogError(.io(code: EEXIST), file: path, "there is such a file already; it is left alone")
        }
        let existing = errno == EEXIST ? SettlePlatform.open(target, flags, 0o666) : -1
        if existing < 0 { throw .system(path, "cannot write") }
        return (existing, false)
    }

    /// Locks the file for this recorder until its descriptor is closed.
    private static func lockFile(_ descriptor: Int32, _ path: String) throws(LogError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw LogError(.io(code: EINVAL), file: path, "is no regular file, which a recording needs")
        }
        // On a file system without file locks, nothing prevents a second recorder.
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
            throw LogError(.io(code: EWOULDBLOCK), file: path, "another process is recording into it")
        }
    }

    /// Verifies every chunk and the index. A crash leaves a torn end, which is cut off. Any
    /// other damage is an error, as an appended recording would hide it.
    private static func read(
        _ descriptor: Int32, _ path: String, _ header: LogHeader
    ) throws(LogError) -> Contents {
        let input = ByteInput(descriptor: descriptor, name: path, ownsDescriptor: false)
        if try input.isEmpty() { return Contents() }
        let frames = BinaryFrames(input)
        let existing: LogHeader
        do throws(LogError) {
            existing = try frames.readHeader()
        } catch {
            // An earlier recorder wrote only part of the header: there are no events to keep.
            if error.kind == .truncated, frames.isTornHeader {
                return Contents(lacksIndex: true, tornBytes: input.length ?? 0)
            }
            guard error.kind == .malformed || error.kind == .truncated, frames.beginsLikeALog else { throw error }
            let reaches = "the file header is damaged: it reaches beyond the file's end"
            throw refusal(error.kind == .truncated ? reaches : error.problem, at: 0, path)
        }
        guard existing.clock == header.clock, existing.unit == header.unit else {
            throw LogError(
                .malformed, file: path,
                "its times are of the clock \(existing.clock) and its sizes in \(existing.unit), the new events' are of"
                    + " \(header.clock) and in \(header.unit)")
        }
        return try readFrames(frames, path)
    }

    private static func readFrames(_ frames: BinaryFrames, _ path: String) throws(LogError) -> Contents {
        var contents = Contents(chunks: [], end: frames.position, lacksIndex: true)
        var chunks = ChunkList(keepsChunks: true)
        var torn: LogLoss?
        while true {
            switch try frames.next() {
            case .chunk(let chunk, _, let offset):
                if let torn { throw refusal(torn, path) }
                let entry = settle_log_index_entry(chunk, at: offset)
                chunks.add(entry)
                contents.chunks?.append(entry)
                contents.end = entry.end
            case .streamIndex: continue
            case .index(let index):
                if let torn { throw refusal(torn, path) }
                guard chunks.agrees(with: index) else {
                    throw refusal("the index contradicts what stands before it", at: index.offset, path)
                }
                contents.lacksIndex = false
            case .damage(let loss, let claimed):
                // Bytes that look like a frame within a torn chunk may be its content.
                if torn != nil { continue }
                let isCutOff = claimed.map { $0.end > frames.input.length ?? .max } ?? false
                guard contents.lacksIndex, loss.isTorn || isCutOff else { throw refusal(loss, path) }
                torn = loss
            case .end:
                guard let torn else { return contents }
                if frames.endsWithIndexTail { throw refusal(torn, path) }
                contents.tornBytes = frames.position - contents.end
                return contents
            }
        }
    }

    private static func refusal(_ loss: LogLoss, _ path: String) -> LogError {
        refusal(loss.problem, at: loss.bytes.lowerBound, path)
    }

    private static func refusal(_ problem: String, at offset: UInt64, _ path: String) -> LogError {
        LogError(
            .malformed, file: path, at: .byte(offset), "\(problem); recover the log before appending to it")
    }

    /// Syncs the file's folder, so that the file's name survives a power failure.
    ///
    /// - Throws: `.io` when the disk fails. Folders that cannot be synced are ignored.
    static func syncFolder(of path: String, by calls: FileCalls) throws(LogError) {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = SettlePlatform.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // A folder that may be written but not read cannot be synced.
        if descriptor < 0 { return }
        defer { close(descriptor) }
        if calls.syncFolder(descriptor) != 0, errno == EIO {
            throw .system(path, "cannot write its folder to the disk")
        }
    }
}
