/// The end of planning: what is left for solvers, and the plan.
extension LayoutPlanner {
    private struct Row {
        var row: LayoutPlan.Group.Row
        /// Per unit of the last values that are read in steps.
        var factors: [Int: Double]
        var above: UILayoutPriority?
        var below: UILayoutPriority?
        var weight = 1.0
        var relation: Int?
    }

    /// No length is negative, which matters more than all but required constraints.
    private static let lengthPriority = UILayoutPriority.required - 0.001

    /// Makes the plan of the complete program, and notes in the constraints and items what became of them.
    mutating func finish() -> LayoutPlan {
        var checks: [LayoutPlan.Check] = []
        var positions: [(relation: Int, position: LayoutPlan.Position)] = []
        var rows: [Row] = []
        for (index, relation) in relations.enumerated() {
            if fitting == nil { relation.constraint.status = dropped.contains(index) ? .dropped : .applied }
            guard dropped.contains(index) || relation.isRow else { continue }
            let factors = relation.isRow ? freeFactors(difference(of: relation)) : [:]
            if !factors.isEmpty {
                rows.append(row(of: index, factors))
            } else if relation.constraint.isRequired {
                let position = LayoutPlan.Position(place: .check(checks.count), factor: -relation.sign)
                positions.append((index, position))
                checks.append(check(of: index))
            }
        }
        let groups = makeGroups(rows + ownRows(), &positions)
        let plan = LayoutPlan(
            root: root, items: nodes.map(\.item), steps: steps, registers: registers, checks: checks, groups: groups,
            merged: merged, directions: directions.map { ($0.key, $0.value) }, constraints: part.constraints)
        guard fitting == nil else { return plan }
        for constraint in part.constraints {
            (constraint.plan, constraint.position) = (plan, LayoutPlan.Position(place: .none, factor: 0))
        }
        for (step, source) in relationOfStep {
            positions.append((source.relation, LayoutPlan.Position(place: .step(step), factor: source.factor)))
        }
        for (relation, position) in positions {
            relations[relation].constraint.position = position
        }
        for node in nodes {
            node.item.view?.constraintState?.isAmbiguous = node.isAmbiguous
            node.item.guide?.isAmbiguous = node.isAmbiguous
        }
        for child in nodes[0].children where nodes[child].isDecided {
            nodes[child].item.view?.constraintState?.partOfTop = plan.handle
            nodes[child].item.guide?.partOfTop = plan.handle
        }
        return plan
    }

    private func check(of index: Int) -> LayoutPlan.Check {
        let relation = relations[index]
        let dependence = dependence(of: index)
        return LayoutPlan.Check(
            constraint: relation.constraint,
            relation: Double(relation.constraint.relation.rawValue) * (relation.sign < 0 ? -1 : 1),
            terms: difference(of: relation), constant: -relation.sign * Double(relation.constraint.constant),
            others: dependence.relations.dropFirst().map { relations[$0].constraint },
            fixedViews: dependence.fixedViews)
    }

    // MARK: Rows

    private func row(of index: Int, _ factors: [Int: Double]) -> Row {
        let relation = relations[index]
        let constraint = relation.constraint
        let others = constraint.isRequired ? dependence(of: index).relations.dropFirst() : []
        let isReversed = relation.sign < 0
        let mayBeMore = constraint.relation == (isReversed ? .lessThanOrEqual : .greaterThanOrEqual)
        let mayBeLess = constraint.relation == (isReversed ? .greaterThanOrEqual : .lessThanOrEqual)
        return Row(
            row: LayoutPlan.Group.Row(
                kind: .constraint(constraint), terms: difference(of: relation),
                constant: -relation.sign * Double(constraint.constant), others: others.map { relations[$0].constraint },
                item: -1),
            factors: factors, above: mayBeMore ? nil : constraint.priority,
            below: mayBeLess ? nil : constraint.priority,
            weight: 1 / abs(relation.sign), relation: index)
    }

    /// Those of lengths: what views ask for by themselves, what fitting asks for, and that none is
    /// negative.
    private func ownRows() -> [Row] {
        var rows: [Row] = []
        for index in nodes.indices where nodes[index].isDecided {
            let state = (index == 0 ? root : nodes[index].item.view)?.constraintState
            let factorsOfAxis = (0..<2).map { freeFactors([(LayoutPlan.size(2 * index + $0), 1)]) }
            if !factorsOfAxis.allSatisfy(\.isEmpty) { state?.readIntrinsicSize() }
            for (axis, factors) in factorsOfAxis.enumerated() where !factors.isEmpty {
                let register = LayoutPlan.size(2 * index + axis)
                func add(
                    _ kind: LayoutPlan.Group.Row.Kind, _ constant: Double, above: UILayoutPriority?,
                    below: UILayoutPriority?
                ) {
                    rows.append(
                        Row(
                            row: LayoutPlan.Group.Row(
                                kind: kind, terms: [(register, 1)], constant: constant, others: [], item: index),
                            factors: factors, above: above, below: below))
                }
                if let state, state.hasIntrinsicLength(axis) {
                    add(
                        .intrinsic(state, axis: axis), 0, above: UILayoutPriority(state.hugging[axis]),
                        below: UILayoutPriority(state.compressionResistance[axis]))
                }
                if index == 0, let fitting {
                    add(.length, -fitting.size[axis], above: fitting.priority[axis], below: fitting.priority[axis])
                }
                add(.length, 0, above: nil, below: Self.lengthPriority)
            }
        }
        return rows
    }

