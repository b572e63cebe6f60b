/// Finds the numbers that violate rows of linear terms least: first those that matter most, and
/// then the next.
///
/// A dual simplex method. Each row, and each variable's distance from its last value, is a quantity
/// with a cost above and below zero. Quantities are zero (a column of the table) or computed from
/// those (a line). Costs are compared by level, so no sum of lower ones outweighs a higher one.
/// The table stays for the next values, which mostly differ little.
struct ConstraintSolver {
    /// What a quantity costs on one side of zero, for each unit.
    enum Cost: Equatable {
        case none
        /// Of a level, the first of which matters most.
        case weighted(level: Int, Double)
        /// The quantity cannot be there.
        case required
    }

    struct Row {
        /// Per unit of each variable.
        var factors: [(variable: Int, factor: Double)]
        var above: Cost
        var below: Cost

        var isRequired: Bool { above == .required || below == .required }
    }

    /// A required row that cannot hold together with others, and does not count.
    struct Contradiction {
        let row: Int
        let others: [Int]
    }

    private enum Outcome {
        case solved
        case contradiction(Contradiction)
        /// Numbers that are too large, or no end.
        case failed
    }

    /// Where a line's quantity is, and so what it costs.
    private enum Side { case off, pending, above, below, redundant }

    /// The product of variables and rows for which a table is made, of 2 MB at most.
    static let tableMax = 1 << 18

    let variables: Int
    let rows: [Row]
    private let levels: Int
    /// The order in which rows are added: required ones first, the oldest first.
    private let order: [Int]
    private var above: [Cost]
    private var below: [Cost]
    /// The costs of the quantities that are zero, per unit of each column: levels after each other.
    private var slopes: [Double] = []
    private var table: [Double] = []
    private var values: [Double] = []
    /// Quantities: a variable's distance, or the number of variables and a row.
    private var columns: [Int] = []
    private var lines: [Int] = []
    private var sides: [Side] = []
    private var isPrepared = false
    private var tolerance = 0.0
    // For the choice of a column, so that none is allocated.
    private var step: [Double]
    private var candidate: [Double]

    /// - Parameters:
    ///   - distances: The level and weight of each variable's distance from its last value.
    ///   - levels: The number of levels.
    ///   - order: The rows' numbers, in the order in which they are added.
    init(distances: [(level: Int, weight: Double)], rows: [Row], levels: Int, order: [Int]) {
        variables = distances.count
        self.rows = rows
        self.levels = levels
        self.order = order
        above = distances.map { .weighted(level: $0.level, $0.weight) }
        below = above
        above += rows.map(\.above)
        below += rows.map(\.below)
        step = [Double](repeating: 0, count: levels)
        candidate = step
    }

    // MARK: Solving

    /// Solves for the rows' values at the variables' last values.
    ///
    /// - Returns: The required rows that do not count; `nil` if there is no solution at all, as numbers are
    ///   too large.
    mutating func solve(_ present: [Double]) -> [Contradiction]? {
        var largest = 1.0
        for value in present { largest = max(largest, abs(value)) }
        guard largest < 1e12 else { return nil }
        tolerance = max(1e-7, 1e-9 * largest)
        if isPrepared {
            move(to: present)
            if case .solved = settle(nil) { return [] }
        }
        var found: [Contradiction] = []
        while true {
            switch solveAnew(present, without: found.map(\.row)) {
            case .solved:
                isPrepared = found.isEmpty
                return found
            case .contradiction(let contradiction): found.append(contradiction)
            case .failed:
                isPrepared = false
                return nil
            }
        }
    }

    /// Calls a function with the variables that have another value than their last one, and how much
    /// that is away.
    func forEachDistance(_ body: (_ variable: Int, _ distance: Double) -> Void) {
        for line in lines.indices where lines[line] < variables { body(lines[line], values[line]) }
    }

