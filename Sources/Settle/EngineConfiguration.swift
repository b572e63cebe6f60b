extension Engine {
    /// The default policy and the bounds of an engine. They are checked when the engine is
    /// made.
    public struct Configuration: Hashable, Sendable {
        /// The policy of scenes that are connected without one of their own.
        public var policy: Policy
        /// How many scenes can be connected at the same time, from 1 to
        /// `Engine.scenesLimit`. A scene takes 128 bytes, and 32 more from its first
        /// interaction on. Memory is reserved when the engine is made and used as scenes connect.
        public var scenesMax: Int
        /// How many decisions the engine can buffer before it delivers them, from 1 to 2^24,
        /// 64 bytes each. A small number costs speed; no decision is ever lost.
        public var decisionsMax: Int
        /// How many different policies connected scenes can have at the same time, from 1 to
        /// 65,536, the engine's own included. Policies are different if their durations differ
        /// in whole nanoseconds.
        public var policiesMax: Int

        /// A configuration with these values. Values out of range are errors of `Engine.init`.
        public init(
            policy: Policy = .default, scenesMax: Int = 1024, decisionsMax: Int = 1024, policiesMax: Int = 16
        ) {
            self.policy = policy
            self.scenesMax = scenesMax
            self.decisionsMax = decisionsMax
            self.policiesMax = policiesMax
        }
    }
}
