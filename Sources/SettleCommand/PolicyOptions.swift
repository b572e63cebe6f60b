import Settle

/// A policy's field as an option. `PolicyOptions.fields` has one for each.
struct PolicyField: Sendable {
    let option: String
    let meaning: String
    /// The value in `Policy.default`, as a user would write it.
    let standard: @Sendable () -> String
    /// Puts the option's value, if it is given, into a policy.
    let apply: @Sendable (Options, inout Policy) throws -> Void

    /// A duration that always has a value.
    static func delay(
        _ option: String, _ field: WritableKeyPath<Policy, Duration> & Sendable, _ meaning: String
    ) -> PolicyField {
        PolicyField(
            option: option, meaning: meaning, standard: { Policy.default[keyPath: field].argument },
            apply: { if let delay = try $0.duration(option) { $1[keyPath: field] = delay } })
    }

    /// A duration that `none` switches off.
    static func limit(
        _ option: String, _ field: WritableKeyPath<Policy, Duration?> & Sendable, _ meaning: String
    ) -> PolicyField {
        PolicyField(
            option: option, meaning: meaning + ", or none",
            standard: { Policy.default[keyPath: field]?.argument ?? "none" },
            apply: { if let limit = try $0.optionalDuration(option) { $1[keyPath: field] = limit } })
    }
}

/// The options that choose a policy, for replay, serve and stress.
enum PolicyOptions {
    /// One row for each field of `Policy`: options and help follow from it.
    static let fields: [PolicyField] = [
        .delay("first-delay", \.firstDelay, "wait before a scene's first rebuild"),
        .delay("reported-end-delay", \.reportedEndDelay, "quiet time after a reported end"),
        .delay("released-end-delay", \.releasedEndDelay, "quiet time after a button's release"),
        .delay("discrete-delay", \.discreteDelay, "quiet time after other changes of such scenes"),
        .delay("quiet-delay", \.quietDelay, "least quiet time where nothing signals an end"),
        .delay("quiet-maximum", \.quietMaximum, "most quiet time there, at most 1h"),
        .limit("jump-delay", \.jumpDelay, "quiet time there after one large change"),
        .delay("lock-delay", \.lockDelay, "how long an orientation lock must hold"),
        .limit("pause-delay", \.pauseDelay, "preview a size held for so long"),
        .limit("maximum-wait", \.maximumWait, "longest time that a rebuild may be pending"),
        .limit("interaction-timeout", \.interactionTimeout, "end an interaction without events after this time"),
    ]

    static var specs: [OptionSpec] { [.value("policy")] + fields.map { .value($0.option) } }

    static var help: String {
        let lines = fields.map {
            HelpText.option("--\($0.option) TIME", "\($0.meaning) (\($0.standard()))", column: 28)
        }
        let first = HelpText.option("--policy default|uikit", "start from this policy (default)", column: 28)
        return ([first] + lines).joined(separator: "\n")
    }
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
        for field in PolicyOptions.fields { try field.apply(self, &policy) }
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
