@_spi(Faults) public import Settle
internal import SettlePlatform

#if canImport(Glibc)
    internal import Glibc
#endif

/// Writes a binary log that whatever happens to the program leaves readable.
///
/// Events are collected into chunks, each readable by itself. A chunk goes to the
/// system when it is full, and by `tick` after the flush interval at the latest; so a
/// program that is killed loses at most the events of that interval. What a failure of
/// the system costs is told by `Sync`. When writing fails (a full disk), the file is
/// cut behind its last whole chunk, and the error says how many events are in it.
///
/// ```swift
/// let recorder = try LogRecorder(path: "drag.settle", header: LogHeader(source: "mine"))
/// let window = try recorder.scene(named: "window")
/// try recorder.append(.geometry(window, at: now, size: size))
/// let due = try recorder.tick(at: now)      // from a timer, at `due` again
/// try recorder.finish()
/// ```
///
/// All members may be used from any thread; they may wait for the disk. A recorder that
/// goes away without `finish` leaves the file as if the program had been killed.
public final class LogRecorder: @unchecked Sendable {
    /// What to do about a file that is there already.
    public enum Opening: Hashable, Sendable {
        /// Refuse it.
        case new
        /// Empty it.
        case replacing
        /// Verify it and go on behind its last whole chunk. A torn end is cut off; any
        /// other damage is refused.
        case appending
    }

    /// When written chunks are forced onto the disk (`fdatasync`).
    public enum Sync: Hashable, Sendable {
        /// Never: they outlive the program, but not a failure of the system.
        case never
        /// With each flush, before it is acknowledged.
        case flush
        /// By `tick`, so often; a failure of the system costs at most what came since.
        case interval(Duration)
    }

    /// What the file is sure to hold.
    public struct Safe: Hashable, Sendable {
        /// From the file's beginning.
        public var events: UInt64
        public var bytes: UInt64
    }

    public let path: String
    /// Bytes of a torn end that were cut off when an older file was opened.
    public let cutBytes: UInt64
    /// Whether a log without a whole index was opened to append to. Whether chunks are
    /// missing from it is unknown, and stays so: `finish` writes no index.
    public let lacksIndex: Bool
    private let sync: Sync
    private let flushInterval: UInt64
    private let wasMadeSafe: (@Sendable (Safe) -> Void)?

    private enum Phase {
        case recording
        case failed(LogError)
        case finished
    }

    private let lock = PthreadMutex()
    private var phase = Phase.recording
    private let output: ByteOutput
    private let watch: FileWatch
    private let writer: BinaryWriter
    private let scenes = SceneNames()
    private let batchOfOne = EventBatch()
    private let headerEnd: UInt64
    private var received: UInt64
    private var madeSafe: Safe
    private var flushedAt: Timestamp?
    private var syncedAt = Timestamp(nanoseconds: 0)

    /// Makes the file and writes its header.
    ///
    /// - Parameters:
    ///   - firstEvent: The time at which the new events begin: a file to append to whose
    ///     events end later is refused, as they may be the same. `nil` takes any.
    ///   - flushInterval: Zero hands on each append at once.
    ///   - wasMadeSafe: Called whenever more events are safe, with a lock held: it must
    ///     not use the recorder.
    /// - Throws: When the file cannot be written or another process records into it;
    ///   `.io(EEXIST)` when it is there already; what is wrong with a file to append to.
    public convenience init(
        path: String, header: LogHeader, opening: Opening = .new, firstEvent: Timestamp? = nil,
        flushInterval: Duration = .seconds(1), sync: Sync = .interval(.seconds(1)),
        wasMadeSafe: (@Sendable (Safe) -> Void)? = nil
    ) throws(LogError) {
        try self.init(
            path: path, header: header, opening: opening, firstEvent: firstEvent, flushInterval: flushInterval,
            sync: sync, calls: .system, wasMadeSafe: wasMadeSafe)
    }

