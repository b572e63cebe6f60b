import Settle

/// The options by which replay, serve and stress choose a policy and a pace.
enum PolicyOptions {
    static let specs: [OptionSpec] = [
        .value("policy"), .value("settle-delay"), .value("quiet-delay"), .value("lock-delay"),
        .value("maximum-wait"), .value("interaction-timeout"),
    ]

    static let help = """
          --policy default|uikit    start from this policy (default)
          --settle-delay TIME       quiet after a signalled end (50ms)
          --quiet-delay TIME        quiet where nothing signals an end (150ms)
          --lock-delay TIME         how long an orientation lock must hold (100ms)
          --maximum-wait TIME       longest a change may stay owed; none (none)
          --interaction-timeout TIME
                                    give up on a silent interaction; none (none)
        """
}

extension Options {
    /// The policy that the options describe.
    func policy() throws -> Policy {
        var policy: Policy
        switch value("policy") {
        case nil, "default": policy = .default
        case "uikit": policy = .uikit
        case let name?: throw Failure.usage("--policy is '\(name)'; known are default and uikit")
        }
        if let delay = try duration("settle-delay") { policy.settleDelay = delay }
        if let delay = try duration("quiet-delay") { policy.quietDelay = delay }
        if let delay = try duration("lock-delay") { policy.lockDelay = delay }
        if let wait = try optionalDuration("maximum-wait") { policy.maximumWait = wait }
        if let timeout = try optionalDuration("interaction-timeout") { policy.interactionTimeout = timeout }
        return policy
    }

    /// How many times real speed, `nil` for as fast as possible.
    func pace() throws -> Double? {
        guard let text = value("rate"), text != "max" else { return nil }
        guard let rate = Double(text), rate >= 0.001, rate <= 1e6 else {
            throw Failure.usage("--rate is '\(text)'; it is max or a number from 0.001 to 1000000")
        }
        return rate
    }

    /// A whole number within a range.
    func number(_ name: String, _ range: ClosedRange<Int>, default standard: Int) throws -> Int {
        guard let text = value(name) else { return standard }
        guard let number = Int(text), range.contains(number) else {
            throw Failure.usage(
                "--\(name) is '\(text)'; it is a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
