import Settle
import SettleLog
import SettleSweep

/// The result of `settle tune` as a text: the advice with its price, then the table.
struct TuneReport {
    let result: TuneResult
    /// Whether all policies are listed.
    let isWhole: Bool
    /// The columns of the terminal.
    let columns: Int
    /// The policies to try, if a signal came before all were tried on all logs.
    var interrupted: Int?
    /// From which cost on building at ends is later than a debounce; `nil` if nothing says it.
    var crossing: DebounceCrossing.Cost?

    /// The longest line. What is narrower gets lines that wrap.
    private var width: Int { max(columns, 40) }
    private var sweep: Sweep { result.sweep }
    private var today: TuneResult.Row { result.rows[result.today] }

    var text: String {
        let table = TuneTable(result: result, isWhole: isWhole, width: width)
        let lines = head + [""] + advice + [""] + table.lines
        return lines.joined(separator: "\n") + "\n"
    }

    private var head: [String] {
        let policies = counted(sweep.policies.count, "policy", "policies")
        let skipped = sweep.skipped
        let tried =
            if let all = policiesLeft {
                "Interrupted: \(grouped(sweep.policies.count)) of \(counted(all, "policy", "policies")) "
                    + (skipped > 0 ? "done, \(grouped(skipped)) of them skipped." : "tried.")
            } else if skipped > 0 {
                "\(policies): \(grouped(sweep.policies.count - skipped)) tried, \(grouped(skipped)) skipped, which differ from"
                    + " one of these in nothing that the logs wait for."
            } else {
                "\(policies) tried."
            }
        return HelpText.wrapped(
            "",
            "\(counted(sweep.logs, "log")), \(counted(sweep.events, "event")) of"
                + " \(counted(sweep.connections, "connected scene"))."
                + (interrupted != nil && policiesLeft == nil
                    ? " Interrupted: the logs that follow are not counted." : "")
                + " \(tried)", column: 0, width)
    }

    /// All policies, if a signal came before all were tried.
    private var policiesLeft: Int? { interrupted.flatMap { $0 == sweep.policies.count ? nil : $0 } }

    private func part(_ label: String, _ text: String) -> [String] {
        HelpText.wrapped("    " + label, text, column: 13, width)
    }

