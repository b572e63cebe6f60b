import Settle
import SettleClock
import SettleLog
import SettleLoop
import SettlePlatform
import SettleProgram

/// Records one input. A separate thread reads it, while the main thread calls the recorder's
/// `tick` in time and waits for signals.
final class InputRecording: @unchecked Sendable {
    private let input: String
    private let format: LogFormat?
    private let target: RecordTarget
    private let endSignal: EndSignal
    /// A pipe. Closing its write end stops the reading of the input.
    private let interruption: (read: Int32, write: Int32)

    private let lock = PthreadMutex()
    // Guarded by the mutex.
    private var recorder: LogRecorder?
    private var isRead = false
    private var isInterrupted = false
    // The reading thread's, and the main thread's once it has joined that.
    /// The error that ended the reading.
    private var failure: (any Error)?
    private var faults = 0

    /// The most faults that are printed. All are counted.
    private static let faultsShown = 20

    init(_ input: String, _ format: LogFormat?, _ target: RecordTarget, _ endSignal: EndSignal) throws {
        self.input = input
        self.format = format
        self.target = target
        self.endSignal = endSignal
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Failure(code: .io, message: "pipe: \(String(cString: strerror(errno)))") }
        interruption = (ends[0], ends[1])
    }

    deinit { close(interruption.read) }

    func run() throws -> ExitCode {
        let thread = try WorkerThread { [self] in
            read()
            lock.withLock { isRead = true }
            endSignal.wake()
        }
        var tickFailure: (any Error)?
        do { try tickUntilEnd() } catch { tickFailure = error }
        lock.withLock { isInterrupted = true }
        close(interruption.write)
        thread.join()
        Terminal.clearProgress()
        return try finish(tickFailure)
    }

    /// Returns when the input has ended, at a signal, or when acknowledgements cannot be printed.
    private func tickUntilEnd() throws {
        while true {
            let (recorder, isRead) = lock.withLock { (self.recorder, self.isRead) }
            if isRead || target.acknowledgements?.problem != nil { return }
            // The reading thread wakes this one when it has opened the recorder.
            let due = try recorder?.tick(at: MonotonicClock.now) ?? .latest
            if endSignal.wait(until: due) == .signalled { return }
        }
    }

    private func finish(_ tickFailure: (any Error)?) throws -> ExitCode {
        if let failure = tickFailure ?? failure {
            // After a fault of the input, the events in the file still get an index.
            if let recorder, recorder.failure == nil { try recorder.finish() }
            throw failure
        }
        guard let recorder else {
            Terminal.say("settle: nothing was recorded")
            return .fine
        }
        try recorder.finish()
        if let problem = target.acknowledgements?.problem { throw problem }
        if faults > Self.faultsShown { Terminal.say("settle: \(counted(faults, "fault")) in all were skipped") }
        Terminal.say("settle: \(target.path): \(counted(Int(recorder.safe.events), "event"))")
        return faults == 0 ? .fine : .findings
    }

    // MARK: The reading thread

    private func read() {
        do throws(LogError) {
            let reader = try LogReader(ByteInput(path: input, interruption: interruption.read), format: format)
            try record(reader)
        } catch {
            if !isCutByUs(error), !isUndecided(error) { failure = error }
        }
    }

    /// Whether the error is the torn end of an input whose reading we stopped.
    private func isCutByUs(_ error: LogError) -> Bool {
        error.kind == .truncated && lock.withLock { isInterrupted }
    }

    /// Whether the error is an unknown format because we stopped reading the input's beginning.
    private func isUndecided(_ error: LogError) -> Bool {
        error.kind == .malformed && lock.withLock { isInterrupted && recorder == nil }
    }

    private func record(_ reader: LogReader) throws(LogError) {
        let batch = EventBatch()
        // In some formats, the header is known only after the first events.
        var isMore = try readNext(reader, batch)
        let recorder = try target.open(reader.header, firstEvent: isMore ? batch[0].at : nil)
        lock.withLock { self.recorder = recorder }
        endSignal.wake()
        var progress = ReadProgress(reader)
        var numbers = RecordedNumbers(recorder)
        var events = 0
        while isMore {
            try numbers.record(batch, names: reader.scenes)
            events += batch.count
            progress.update(events: events)
            isMore = try readNext(reader, batch)
        }
        Terminal.clearProgress()
        for note in reader.notes where !lock.withLock({ isInterrupted }) { Terminal.say("settle: note: \(note)") }
    }

    /// Reads the next events. Reports faults and skips them. False at the input's end.
    private func readNext(_ reader: LogReader, _ batch: EventBatch) throws(LogError) -> Bool {
        while true {
            do throws(LogError) {
                return try reader.read(into: batch)
            } catch {
                if case .io = error.kind { throw error }
                if isCutByUs(error) { continue }
                faults += 1
                if faults <= Self.faultsShown { Terminal.say("settle: \(error); it is skipped") }
            }
        }
    }
}
