internal import CSettle

extension Engine {
    /// The engine's counters. They only grow, but for `scenes`.
    public var statistics: Statistics { Statistics(settle_core_stats(core)) }

    /// What an engine counted since it was made.
    public struct Statistics: Hashable, Sendable {
        /// Events that were applied.
        public var events: UInt64
        /// Events rejected for a width or height that is NaN, infinite or negative.
        public var rejectedSizes: UInt64
        /// Events rejected for a scene that is unknown or disconnected.
        public var rejectedScenes: UInt64
        /// Events rejected for an unknown kind, a time out of range or one button too many.
        public var rejectedEvents: UInt64
        /// Events applied at the engine's time, because their own was earlier.
        public var regressions: UInt64
        /// Decisions made.
        public var decisions: UInt64
        /// Scenes connected now.
        public var scenes: Int
        /// Rebuilds whose program changes its own size within its builds (`Rebuild.isFeedback`), so that each asks for
        /// the next. `Event.reallyBuilt` with the new size, within the build, ends it.
        public var feedback: UInt64

        /// Events rejected for any reason.
        public var rejected: UInt64 { rejectedSizes + rejectedScenes + rejectedEvents }

        /// What was counted since `earlier`, a value of the same engine. `scenes` is the change,
        /// negative when scenes disconnected.
        public func since(_ earlier: Statistics) -> Statistics {
            var new = self
            new.events -= earlier.events
            new.rejectedSizes -= earlier.rejectedSizes
            new.rejectedScenes -= earlier.rejectedScenes
            new.rejectedEvents -= earlier.rejectedEvents
            new.regressions -= earlier.regressions
            new.decisions -= earlier.decisions
            new.scenes -= earlier.scenes
            new.feedback -= earlier.feedback
            return new
        }
    }
}

extension settle_rejections {
    /// Why the one event since `earlier` was rejected, `nil` if it was not.
    func reason(since earlier: settle_rejections) -> Rejection? {
        if scene > earlier.scene { return .scene }
        if size > earlier.size { return .size }
        return event > earlier.event ? .event : nil
    }
}

extension Engine.Statistics {
    init(_ raw: settle_stats) {
        events = raw.events
        rejectedSizes = raw.rejected_size
        rejectedScenes = raw.rejected_scene
        rejectedEvents = raw.rejected_event
        regressions = raw.regressions
        decisions = raw.decisions
        scenes = Int(raw.scenes)
        feedback = raw.feedback
    }
}
