import Settle
import SettleLog
import SettleSweep

/// The table of `settle tune`: a row for each policy of the front and for programs without an engine, and only
/// those columns in which rows differ.
struct TuneTable {
    let result: TuneResult
    let isWhole: Bool
    let width: Int

    private struct Column {
        /// In two lines, the second one at the bottom.
        var title: (String, String)
        /// Of the policies, then of the habits.
        var cells: [String]
        /// Columns with a higher one are left out where there is no room; those with 0 never are.
        var dropped = 0

        var width: Int { max(title.0.count, title.1.count, cells.map(\.count).max() ?? 0) }
        /// Whether the rows that have it differ.
        var differs: Bool { Set(cells).subtracting([TuneTable.absent, ""]).count > 1 }
        var name: String { title.0.isEmpty ? title.1 : "\(title.0) \(title.1)" }
    }

    private static let absent = "–"
    private static let gap = 2

    private var hasCost: Bool { result.sweep.buildCost != nil }
    /// `live` only differs from `everySize` where builds take time.
    private var habits: [Habit] { hasCost ? Habit.allCases : [.everySize, .throttle, .debounce] }

    private let rows: [TuneResult.Row]

    init(result: TuneResult, isWhole: Bool, width: Int) {
        self.result = result
        self.isWhole = isWhole
        self.width = width
        let near = result.nearest.map(\.index)
        let listed =
            isWhole
            ? Set(result.rows.indices)
            : Set(result.front.indices + near + [result.today] + [result.advised].compactMap(\.self))
        rows = result.sorted(listed)
    }

    var lines: [String] {
        let all = figures.filter(\.differs)
        if all.isEmpty { return ["  Nothing differs between the policies, nor from programs without an engine."] }
        let fields = fields
        // With a column for each field that differs, if there is room for the figures that matter.
        let shown = fitting(all, beside: fields)
        let columns = shown.map { $0 + fields } ?? fitting(all) ?? all.filter { $0.dropped == 0 }
        let isBelow = shown == nil
        let names = Set(columns.map(\.name))
        let left = all.map(\.name).filter { !names.contains($0) }
        return table(columns, changesBelow: isBelow) + [""] + meanings(names, left)
    }

    // MARK: Columns

    private var marks: Column {
        Column(title: ("", ""), cells: rows.map(mark) + habits.map(\.name))
    }

    /// What stands out about a policy; without `--all` all but today's and the advice are on the front.
    private func mark(_ row: TuneResult.Row) -> String {
        var marks = result.marks(row.index)
        if !isWhole || marks.count > 1 { marks.removeAll { $0 == "front" } }
        return marks.joined(separator: ", ")
    }

    private var figures: [Column] {
        func column(
            _ first: String, _ second: String, dropped: Int = 0, _ policy: (TuneResult.Row) -> String,
            _ habit: (SweepCounts) -> String = { _ in Self.absent }
        ) -> Column {
            let cells = rows.map(policy) + habits.map { habit(result.sweep.counts(of: $0)) }
            return Column(title: (first, second), cells: cells, dropped: dropped)
        }
        func lag(_ name: String, _ dropped: Int, _ permille: Int, _ lag: (TuneResult.Row) -> LagBucket) -> Column {
            column(name, "lag", dropped: dropped) {
                TuneReport.text(lag($0))
            } _: {
                TuneReport.text($0.lag(permille: permille))
            }
        }
        let rebuilds = column("", "rebuilds", dropped: hasCost ? 4 : 0) {
            grouped($0.rebuilds)
        } _: {
            grouped($0.builds)
        }
        guard !hasCost else {
            func built(
                _ first: String, _ second: String, dropped: Int = 0, _ text: @escaping (BuiltFigures) -> String
            ) -> Column {
                column(first, second, dropped: dropped) {
                    text($0.built)
                } _: {
                    text(BuiltFigures($0, result.sweep.buildCost))
                }
            }
            return [
                rebuilds, built("", "work") { $0.work.text }, built("right", "after", dropped: 1) { $0.rightAfterText },
                built("p50", "after", dropped: 4) { BuiltFigures.text($0.p50) },
                built("p90", "after", dropped: 3) { BuiltFigures.text($0.p90) },
                built("at", "once", dropped: 1) { $0.atOnceText }, built("wrong", "time") { $0.wrong.text },
                built("", "busiest", dropped: result.bound.busy == nil ? 2 : 1) { "\($0.busiest) %" },
                lag("p95", 5, 950, \.p95),
            ]
        }
        return [
            rebuilds, column("", "previews", dropped: 2) { grouped($0.previews) },
            column("", "wasted", dropped: 1) {
                grouped($0.wasted)
            } _: {
                grouped($0.wasted)
            },
            lag("p50", 3, 500, \.p50), lag("p95", 0, 950, \.p95), lag("max", 4, 1000, \.longest),
        ]
    }

