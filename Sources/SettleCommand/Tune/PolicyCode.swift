import Settle

/// A policy as text to copy: a preset that it is, or what differs from the default policy.
struct PolicyCode {
    let policy: Policy

    /// The presets that builds before ends have.
    private var preset: String? { [("prepared", Policy.prepared), ("live", .live)].first { $0.1 == policy }?.0 }

    private var changed: [(name: String, text: String?)] {
        let names = Set(policy.names(differingFrom: .default))
        return policy.texts.filter { names.contains($0.name) }
    }

    /// Options of `settle`; empty for the default policy.
    var options: String {
        if let preset { return "--policy \(preset)" }
        return changed.map { "--\(PolicyOptions.option($0.name)) \($0.text ?? Policy.noneText)" }.joined(separator: " ")
    }

    /// An expression.
    var swift: String {
        if let preset { return "Policy.\(preset)" }
        if changed.isEmpty { return "Policy.default" }
        let arguments = changed.map { "\($0.name)\(Self.isPercentage($0.name) ? "Percent" : ""): \(Self.swift($0))" }
        return "Policy(\(arguments.joined(separator: ", ")))"
    }

    /// Statements.
    var c: [String] {
        if let preset { return ["settle_policy policy = settle_policy_\(preset)();"] }
        return ["settle_policy policy = settle_policy_default();"]
            + changed.map { name, text in
                let field = PolicyOptions.option(name).map { $0 == "-" ? "_" : String($0) }.joined()
                let isPercentage = Self.isPercentage(name)
                let value = text.flatMap { isPercentage ? UInt64($0.dropLast()) : Duration.nanoseconds(of: $0) }
                return
                    "policy.\(field)_\(isPercentage ? "percent" : "ns") = \(value.map(String.init) ?? "SETTLE_NEVER");"
            }
    }

    private static func isPercentage(_ name: String) -> Bool { Policy.percentages.contains(name) }

    private static func swift(_ field: (name: String, text: String?)) -> String {
        if isPercentage(field.name) { return field.text.map { String($0.dropLast()) } ?? "nil" }
        guard let nanoseconds = field.text.flatMap(Duration.nanoseconds(of:)) else { return "nil" }
        let units = [(UInt64(1_000_000_000), "seconds"), (1_000_000, "milliseconds"), (1_000, "microseconds")]
        let (unit, name) = units.first { nanoseconds % $0.0 == 0 } ?? (1, "nanoseconds")
        return nanoseconds == 0 ? ".zero" : ".\(name)(\(nanoseconds / unit))"
    }
}
