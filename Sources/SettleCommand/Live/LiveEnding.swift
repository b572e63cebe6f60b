import Settle

/// How long an orderly end may take. An app that is asked to end may take its time; everything else
/// has a second.
struct LiveEnding {
    private enum Phase {
        case running
        case asked(Timestamp)
        /// The app was killed, because it did not end when it was asked.
        case killed(Timestamp)
    }

    private static let most: UInt64 = 1_000_000_000
    /// A terminal that closes sends more than one signal, and all at once.
    private static let together: UInt64 = 100_000_000

    /// Whether the source runs an app, which goes on until it has ended.
    private var appRuns: Bool
    private var phase = Phase.running
    /// When what is not written by then is given up.
    private(set) var limit = Timestamp.latest

    init(runsApp: Bool) { appRuns = runsApp }

    /// Whether nobody has asked for the end, and an app is there to go on.
    var goesOn: Bool { if case .running = phase { appRuns } else { false } }

    /// Whether somebody has asked for the end.
    var isAsked: Bool { if case .running = phase { false } else { true } }

    /// Somebody asks for the end: by a signal, by leaving the table, or because something failed.
    ///
    /// - Returns: Whether the source is to be stopped, for the first time or again.
    mutating func ask(at now: Timestamp) -> Bool {
        switch phase {
        case .running:
            phase = .asked(now)
            if !appRuns { limit = now.after(Self.most) }
            return true
        case .asked(let before) where appRuns && now >= before.after(Self.together):
            phase = .killed(now)
            limit = now.after(Self.most)
            return true
        case .killed(let before) where now >= before.after(Self.together): limit = now
        default: break
        }
        return false
    }

    /// Something has failed without which an app goes on. An end that was asked for stays as orderly.
    ///
    /// - Returns: Whether the source is to be stopped.
    mutating func partHasFailed(at now: Timestamp) -> Bool { !goesOn && !isAsked && ask(at: now) }

    /// Nobody waits for the source any more. What it has said so far has a second.
    mutating func giveUp(at now: Timestamp) { limit = now.after(Self.most) }

    /// The source has ended, and an app with it.
    mutating func sourceHasEnded(at now: Timestamp) {
        appRuns = false
        if isAsked { limit = min(limit, now.after(Self.most)) }
    }
}