    init(
        path: String, header: LogHeader, opening: Opening, firstEvent: Timestamp? = nil, flushInterval: Duration,
        sync: Sync, calls: FileCalls, wasMadeSafe: (@Sendable (Safe) -> Void)?
    ) throws(LogError) {
        self.path = path
        self.sync = sync
        self.flushInterval = flushInterval.wholeNanoseconds
        self.wasMadeSafe = wasMadeSafe
        let file = try RecordingFile.open(path, opening, header: header, firstEvent: firstEvent, by: calls)
        output = file.output
        watch = FileWatch(path: path)
        cutBytes = file.contents.tornBytes
        lacksIndex = file.contents.lacksIndex
        do throws(LogError) {
            if let chunks = file.contents.chunks {
                writer = BinaryWriter(file.output, continuing: chunks)
            } else {
                writer = try BinaryWriter(file.output, header: header)
                try file.output.flush()
            }
            if sync != .never {
                try file.output.sync()
                try RecordingFile.syncFolder(of: path, by: calls)
            }
        } catch {
            // There is nothing in it yet.
            if file.isNew { unlink(path) } else { _ = file.output.cut(to: file.contents.end) }
            throw error
        }
        headerEnd = output.written
        received = writer.received
        madeSafe = Safe(events: writer.received, bytes: output.written)
    }

    /// What the file is sure to hold by now: what was written or, unless `Sync.never`,
    /// what is on the disk.
    public var safe: Safe { lock.withLock { madeSafe } }

    /// Why nothing more can be recorded.
    public var failure: LogError? {
        lock.withLock { if case .failed(let error) = phase { error } else { nil } }
    }

    /// A scene's number in the events to append, a new one for a new name.
    ///
    /// - Throws: When the name has more than `SceneNames.nameLengthMax` bytes.
    public func scene(named name: String) throws(LogError) -> SceneID {
        guard name.utf8.count <= SceneNames.nameLengthMax else {
            throw LogError(
                .malformed, file: path, "a scene's name is longer than \(SceneNames.nameLengthMax) bytes")
        }
        return lock.withLock { scenes.number(of: name) }
    }

    /// Frees what is known of scenes, of which no more events come. Their numbers are
    /// given to new scenes.
    public func forget(_ gone: some Collection<SceneID>) {
        if gone.isEmpty { return }
        lock.withLock {
            scenes.remove(gone)
            writer.forget(gone)
        }
    }

    /// Scenes that are known at present, with numbers that wait for new ones.
    package var scenesKnown: Int { lock.withLock { scenes.count } }

    /// Records an event whose scene is one of `scene(named:)`.
    public func append(_ event: Event) throws(LogError) {
        try recording { () throws(LogError) in
            batchOfOne.removeAll()
            batchOfOne.append(event, at: .line(0))
            try take(batchOfOne)
        }
    }

    /// Records events whose scenes are some of `scene(named:)`, in order.
    public func append(_ batch: EventBatch) throws(LogError) {
        try recording { () throws(LogError) in try take(batch) }
    }

    /// Does what is due by a time of the monotonic clock; to be called again at the
    /// time that is returned, and earlier calls do no harm.
    public func tick(at now: Timestamp) throws(LogError) -> Timestamp {
        try recording { () throws(LogError) in
            guard let last = flushedAt else {
                flushedAt = now
                syncedAt = now
                return nextTick
            }
            if flushInterval > 0, now >= last.after(flushInterval) {
                flushedAt = now
                try checkFile()
                if writer.received > writer.inChunks { try writeOut() }
            }
            if case .interval(let interval) = sync, now >= syncedAt.after(interval.wholeNanoseconds) {
                syncedAt = now
                try checkFile()
                try makeSafe()
            }
            return nextTick
        }
    }

    /// Hands everything to the system now.
    public func flush() throws(LogError) {
        try recording { () throws(LogError) in
            try checkFile()
            try writeOut()
        }
    }

