import Settle
import SettleLog
import SettleSweep

/// The result of a replay, as text and as JSON.
struct ReplayReport {
    let replay: LogReplay
    let cost: BuildCost
    let took: Duration
    /// Whether the log is complete; `nil` if unknown.
    let isComplete: Bool?
    /// `nil` without baselines.
    let figures: ReplayFigures?
    /// Whether the policy has live rebuilds.
    let isLive: Bool

    private var summary: ReplaySummary { replay.summary }

    var text: String {
        var lines = [
            "\(replay.reader.name) (\(replay.reader.format.name), \(replay.reader.header.source))".escaped
                + (dropped.isEmpty ? "" : ", without \(dropped.joined(separator: " and "))"),
            "",
            "  \(counted(summary.events, "event")) of \(counted(summary.scenes, "scene")) in \(summary.span.text)",
            "  \(counted(summary.interactions, "interaction"))\(openText)",
            "  \(counted(summary.rebuilds, "rebuild"))",
        ]
        for reason in Rebuild.Reason.allCases {
            guard let count = summary.rebuildsByReason[reason] else { continue }
            lines.append("    \(pad(grouped(count), 7))  \(reason.rawValue): \(reason.meaning)")
        }
        if summary.previews > 0 { lines.append("  \(counted(summary.previews, "preview"))") }
        if summary.lockChanges > 0 { lines.append("  \(counted(summary.lockChanges, "orientation-lock change"))") }
        if let figures, summary.rebuilds > 0 || summary.everyChange ?? 0 > 0 { lines += [""] + comparison(figures) }
        lines += faults
        lines += notes.map { "  Note: \($0)".escaped }
        lines.append("")
        let speed = rate < 100_000 ? grouped(Int(rate)) : "\(fixed(rate / 1e6, 2)) million"
        lines.append("  Replayed in \(took.text), \(speed) events per second.")
        return lines.joined(separator: "\n") + "\n"
    }

    private var notes: [String] {
        let lacksReports = isLive && (summary.rebuildsByReason[.live] ?? 0) == 0 && summary.rebuilds > 0
        let unit = TimeUnitHint.note(
            replay.reader.format, events: summary.events, scenes: summary.scenes, span: summary.span)
        return replay.reader.notes + [unit, summary.feedback.note(replay.reader.scenes)].compactMap(\.self)
            + (lacksReports
                ? ["no rebuild is live: that needs the log's own reports of builds; --build-cost plays builds"]
                : [])
    }

    private var openText: String {
        summary.openInteractions == 0 ? "" : ", \(grouped(summary.openInteractions)) of them still open at the end"
    }

