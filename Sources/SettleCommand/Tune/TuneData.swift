import Settle
import SettleLog
import SettleSweep

/// The result of `settle tune` as JSON and as CSV; docs/guide/choosing-a-policy.md describes both.
struct TuneData {
    let result: TuneResult
    /// Files that do not begin as a log does, or are left out for another reason.
    let skippedFiles: Int
    /// Whether all logs are complete; `nil` if unknown.
    let isComplete: Bool?
    /// `nil` without a build's cost.
    var crossing: DebounceCrossing.Cost?

    private var sweep: Sweep { result.sweep }

    // MARK: JSON

    var json: String {
        let baselines = sweep.baselines
        let fields: [(String, String)] =
            [
                ("logs", "\(sweep.logs)"), ("complete", isComplete.map { "\($0)" } ?? "null"),
                ("skippedFiles", "\(skippedFiles)"), ("skippedPolicies", "\(sweep.skipped)"),
                ("events", "\(sweep.events)"), ("connections", "\(sweep.connections)"),
                (
                    "everyChange",
                    Self.object([
                        ("rebuilds", "\(baselines.everyChange)"), ("wasted", "\(baselines.everyChangeWasted)"),
                    ])
                ),
                (
                    "fixedDebounce100ms",
                    Self.object([
                        ("rebuilds", "\(baselines.fixedDebounce)"), ("wasted", "\(baselines.fixedDebounceWasted)"),
                    ])
                ),
                ("bound", Self.object(fields(result.bound))), ("today", "\(result.today)"),
                ("knee", Self.number(result.front.knee)),
                ("choice", Self.number(result.choice)), ("advised", Self.number(result.advised)),
                ("nearest", Self.list(result.nearest.map(object))),
                ("unexercised", Self.list(result.advice.unexercised.names.map(JSONText.quoted))),
                ("front", Self.list(result.front.indices.map { "\($0)" })),
                ("copy", result.advised.map { copy(result.rows[$0].policy) } ?? "null"),
                ("policies", "[\n" + result.rows.map(object).joined(separator: ",\n") + "\n]"),
            ] + built
        return Self.object(fields) + "\n"
    }

    /// The cost of a build, and what programs without an engine build.
    private var built: [(String, String)] {
        guard let cost = sweep.buildCost else { return [] }
        let habits = Habit.allCases.map { habit in
            Self.object(
                [("name", JSONText.quoted(habit.name))] + BuiltFigures(sweep.counts(of: habit), sweep.buildCost).json)
        }
        let later: Duration? = if case .from(let cost) = crossing { cost } else { nil }
        return [
            ("buildCost", JSONText.quoted("\(cost)")), ("habits", "[\n" + habits.joined(separator: ",\n") + "\n]"),
            ("presets", Self.object(result.presets.map { ($0.name, "\($0.index)") })),
            ("atEndsLaterFrom_ns", later.map { "\($0.wholeNanoseconds)" } ?? "null"),
        ]
    }

    private func fields(_ bound: TuneResult.Bound) -> [(String, String)] {
        [
            ("p95Lag_ns", bound.p95Lag.map { "\($0.wholeNanoseconds)" } ?? "null"),
            ("wasted", Self.number(bound.wasted)),
        ] + (sweep.buildCost == nil ? [] : [("busiest", Self.number(bound.busy))])
    }

    private func object(_ nearest: (bound: TuneResult.Bound, index: Int)) -> String {
        Self.object(fields(nearest.bound) + [("policy", "\(nearest.index)")])
    }

    private func copy(_ policy: Policy) -> String {
        let code = PolicyCode(policy: policy)
        return Self.object([
            ("options", JSONText.quoted(code.options)), ("swift", JSONText.quoted(code.swift)),
            ("c", JSONText.quoted(code.c.joined(separator: "\n"))),
        ])
    }

    private func object(_ row: TuneResult.Row) -> String {
        let policy = row.policy.texts.map { ($0.name, $0.text.map(JSONText.quoted) ?? "null") }
        let figures = figures(row).map { ($0.name, $0.text.isEmpty ? "null" : $0.text) }
        return Self.object(
            [("index", "\(row.index)"), ("policy", Self.object(policy))] + figures
                + (sweep.buildCost == nil ? [] : row.built.json))
    }

    private static func object(_ fields: [(String, String)]) -> String {
        "{" + fields.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
    }

    private static func list(_ values: [String]) -> String { "[" + values.joined(separator: ",") + "]" }

    private static func number(_ number: Int?) -> String { number.map { "\($0)" } ?? "null" }

    // MARK: CSV

    var csv: String {
        var lines: [String] = []
        if let first = result.rows.first {
            let names =
                ["index"] + first.policy.texts.map(\.name) + figures(first).map(\.name) + ["marks"]
                + built(first).map(\.name)
            lines.append(names.joined(separator: ","))
        }
        for row in result.rows {
            let policy = row.policy.texts.map { $0.text ?? Policy.noneText }
            let cells =
                ["\(row.index)"] + policy + figures(row).map(\.text)
                + [result.marks(row.index).joined(separator: " ")] + built(row).map(\.text)
            lines.append(cells.joined(separator: ","))
        }
        if let first = result.rows.first, sweep.buildCost != nil {
            let empty = String(repeating: ",", count: 1 + first.policy.texts.count + figures(first).count)
            for habit in Habit.allCases {
                let cells =
                    [empty + habit.name] + BuiltFigures(sweep.counts(of: habit), sweep.buildCost).fields.map(\.text)
                lines.append(cells.joined(separator: ","))
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    // MARK: Both

    /// What a builder makes of a policy; nothing without a build's cost.
    private func built(_ row: TuneResult.Row) -> [(name: String, text: String)] {
        sweep.buildCost == nil ? [] : row.built.fields
    }

    /// The figures of a policy by their names; an empty text for a lag without a bound.
    private func figures(_ row: TuneResult.Row) -> [(name: String, text: String)] {
        let reasons = Rebuild.Reason.allCases.map { reason in
            ("rebuilds.\(reason.rawValue)", "\(row.rebuildsByReason[reason] ?? 0)")
        }
        func text(_ lag: LagBucket) -> String { lag.longest.map { "\($0.wholeNanoseconds)" } ?? "" }
        return [("rebuilds", "\(row.rebuilds)")] + reasons + [
            ("previews", "\(row.previews)"), ("wasted", "\(row.wasted)"), ("p50Lag_ns", text(row.p50)),
            ("p95Lag_ns", text(row.p95)), ("maxLag_ns", text(row.longest)),
        ]
    }
}