    /// The fields of the policies that differ from today's in any row.
    private var fields: [Column] {
        let changed = rows.reduce(into: PolicyChanges()) { $0.formUnion($1.changes) }
        return changed.names.map { name in
            let cells = rows.map { row in row.policy.texts.first { $0.name == name }?.text ?? Policy.noneText }
            // The first word of a name stands above the rest.
            let first = name.prefix { !$0.isUppercase }
            return Column(
                title: (String(first), String(name.dropFirst(first.count))), cells: cells + habits.map { _ in "" })
        }
    }

    /// The figures for which there is room; `nil` if there is none for those that matter.
    private func fitting(_ figures: [Column], beside fields: [Column] = []) -> [Column]? {
        var figures = figures
        let given = 2 + marks.width + fields.reduce(0) { $0 + Self.gap + $1.width }
        while given + figures.reduce(0, { $0 + Self.gap + $1.width }) > width {
            // Beside the fields, wasted rebuilds and busy half seconds matter.
            guard let most = figures.map(\.dropped).max(), most > (fields.isEmpty ? 0 : 1) else { return nil }
            figures.removeAll { $0.dropped == most }
        }
        return figures
    }

    // MARK: Lines

    private func table(_ columns: [Column], changesBelow: Bool) -> [String] {
        let columns = [marks] + columns
        let cells = columns[0].cells.indices.map { number in columns.map { $0.cells[number] } }
        let lines = HelpText.aligned([columns.map(\.title.0), columns.map(\.title.1)] + cells)
        return lines.prefix(2).filter { !$0.isEmpty }
            + lines.dropFirst(2).enumerated().flatMap { number, line in
                guard changesBelow, number < rows.count, rows[number].index != result.today else { return [line] }
                return [line] + HelpText.wrapped("      ", changes(rows[number]), column: 6, width)
            }
    }

    private func changes(_ row: TuneResult.Row) -> String {
        let names = row.changes.names
        return row.policy.texts.filter { names.contains($0.name) }.map {
            "\($0.name)\u{A0}\($0.text ?? Policy.noneText)"
        }
        .joined(separator: ", ")
    }

    static let wastedMeaning = "wasted: another rebuild of the same connected scene follows within a second"
    static let lagMeaning =
        "lag: from a scene's last change of size, or the later end of its interaction, to the decision; the longest that"
        + " it may be, within 3.2 %"

    /// What the columns mean, what is the same in all rows, and what there is no room for.
    private func meanings(_ names: Set<String>, _ left: [String]) -> [String] {
        let same = figures.filter { !$0.differs && $0.cells[0] != "0" }.map { "\($0.name) \($0.cells[0])" }
        let texts = [
            same.isEmpty ? nil : "The same for all policies: \(same.joined(separator: ", ")).",
            left.isEmpty ? nil : "Left out for want of room: \(left.joined(separator: ", ")).",
            result.sweep.buildCost.map { "work: the time that all builds take, of \($0) each" },
            names.contains("right after") ? BuiltFigures.rightAfterMeaning : nil,
            names.contains("at once") ? BuiltFigures.atOnceMeaning : nil,
            hasCost ? BuiltFigures.weightMeaning : nil,
            hasCost ? BuiltFigures.wrongMeaning : nil,
            names.contains("busiest") ? "busiest: the most that a scene's builds take of any half second" : nil,
            names.contains("wasted") ? Self.wastedMeaning : nil,
            names.contains { $0.hasSuffix("lag") } ? Self.lagMeaning : nil,
            "Programs without an engine: \(habits.map(\.meaning).joined(separator: "; "))",
        ]
        return texts.compactMap(\.self).flatMap { HelpText.wrapped("", $0, column: 2, width) }
    }
}

extension Habit {
    /// What such a program does, in words.
    var meaning: String {
        switch self {
        case .everySize: "every size builds at every change"
        case .throttle: "throttle immediately, then every 50 ms"
        case .debounce: "debounce 100 ms after the last change"
        case .live: "live debounce at every change until a build takes more than 16 ms, then as debounce"
        }
    }
}