    // MARK: What rows depend on

    /// How terms follow the last values that are read, by the numbers of those steps.
    private func freeFactors(_ terms: Terms) -> [Int: Double] {
        guard firstFreeStep < steps.count else { return [:] }
        var found: [Int: Double] = [:]
        follow(terms, from: firstFreeStep) { step, factor in
            if lastValueSteps.contains(step) { found[step] = factor }
        }
        return found
    }

    // MARK: Groups

    /// Rows that move the same last values are one group.
    private mutating func makeGroups(
        _ rows: [Row], _ positions: inout [(relation: Int, position: LayoutPlan.Position)]
    ) -> [LayoutPlan.Group] {
        var leaders = Leaders<Int>()
        for row in rows where row.above != nil || row.below != Self.lengthPriority { leaders.join(row.factors.keys) }
        // A length belongs to the groups that move it, which it joins.
        for row in rows where row.factors.keys.contains(where: leaders.contains) { leaders.join(row.factors.keys) }
        var members: [Int: [Int]] = [:]
        for step in leaders.keys.sorted() { members[leaders.leader(of: step), default: []].append(step) }
        var rowsOfGroup: [Int: [Row]] = [:]
        for row in rows {
            guard let step = row.factors.keys.first, leaders.contains(step) else { continue }
            rowsOfGroup[leaders.leader(of: step), default: []].append(row)
        }
        var groups: [LayoutPlan.Group] = []
        for first in members.keys.sorted() {
            guard let steps = members[first], let rows = rowsOfGroup[first] else { continue }
            guard steps.count * rows.count <= ConstraintSolver.tableMax else {
                guard fitting == nil else { continue }
                let constraints = rows.compactMap(\.row.constraint)
                for constraint in constraints { constraint.status = .notSolved }
                UISystem.current?.logUnsupported(constraints)
                continue
            }
            for (number, row) in rows.enumerated() {
                guard let relation = row.relation else { continue }
                let factor = -relations[relation].sign
                positions.append((relation, .init(place: .row(number, group: groups.count), factor: factor)))
            }
            groups.append(makeGroup(steps, rows))
        }
        return groups
    }

    private mutating func makeGroup(_ members: [Int], _ rows: [Row]) -> LayoutPlan.Group {
        let required = UILayoutPriority.required.rawValue
        let priorities = Set(
            rows.flatMap { [$0.above, $0.below].compactMap { $0?.rawValue } }.filter { $0 < required })
        let levels = priorities.sorted(by: >)
        func cost(_ priority: UILayoutPriority?, _ weight: Double) -> ConstraintSolver.Cost {
            guard let priority else { return .none }
            guard let level = levels.firstIndex(of: priority.rawValue) else { return .required }
            return .weighted(level: level, weight)
        }
        var variableOfStep: [Int: Int] = [:]
        var registers: [(register: Int32, item: Int)] = []
        var distances: [(level: Int, weight: Double)] = []
        for (variable, step) in members.enumerated() {
            variableOfStep[step] = variable
            let register = temporary()
            steps[step].b = register
            registers.append((register, Int(steps[step].item)))
            // Sizes matter more than positions, and of two equal ones the first.
            let level = levels.count + (steps[step].kind == .readSize ? 0 : 1)
            distances.append((level, 1 - Double(variable) * 0x1p-21))
        }
        let solverRows = rows.map { row in
            ConstraintSolver.Row(
                // The members are the steps that the rows have.
                factors: row.factors.map { (variableOfStep[$0.key]!, $0.value) }.sorted { $0.0 < $1.0 },
                above: cost(row.above, row.weight), below: cost(row.below, row.weight))
        }
        func rank(_ number: Int) -> (Float, Int, Int) {
            let priority = max(rows[number].above?.rawValue ?? 0, rows[number].below?.rawValue ?? 0)
            // A view's own size gives way to required constraints.
            return (-min(priority, required), rows[number].row.constraint?.activation ?? .max, number)
        }
        let order = rows.indices.sorted { rank($0) < rank($1) }
        return LayoutPlan.Group(
            solver: ConstraintSolver(
                distances: distances, rows: solverRows, levels: levels.count + 2, order: order),
            rows: rows.map(\.row), distances: registers, present: [Double](repeating: 0, count: rows.count))
    }
}