    /// A command to copy, which a shell reads over several lines.
    private func command(_ label: String, _ text: String) -> [String] {
        // An option and its value stay together.
        let text = text.replacing(#/(--[a-z0-9-]+) /#) { "\($0.1)\u{A0}" }
        let lines = HelpText.wrapped("    " + label, text, column: 13, width - 2)
        return lines.dropLast().map { $0 + " \\" } + lines.suffix(1)
    }

    // MARK: The advice

    private var advice: [String] {
        let isNone = result.advised == nil || result.advised == result.today && policiesLeft != nil
        let soFar = interrupted == nil || isNone ? "" : "Best so far. "
        let reason = HelpText.wrapped("  ", soFar + reason, column: 2, width)
        guard let advised = result.advised else { return reason + nearest + asToday }
        guard advised != result.today else {
            return reason + part("today", figures(today)) + asToday + presets + hint
        }
        let code = PolicyCode(policy: result.rows[advised].policy)
        let options = code.options
        let copies =
            part("Swift", code.swift) + code.c.enumerated().flatMap { part($0.offset == 0 ? "C" : "", $0.element) }
            + command("file", "settle policy\(options.isEmpty ? "" : " " + options) FILE")
        return reason + command("options", options.isEmpty ? "none: it is the default policy" : options)
            + price(result.rows[advised]) + copies + asToday + presets + hint
    }

    private var reason: String {
        if let lack = sweep.lack { return "No advice: \(lack)." }
        if result.advised == nil { return "\(noChoice)." }
        if result.advised == result.today, let all = policiesLeft {
            return
                "No advice: none of the \(grouped(sweep.policies.count)) policies that were tried, of \(grouped(all)), is better"
                + " than today's."
        }
        // The options are no additions to today's.
        let take =
            sweep.policies[result.today] == .default ? "Take this policy" : "Take this policy in place of today's"
        let hasCost = sweep.buildCost != nil
        if result.choice != nil {
            let best =
                hasCost
                ? "the shortest wrong time"
                : result.bound.p95Lag == nil ? "the shortest p95 lag" : "the fewest rebuilds"
            return "\(result.choice == result.today ? "Keep today's policy" : take): \(best) within the bound"
                + (asToday.isEmpty ? "." : ", of the policies that leave what is named below as today.")
        }
        if result.advised == result.today {
            let others = result.rows.map(\.changes).filter { !$0.isEmpty }
            if !others.isEmpty, !others.contains(where: result.advice.unexercised.isDisjoint) {
                return "Keep today's policy: too few rebuilds waited for what the policies change."
            }
            return
                "Keep today's policy: no other one \(asToday.isEmpty ? "" : "that leaves what is named below as today ")has "
                + (hasCost ? "less weight." : "a better balance without more rebuilds or more wasted ones.")
        }
        return "\(take): "
            + (hasCost ? "the least weight." : "neither more rebuilds nor more wasted ones.")
    }

    /// What stays as it is, since few rebuilds waited for it.
    private var asToday: [String] {
        let tried = result.rows.reduce(into: PolicyChanges()) { $0.formUnion($1.changes) }
        let names = result.advice.unexercised.intersection(tried).names
        guard sweep.lack == nil, !names.isEmpty else { return [] }
        return part(
            "as today",
            "\(names.joined(separator: ", ")): fewer than \(PolicyAdvice.exercisedLeast) rebuilds"
                + " waited for \(names.count == 1 ? "it" : "each")")
    }

    /// What the presets and a debounce come to, beside today's policy, and from which cost on ends are late.
    private var presets: [String] {
        guard sweep.buildCost != nil, sweep.lack == nil else { return [] }
        let presets = result.presets.map { (name: $0.name, built: result.rows[$0.index].built) }
        let ends = presets.first { $0.name == TuneResult.atEnds }?.built
        var lines = presets.flatMap { name, built in
            part(name, built.words(beside: name == TuneResult.atEnds ? nil : ends))
        }
        let debounce = BuiltFigures(sweep.counts(of: .debounce), sweep.buildCost)
        lines += part("debounce", debounce.words(beside: ends))
        switch crossing {
        case .from(let cost):
            lines += part(
                "ends",
                "\(cost == .zero ? "whatever builds cost" : "from builds of about \(short(cost.seconds * 1000, 0)) ms on"), who"
                    + " builds at ends has the right size later after them than a debounce of 100 ms")
        case .never:
            lines += part(
                "ends",
                "with builds of up to \(DebounceCrossing.dearest.text), who builds at ends has the right size no later after"
                    + " them than a debounce of 100 ms")
        case .noEnds, nil: break
        }
        if debounce.ends == 0 { lines += part("ends", BuiltFigures.noEnds) }
        return lines
    }

    /// What to ask if the advice builds at ends only.
    private var hint: [String] {
        let hasLive = result.rows.contains { $0.policy.liveSharePercent != nil }
        guard sweep.buildCost != nil, hasLive, result.bound.isEmpty, sweep.events > 0 else { return [] }
        return part(
            "busy", "--busy 30% chooses the shortest wrong time of the policies whose builds take at most that")
    }

    // MARK: The price

    /// A figure of a policy: in words, and what it is worth.
    private struct Figure {
        var before = ""
        var text: String
        var after = ""
        var value: Double
        /// Percent of percent would be read as percent.
        var isPercent = false

        var words: String { (before + text + after).replacing(" ", with: "\u{A0}") }

        func instead(of today: Figure) -> String {
            let versus = isPercent ? nil : TuneReport.versus(today.value, value)
            return "\(words) instead of\u{A0}\(today.text.replacing(" ", with: "\u{A0}"))"
                + (versus.map { " (\($0))" } ?? "")
        }
    }

    private func figures(of row: TuneResult.Row) -> [Figure] {
        func time(_ name: String, _ time: Duration) -> Figure {
            Figure(before: name + " ", text: time.text, value: Double(time.wholeNanoseconds))
        }
        func lag(_ name: String, _ lag: LagBucket) -> Figure {
            Figure(
                before: name + " lag ", text: Self.text(lag), value: Double(lag.shortest.wholeNanoseconds))
        }
        let rebuilds = Figure(
            text: grouped(row.rebuilds), after: row.rebuilds == 1 ? " rebuild" : " rebuilds",
            value: Double(row.rebuilds))
        guard sweep.buildCost == nil else {
            let built = row.built
            let busiest = Figure(
                before: "busiest ", text: "\(built.busiest) %", value: Double(built.busiest), isPercent: true)
            let after = built.rightAfter.map { time("right after", $0) }
            let atOnce = Figure(
                before: "at once ", text: built.atOnceText, value: -Double(built.atOnce), isPercent: true)
            return [time("weight", built.weight), time("work", built.work)]
                + (after.map { [$0, atOnce] } ?? []) + [time("wrong time", built.wrong), busiest, rebuilds]
        }
        return [
            rebuilds, Figure(text: grouped(row.wasted), after: " wasted", value: Double(row.wasted)),
            lag("p50", row.p50), lag("p95", row.p95), lag("max", row.longest),
        ]
    }

    private func figures(_ row: TuneResult.Row) -> String { figures(of: row).map(\.words).joined(separator: ", ") }

    /// What a policy saves and costs beside today's.
    private func price(_ row: TuneResult.Row) -> [String] {
        let pairs = zip(figures(of: row), figures(of: today))
        func part(_ label: String, _ isMeant: (Double, Double) -> Bool) -> [String] {
            let meant = pairs.filter { isMeant($0.value, $1.value) }.map { $0.instead(of: $1) }
            if meant.isEmpty { return self.part(label, "nothing") }
            return meant.enumerated().flatMap { self.part($0.offset == 0 ? label : "", $0.element) }
        }
        let same = pairs.filter { $0.value == $1.value }.map(\.0.words)
        return part("saves", <) + part("costs", >)
            + (same.isEmpty ? [] : self.part("same", same.joined(separator: ", ")))
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

    // MARK: No choice

    private var noChoice: String {
        let bound = result.bound
        let wanted = [
            bound.p95Lag.map { "a p95 lag of at most \($0.text)" },
            bound.wasted.map { "at most \(counted($0, "wasted rebuild"))" },
            bound.busy.map { "a half second with at most \($0) % of builds" },
        ]
        let none = policiesLeft.map {
            "None of the \(grouped(sweep.policies.count)) policies that were tried, of \(grouped($0)), has"
        }
        return "\(none ?? "No policy has") \(wanted.compactMap(\.self).joined(separator: " and "))"
            + (asToday.isEmpty ? "" : " and leaves what is named below as today")
    }

    /// The bounds within reach, with the policies that they choose.
    private var nearest: [String] {
        result.nearest.enumerated().flatMap { number, near in
            let options = PolicyCode(policy: result.rows[near.index].policy).options
            return part(
                number == 0 ? "nearest" : "or",
                "\(near.bound.options), by \(options.isEmpty ? "the default policy" : options):"
                    + " \(figures(result.rows[near.index]))")
        }
    }
}
