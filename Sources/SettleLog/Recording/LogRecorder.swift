public import Settle
internal import SettlePlatform

/// Writes a binary log that stays readable if the program is killed.
///
/// Events are collected into chunks, each readable on its own. A chunk is written when it is
/// full, and by `tick` after the flush interval at the latest, so a program that is killed
/// loses at most the events of that interval. `Sync` determines what a power failure can
/// lose. If writing fails (a full disk), the file is cut after its last whole chunk, and the
/// error has the number of its events.
///
/// ```swift
/// let recorder = try LogRecorder(path: "drag.settle", header: LogHeader(source: "mine"))
/// let window = try recorder.scene(named: "window")
/// try recorder.append(.geometry(window, at: now, size: size))
/// let due = try recorder.tick(at: now)      // from a timer, at `due` again
/// try recorder.finish()
/// ```
///
/// All members may be used from any thread; they may wait for the disk. Without `finish`, a
/// recorder leaves the file as if the program had been killed.
public final class LogRecorder: @unchecked Sendable {
    /// How to treat an existing file.
    public enum Opening: Hashable, Sendable {
        /// An existing file is an error.
        case new
        /// Replace its content.
        case replacing
        /// Verify it and append after its last whole chunk. A torn end is cut off; any other
        /// damage is an error.
        case appending
    }

    /// When written chunks are forced onto the disk (`fdatasync`).
    public enum Sync: Hashable, Sendable {
        /// Never: events survive the program, but not a power failure.
        case never
        /// With each flush, before it is acknowledged.
        case flush
        /// By `tick` after this time: a power failure loses at most the events since then.
        case interval(Duration)
    }

    /// What the file is sure to contain.
    public struct Safe: Hashable, Sendable {
        /// The number of events from the file's beginning.
        public var events: UInt64
        /// The number of bytes from the file's beginning.
        public var bytes: UInt64
    }

