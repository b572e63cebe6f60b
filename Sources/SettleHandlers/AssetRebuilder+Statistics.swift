extension AssetRebuilder {
    /// `decided` = `started` + `superseded` + `skipped` + `dropped` + `waiting`, and
    /// `started` = `finished` + `cancelled` + `failed` + `running`.
    public struct Statistics: Hashable, Sendable {
        /// Rebuild decisions submitted.
        public var decided: UInt64 = 0
        /// Builds begun.
        public var started: UInt64 = 0
        /// Builds that threw after they were cancelled.
        public var cancelled: UInt64 = 0
        /// Builds that returned, cancelled or not.
        public var finished: UInt64 = 0
        /// Builds that threw without having been cancelled; `onFailure` was called for each.
        public var failed: UInt64 = 0
        /// The last failure: its scene, its size and what it threw.
        public var lastFailure: String?
        /// Decisions not run because their size was built, or being built.
        public var skipped: UInt64 = 0
        /// Decisions superseded by a newer one while they waited.
        public var superseded: UInt64 = 0
        /// Decisions dropped because their scene was removed or the rebuilder stopped.
        public var dropped: UInt64 = 0
        /// Builds that run now.
        public var running = 0
        /// Decisions that wait now.
        public var waiting = 0
        /// How long all builds and preparations took together.
        public var timeSpent = Duration.zero
        /// Retries that fell due: `flush` was called for each.
        public var retried: UInt64 = 0
        /// Retries that wait for their time now.
        public var retrying = 0
        /// The counts of the previews, if there is a `preview` or a `prepare` closure.
        public var previews = Previews()

        public init() {}
    }

    /// `decided` = `started` + `dropped` + `waiting`, and `started` = `kept` + `givenUp` + `failed` + `running`.
    public struct Previews: Hashable, Sendable {
        /// Preview decisions submitted.
        public var decided: UInt64 = 0
        /// Previews begun.
        public var started: UInt64 = 0
        /// Decisions not run: a newer preview, a rebuild, the interaction's end, another size, `remove` or
        /// `stop` came first, or the same preview was running or is kept.
        public var dropped: UInt64 = 0
        /// Previews that ended without having been cancelled.
        public var kept: UInt64 = 0
        /// Previews that were cancelled.
        public var givenUp: UInt64 = 0
        /// Preparations that threw without having been cancelled; `lastFailure` describes the last.
        public var failed: UInt64 = 0
        /// Rebuilds that began with what was prepared for them.
        public var used: UInt64 = 0
        /// Scenes that have something kept now.
        public var held = 0
        /// Previews that run now.
        public var running = 0
        /// Decisions that wait now.
        public var waiting = 0

        public init() {}
    }
}
