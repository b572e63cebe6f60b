public import Settle
public import SettleHandlers

extension LiveEngine {
    /// Closures for logging and metrics. One that is `nil` costs nothing.
    ///
    /// All but `onBuildFailure` are called on the loop's thread, before the decisions of the
    /// pass are delivered. They delay the engine, so they must be short. They may use the
    /// engine. The engine keeps them for as long as it lives, so they should capture it weakly.
    public struct Hooks: Sendable {
        /// Called after each pass that applied events or made decisions.
        public var onPass: (@Sendable (Pass) -> Void)?
        /// Called when the loop has slept, with the time at which it woke. Only for an engine
        /// that was started: a host knows when it calls `runOnce`.
        public var onWakeUp: (@Sendable (Timestamp) -> Void)?
        /// Called with each rejected event. The loop then submits events one by one, which
        /// changes no decision and costs about 50 ns per event.
        public var onRejection: (@Sendable (Event, Rejection) -> Void)?
        /// Called with the number of events that were coalesced since the last pass, if any.
        public var onCoalesced: (@Sendable (UInt64) -> Void)?
        /// Called for each failed build, on its task, before the rebuilder's own `onFailure`.
        public var onBuildFailure: AssetRebuilder.Failure?

        /// Hooks with these closures; the others are unused.
        public init(
            onPass: (@Sendable (Pass) -> Void)? = nil, onWakeUp: (@Sendable (Timestamp) -> Void)? = nil,
            onRejection: (@Sendable (Event, Rejection) -> Void)? = nil,
            onCoalesced: (@Sendable (UInt64) -> Void)? = nil, onBuildFailure: AssetRebuilder.Failure? = nil
        ) {
            self.onPass = onPass
            self.onWakeUp = onWakeUp
            self.onRejection = onRejection
            self.onCoalesced = onCoalesced
            self.onBuildFailure = onBuildFailure
        }

        /// Whether the loop has to call any of them.
        var observePasses: Bool {
            onPass != nil || onWakeUp != nil || onRejection != nil || onCoalesced != nil
        }
    }

    /// What one pass of the loop did.
    public struct Pass: Hashable, Sendable {
        /// The engine's time after the pass.
        public var at: Timestamp
        /// Events applied or rejected since the last pass.
        public var events: UInt64
        /// Decisions made since the last pass.
        public var decisions: Int

        /// A pass with these values, for tests of hooks.
        public init(at: Timestamp, events: UInt64, decisions: Int) {
            self.at = at
            self.events = events
            self.decisions = decisions
        }
    }
}

/// Calls a live engine's hooks. On the loop's thread.
final class Instrumentation {
    private let hooks: LiveEngine.Hooks
    private var counted = Counters()
    private var new = Counters()
    private var rejections: [(Event, Rejection)] = []
    private var time = Timestamp.zero
    private var decisions = 0

    private struct Counters {
        var events: UInt64 = 0
        var coalesced: UInt64 = 0
    }

    init(_ hooks: LiveEngine.Hooks) {
        self.hooks = hooks
    }

    func wokeUp(at loop: any LoopWaiting) { hooks.onWakeUp?(loop.now) }

    /// Notes what is new. Called with the engine's mutex locked.
    ///
    /// - Parameter coalesced: How many events all sources coalesced. A sum over the sources, so
    ///   it is evaluated only for the hook that needs it.
    func note(
        _ statistics: Engine.Statistics, at time: Timestamp, decisions: Int, rejections: [(Event, Rejection)],
        coalesced: @autoclosure () -> UInt64
    ) {
        let now = Counters(
            events: statistics.events + statistics.rejected, coalesced: hooks.onCoalesced == nil ? 0 : coalesced())
        new = Counters(events: now.events - counted.events, coalesced: now.coalesced - counted.coalesced)
        counted = now
        self.time = time
        self.decisions = decisions
        self.rejections = rejections
    }

    /// Calls the hooks for what was noted. Called without the mutex.
    func report() {
        if new.coalesced > 0 { hooks.onCoalesced?(new.coalesced) }
        for (event, rejection) in rejections { hooks.onRejection?(event, rejection) }
        rejections = []
        if new.events > 0 || decisions > 0 {
            hooks.onPass?(LiveEngine.Pass(at: time, events: new.events, decisions: decisions))
        }
    }
}
