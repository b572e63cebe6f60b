import Glibc
import Settle
import SettleLog
import SettleLoop
import SettlePlatform
import SettleSources

/// What `settle watch` and `settle record` of a live source share: a source that is read until it ends,
/// a signal arrives or the table is left.
struct LiveRun {
    /// The source.
    let kind: SourceKind
    let arguments: SourceArguments
    /// The policy to decide by; `nil` decides nothing.
    var policy: Policy?
    /// The recording; `nil` for none.
    var target: RecordTarget?
    /// Whether decisions are shown as a table rather than as lines.
    var showsTable = false
    let stop: StopSignal

    private var runsApp: Bool { !arguments.command.isEmpty }

    /// - Returns: The status of the program that the source ran, otherwise success.
    func run() throws -> Int32 {
        let errors = showsTable ? DeferredErrors() : nil
        defer { errors?.close() }
        let stop = stop
        let source: any GeometrySource
        do throws(SourceError) {
            // A server that does not answer must not keep signals from ending this.
            source = try stop.letThrough { () throws(SourceError) in try kind.open(arguments) }
        } catch {
            throw Failure(code: .io, message: error.description)
        }
        let prints = policy != nil && !showsTable
        let session = try SourceSession(
            source, policy: policy, keepsEvents: target != nil, keepsDecisions: prints,
            // A desktop is read 500 times a second, however often its windows change.
            interval: runsApp ? .zero : .milliseconds(2), wake: { stop.wake() })
        let recorder = try target?.open(source.header, firstEvent: MonotonicClock.now)
        let writer = prints ? DecisionWriter(try Outputs.open(OutputFile("-", isWatched: true))) : nil
        let table = showsTable ? try TableThread(session, source.header, wake: { stop.wake() }) : nil
        let ending = LiveEnding(runsApp: runsApp)
        var watcher = LiveWatcher(session, recorder, table, ending, stop)
        defer { table?.close(by: ending.limit) }
        if let recorder { watcher.recording = try watcher.thread { try $0.record(session, into: recorder) } }
        if let writer { watcher.printing = try watcher.thread { try $0.print(session, with: writer) } }
        try session.start()
        watcher.waitForEnd()

        table?.close(by: ending.limit)
        errors?.close()
        for message in watcher.shown { Terminal.say("settle: \(message)") }
        return try finish(watcher, recorder, writer)
    }

    private func finish(_ watcher: LiveWatcher, _ recorder: LogRecorder?, _ writer: DecisionWriter?) throws -> Int32 {
        // Also after a failure of something else: the events until then get an index.
        if let recorder, recorder.failure == nil {
            try recorder.finish()
            Terminal.say("settle: \(recorder.path): \(counted(Int(recorder.safe.events), "event"))")
        }
        if let failure = watcher.failures.first { throw failure }
        if let problem = target?.acknowledgements?.problem { throw problem }
        if watcher.isPrinting {
            Terminal.offer("settle: standard output was not read in time; decisions are lost")
            // The thread that waits for the reader ends with the process.
            exit(ExitCode.io.rawValue)
        }
        try writer?.finish()
        switch watcher.session.end {
        case .failure(let error): throw Failure(code: .io, message: error.description)
        case .success(.ended(let status)): return status
        default: return 0
        }
    }
}

/// How long an orderly end may take.
final class LiveEnding {
    private static let most: UInt64 = 1_000_000_000
    /// A terminal that closes sends more than one signal, and all at once.
    private static let together: UInt64 = 100_000_000

    private let runsApp: Bool
    private var asked: Timestamp?
    private var isKilled = false
    private(set) var limit = Timestamp.latest

    init(runsApp: Bool) { self.runsApp = runsApp }

    var isAsked: Bool { asked != nil }

    /// A signal has come, or the table is left.
    ///
    /// - Returns: Whether the source is to be stopped, for the first time or again.
    func ask(at now: Timestamp) -> Bool {
        if let asked, now < asked.after(Self.together) || !runsApp || isKilled {
            if isKilled, now >= asked.after(Self.together) { limit = now }
            return false
        }
        isKilled = asked != nil
        asked = now
        // An app that is asked to end may take its time.
        if !runsApp || isKilled { limit = now.after(Self.most) }
        return true
    }

    /// The source has ended: what is left to be written has a second if somebody has asked for the end.
    func sourceHasEnded(at now: Timestamp) {
        if isAsked { limit = min(limit, now.after(Self.most)) }
    }
}

/// The main thread's part: signals, messages, the recorder's clock, and the end.
struct LiveWatcher {
    let session: SourceSession
    private let recorder: LogRecorder?
    private let table: TableThread?
    private let ending: LiveEnding
    private let stop: StopSignal
    var recording: SessionThread?
    var printing: SessionThread?
    /// What was shown below the table, to be said again when it is closed.
    private(set) var shown: [String] = []
    private var failed: [any Error] = []

    init(
        _ session: SourceSession, _ recorder: LogRecorder?, _ table: TableThread?, _ ending: LiveEnding,
        _ stop: StopSignal
    ) {
        self.session = session
        self.recorder = recorder
        self.table = table
        self.ending = ending
        self.stop = stop
    }

    func thread(_ start: (SessionThread) throws -> Void) throws -> SessionThread {
        let stop = stop
        let thread = SessionThread(wake: { stop.wake() })
        try start(thread)
        return thread
    }

    /// The failures, the first one first.
    var failures: [any Error] { failed }

    /// Whether decisions still wait for a reader.
    var isPrinting: Bool { printing?.isDone == false }

    /// Returns when everything is written, or when the time for that is over.
    mutating func waitForEnd() {
        var hasEnded = false
        while true {
            let due = tick()
            say()
            note()
            if session.end != nil {
                if !hasEnded { ending.sourceHasEnded(at: MonotonicClock.now) }
                hasEnded = true
                if recording?.isDone != false, printing?.isDone != false { break }
            }
            if MonotonicClock.now >= ending.limit { break }
            let isSignalled = stop.wait(until: min(due, ending.limit)) == .signalled
            if isSignalled || table?.isLeft == true && !ending.isAsked { ask() }
        }
        say()
        note()
    }

    private func ask() { if ending.ask(at: MonotonicClock.now) { session.stop() } }

    /// Lets the recorder write in time. Returns when it must be called again.
    private mutating func tick() -> Timestamp {
        guard let recorder, recorder.failure == nil else { return .latest }
        do throws(LogError) {
            return try recorder.tick(at: MonotonicClock.now)
        } catch {
            return .latest
        }
    }

    private mutating func say() {
        for message in session.takeMessages() { say(message) }
    }

    private mutating func say(_ message: String) {
        guard let table else { return Terminal.offer("settle: \(message)") }
        table.say(message)
        shown.append(message)
    }

    /// Notes new failures. An app goes on without whatever has failed.
    private mutating func note() {
        let all = [recorder?.failure, printing?.failure, table?.failure] as [(any Error)?]
        let now = all.compactMap { $0 }
        guard now.count > failed.count else { return }
        failed = now
        if ending.goesOn {
            say("\((now[now.count - 1] as? Failure)?.message ?? "\(now[now.count - 1])"); the app goes on")
        } else {
            ask()
        }
    }
}

extension LiveEnding {
    /// Whether the source is to be read on after a failure.
    fileprivate var goesOn: Bool { runsApp && !isAsked }
}
