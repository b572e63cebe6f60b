import Glibc
import Settle
import SettleLog
import SettleLoop
import SettlePlatform

/// Records one input, which a thread of its own reads, while the main thread keeps the
/// recorder's times and waits for signals.
final class InputRecording: @unchecked Sendable {
    private let input: String
    private let format: LogFormat?
    private let target: RecordTarget
    private let stop: StopSignal
    /// Closing the second ends the reading of the input.
    private let interruption: (read: Int32, write: Int32)

    private let lock = PthreadMutex()
    private var recorder: LogRecorder?
    private var isRead = false
    private var isInterrupted = false
    /// What ended the reading, other than the input's end.
    private var failure: (any Error)?
    private var faults = 0

    /// Faults told one by one; more are counted.
    private static let faultsShown = 20

    init(_ input: String, _ format: LogFormat?, _ target: RecordTarget, _ stop: StopSignal) throws {
        self.input = input
        self.format = format
        self.target = target
        self.stop = stop
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Failure(code: .io, message: "pipe: \(String(cString: strerror(errno)))") }
        interruption = (ends[0], ends[1])
    }

    deinit { close(interruption.read) }

    func run() throws -> ExitCode {
        let thread = try WorkerThread { [self] in
            read()
            lock.withLock { isRead = true }
            stop.ask()
        }
        var tickFailure: (any Error)?
        do { try tickUntilTheEnd() } catch { tickFailure = error }
        lock.withLock { isInterrupted = true }
        close(interruption.write)
        thread.join()
        Terminal.clearProgress()
        return try finish(tickFailure)
    }

    /// Returns when the input was read, at a signal, or when nobody takes acknowledgements.
    private func tickUntilTheEnd() throws {
        while true {
            let (recorder, isRead) = lock.withLock { (self.recorder, self.isRead) }
            if isRead || target.acknowledgements?.problem != nil { return }
            // The reading thread asks for a look as soon as there is a recorder.
            let due = try recorder?.tick(at: MonotonicClock.now) ?? .latest
            if stop.wait(until: due) == .signalled { return }
        }
    }

    private func finish(_ tickFailure: (any Error)?) throws -> ExitCode {
        if let failure = tickFailure ?? failure {
            // What stands in the file is worth a proper end, when the input is to blame.
            if let recorder, recorder.failure == nil { try recorder.finish() }
            throw failure
        }
        guard let recorder else {
            Terminal.say("settle: nothing was recorded")
            return .fine
        }
        try recorder.finish()
        if let problem = target.acknowledgements?.problem { throw problem }
        if faults > Self.faultsShown { Terminal.say("settle: \(counted(faults, "fault")) in all were passed over") }
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

    /// The last line or chunk of an input that we stopped reading.
    private func isCutByUs(_ error: LogError) -> Bool {
        error.kind == .truncated && lock.withLock { isInterrupted }
    }

    /// An input that we stopped reading before it told its format.
    private func isUndecided(_ error: LogError) -> Bool {
        error.kind == .malformed && lock.withLock { isInterrupted && recorder == nil }
    }

    private func record(_ reader: LogReader) throws(LogError) {
        let batch = EventBatch()
        // The header of some formats is known only once their beginning was read.
        var isMore = try readNext(reader, batch)
        let recorder = try target.open(reader.header, firstEvent: isMore ? batch[0].at : nil)
        lock.withLock { self.recorder = recorder }
        stop.ask()
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

    /// Reads the next events, past every fault; false at the input's end.
    private func readNext(_ reader: LogReader, _ batch: EventBatch) throws(LogError) -> Bool {
        while true {
            do throws(LogError) {
                return try reader.read(into: batch)
            } catch {
                if case .io = error.kind { throw error }
                if isCutByUs(error) { continue }
                faults += 1
                if faults <= Self.faultsShown { Terminal.say("settle: \(error); it is passed over") }
            }
        }
    }
}
