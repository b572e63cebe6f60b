import Settle
import SettleClock
import SettleLoop
import SettlePlatform
import SettleProgram
import SettleSources

/// The main thread's part: signals, messages, and the end. It waits for no file.
struct LiveWatcher {
    let session: SourceSession
    /// What the source is called in messages.
    private let name: String
    private let acknowledgements: Acknowledgements?
    private let table: TableThread?
    private let errors: DeferredErrors?
    /// How often what is kept of standard error is looked at, in nanoseconds.
    private static let errorsInterval: UInt64 = 1_000_000_000
    private var ending: LiveEnding
    private let endSignal: EndSignal
    var recording: SessionThread?
    var printing: SessionThread?
    private var messages: LiveMessages
    /// What was shown below the table, to be said again when it is closed.
    var shown: [String] { messages.shown }
    /// What has failed so far, the first one first.
    private(set) var failures: [any Error] = []
    private var failed: Set<Part> = []

    /// What can fail while the source is read.
    private enum Part: CaseIterable { case recording, acknowledging, printing, table }

    init(
        _ session: SourceSession, name: String, _ acknowledgements: Acknowledgements?, _ table: TableThread?,
        _ errors: DeferredErrors?, _ ending: LiveEnding, _ endSignal: EndSignal
    ) {
        self.session = session
        self.name = name
        self.acknowledgements = acknowledgements
        self.table = table
        messages = LiveMessages(table)
        self.errors = errors
        self.ending = ending
        self.endSignal = endSignal
    }

    func thread(_ start: (SessionThread) throws -> Void) throws -> SessionThread {
        let endSignal = endSignal
        let thread = SessionThread(wake: { endSignal.wake() })
        try start(thread)
        return thread
    }

    /// Whether decisions still wait for a reader.
    var isPrinting: Bool { printing?.isDone == false }

    /// Whether something is still to be written.
    var isWriting: Bool { isPrinting || recording?.isDone == false }

    /// Returns when everything is written, or when the time for that is over, and the table is closed.
    ///
    /// - Returns: Whether the terminal is restored.
    mutating func waitForEnd() -> Bool {
        var hasEnded = false
        while true {
            say()
            note()
            if session.end != nil {
                if !hasEnded { ending.sourceHasEnded(at: MonotonicClock.now) }
                hasEnded = true
                if !isWriting { break }
            }
            let now = MonotonicClock.now
            if now >= ending.limit {
                if hasEnded { break }
                session.giveUp(SourceError("\(name) has not ended, and is left alone"))
                ending.giveUp(at: now)
                hasEnded = true
            }
            errors?.limit()
            let look = errors == nil ? .latest : now.after(Self.errorsInterval)
            let isSignalled = endSignal.wait(until: min(look, ending.limit)) == .signalled
            if isSignalled || table?.isLeft == true && !ending.isAsked { ask() }
        }
        let isRestored = table?.close() ?? true
        say()
        note()
        return isRestored
    }

    private mutating func ask() { if ending.ask(at: MonotonicClock.now) { session.stop() } }

    private mutating func say() {
        for message in session.takeMessages() { say(message) }
    }

    private mutating func say(_ message: String) { messages.say(message) }

    /// Notes new failures. An app goes on without what has failed.
    private mutating func note() {
        for part in Part.allCases where !failed.contains(part) {
            guard let failure = failure(of: part) else { continue }
            failed.insert(part)
            failures.append(failure)
            if ending.goesOn {
                say("\(text(of: failure)); the app goes on")
            } else if ending.partHasFailed(at: MonotonicClock.now) {
                session.stop()
            }
        }
    }

    private func failure(of part: Part) -> (any Error)? {
        switch part {
        case .recording: recording?.failure
        case .acknowledging: acknowledgements?.problem
        case .printing: printing?.failure
        case .table: table?.failure
        }
    }
}

/// An error without its type's name.
func text(of error: any Error) -> String { (error as? Failure)?.message ?? "\(error)" }
