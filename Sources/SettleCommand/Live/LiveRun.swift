import Settle
import SettleClock
import SettleLog
import SettleLoop
import SettlePlatform
import SettleProgram
import SettleSources

/// What `settle watch` and `settle record` of a live source share: a source that is read until it ends,
/// a signal arrives or the table is left.
struct LiveRun {
    let kind: SourceKind
    let arguments: SourceArguments
    /// The policy to decide by; `nil` decides nothing.
    var policy: Policy?
    /// The recording; `nil` for none.
    var target: RecordTarget?
    /// Whether decisions are shown as a table rather than as lines.
    var showsTable = false
    /// Whether the table begins with the busiest windows.
    var putsBusiestFirst = false
    let endSignal: EndSignal

    private var runsApp: Bool { !arguments.command.isEmpty }

    /// - Returns: The status of the program that the source ran, otherwise success.
    func run() throws -> Int32 {
        let errors = showsTable ? DeferredErrors() : nil
        defer { errors?.close() }
        let endSignal = endSignal
        let prints = policy != nil && !showsTable
        let writer =
            try prints
            ? policy.map { policy in
                DecisionWriter(try Outputs.open(OutputFile("-", isWatched: true)), policy: policy)
            } : nil
        let (session, header) = try open(keepsDecisions: prints)
        var table: TableThread?
        var watcher: LiveWatcher
        do {
            // First, since the recorder replaces a file.
            if showsTable {
                table = try TableThread(
                    session, header, putsBusiestFirst: putsBusiestFirst, wake: { endSignal.wake() })
            }
            let recorder = try target?.open(header, firstEvent: MonotonicClock.now)
            let name = arguments.command.first.map { "'\($0)'" } ?? "the source"
            watcher = LiveWatcher(
                session, name: name, target?.acknowledgements, table, errors, LiveEnding(runsApp: runsApp), endSignal)
            if let target, let recorder {
                watcher.recording = try watcher.thread {
                    try $0.record(session, into: recorder, flushInterval: target.flushInterval)
                }
            }
            if let writer { watcher.printing = try watcher.thread { try $0.print(session, with: writer) } }
            try session.start()
        } catch {
            table?.close()
            // An app may have been started for nothing.
            session.abandon()
            throw error
        }
        let isRestored = watcher.waitForEnd()
        errors?.close(prints: isRestored)
        return try finish(watcher, writer, isStuck: !isRestored || watcher.isWriting)
    }

    /// Opens the source, which the session alone keeps, and so releases when it has ended.
    private func open(keepsDecisions: Bool) throws -> (SourceSession, LogHeader) {
        let endSignal = endSignal
        let source: any GeometrySource
        do throws(SourceError) {
            // A server that does not answer must not keep signals from ending this.
            source =
                runsApp
                ? try kind.open(arguments)
                : try endSignal.letThrough { () throws(SourceError) in try kind.open(arguments) }
        } catch {
            throw Failure(error)
        }
        let session = try SourceSession(
            source, policy: policy, keepsEvents: target != nil, keepsDecisions: keepsDecisions,
            // A desktop is read 500 times a second, however often its windows change.
            interval: runsApp ? .zero : .milliseconds(2), wake: { endSignal.wake() })
        return (session, source.header)
    }

    /// Says how it ended.
    ///
    /// - Parameter isStuck: Whether something that is written to takes nothing: the terminal may be that, too.
    private func finish(_ watcher: LiveWatcher, _ writer: DecisionWriter?, isStuck: Bool) throws -> Int32 {
        let say = isStuck ? Terminal.offer : Terminal.say
        for message in watcher.shown { say("settle: \(message)") }
        if let table = watcher.session.table() { say("settle: \(table.totals)") }
        var problems = watcher.failures
        if let recording = watcher.recording, let path = target?.path {
            if !recording.isDone {
                problems.append(
                    Failure(code: .io, message: "\(path): it was not written in time; the last events are lost"))
            } else if let events = recording.recordedEvents {
                say("settle: \(path): \(counted(Int(events), "event"))")
            }
        }
        if watcher.isPrinting {
            problems.append(
                Failure(code: .io, message: "standard output was not read in time; decisions are lost"))
        } else if watcher.printing?.failure == nil {
            do { try writer?.finish() } catch { problems.append(error) }
        }
        var status: Int32 = 0
        switch watcher.session.end {
        case .success(.stopped): break
        case .success(.ended(let ended)): status = ended
        case .failure(let error): problems.append(Failure(code: .io, message: error.description))
        case nil: preconditionFailure("a source that does not end is given up")
        }
        guard let first = problems.first else { return status }
        if isStuck {
            for problem in problems { say("settle: \(text(of: problem))") }
            // A thread that waits for a file ends with the process.
            exit(ExitCode.io.rawValue)
        }
        for problem in problems.dropFirst() { say("settle: \(text(of: problem))") }
        throw first
    }
}