    private mutating func solveAnew(_ present: [Double], without leftOut: [Int]) -> Outcome {
        prepare(present)
        for row in order where !leftOut.contains(row) {
            guard let line = lines.firstIndex(of: variables + row) else { continue }
            sides[line] = .pending
            switch settle(line) {
            case .solved: continue
            // Those before hold together, so it is the row that was added.
            case .contradiction(let found):
                guard rows[row].isRequired else { return .failed }
                let others = Set(found.others + [found.row]).subtracting([row])
                return .contradiction(Contradiction(row: row, others: others.sorted()))
            case .failed: return .failed
            }
        }
        return .solved
    }

    /// The last values, which cost nothing, and no row yet.
    private mutating func prepare(_ present: [Double]) {
        table = [Double](repeating: 0, count: rows.count * variables)
        slopes = [Double](repeating: 0, count: levels * variables)
        columns = Array(0..<variables)
        lines = Array(variables..<(variables + rows.count))
        sides = [Side](repeating: .off, count: rows.count)
        values = present
        for (line, row) in rows.enumerated() {
            for term in row.factors { table[line * variables + term.variable] += term.factor }
        }
    }

    /// The values of the lines, where the columns' rows have another value at the last values.
    private mutating func move(to present: [Double]) {
        for line in lines.indices {
            var value = lines[line] < variables ? 0 : present[lines[line] - variables]
            for column in columns.indices where columns[column] >= variables {
                value -= table[line * variables + column] * present[columns[column] - variables]
            }
            values[line] = value
        }
    }

    /// Moves along lines until none is on the side that it should not be on.
    private mutating func settle(_ added: Int?) -> Outcome {
        var next = added
        let limit = 50 * (variables + rows.count) + 100
        for round in 0..<limit {
            // Where it does not end soon, the first line and column, so that none comes back for ever.
            guard let line = next ?? wrongLine(first: round > limit / 2) else { return .solved }
            next = nil
            let isPositive = values[line] >= 0
            if advance(line, isPositive ? 1 : -1) { continue }
            guard abs(values[line]) <= tolerance else { return contradiction(line) }
            if !advance(line, isPositive ? -1 : 1) { sides[line] = .redundant }
        }
        return .failed
    }

    private func wrongLine(first: Bool) -> Int? {
        var found: Int?
        var worst = 0.0
        for line in lines.indices {
            let excess: Double
            switch sides[line] {
            case .off: continue
            case .pending: excess = .infinity
            case .above: excess = -values[line]
            case .below: excess = values[line]
            case .redundant: excess = abs(values[line])
            }
            guard excess > max(worst, tolerance) else { continue }
            if first { return line }
            (found, worst) = (line, excess)
        }
        return found
    }

    private func contradiction(_ line: Int) -> Outcome {
        var others: [Int] = []
        for column in columns.indices where columns[column] >= variables {
            if abs(table[line * variables + column]) > 1e-9 { others.append(columns[column] - variables) }
        }
        let quantity = lines[line]
        guard quantity >= variables else { return .failed }
        return .contradiction(Contradiction(row: quantity - variables, others: others))
    }

    // MARK: A step

    /// Raises what a line's quantity costs, for a value above zero, or lowers it: until the quantity
    /// costs what it should on that side, or until another quantity would rather be moved.
    ///
    /// - Returns: False if nothing limits the step, so the quantity can neither stay nor move.
    private mutating func advance(_ line: Int, _ sign: Double) -> Bool {
        let quantity = lines[line]
        let target = sign > 0 ? above[quantity] : below[quantity]
        var isLimited = target != .required
        if isLimited {
            for level in 0..<levels { step[level] = cost(target, level) - sign * cost(of: line, level) }
        }
        var chosen: Int?
        for column in 0..<variables {
            let factor = sign * table[line * variables + column]
            guard abs(factor) > 1e-9, distanceToBound(column, factor) else { continue }
            let comparison = isLimited ? compare(candidate, step) : -1
            guard comparison < 0 || (comparison == 0 && isBetter(column, than: chosen, line)) else { continue }
            swap(&step, &candidate)
            (isLimited, chosen) = (true, column)
        }
        guard isLimited else { return false }
        for column in 0..<variables {
            let factor = sign * table[line * variables + column]
            guard factor != 0 else { continue }
            for level in 0..<levels { slopes[column * levels + level] += step[level] * factor }
        }
        guard let chosen else {
            sides[line] = sign > 0 ? .above : .below
            return true
        }
        let moved = sign * table[line * variables + chosen] > 0 ? Side.below : .above
        for level in 0..<levels {
            slopes[chosen * levels + level] = -(cost(of: line, level) + sign * step[level])
        }
        pivot(line, chosen)
        sides[line] = moved
        return true
    }

