import Settle
import SettleLog
import SettleSweep

/// The result of `settle tune` as a text.
struct TuneReport {
    let result: TuneResult
    /// Whether all policies are listed.
    let isWhole: Bool

    var sweep: Sweep { result.sweep }

    var text: String {
        var lines = [
            "\(counted(sweep.logs, "log")), \(counted(sweep.events, "event")) of"
                + " \(counted(sweep.connections, "connected scene"))."
                + " \(counted(sweep.policies.count, "policy", "policies")) tried.", "",
        ]
        lines += aligned(sweep.buildCost == nil ? table : buildTable)
        lines += [""] + (sweep.buildCost.map(buildMeanings) ?? Self.meanings)
        lines += [""] + advice
        return lines.joined(separator: "\n") + "\n"
    }

    // MARK: The table

    private static let titles = [
        "", "rebuilds", "vs today", "previews", "wasted", "p50 lag", "p95 lag", "max lag", "what changes",
    ]

    private static let meanings = [
        "  wasted: another rebuild of the same connected scene follows within a second",
        "  lag: from a scene's last change, or the later end of its interaction, to the rebuild;",
        "       counted within 3.2 %, and printed as the longest that it may be",
    ]

    /// The policies to list.
    var listed: [Int] {
        isWhole
            ? Array(result.rows.indices)
            : Set(result.front.indices + [result.today] + [result.advised].compactMap(\.self)).sorted()
    }

    private var table: [[String]] {
        let baselines = sweep.baselines
        return [Self.titles] + result.sorted(listed).map(cells) + [
            baseline(
                "every change", baselines.everyChange, baselines.everyChangeWasted, "a rebuild at every changed size"),
            baseline("debounce", baselines.fixedDebounce, baselines.fixedDebounceWasted, "a fixed 100 ms debounce"),
        ]
    }

    private func cells(_ row: TuneResult.Row) -> [String] {
        [
            marks(row), grouped(row.rebuilds), versusToday(row.rebuilds),
            grouped(row.previews), grouped(row.wasted), Self.text(row.p50), Self.text(row.p95),
            Self.text(row.longest), changes(row),
        ]
    }

    /// What stands out about a policy; without `--all` all but today's and the choice are on the front.
    func marks(_ row: TuneResult.Row) -> String {
        var marks = result.marks(row.index)
        if !isWhole || marks.count > 1 { marks.removeAll { $0 == "front" } }
        return marks.joined(separator: ", ")
    }

    func changes(_ row: TuneResult.Row) -> String {
        if row.index == result.today { return "nothing" }
        let names = row.changes.names
        let changes = row.policy.texts.filter { names.contains($0.name) }
        return changes.map { "\($0.name) \($0.text ?? Policy.noneText)" }.joined(separator: ", ")
    }

    private func baseline(_ mark: String, _ rebuilds: Int, _ wasted: Int, _ what: String) -> [String] {
        [mark, grouped(rebuilds), versusToday(rebuilds), "–", grouped(wasted), "–", "–", "–", what]
    }

    /// How many more or fewer rebuilds than today's policy has, in percent, or as a factor.
    private func versusToday(_ rebuilds: Int) -> String {
        Self.versus(Double(result.rows[result.today].rebuilds), Double(rebuilds)) ?? "–"
    }

    /// How much more or less a figure is than today's; `nil` if it is the same, or today's is zero.
    static func versus(_ today: Double, _ figure: Double) -> String? {
        guard today > 0, figure != today else { return nil }
        let ratio = figure / today
        if ratio >= 10 { return "×\(fixed(ratio, 0))" }
        let percent = 100 * (ratio - 1)
        return (percent > 0 ? "+" : "-") + "\(short(percent.magnitude, percent.magnitude < 10 ? 1 : 0)) %"
    }

    static func text(_ lag: LagBucket) -> String { lag.longest?.text ?? "18 min or more" }

    /// Columns: the first and the last to the left, numbers to the right.
    private func aligned(_ table: [[String]]) -> [String] {
        let widths = table[0].indices.map { column in table.map { $0[column].count }.max() ?? 0 }
        return table.map { row in
            var line = "  " + row[0] + String(repeating: " ", count: widths[0] - row[0].count)
            for column in 1..<row.count - 1 {
                line += String(repeating: " ", count: widths[column] - row[column].count + 2) + row[column]
            }
            line += "   " + row[row.count - 1]
            return line
        }
    }

    // MARK: The advice

