internal import Settle
internal import SettleClock
internal import SettlePlatform

/// How long a program takes to draw its screen anew after it was given a size, by what it writes.
struct RedrawTimer: Sendable {
    /// The rebuild that gave the size.
    let generation: UInt32
    private let begin = MonotonicClock.now
    private let changes: Bool
    /// How many synchronized redraws had ended before.
    private let redrawsEnded: UInt32
    private var lastOutput: Timestamp?
    /// When a synchronized redraw ended.
    private var end: Timestamp?

    /// For how long a program writes nothing once it has drawn.
    private static let rest = Duration.milliseconds(10)
    /// For how long it may write nothing before.
    private static let patience = Duration.milliseconds(500)

    /// - Parameters:
    ///   - generation: The rebuild's.
    ///   - changes: Whether the program had another size.
    ///   - redrawsEnded: How many synchronized redraws (mode 2026) the program has ended so far.
    init(of generation: UInt32, changes: Bool, redrawsEnded: UInt32) {
        self.generation = generation
        self.changes = changes
        self.redrawsEnded = redrawsEnded
    }

    /// The program has written something.
    mutating func noteOutput(redrawsEnded: UInt32) {
        let now = MonotonicClock.now
        lastOutput = now
        if end == nil, redrawsEnded != self.redrawsEnded { end = now }
    }

    /// When the redraw is over if nothing more is written.
    var nextWake: Timestamp {
        if !changes || end != nil { return begin }
        return lastOutput.map { $0 + Self.rest } ?? begin + Self.patience
    }

    /// How long the redraw took; `nil` while it goes on.
    func cost(at now: Timestamp) -> Duration? {
        if now < nextWake { return nil }
        return changes ? begin.duration(to: end ?? lastOutput ?? now) : .zero
    }
}
