import Settle
import SettleLog
import SettleSweep

/// What the text has with a build's cost: work and wrong time in place of rebuilds and lags.
extension TuneReport {
    private static let buildTitles = [
        "", "rebuilds", "work", "vs today", "wrong time", "busiest", "p95 lag", "what changes",
    ]

    var buildTable: [[String]] {
        [Self.buildTitles] + result.sorted(listed).map(buildCells) + Habit.allCases.map(buildCells)
    }

    private func buildCells(_ row: TuneResult.Row) -> [String] {
        [
            marks(row), grouped(row.rebuilds), row.work.text, versusToday(row.work), row.wrong.text,
            "\(row.busiest) %", Self.text(row.p95), changes(row),
        ]
    }

    private func buildCells(_ habit: Habit) -> [String] {
        let counts = sweep.counts(of: habit)
        return [
            habit.name, grouped(counts.builds), counts.work.text, versusToday(counts.work), counts.wrong.text,
            "\(counts.busiest) %", "–", habit.meaning,
        ]
    }

    private func versusToday(_ work: Duration) -> String {
        Self.versus(Self.number(result.rows[result.today].work), Self.number(work)) ?? "–"
    }

    private static func number(_ duration: Duration) -> Double { Double(duration.wholeNanoseconds) }

    func buildMeanings(_ cost: BuildCost) -> [String] {
        [
            "  work: the time that all builds take, of \(cost) each",
            "  wrong time: how long a scene shows a size that is not its own, times the relative difference",
            "  busiest: the most that a scene's builds take of any half second",
        ]
    }

    /// What the advised policy costs beside today's.
    func buildPrice(_ advised: Int) -> [String] {
        let (today, row) = (result.rows[result.today], result.rows[advised])
        guard advised != result.today else { return [] }
        func line(_ name: String, _ figure: KeyPath<TuneResult.Row, Duration>) -> String {
            priced(
                name, today[keyPath: figure].text, row[keyPath: figure].text, Self.number(today[keyPath: figure]),
                Self.number(row[keyPath: figure]))
        }
        func percent(_ row: TuneResult.Row) -> String { "\(row.busiest) %" }
        return [
            line("work", \.work), line("wrong", \.wrong),
            // Percent of percent would be read as percent.
            priced("busiest", percent(today), percent(row), 0, 0),
            priced(
                "rebuilds", grouped(today.rebuilds), grouped(row.rebuilds), Double(today.rebuilds), Double(row.rebuilds)
            ),
        ]
    }

    /// What to ask if the advice builds at ends only.
    var hint: [String] {
        guard sweep.buildCost != nil, result.bound.isEmpty, sweep.events > 0 else { return [] }
        return [
            "    live     --busy 30% chooses the shortest wrong time of the policies whose builds take at most that"
        ]
    }
}

extension Habit {
    /// What such a program does, in words.
    fileprivate var meaning: String {
        switch self {
        case .everySize: "a build at every changed size, one at a time"
        case .throttle: "at once, then every 50 ms"
        case .debounce: "a fixed 100 ms debounce"
        case .live: "every size, until a build takes more than 16 ms; then debounce"
        }
    }
}
