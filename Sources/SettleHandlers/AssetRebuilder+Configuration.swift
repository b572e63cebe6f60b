extension AssetRebuilder {
    /// How a rebuilder runs builds.
    public struct Configuration: Sendable {
        /// How many builds run at the same time, at least 1. A `preview` does not count, but a `prepare` does.
        public var concurrency: Int
        /// The priority of the builds' and previews' tasks, `nil` for that of who submits the decisions.
        public var priority: TaskPriority?
        /// Where builds and previews run, `nil` for the default executor. It is kept until the last one has ended.
        public var executor: (any TaskExecutor)?
        /// How many percent of the time the builds may take before a live one, 1 to 100: it waits until those before
        /// it, of all scenes, are paid for, and none runs. Other rebuilds never wait for it, nor does one whose
        /// interaction has ended. `nil`: each scene has the share of its policy, whatever the others do.
        public var liveBudgetPercent: Int?
        /// Whether a failed build is tried again.
        public var retry: Retry

        public init(
            concurrency: Int = 2, priority: TaskPriority? = nil, executor: (any TaskExecutor)? = nil,
            liveBudgetPercent: Int? = nil, retry: Retry = .never
        ) {
            self.concurrency = concurrency
            self.priority = priority
            self.executor = executor
            self.liveBudgetPercent = liveBudgetPercent
            self.retry = retry
        }
    }
}
