import Settle
import SettleLog
import SettleLoop

/// The result of a stress run.
struct StressResult {
    let options: StressOptions
    let took: Duration
    let sent: UInt64
    let worstLag: UInt64
    let statistics: LiveEngine.Statistics
    let observer: StressObserver
    let builds: StressBuilder.Counts?
    let peakMemory: Int

    private var achieved: Double { Double(sent) / max(took.seconds, 1e-9) }

    var text: String {
        let counts = observer.counts
        let offered = options.rate.map { "\(grouped(Int($0)))" } ?? "max"
        let producers = counted(options.producers, "producer")
        var lines = [
            "\(producers), \(counted(options.scenes, "scene")), \(options.mix.rawValue), \(options.overload), \(took.text)",
            "",
            "  offered       \(offered) events/s",
            "  achieved      \(grouped(Int(achieved))) events/s",
            "  sent          \(grouped(sent)), \(grouped(statistics.coalesced)) of them coalesced, "
                + "\(grouped(statistics.clamped)) clamped to now",
            "  decisions     \(grouped(statistics.engine.decisions)): \(grouped(counts.began)) began, "
                + "\(grouped(counts.ended)) ended, \(counted(counts.rebuilds, "rebuild")), "
                + "\(counted(counts.previews, "preview")), \(counted(counts.lockChanges, "lock change"))",
            "  loop          \(grouped(statistics.passes)) passes, \(grouped(statistics.sleeps)) sleeps, "
                + "\(grouped(statistics.wakeUps)) wake-ups by producers",
            "  a rebuild     answers \(grouped(Int(eventsPerRebuild))) events on average",
        ]
        if let builds {
            lines.append(
                "  builds        \(grouped(builds.built)) of \(options.buildTime.text) each, "
                    + (options.policy.liveSharePercent == nil ? "" : "\(grouped(counts.lives)) live decided, ")
                    + "\(grouped(builds.superseded)) superseded, \(grouped(builds.left)) left at the end")
        }
        lines += [
            "  send lag      at most \(Duration.nanoseconds(Int64(clamping: worstLag)).text) behind the schedule",
            "  lateness      delivered after the decision's time; what the final stop decided is left out",
            "    deadlines   \(observer.deadlines.text)",
            "    events      \(observer.events.text)",
            "    as intended \(observer.intended.text)",
            "                (of both, with the send lag of the scene's last change added)",
            "  peak memory   \(fixed(Double(peakMemory) / 1e6, 1)) MB",
            "",
        ]
        lines += verdict
        return lines.joined(separator: "\n") + "\n"
    }

    private var eventsPerRebuild: Double {
        Double(observer.counts.coalesced) / Double(max(observer.counts.rebuilds, 1))
    }

    private var verdict: [String] {
        let count = observer.verifier.violationsCount
        if count == 0 { return ["  Verified: no violation."] }
        return ["  \(counted(count, "violation")):"] + observer.verifier.violations.map { "    \($0)" }
            + (count > observer.verifier.violations.count ? ["    …"] : [])
    }

    var json: String {
        let counts = observer.counts
        let fields: [(String, String)] = [
            ("producers", "\(options.producers)"),
            ("scenes", "\(options.scenes)"),
            ("mix", JSONText.quoted(options.mix.rawValue)),
            ("overload", JSONText.quoted("\(options.overload)")),
            ("seed", "\(options.seed)"),
            ("elapsed_ns", "\(took.wholeNanoseconds)"),
            ("offered", options.rate.map { short($0, 3) } ?? #""max""#),
            ("achieved", fixed(achieved, 0)),
            ("sent", "\(sent)"),
            ("coalesced", "\(statistics.coalesced)"),
            ("clamped", "\(statistics.clamped)"),
            ("lateLimit_ns", options.lateLimit.map { "\($0.wholeNanoseconds)" } ?? "null"),
            ("decisions", "\(statistics.engine.decisions)"),
            ("interactionBegan", "\(counts.began)"),
            ("interactionEnded", "\(counts.ended)"),
            ("rebuilds", "\(counts.rebuilds)"),
            ("liveRebuilds", "\(counts.lives)"),
            ("previews", "\(counts.previews)"),
            ("lockChanges", "\(counts.lockChanges)"),
            ("eventsPerRebuild", fixed(eventsPerRebuild, 1)),
            ("passes", "\(statistics.passes)"),
            ("sleeps", "\(statistics.sleeps)"),
            ("wakeUps", "\(statistics.wakeUps)"),
            ("rejected", "\(statistics.engine.rejected)"),
            ("regressions", "\(statistics.engine.regressions)"),
            ("built", "\(builds?.built ?? 0)"),
            ("superseded", "\(builds?.superseded ?? 0)"),
            ("buildsLeft", "\(builds?.left ?? 0)"),
            ("worstSendLag_ns", "\(worstLag)"),
            ("deadlineLateness", observer.deadlines.json),
            ("eventLateness", observer.events.json),
            ("intendedLateness", observer.intended.json),
            ("peakMemory", "\(peakMemory)"),
            ("violationsCount", "\(observer.verifier.violationsCount)"),
            ("violations", "[\(observer.verifier.violations.map(JSONText.quoted).joined(separator: ","))]"),
        ]
        return "{" + fields.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}\n"
    }
}

private func grouped(_ count: UInt64) -> String { grouped(Int(clamping: count)) }