    /// Completes the log, by an index unless `lacksIndex`, and closes the file. Once.
    public func finish() throws(LogError) {
        try recording { () throws(LogError) in
            try checkFile()
            try writer.writeEnd(withIndex: !lacksIndex)
            if sync != .never { try makeSafe() } else { acknowledge() }
            try output.finish()
            phase = .finished
        }
    }

    // MARK: With the lock held

    private func recording<Result>(_ body: () throws(LogError) -> Result) throws(LogError) -> Result {
        try lock.withLock { () throws(LogError) in
            switch phase {
            case .recording: break
            case .failed(let error): throw error
            case .finished: preconditionFailure("\(path): the recording was finished")
            }
            do throws(LogError) {
                return try body()
            } catch {
                // An event that cannot stand in a log is no fault of the file.
                guard case .io = error.kind else { throw error }
                if case .failed(let error) = phase { throw error }
                throw giveUpWriting(error)
            }
        }
    }

    private func take(_ batch: EventBatch) throws(LogError) {
        let waiting = Int(writer.received - writer.inChunks) + batch.count
        if flushInterval == 0 || waiting >= BinaryWriter.eventsPerChunk { try checkFile() }
        let chunks = writer.inChunks
        received += UInt64(batch.count)
        try writer.write(batch, scenes: scenes)
        if flushInterval == 0 || writer.inChunks > chunks { try flushInterval == 0 ? writeOut() : handOn() }
    }

    /// Fails when somebody else has changed, removed or replaced the file: what is
    /// written into it from then on would be no log, or nobody's.
    private func checkFile() throws(LogError) {
        guard let change = watch.change(of: output) else { return }
        let whole = writer.whole(in: change.bytesLeft)
        madeSafe = Safe(events: whole.events, bytes: whole.end ?? 0)
        throw giveUp(LogError(.io(code: ESTALE), file: path, change.problem))
    }

    private func writeOut() throws(LogError) {
        try writer.flush()
        try handOn()
    }

    /// Hands whole chunks to the system; events of an unfinished one wait.
    private func handOn() throws(LogError) {
        try output.flush()
        switch sync {
        case .never: acknowledge()
        case .flush: try makeSafe()
        case .interval: if Planted.unsyncedAcknowledged { acknowledge() }
        }
    }

    private func makeSafe() throws(LogError) {
        guard madeSafe.bytes < output.written else { return }
        do throws(LogError) {
            try output.sync()
        } catch {
            // The system may have dropped what it could not write, and would not say so
            // again: only what was synced before is sure.
            throw giveUp(error)
        }
        acknowledge()
    }

    private func acknowledge() {
        let events = madeSafe.events
        madeSafe = Safe(
            events: Planted.unwrittenAcknowledged ? writer.received : writer.inChunks, bytes: output.written)
        if madeSafe.events > events { wasMadeSafe?(madeSafe) }
    }

    /// Leaves only whole chunks in the file.
    private func giveUpWriting(_ error: LogError) -> LogError {
        let whole = writer.whole(in: output.written)
        let end = whole.end ?? headerEnd
        _ = output.cut(to: end)
        if sync != .never {
            do throws(LogError) { try output.sync() } catch { return giveUp(error) }
        }
        madeSafe = Safe(events: whole.events, bytes: end)
        return giveUp(error)
    }

    private func giveUp(_ error: LogError) -> LogError {
        var error = error
        let lost = received - madeSafe.events
        error.problem +=
            "; \(madeSafe.events) events are safe in its first \(madeSafe.bytes) bytes"
            + (lost == 0 ? ", and none is lost" : ", and \(lost) received after them are lost")
        phase = .failed(error)
        return error
    }

    private var nextTick: Timestamp {
        var next = Timestamp.latest
        if flushInterval > 0, let flushedAt { next = flushedAt.after(flushInterval) }
        if case .interval(let interval) = sync { next = min(next, syncedAt.after(interval.wholeNanoseconds)) }
        return next
    }
}
