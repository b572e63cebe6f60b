import Settle

/// A policy as text to copy: what differs from the default policy.
struct PolicyCode {
    let policy: Policy

    private var changed: [(name: String, text: String?)] {
        let names = Set(policy.names(differingFrom: .default))
        return policy.texts.filter { names.contains($0.name) }
    }

    /// Options of `settle`; empty for the default policy.
    var options: String {
        changed.map { "--\(PolicyOptions.option($0.name)) \($0.text ?? Policy.noneText)" }.joined(separator: " ")
    }

    /// An expression.
    var swift: String {
        if changed.isEmpty { return "Policy.default" }
        let arguments = changed.map { "\($0.name == Self.share ? "liveSharePercent" : $0.name): \(Self.swift($0))" }
        return "Policy(\(arguments.joined(separator: ", ")))"
    }

    /// Statements.
    var c: [String] {
        ["settle_policy policy = settle_policy_default();"]
            + changed.map { name, text in
                let field = PolicyOptions.option(name).map { $0 == "-" ? "_" : String($0) }.joined()
                let unit = name == Self.share ? "percent" : "ns"
                let value = text.flatMap { name == Self.share ? UInt64($0.dropLast()) : Duration.nanoseconds(of: $0) }
                return "policy.\(field)_\(unit) = \(value.map(String.init) ?? "SETTLE_NEVER");"
            }
    }

    /// The field that is a percentage.
    private static let share = "liveShare"

    private static func swift(_ field: (name: String, text: String?)) -> String {
        if field.name == share { return field.text.map { String($0.dropLast()) } ?? "nil" }
        guard let nanoseconds = field.text.flatMap(Duration.nanoseconds(of:)) else { return "nil" }
        let units = [(UInt64(1_000_000_000), "seconds"), (1_000_000, "milliseconds"), (1_000, "microseconds")]
        let (unit, name) = units.first { nanoseconds % $0.0 == 0 } ?? (1, "nanoseconds")
        return nanoseconds == 0 ? ".zero" : ".\(name)(\(nanoseconds / unit))"
    }
}