    private var advice: [String] {
        guard let advised = result.advised else { return ["  \(noChoice)"] + kept }
        let code = PolicyCode(policy: result.rows[advised].policy)
        let options = code.options
        return ["  \(reason(advised))"] + (sweep.buildCost == nil ? price : buildPrice)(advised) + [
            "    options\(replaces(advised))  \(options.isEmpty ? "none: it is the default policy" : options)",
            "    Swift    \(code.swift)",
            "    C        \(code.c.joined(separator: "\n             "))",
            "    file     settle policy\(options.isEmpty ? "" : " " + options) FILE, or --write FILE here",
        ] + kept + hint
    }

    /// Says that the options are no additions to today's.
    private func replaces(_ advised: Int) -> String {
        advised == result.today || sweep.policies[result.today] == .default ? "" : ", in place of today's"
    }

    private func reason(_ advised: Int) -> String {
        if sweep.events == 0 { return "The logs have no events, so nothing speaks against today's policy:" }
        if result.choice != nil {
            if sweep.buildCost != nil { return "The shortest wrong time within the bound:" }
            return result.bound.p95Lag == nil
                ? "The shortest p95 lag within the bound:" : "The fewest rebuilds within the bound:"
        }
        if advised == result.today {
            let others = result.rows.map(\.changes).filter { !$0.isEmpty }
            if !others.isEmpty, !others.contains(where: result.advice.kept.isDisjoint) {
                return "Today's policy: too few rebuilds to advise a change:"
            }
            return sweep.buildCost == nil
                ? "Today's policy: no other one has a better balance without more rebuilds or more wasted ones:"
                : "Today's policy: no other one has a shorter wrong time without more work or a busier half second:"
        }
        return sweep.buildCost == nil
            ? "Neither more rebuilds nor more wasted ones than today's policy:"
            : "The shortest wrong time without more work or a busier half second than today's policy:"
    }

    /// What the advised policy costs beside today's.
    private func price(_ advised: Int) -> [String] {
        let (today, row) = (result.rows[result.today], result.rows[advised])
        guard advised != result.today else { return [] }
        func line(_ name: String, _ figure: KeyPath<TuneResult.Row, Int>) -> String {
            priced(
                name, grouped(today[keyPath: figure]), grouped(row[keyPath: figure]),
                Double(today[keyPath: figure]), Double(row[keyPath: figure]))
        }
        func line(_ name: String, _ figure: KeyPath<TuneResult.Row, LagBucket>) -> String {
            priced(
                name, Self.text(today[keyPath: figure]), Self.text(row[keyPath: figure]),
                Double(today[keyPath: figure].shortest.wholeNanoseconds),
                Double(row[keyPath: figure].shortest.wholeNanoseconds))
        }
        return [
            line("rebuilds", \.rebuilds), line("wasted", \.wasted), line("p50 lag", \.p50), line("p95 lag", \.p95),
        ]
    }

    func priced(_ name: String, _ from: String, _ to: String, _ today: Double, _ figure: Double) -> String {
        let start = "    \(name)\(String(repeating: " ", count: 9 - name.count))"
        if from == to { return start + "\(to), as today" }
        return start + "\(to) instead of \(from)" + (Self.versus(today, figure).map { " (\($0))" } ?? "")
    }

    /// What stays as it is, since few rebuilds waited for it.
    private var kept: [String] {
        let tried = result.rows.reduce(into: PolicyChanges()) { $0.formUnion($1.changes) }
        let names = result.advice.kept.intersection(tried).names
        guard sweep.events > 0, !names.isEmpty else { return [] }
        return [
            "    kept     \(names.joined(separator: ", ")): fewer than \(PolicyAdvice.exercisedLeast) rebuilds"
                + " waited for \(names.count == 1 ? "it" : "each")"
        ]
    }

    /// Why there is no choice.
    private var noChoice: String {
        // At least today's policy has a row.
        let rows = result.rows
        let lag = result.bound.p95Lag.map { bound in
            "a p95 lag of at most \(bound.text) (the shortest is \(Self.text(rows.map(\.p95).min()!)))"
        }
        let wasted = result.bound.wasted.map { bound in
            "at most \(counted(bound, "wasted rebuild")) (the fewest are \(grouped(rows.map(\.wasted).min()!)))"
        }
        let keeping = kept.isEmpty ? "" : " and keeps what is named below"
        let busy = result.bound.busy.map { bound in
            "a half second with at most \(bound) % of builds (the least is \(rows.map(\.busiest).min()!) %)"
        }
        return "No policy has \([lag, wasted, busy].compactMap(\.self).joined(separator: " and "))\(keeping)."
    }
}