    /// Of columns that limit a step equally the one with the largest factor, then the first one.
    private func isBetter(_ column: Int, than other: Int?, _ line: Int) -> Bool {
        guard let other else { return false }
        let (a, b) = (abs(table[line * variables + column]), abs(table[line * variables + other]))
        return a == b ? columns[column] < columns[other] : a > b
    }

    /// How far the slope of a column may go in the direction of the factor, in `candidate`.
    ///
    /// - Returns: False if nothing limits it.
    private mutating func distanceToBound(_ column: Int, _ factor: Double) -> Bool {
        let bound = factor > 0 ? below[columns[column]] : above[columns[column]]
        guard bound != .required else { return false }
        for level in 0..<levels {
            let slope = slopes[column * levels + level]
            candidate[level] = (cost(bound, level) - (factor > 0 ? slope : -slope)) / abs(factor)
        }
        return true
    }

    /// Level by level, the first of which decides.
    private func compare(_ a: [Double], _ b: [Double]) -> Int {
        for level in 0..<levels where abs(a[level] - b[level]) > 1e-9 { return a[level] < b[level] ? -1 : 1 }
        return 0
    }

    private func cost(_ cost: Cost, _ level: Int) -> Double {
        if case .weighted(level, let weight) = cost { return weight }
        return 0
    }

    /// What a unit of a line's quantity costs where it is.
    private func cost(of line: Int, _ level: Int) -> Double {
        switch sides[line] {
        case .off, .pending, .redundant: 0
        case .above: cost(above[lines[line]], level)
        case .below: -cost(below[lines[line]], level)
        }
    }

    /// The line's quantity becomes zero, and the column's is computed.
    private mutating func pivot(_ line: Int, _ column: Int) {
        let width = variables
        let factor = table[line * width + column]
        swap(&lines[line], &columns[column])
        let value = -values[line] / factor
        values[line] = value
        let count = lines.count
        values.withUnsafeMutableBufferPointer { values in
            table.withUnsafeMutableBufferPointer { table in
                guard let table = table.baseAddress else { return }
                let own = table + line * width
                for index in 0..<width { own[index] /= -factor }
                own[column] = 1 / factor
                for other in 0..<count where other != line {
                    let row = table + other * width
                    let share = row[column]
                    guard share != 0 else { continue }
                    row[column] = 0
                    values[other] += share * value
                    for index in 0..<width where own[index] != 0 {
                        let sum = row[index] + share * own[index]
                        row[index] = abs(sum) < 1e-12 ? 0 : sum
                    }
                }
            }
        }
    }

    // MARK: Ambiguity

    /// The variables and rows that could have other values, though no row would be violated more.
    func ambiguous() -> (variables: [Bool], rows: [Bool]) {
        let free = columns.indices.map { mayMove($0) }
        var found = [Bool](repeating: false, count: variables + rows.count)
        for column in columns.indices { found[columns[column]] = free[column] }
        for line in lines.indices {
            found[lines[line]] = columns.indices.contains { free[$0] && abs(table[line * variables + $0]) > 1e-9 }
        }
        return (Array(found[..<variables]), Array(found[variables...]))
    }

    /// Whether only the distances from last values, the last two levels, keep a quantity at zero.
    private func mayMove(_ column: Int) -> Bool {
        func isFree(_ bound: Cost, _ sign: Double) -> Bool {
            guard bound != .required else { return false }
            return (0..<(levels - 2)).allSatisfy { level in
                abs(cost(bound, level) - sign * slopes[column * levels + level]) < 1e-9
            }
        }
        return isFree(below[columns[column]], 1) || isFree(above[columns[column]], -1)
    }
}
