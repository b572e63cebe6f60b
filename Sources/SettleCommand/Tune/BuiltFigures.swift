import Settle
import SettleLog
import SettleSweep

/// What builds of a policy or a habit come to, for people and as JSON: `settle tune` and `settle replay` name it alike.
struct BuiltFigures {
    let builds: Int
    let work: Duration
    let wrong: Duration
    let busiest: Int
    /// Interactions that ended at another size.
    let ends: Int
    /// Those at whose end the size was shown.
    let atOnce: Int
    /// From an end until its size was shown: the mean, `nil` without ends, as are the quantiles.
    let rightAfter: Duration?
    let p50: LagBucket?
    let p90: LagBucket?
    /// Wrong time, waits after ends twice, and a third of the work.
    let weight: Duration
    /// The work as a number of builds for each end; `nil` without ends, or where a build's cost depends on its size.
    let buildsOfAnEnd: Double?

    /// - Parameter cost: The sweep's; `nil` for none.
    init(_ counts: SweepCounts, _ cost: BuildCost?) {
        (builds, work, wrong, busiest) = (counts.builds, counts.work, counts.wrong, counts.busiest)
        (ends, atOnce, weight) = (counts.ends, counts.atOnce, counts.weight)
        rightAfter = ends > 0 ? counts.rightAfterMean : nil
        p50 = ends > 0 ? counts.rightAfter(permille: 500) : nil
        p90 = ends > 0 ? counts.rightAfter(permille: 900) : nil
        buildsOfAnEnd = cost.flatMap { [work, ends] cost in
            ends == 0 || cost.nanosecondsPerPixel > 0
                ? nil : Double(work.wholeNanoseconds) / Double(cost.fixed.wholeNanoseconds) / Double(ends)
        }
    }

    static let absent = "–"

    /// The share of ends at which the size is there.
    var atOnceText: String {
        ends == 0 ? Self.absent : "\(Int((100 * Double(atOnce) / Double(ends)).rounded())) %"
    }

    var rightAfterText: String { rightAfter?.text ?? Self.absent }

    static func text(_ bucket: LagBucket?) -> String { bucket.map(TuneReport.text) ?? absent }

    /// In a line; beside others, what it saves after an end and costs in work.
    func words(beside other: BuiltFigures? = nil) -> String {
        let wait = rightAfter.map { "right after \($0.text) (p90 \(Self.text(p90))), at once \(atOnceText), " } ?? ""
        let each = buildsOfAnEnd.map { " (\(fixed($0, 1)) builds an interaction)" } ?? ""
        return "\(wait)work \(work.text)\(each), wrong time \(wrong.text)" + (other.flatMap(trade) ?? "")
    }

    private func trade(beside other: BuiltFigures) -> String? {
        guard let own = rightAfter, let others = other.rightAfter, let each = buildsOfAnEnd,
            let otherEach = other.buildsOfAnEnd, own != others
        else { return nil }
        let (soon, more) = (own < others, each > otherEach)
        let (gap, builds) = ((soon ? others - own : own - others).text, fixed((each - otherEach).magnitude, 1))
        return ": \(gap) \(soon ? "sooner" : "later"), \(builds) builds \(more ? "more" : "less")"
    }

    /// The fields of JSON and the columns of CSV; an empty text for what there is not.
    var fields: [(name: String, text: String)] {
        func nanoseconds(_ time: Duration?) -> String { time.map { "\($0.wholeNanoseconds)" } ?? "" }
        return [
            ("builds", "\(builds)"), ("work_ns", nanoseconds(work)), ("wrong_ns", nanoseconds(wrong)),
            ("busiest", "\(busiest)"), ("ends", "\(ends)"), ("atOnce", "\(atOnce)"),
            ("rightAfter_ns", nanoseconds(rightAfter)), ("p50RightAfter_ns", nanoseconds(p50?.longest)),
            ("p90RightAfter_ns", nanoseconds(p90?.longest)), ("weight_ns", nanoseconds(weight)),
        ]
    }

    /// The fields as JSON.
    var json: [(String, String)] { fields.map { ($0.name, $0.text.isEmpty ? "null" : $0.text) } }

    /// What the figures mean, in a line each.
    static let rightAfterMeaning =
        "right after: from an interaction's end, or a later last change, until its size is shown, in the mean"
    static let wrongMeaning =
        "wrong time: how long a scene shows a size that is not its own, times the relative difference"
    static let weightMeaning =
        "weight: wrong time, twice the waits after ends, and a third of the work, added up; less is better"
    static let atOnceMeaning = "at once: the ends at which it is shown already"
    static let noEnds =
        "No interaction ends here at another size, so right after and at once are unknown: that needs logs with the flag of"
        + " a window that is being resized, or with pointer buttons."
}