    public let path: String
    /// The bytes of a torn end that were cut off an existing file.
    public let cutBytes: UInt64
    /// Whether the existing file had no intact index. Chunks may be missing from it, so
    /// `finish` writes no index either.
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
    ///   - path: The file to write.
    ///   - header: What the log states about itself; of a file to append to, the file's stands.
    ///   - opening: How to treat an existing file.
    ///   - firstEvent: The time of the first new event. It is an error if the events of a file
    ///     to append to end later, as they may be the same events. `nil` accepts any.
    ///   - flushInterval: The longest time that an event waits to be written; zero writes
    ///     each append at once.
    ///   - sync: When chunks are forced onto the disk.
    ///   - wasMadeSafe: Called whenever more events are safe, on the calling thread of any
    ///     member, with a mutex held: it must not use the recorder.
    /// - Throws: `.io` when the file cannot be written, with the code EEXIST when it exists
    ///   and with EWOULDBLOCK when another process records into it; `.malformed` for damage of
    ///   a file to append to; `.outOfOrder` for events before its end.
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
                try RecordingFile.syncFolder(of: file.target, by: calls)
            }
        } catch {
            // There is nothing in it yet.
            if file.isNew { unlink(file.target) } else { _ = file.output.cut(to: file.contents.end) }
            throw error
        }
        headerEnd = output.written
        received = writer.received
        madeSafe = Safe(events: writer.received, bytes: output.written)
    }

    /// What the file is sure to contain now: what was written or, unless `Sync.never`, what
    /// is on the disk.
    public var safe: Safe { lock.withLock { madeSafe } }

    /// Why recording has failed; `nil` while it has not.
    public var failure: LogError? {
        lock.withLock { if case .failed(let error) = phase { error } else { nil } }
    }

    /// The number of a scene's name in the events to append; a new name gets a new number.
    ///
    /// - Throws: `.malformed` for a name of more than `SceneNames.nameLengthMax` bytes.
    public func scene(named name: String) throws(LogError) -> SceneNumber {
        guard name.utf8.count <= SceneNames.nameLengthMax else {
            throw LogError(
                .malformed, file: path, "a scene's name is longer than \(SceneNames.nameLengthMax) bytes")
        }
        return lock.withLock { scenes.number(of: name) }
    }

    /// Frees the memory of scenes that have no more events. New scenes reuse their numbers.
    public func forget(_ gone: some Collection<SceneNumber>) {
        if gone.isEmpty { return }
        lock.withLock {
            scenes.remove(gone)
            writer.forget(gone)
        }
    }

    /// The scenes in memory, including freed numbers.
    package var scenesKnown: Int { lock.withLock { scenes.count } }

    /// Records an event.
    ///
    /// - Parameter event: Its `name` is a number of `scene(named:)`.
    /// - Throws: `.malformed` for a time after `Timestamp.latest`, which has no effect; `.io`
    ///   when writing fails, which ends the recording.
    public func append(_ event: LogEvent) throws(LogError) {
        try recording { () throws(LogError) in
            batchOfOne.removeAll()
            batchOfOne.append(event)
            try write(batchOfOne)
        }
    }

    /// Records events in order; see `append(_:)` of one event.
    public func append(_ batch: EventBatch) throws(LogError) {
        try recording { () throws(LogError) in try write(batch) }
    }

    /// Flushes and syncs if their intervals have passed. Early calls have no effect.
    ///
    /// - Parameter now: The time of the monotonic clock.
    /// - Returns: When to call `tick` next.
    /// - Throws: `.io` when writing fails, which ends the recording.
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

    /// Writes all events now.
    ///
    /// - Throws: `.io` when writing fails, which ends the recording.
    public func flush() throws(LogError) {
        try recording { () throws(LogError) in
            try checkFile()
            try writeOut()
        }
    }

    /// Completes the log, with an index unless `lacksIndex`, and closes the file. Once.
    ///
    /// - Throws: `.io` when writing fails.
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
                // An event that a log cannot hold is an error, but the file is fine.
                guard case .io = error.kind else {
                    received = writer.received
                    throw error
                }
                if case .failed(let error) = phase { throw error }
                throw failedWriting(error)
            }
        }
    }

    private func write(_ batch: EventBatch) throws(LogError) {
        // Before anything fails: these count as lost then.
        received += UInt64(batch.count)
        let waiting = Int(writer.received - writer.inChunks) + batch.count
        if flushInterval == 0 || waiting >= BinaryWriter.eventsPerChunk { try checkFile() }
        let chunks = writer.inChunks
        try writer.write(batch, scenes: scenes)
        if flushInterval == 0 || writer.inChunks > chunks { try flushInterval == 0 ? writeOut() : flushChunks() }
    }

    /// Fails if another process has changed, removed or replaced the file: further events
    /// would be lost.
    private func checkFile() throws(LogError) {
        guard let change = watch.change(of: output) else { return }
        let whole = writer.whole(in: change.bytesLeft)
        madeSafe = Safe(events: whole.events, bytes: whole.end ?? 0)
        throw failed(LogError(.io(code: ESTALE), file: path, change.problem))
    }

    private func writeOut() throws(LogError) {
        try writer.flush()
        try flushChunks()
    }

    /// Writes complete chunks with system calls. The events of an incomplete one wait.
    private func flushChunks() throws(LogError) {
        try output.flush()
        switch sync {
        case .never: acknowledge()
        case .flush: try makeSafe()
        case .interval: break
        }
    }

    private func makeSafe() throws(LogError) {
        guard madeSafe.bytes < output.written else { return }
        do throws(LogError) {
            try output.sync()
        } catch {
            // The system may have dropped bytes that it could not write, and reports that
            // only once: only earlier syncs count.
            throw failed(error)
        }
        acknowledge()
    }

    private func acknowledge() {
        let events = madeSafe.events
        madeSafe = Safe(
            events: writer.inChunks, bytes: output.written)
        if madeSafe.events > events { wasMadeSafe?(madeSafe) }
    }

    /// Ends the recording after a failed write, with only complete chunks in the file.
    private func failedWriting(_ error: LogError) -> LogError {
        if output.isClosed { return failedClosing(error) }
        let whole = writer.whole(in: output.written)
        let end = whole.end ?? headerEnd
        _ = output.cut(to: end)
        if sync != .never {
            do throws(LogError) { try output.sync() } catch { return failed(error) }
        }
        madeSafe = Safe(events: whole.events, bytes: end)
        return failed(error)
    }

    /// Ends a recording that is complete, but whose file reported a failure as it was closed: what was synced before
    /// is safe.
    private func failedClosing(_ error: LogError) -> LogError {
        guard sync == .never else { return failed(error) }
        var error = error
        error.problem += "; nothing was synced, so events may be missing: settle validate shows what it has"
        phase = .failed(error)
        return error
    }

    /// Ends the recording. Returns the error with the number of safe and lost events.
    private func failed(_ error: LogError) -> LogError {
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
