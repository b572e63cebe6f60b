import Settle
import SettleLog
import SettlePlatform
import SettleProgram
import SettleSweep

/// Reads the logs and decides them, some at a time: memory does not depend on the number of logs.
struct TuneRun {
    let sweep: Sweep
    /// `nil` without a build's cost.
    let crossing: DebounceCrossing?
    let jobs: Int
    let format: LogFormat?
    let window: ReplayWindow
    let endSignal: EndSignal
    /// Faults, and files that could not be read.
    private(set) var failures: [Failure] = []
    private(set) var notes = Tally()
    /// Whether nobody knows if a log that was read to its end is complete.
    private(set) var lacksEnd = false
    /// The scenes of all logs, if some were chosen, and the logs' times.
    private var scenes: [(name: String, scenes: SceneNames)] = []
    private var spans: [Duration?] = []

    init(
        sweep: Sweep, crossing: DebounceCrossing?, jobs: Int, format: LogFormat?, window: ReplayWindow,
        endSignal: EndSignal
    ) {
        self.sweep = sweep
        self.crossing = crossing
        self.jobs = jobs
        self.format = format
        self.window = window
        self.endSignal = endSignal
    }

    /// Files that are read before they are decided: at least one, and at most so many with so many bytes
    /// together. A small log takes 48 kB in memory. A pipe, whose length nobody knows, is read alone. After
    /// a signal, what the sweep added of a wave is printed.
    private static let (waveBytes, waveFiles) = (UInt64(4 << 20), 512)

    private static func bytes(_ file: LogInputs.File) -> UInt64 { file.bytes ?? waveBytes }

    private enum Reading: Sendable {
        case log(BoundLog)
        /// It does not begin as a log does.
        case noLog(LogError)
        case failed(LogError)
    }

    /// Adds all logs to the sweep, or those before a signal.
    mutating func run(_ inputs: inout LogInputs) throws {
        let files = inputs.files
        let meter = Meter(of: files.reduce(0) { $0 + Self.bytes($1) })
        var first = 0
        while first < files.count, !endSignal.hasArrived {
            var (end, bytes) = (first, UInt64(0))
            repeat {
                bytes += Self.bytes(files[end])
                end += 1
            } while end < files.count && end - first < Self.waveFiles
                && bytes + Self.bytes(files[end]) <= Self.waveBytes
            let logs = read(files[first..<end], &inputs)
            if endSignal.hasArrived { break }
            let isAdded = try sweep.add(logs, jobs: jobs) { part in
                meter.show(part, of: bytes)
                return !endSignal.hasArrived
            }
            if isAdded { _ = try crossing?.add(logs, jobs: jobs) { !endSignal.hasArrived } }
            meter.done += bytes
            first = end
        }
        Terminal.clearProgress()
    }

    /// A window that no log has anything of is an error, if all logs were read.
    func checkWindow() throws {
        guard !spans.isEmpty, failures.isEmpty, !endSignal.hasArrived else { return }
        try window.checkScenes(scenes)
        try window.checkStart(spans)
    }

    /// Reads files, several at once.
    private mutating func read(_ files: ArraySlice<LogInputs.File>, _ inputs: inout LogInputs) -> [BoundLog] {
        let (format, window, descriptor) = (format, window, endSignal.descriptor)
        let readings = LockedValueBox([Int: Reading]())
        let first = files.startIndex
        // Only the thread that prints may show how far a reader is.
        let isAlone = files.count == 1
        _ = Workers.run(count: files.count, jobs: jobs) {
        } goesOn: { _ in
            !endSignal.hasArrived
        } item: { _, number in
            let reading = Self.read(
                files[first + number], format, window, descriptor, showsProgress: isAlone)
            readings.withLock { $0[number] = reading }
        }
        var logs: [BoundLog] = []
        for (number, file) in files.enumerated() {
            switch readings.withLock({ $0[number] }) {
            case .log(let log):
                logs.append(log)
                if log.isComplete == nil { lacksEnd = true }
                if !window.scenes.isEmpty { scenes.append((log.name, log.scenes)) }
                spans.append(log.span)
                if let fault = log.fault {
                    fail(fault, "; everything before it is counted")
                }
                for note in log.notes { notes.add(note, log.name) }
            case .noLog(let error) where file.isFound:
                let reason = error.problem.prefix { $0 != ";" }
                inputs.skipped.add(String(reason), file.path)
            case .noLog(let error), .failed(let error): fail(error, "")
            case nil: break
            }
        }
        return logs
    }

    private mutating func fail(_ error: LogError, _ rest: String) {
        failures.append(Failure(code: Failure(error).code, message: "\(error)\(rest)"))
    }

    private static func read(
        _ file: LogInputs.File, _ format: LogFormat?, _ window: ReplayWindow, _ interruption: Int32,
        showsProgress: Bool
    ) -> Reading {
        let reader: LogReader
        do throws(LogError) {
            reader = try LogReader(ByteInput(path: file.path, interruption: interruption), format: format)
        } catch {
            return error.kind == .malformed ? .noLog(error) : .failed(error)
        }
        do throws(LogError) {
            var progress = showsProgress ? ReadProgress(reader) : nil
            return .log(try BoundLog(reader, window: window) { progress?.update(events: $0) })
        } catch {
            return .failed(error)
        }
    }
}

/// Shows how much is decided and how long the rest may take, at most ten times per second; only on a terminal.
final class Meter {
    /// What is decided, in bytes of logs.
    var done: UInt64 = 0
    private let all: UInt64
    private let started = ContinuousClock.now
    private var shown = ContinuousClock.now

    init(of all: UInt64) { self.all = max(all, 1) }

    func show(_ part: Double, of bytes: UInt64) {
        guard Terminal.showsProgress, ContinuousClock.now - shown > .milliseconds(100) else { return }
        shown = .now
        let part = (Double(done) + part * Double(bytes)) / Double(all)
        Terminal.progress(Self.text(part, after: shown - started))
    }

    /// - Parameter part: Of the work, from 0 to 1.
    static func text(_ part: Double, after time: Duration) -> String {
        let percent = "tuning: \(fixed(100 * part, 0)) %"
        // The first hundredth says little about the rest.
        guard part >= 0.01 else { return percent }
        let rest = time.seconds / part * (1 - part)
        return percent + ", " + (rest < 60 ? "\(fixed(rest, 0)) s" : "\(fixed(rest / 60, 0)) min") + " left"
    }
}
