import Settle
import SettleLog

/// The result of a replay, as text and as JSON.
struct ReplayReport {
    let replay: LogReplay
    let cost: Duration
    let took: Duration
    /// Whether the log is complete; `nil` if unknown.
    let isComplete: Bool?

    private var summary: ReplaySummary { replay.summary }

    var text: String {
        var lines = [
            "\(replay.reader.name) (\(replay.reader.format.name), \(replay.reader.header.source))".escaped,
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
        if let everyChange = summary.everyChange, let fixedDebounce = summary.fixedDebounce {
            lines += ["", "  For comparison, on the same events:"]
            lines.append(peer("rebuilding at every changed size", everyChange))
            lines.append(peer("a fixed 100 ms debounce", fixedDebounce))
            lines.append("    \(pad(grouped(summary.rebuilds), 7))  this policy")
        }
        lines += faults
        lines += replay.reader.notes.map { "  Note: \($0)".escaped }
        lines.append("")
        let speed = rate < 100_000 ? grouped(Int(rate)) : "\(fixed(rate / 1e6, 2)) million"
        lines.append("  Replayed in \(took.text), \(speed) events per second.")
        return lines.joined(separator: "\n") + "\n"
    }

    private var openText: String {
        summary.openInteractions == 0 ? "" : ", \(grouped(summary.openInteractions)) of them still open at the end"
    }

    private func pad(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    private var rate: Double { Double(summary.events) / max(took.seconds, 1e-9) }

    private func peer(_ name: String, _ count: Int) -> String {
        let saved = cost * Double(count - summary.rebuilds)
        let sense = saved >= .zero ? "\(saved.text) more" : "\((.zero - saved).text) less"
        return "    \(pad(grouped(count), 7))  \(name)"
            + (count == summary.rebuilds ? "" : ": \(sense) work at \(cost.text) per rebuild")
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

    var json: String {
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
            ("lockChanges", "\(summary.lockChanges)"),
            ("everyChange", number(summary.everyChange)),
            ("fixedDebounce100ms", number(summary.fixedDebounce)),
            ("buildCost_ns", "\(cost.wholeNanoseconds)"),
            ("savedOverEveryChange_ns", number(summary.everyChange.map(saved))),
            ("savedOverFixedDebounce_ns", number(summary.fixedDebounce.map(saved))),
            ("rejectedSizes", "\(summary.rejectedSizes)"),
            ("rejectedScenes", "\(summary.rejectedScenes)"),
            ("rejectedEvents", "\(summary.rejectedEvents)"),
            ("regressions", "\(summary.regressions)"),
            ("notes", "[\(replay.reader.notes.map(JSONText.quoted).joined(separator: ","))]"),
            ("elapsed_ns", "\(took.wholeNanoseconds)"),
        ]
        return "{" + fields.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}\n"
    }

    private func number(_ value: Int?) -> String { value.map { "\($0)" } ?? "null" }

    /// The additional work, in nanoseconds, of a policy that makes so many rebuilds.
    private func saved(_ rebuilds: Int) -> Int {
        let more = rebuilds - summary.rebuilds
        let (work, overflow) = Int(clamping: cost.wholeNanoseconds).multipliedReportingOverflow(by: more)
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
