internal import Settle

/// One scene of a `RebuildQueue`.
struct RebuildScene: Sendable {
    struct Run: Sendable {
        var number: UInt64
        var size: Size
        var isCancelled = false
        /// It threw before it was asked to give up.
        var hasFailed = false
        /// Its scene was removed, so its outcome concerns nobody.
        var isForgotten = false
    }

    enum Phase: Sendable {
        case resting
        case building(Run)
        case telling
    }

    /// What is known of the engine's built size.
    enum Belief: Sendable {
        /// What it last decided.
        case decided
        /// What it has been told since, as soon as that arrives.
        case told(Size?)
    }

    var phase = Phase.resting
    var isResting: Bool {
        if case .resting = phase { true } else { false }
    }
    var waiting: Rebuild?
    /// Where the scene stands in line; taken exactly while it waits.
    var place: Chain<SceneID>.Place?
    /// The size last decided, `nil` for a scene that was removed.
    var decided: Size?
    /// What is really built.
    var built: Size?
    private(set) var belief = Belief.decided
    /// A decision and what the engine was told crossed, so that the engine may take
    /// the older for the newer. From then on every outcome is told.
    private(set) var isDoubtful = false

    init(phase: Phase = .resting) { self.phase = phase }

    /// The engine has to be told what is really built.
    var owesWord: Bool {
        guard case .decided = belief else { return false }
        return isDoubtful || built != decided
    }

    /// Had the engine heard what it was told when it decided, it names that size as the
    /// one built before; if it had not, it names the one that it decided before, which
    /// is another, or there is doubt already.
    mutating func note(_ rebuild: Rebuild) {
        if case .told(let size) = belief, size != rebuild.previousSize { isDoubtful = true }
        (belief, decided) = (.decided, rebuild.size)
    }

    mutating func tell() {
        (phase, belief) = (.telling, .told(built))
    }
}
