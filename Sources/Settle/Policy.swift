internal import CSettle

/// How long to wait for what. Every duration is from zero to `Policy.longestDelay`.
public struct Policy: Hashable, Sendable {
    /// Quiet time after a signalled end of an interaction, or after a change outside
    /// any interaction on a scene that reports `isInteractivelyResizing`.
    public var settleDelay: Duration
    /// Quiet time on a scene that never reported the flag, where no held pointer
    /// button tells an interaction.
    public var quietDelay: Duration
    /// How long a new orientation-lock value must hold before it is delivered.
    public var lockDelay: Duration
    /// The longest that a change outside any interaction may stay owed; `nil` for no bound.
    public var maximumWait: Duration?
    /// A flagged interaction without any event of its scene for this long is over;
    /// `nil` never gives up. A hand can hold still for seconds, so make it long.
    public var interactionTimeout: Duration?

    public init(
        settleDelay: Duration = .milliseconds(50), quietDelay: Duration = .milliseconds(150),
        lockDelay: Duration = .milliseconds(100), maximumWait: Duration? = nil,
        interactionTimeout: Duration? = nil
    ) {
        self.settleDelay = settleDelay
        self.quietDelay = quietDelay
        self.lockDelay = lockDelay
        self.maximumWait = maximumWait
        self.interactionTimeout = interactionTimeout
    }

    /// 50 ms after an end, 150 ms of quiet without a flag, 100 ms for the lock.
    public static let `default` = Policy()

    /// Decides at every event, as UIKit code does that tests
    /// `!isInteractivelyResizing && size != built` in each callback.
    public static let uikit = Policy(settleDelay: .zero, quietDelay: .zero, lockDelay: .zero)

    /// 2^60 ns, about 36 years.
    public static let longestDelay = Duration.nanoseconds(Int64(SETTLE_DELAY_MAX))
}

extension Policy {
    /// The core's form of the policy.
    var raw: settle_policy {
        get throws(EngineError) {
            settle_policy(
                size: UInt64(MemoryLayout<settle_policy>.size),
                settle_delay_ns: try Policy.nanoseconds(settleDelay, "settleDelay"),
                quiet_delay_ns: try Policy.nanoseconds(quietDelay, "quietDelay"),
                lock_delay_ns: try Policy.nanoseconds(lockDelay, "lockDelay"),
                maximum_wait_ns: try Policy.nanoseconds(maximumWait, "maximumWait"),
                interaction_timeout_ns: try Policy.nanoseconds(interactionTimeout, "interactionTimeout"))
        }
    }

    private static func nanoseconds(_ duration: Duration?, _ name: String) throws(EngineError) -> UInt64 {
        guard let duration else { return .max }
        guard duration >= .zero, duration <= longestDelay else {
            throw .durationOutOfRange(name: name, value: duration)
        }
        return duration.wholeNanoseconds
    }
}
