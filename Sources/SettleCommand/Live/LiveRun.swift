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
        var watcher = LiveWatcher(session, recorder, table, LiveEnding(runsApp: runsApp), stop)
        defer { table?.close() }
        if let recorder { watcher.recording = try watcher.thread { try $0.record(session, into: recorder) } }
        if let writer { watcher.printing = try watcher.thread { try $0.print(session, with: writer) } }
        try session.start()
        watcher.waitForEnd()

        table?.close()
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
        if watcher.recording?.isDone == false, let recorder {
            throw Failure(code: .io, message: "\(recorder.path): it was not written in time; the last events are lost")
        }
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
