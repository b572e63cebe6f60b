/// What required equalities do not determine one after the other.
extension LayoutPlan {
    /// Constraints that depend on each other, and what they move. Groups have nothing in common.
    struct Group {
        struct Row {
            enum Kind {
                case constraint(NSLayoutConstraint)
                /// The view's own size along an axis.
                case intrinsic(ConstraintState, axis: Int)
                /// No length is negative, and those that are asked for in `systemLayoutSizeFitting`.
                case length
            }

            let kind: Kind
            let terms: [(register: Int32, factor: Double)]
            var constant: Double
            /// The constraints on which the terms depend besides those of the group.
            let others: [NSLayoutConstraint]
            /// The item whose length it is; -1 for none.
            let item: Int

            var constraint: NSLayoutConstraint? {
                if case .constraint(let constraint) = kind { return constraint }
                return nil
            }
        }

        var solver: ConstraintSolver
        var rows: [Row]
        /// The registers that are added to last values, and the items that have those.
        let distances: [(register: Int32, item: Int)]
        /// What the rows are at the last values.
        var present: [Double]
    }

    /// Computes how far what the groups move is from its last values.
    func solve(_ r: UnsafeMutablePointer<Double>, before next: Int) {
        for group in groups { for distance in group.distances { r[Int(distance.register)] = 0 } }
        run(from: next, .trial)
        for index in groups.indices { solve(&groups[index], r) }
    }

    private func solve(_ group: inout Group, _ r: UnsafeMutablePointer<Double>) {
        for (index, row) in group.rows.enumerated() {
            var sum = row.constant
            if case .intrinsic(let state, let axis) = row.kind { sum -= state.intrinsicLength(axis) }
            for term in row.terms { sum += r[Int(term.register)] * term.factor }
            group.present[index] = sum
        }
        guard let contradictions = group.solver.solve(group.present) else { return }
        for contradiction in contradictions { report(contradiction, group) }
        group.solver.forEachDistance { variable, distance in
            r[Int(group.distances[variable].register)] = distance
        }
    }

    private func report(_ contradiction: ConstraintSolver.Contradiction, _ group: Group) {
        guard let constraint = group.rows[contradiction.row].constraint else { return }
        let rows = contradiction.others.map { group.rows[$0] }
        let others = rows.compactMap(\.constraint) + (rows + [group.rows[contradiction.row]]).flatMap(\.others)
        if contest(others, with: constraint) { return }
        logContradiction(of: constraint, with: others.sorted { $0.activation < $1.activation })
    }

    /// Notes which items have more than one place or size, as far as groups decide it.
    func findAmbiguity() {
        guard !groups.isEmpty, let bounds = root?.bounds else { return }
        compute(bounds: bounds)
        for group in groups { for distance in group.distances { setAmbiguous(distance.item, false) } }
        for group in groups {
            let (variables, rows) = group.solver.ambiguous()
            for (isAmbiguous, distance) in zip(variables, group.distances) where isAmbiguous {
                setAmbiguous(distance.item, true)
            }
            for (isAmbiguous, row) in zip(rows, group.rows) where isAmbiguous && row.item >= 0 {
                setAmbiguous(row.item, true)
            }
        }
    }

    private func setAmbiguous(_ item: Int, _ isAmbiguous: Bool) {
        items[item].view?.constraintState?.isAmbiguous = isAmbiguous
        items[item].guide?.isAmbiguous = isAmbiguous
    }
}
