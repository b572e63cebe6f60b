import Glibc
import Settle
import SettleLog
import SettleLoop
import SettlePlatform
import SettleSources

/// Reads a source until it ends or a signal arrives: what `settle watch` and `settle record` share.
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

    /// How long an orderly end may take when nothing that the source runs must end first.
    private static let endLimit: UInt64 = 1_000_000_000

    private var runsApp: Bool { !arguments.command.isEmpty }

    /// - Returns: The status of the program that the source ran, otherwise success.
    func run() throws -> Int32 {
        let errors = showsTable ? DeferredErrors() : nil
        defer { errors?.close() }
        let source: any GeometrySource
        do throws(SourceError) {
            source = try kind.open(arguments)
        } catch {
            throw Failure(code: .io, message: error.description)
        }
        // A desktop of windows that change 1,000 times a second is read 500 times a second, not for each event.
        let session = try SourceSession(
            source, policy: policy, keepsEvents: target != nil,
            interval: runsApp ? .zero : .milliseconds(2))
        let recorder = try target?.open(source.header, firstEvent: MonotonicClock.now)
        let prints = policy != nil && !showsTable
        let decisions = prints ? DecisionWriter(try Outputs.open(OutputFile("-", isWatched: true))) : nil
        let table = showsTable ? try TableScreen(header: source.header) : nil
        defer { table?.close() }

        let messages = LockedValueBox([String]())
        let stop = stop
        let writer = SessionWriter(
            session, recorder: recorder, decisions: decisions, goesOn: runsApp,
            say: { message in
                if showsTable { messages.withLock { $0.append(message) } } else { Terminal.offer("settle: \(message)") }
            }, finished: { stop.wake() })
        try writer.start()
        try session.start()
        do {
            try wait(session, writer, recorder, table, messages)
        } catch {
            writer.fail(error)
            session.stop()
        }
        try waitForEnd(session, writer, recorder)
        table?.close()
        errors?.close()
        for message in messages.withLock({ $0 }) { Terminal.say("settle: \(message)") }
        return try finish(writer, recorder, decisions)
    }

    /// Returns when the source has ended, at a signal, or when the table is left.
    private func wait(
        _ session: SourceSession, _ writer: SessionWriter, _ recorder: LogRecorder?, _ table: TableScreen?,
        _ messages: LockedValueBox<[String]>
    ) throws {
        while writer.end == nil {
            let due = tick(recorder, writer)
            if let table {
                if let rows = session.table() { table.show(rows, message: messages.withLock { $0.last }) }
                if try table.waitForKey(until: min(due, MonotonicClock.now.after(TableScreen.interval))) { break }
                if stop.wait(until: .zero) == .signalled { break }
            } else if stop.wait(until: due) == .signalled {
                break
            }
        }
        session.stop()
    }

    /// Waits until everything is written. It may take a second, or with an app until the app ends;
    /// after that second, a signal kills the app, and another one ends this at once. A terminal that
    /// closes sends more than one.
    private func waitForEnd(_ session: SourceSession, _ writer: SessionWriter, _ recorder: LogRecorder?) throws {
        var limit = MonotonicClock.now.after(Self.endLimit)
        var isKilled = !runsApp
        while writer.end == nil {
            let isLate = MonotonicClock.now >= limit
            let isSignalled = stop.wait(until: min(tick(recorder, writer), isLate ? .latest : limit)) == .signalled
            guard isLate && isSignalled || !runsApp && MonotonicClock.now >= limit, writer.end == nil else { continue }
            if !isKilled {
                isKilled = true
                session.stop()
                limit = MonotonicClock.now.after(Self.endLimit)
                continue
            }
            Terminal.offer("settle: ended before everything was written")
            _exit(ExitCode.io.rawValue)
        }
    }

    /// Lets the recorder write in time. Returns when it must be called again.
    private func tick(_ recorder: LogRecorder?, _ writer: SessionWriter) -> Timestamp {
        guard let recorder, recorder.failure == nil else { return .latest }
        do throws(LogError) {
            return try recorder.tick(at: MonotonicClock.now)
        } catch {
            writer.fail(error)
            return .latest
        }
    }

    private func finish(
        _ writer: SessionWriter, _ recorder: LogRecorder?, _ decisions: DecisionWriter?
    ) throws -> Int32 {
        writer.join()
        // Also after a failure of something else: the events until then get an index.
        if let recorder, recorder.failure == nil { try recorder.finish() }
        if let failure = writer.failure { throw failure }
        if let problem = target?.acknowledgements?.problem { throw problem }
        try decisions?.finish()
        if let recorder { Terminal.say("settle: \(recorder.path): \(counted(Int(recorder.safe.events), "event"))") }
        switch writer.end {
        case .failure(let error): throw Failure(code: .io, message: error.description)
        case .success(.ended(let status)): return status
        default: return 0
        }
    }
}
