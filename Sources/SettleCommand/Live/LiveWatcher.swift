import Settle
import SettleLog
import SettleLoop
import SettlePlatform
import SettleSources

/// The main thread's part: signals, messages, the recorder's clock, and the end.
struct LiveWatcher {
    let session: SourceSession
    private let recorder: LogRecorder?
    private let table: TableThread?
    private var ending: LiveEnding
    private let stop: StopSignal
    var recording: SessionThread?
    var printing: SessionThread?
    /// What was shown below the table, to be said again when it is closed.
    private(set) var shown: [String] = []
    /// What has failed so far, the first one first.
    private(set) var failures: [any Error] = []
    private var failed: Set<Part> = []

    /// What can fail while the source is read.
    private enum Part: CaseIterable { case recording, printing, table }

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

    private mutating func ask() { if ending.ask(at: MonotonicClock.now) { session.stop() } }

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

    /// Notes new failures. An app goes on without what has failed.
    private mutating func note() {
        for part in Part.allCases where !failed.contains(part) {
            guard let failure = failure(of: part) else { continue }
            failed.insert(part)
            failures.append(failure)
            if ending.goesOn {
                say("\((failure as? Failure)?.message ?? "\(failure)"); the app goes on")
            } else {
                ask()
            }
        }
    }

    private func failure(of part: Part) -> (any Error)? {
        switch part {
        case .recording: recorder?.failure
        case .printing: printing?.failure
        case .table: table?.failure
        }
    }
}