    private func pad(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    private var rate: Double { Double(summary.events) / max(took.seconds, 1e-9) }

    /// The policy beside programs that see sizes alone.
    private func comparison(_ figures: ReplayFigures) -> [String] {
        var rows = figures.rows.map { row in
            [
                row.name, grouped(row.rebuilds), work(row.rebuilds), grouped(row.counts.wasted),
                TuneReport.text(row.counts.lag(permille: 500)), TuneReport.text(row.counts.lag(permille: 950)),
            ]
        }
        if rows.isEmpty {
            let known = [
                ("this policy", summary.rebuilds), (Habit.everySize.name, summary.everyChange),
                (Habit.debounce.name, summary.fixedDebounce),
            ]
            rows = known.compactMap { name, count in
                count.map { [name, grouped($0), work($0), "–", "–", "–"] }
            }
        }
        let shown = ReplayFigures.habits.filter { habit in rows.contains { $0[0] == habit.name } }
        let table = HelpText.aligned([["", "rebuilds", "work", "wasted", "p50 lag", "p95 lag"]] + rows, indent: 4)
        let meanings = [
            figures.obstacle.map { "Lags and wasted rebuilds are not counted: \($0)" },
            cost.nanosecondsPerPixel > 0 ? nil : "work: \(cost.fixed.text) for each rebuild",
            figures.rows.isEmpty ? nil : TuneTable.wastedMeaning, figures.rows.isEmpty ? nil : TuneTable.lagMeaning,
            "Programs without an engine, which see sizes alone: \(shown.map(\.meaning).joined(separator: "; "))",
        ]
        return ["  For comparison, on the same events:"] + table + [""]
            + meanings.compactMap(\.self).flatMap { HelpText.wrapped("", $0, column: 4, Terminal.columns) }
            + played(figures)
    }

    /// The work of rebuilds that are all built.
    private func work(_ rebuilds: Int) -> String {
        cost.nanosecondsPerPixel > 0 ? BuiltFigures.absent : (cost.fixed * Double(rebuilds)).text
    }

    /// What builds come to that take time, one at a time for each scene.
    private func played(_ figures: ReplayFigures) -> [String] {
        let rows = figures.rows.compactMap { row in row.built.map { (name: row.name, built: $0) } }
        guard let first = rows.first?.built else { return [] }
        let cells = rows.map { name, built in
            [
                name, grouped(built.builds), built.work.text, built.rightAfterText, BuiltFigures.text(built.p90),
                built.atOnceText, built.wrong.text,
            ]
        }
        let titles = ["", "builds", "work", "right after", "p90", "at once", "wrong time"]
        let meanings =
            first.ends == 0
            ? [BuiltFigures.noEnds, BuiltFigures.wrongMeaning]
            : [
                BuiltFigures.rightAfterMeaning + "; p90: of 90 % of them", BuiltFigures.atOnceMeaning,
                BuiltFigures.wrongMeaning,
            ]
        return ["", "  With builds of \(cost), one at a time for each scene, whose ends are reported:"]
            + HelpText.aligned([titles] + cells, indent: 4) + [""]
            + meanings.flatMap { HelpText.wrapped("", $0, column: 4, Terminal.columns) }
    }

    private var faults: [String] {
        var lines: [String] = []
        func add(_ count: Int, _ one: String, _ many: String, _ what: String) {
            if count > 0 { lines.append("  \(counted(count, one, many)) \(what)") }
        }
        add(
            summary.rejectedSizes, "event was", "events were", "rejected: the width or height is negative or not finite"
        )
        add(summary.rejectedScenes, "event was", "events were", "rejected: its scene is not connected")
        add(summary.rejectedEvents, "event was", "events were", "rejected: too many pointer buttons held")
        add(
            summary.regressions, "event was", "events were",
            "earlier than a previous one, and applied at that one's time")
        return lines.isEmpty ? [] : [""] + lines
    }

    /// The figures of a row; `nil` for those that were not counted.
    private static func fields(_ counts: SweepCounts?) -> [(String, String)] {
        func lag(_ permille: Int) -> String {
            counts?.lag(permille: permille).longest.map { "\($0.wholeNanoseconds)" } ?? "null"
        }
        return [
            ("wasted", counts.map { "\($0.wasted)" } ?? "null"), ("p50Lag_ns", lag(500)), ("p95Lag_ns", lag(950)),
        ]
    }

    var json: String {
        let rows = figures?.rows ?? []
        let baselines = rows.dropFirst().map { row in
            JSONText.object(
                [("name", JSONText.quoted(row.name)), ("rebuilds", "\(row.rebuilds)")] + Self.fields(row.counts)
                    + (row.built?.json ?? []))
        }
        let reasons = Rebuild.Reason.allCases.map { "\"\($0.rawValue)\":\(summary.rebuildsByReason[$0] ?? 0)" }
        let header = replay.reader.header
        let fields: [(String, String)] = [
            ("log", JSONText.quoted(replay.reader.name)),
            ("format", JSONText.quoted(replay.reader.format.name)),
            ("source", JSONText.quoted(header.source)),
            ("complete", isComplete.map { "\($0)" } ?? "null"),
            ("events", "\(summary.events)"),
            ("pointerEvents", "\(summary.pointerEvents)"),
            ("scenes", "\(summary.scenes)"),
            ("span_ns", "\(summary.span.wholeNanoseconds)"),
            ("interactions", "\(summary.interactions)"),
            ("openInteractions", "\(summary.openInteractions)"),
            ("rebuilds", "\(summary.rebuilds)"),
            ("rebuildsByReason", "{\(reasons.joined(separator: ","))}"),
            ("previews", "\(summary.previews)"),
            ("feedback", JSONText.feedback(summary.feedback, replay.reader.scenes)),
            ("lockChanges", "\(summary.lockChanges)"),
            ("everyChange", number(summary.everyChange)),
            ("fixedDebounce100ms", number(summary.fixedDebounce)),
            ("buildCost", JSONText.quoted("\(cost)")),
            ("buildCost_ns", cost.nanosecondsPerPixel > 0 ? "null" : "\(cost.fixed.wholeNanoseconds)"),
            ("savedOverEveryChange_ns", number(summary.everyChange.flatMap(saved))),
            ("savedOverFixedDebounce_ns", number(summary.fixedDebounce.flatMap(saved))),
            ("rejectedSizes", "\(summary.rejectedSizes)"),
            ("rejectedScenes", "\(summary.rejectedScenes)"),
            ("rejectedEvents", "\(summary.rejectedEvents)"),
            ("regressions", "\(summary.regressions)"),
            ("notes", "[\(notes.map(JSONText.quoted).joined(separator: ","))]"),
            ("elapsed_ns", "\(took.wholeNanoseconds)"),
            ("dropped", "[\(dropped.map(JSONText.quoted).joined(separator: ","))]"),
        ]
        return JSONText.object(
            fields + Self.fields(rows.first?.counts) + (rows.first?.built?.json ?? []) + [
                ("baselines", "[\(baselines.joined(separator: ","))]")
            ]) + "\n"
    }

    /// What was left out of the log.
    private var dropped: [String] {
        [
            replay.reader.dropped.contains(.pointer) ? "pointer" : nil,
            replay.reader.dropped.contains(.flags) ? "flags" : nil,
        ].compactMap(\.self)
    }

    private func number(_ value: Int?) -> String { value.map { "\($0)" } ?? "null" }

    /// The additional work, in nanoseconds, of a policy that makes so many rebuilds.
    private func saved(_ rebuilds: Int) -> Int? {
        guard cost.nanosecondsPerPixel == 0 else { return nil }
        let more = rebuilds - summary.rebuilds
        let (work, overflow) = Int(clamping: cost.fixed.wholeNanoseconds).multipliedReportingOverflow(by: more)
        return overflow ? (more < 0 ? .min : .max) : work
    }
}

extension Rebuild.Reason {
    /// An explanation of the reason, for the report.
    fileprivate var meaning: String {
        switch self {
        case .first: "nothing was built for a scene"
        case .interactionEnded: "an interaction ended at a new size"
        case .discrete: "a change outside any interaction, on a scene that reports"
        case .quiet: "no change for a quiet time, on a scene without an end signal"
        case .maximumWait: "a rebuild was pending for the maximum time"
        case .timeout: "an interaction without events was ended"
        case .flush: "requested"
        case .live: "the last build had paid for itself"
        }
    }
}
