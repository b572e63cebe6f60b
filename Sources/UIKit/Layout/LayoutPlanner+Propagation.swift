@_spi(Faults) internal import Settle

/// Propagation: what is known of one side of a relation gives the other side, and two
/// coordinates of a slot give the others. Each relation is used once. One whose sides are both
/// known already is dropped, or another one that is part of the contradiction.
extension LayoutPlanner {
    typealias Terms = [(register: Int32, factor: Double)]

    /// - Returns: Whether the program is complete; false if a relation that had been used must
    ///   be dropped, so that the propagation begins again.
    mutating func propagate() -> Bool {
        start()
        guard runQueue() else { return false }
        // What is not known now, nothing fixes. It keeps its last value: sizes first, so that
        // positions follow from relations where they can.
        usesLastValues = true
        for slot in slots.indices where nodes[slot / 2].isDecided {
            if slots[slot].isSolved || slots[slot].first?.edge == .size { continue }
            readLast(.readSize, slot)
            guard runQueue() else { return false }
        }
        for slot in slots.indices where nodes[slot / 2].isDecided && !slots[slot].isSolved {
            readLast(.readMin, slot)
            guard runQueue() else { return false }
        }
        return true
    }

    private mutating func start() {
        slots = [Slot](repeating: Slot(), count: 2 * nodes.count)
        steps = []
        relationOfStep = [:]
        lastValueSteps = []
        registers = LayoutPlan.ownRegisters(nodes.count)
        usesLastValues = false
        for index in nodes.indices {
            nodes[index].isPlaced = false
            nodes[index].isAmbiguous = false
        }
        for index in relations.indices {
            relations[index].isUsed = dropped[index] != nil
            relations[index].needsLastValues = false
            for term in [relations[index].first, relations[index].second, relations[index].origin] {
                if let term { slots[term.slot].relations.append(index) }
            }
        }
        queue = Array(relations.indices)
        (slots[0].isSolved, slots[1].isSolved) = (true, true)
        nodes[0].isPlaced = true
        didPlace(0)
        for index in nodes.indices where nodes[index].isFixed && !nodes[index].isResizedWithParent {
            for axis in 0..<2 { read(.readSize, 2 * index + axis) }
        }
        for slot in 0..<2 { didLearn(slot) }
    }

    private mutating func runQueue() -> Bool {
        var next = 0
        while next < queue.count {
            let relation = queue[next]
            next += 1
            guard use(relation) else { return false }
        }
        queue.removeAll(keepingCapacity: true)
        return true
    }

    // MARK: Relations

    /// - Returns: False if a relation that had been used must be dropped.
    private mutating func use(_ index: Int) -> Bool {
        let relation = relations[index]
        guard !relation.isUsed, let origin = known(relation.origin) else { return true }
        let first = known(relation.first)
        let second = known(relation.second)
        let factor = 1 - relation.multiplier
        if first != nil, second != nil { return drop(index) }
        if let second {
            guard nodes[relation.first.slot / 2].isDecided else { return true }
            let terms = second.scaled(by: relation.multiplier) + origin.scaled(by: factor)
            compute(relation.first, terms, index, relation.sign)
        } else if let first, let target = relation.second {
            guard nodes[target.slot / 2].isDecided else { return true }
            let inverse = 1 / relation.multiplier
            compute(
                target, first.scaled(by: inverse) + origin.scaled(by: -factor * inverse), index,
                -relation.sign * inverse)
        }
        return true
    }

    private mutating func compute(_ target: Term, _ terms: Terms, _ index: Int, _ constantFactor: Double) {
        relations[index].isUsed = true
        relations[index].needsLastValues = usesLastValues
        let register = register(for: target)
        let constant = constantFactor * Double(relations[index].constraint.constant)
        relationOfStep[emit(register, terms, constant)] = (index, constantFactor)
        learn(target, register)
    }

    /// What a coordinate is made of, if that is known.
    private func known(_ term: Term?) -> Terms? {
        guard let term else { return [] }
        let slot = slots[term.slot]
        if let first = slot.first, first.edge == term.edge { return [(first.register, 1)] }
        guard slot.isSolved else { return nil }
        let (min, size) = (LayoutPlan.min(term.slot), LayoutPlan.size(term.slot))
        switch term.edge {
        case .min: return [(min, 1)]
        case .size: return [(size, 1)]
        case .middle, .max: return [(min, 1), (size, term.edge.factor)]
        }
    }

    // MARK: Slots

    private mutating func learn(_ term: Term, _ register: Int32) {
        if let first = slots[term.slot].first {
            solve(term.slot, first, (term.edge, register))
            slots[term.slot].isSolved = true
        } else {
            slots[term.slot].first = (term.edge, register)
        }
        didLearn(term.slot)
    }

    /// Two coordinates of a slot give the smallest one and the size.
    private mutating func solve(
        _ slot: Int, _ a: (edge: Edge, register: Int32), _ b: (edge: Edge, register: Int32)
    ) {
        let (a, b) = a.edge.rawValue < b.edge.rawValue ? (a, b) : (b, a)
        let (min, size) = (LayoutPlan.min(slot), LayoutPlan.size(slot))
        switch (a.edge, b.edge) {
        case (.min, .middle): emit(size, [(b.register, 2), (min, -2)])
        case (.min, .max): emit(size, [(b.register, 1), (min, -1)])
        case (.middle, .max):
            emit(size, [(b.register, 2), (a.register, -2)])
            emit(min, [(b.register, 1), (size, -1)])
        case (.middle, .size): emit(min, [(a.register, 1), (size, -0.5)])
        case (.max, .size): emit(min, [(a.register, 1), (size, -1)])
        default: break
        }
    }

    private mutating func didLearn(_ slot: Int) {
        queue += slots[slot].relations
        let index = slot / 2
        let knowsMin = slots[slot].isSolved || slots[slot].first?.edge == .min
        if knowsMin {
            for child in nodes[index].children where nodes[child].isFixed && !nodes[child].isResizedWithParent {
                let childSlot = 2 * child + slot % 2
                if !slots[childSlot].isSolved, slots[childSlot].first?.edge != .min { read(.readMin, childSlot) }
            }
        }
        place(index)
    }

    /// Sets the frame of a node, once it is known and the superview has its own.
    private mutating func place(_ index: Int) {
        guard !nodes[index].isPlaced, slots[2 * index].isSolved, slots[2 * index + 1].isSolved,
            nodes[nodes[index].item.parent].isPlaced
        else { return }
        nodes[index].isPlaced = true
        if !nodes[index].isRegion {
            steps.append(LayoutPlan.Step(kind: nodes[index].isFixed ? .fixed : .place, item: Int32(index)))
        }
        didPlace(index)
    }

    private mutating func didPlace(_ index: Int) {
        for child in nodes[index].children {
            if nodes[child].isRegion {
                steps.append(LayoutPlan.Step(kind: .region, item: Int32(child)))
                for slot in [2 * child, 2 * child + 1] { slots[slot].isSolved = true }
                nodes[child].isPlaced = true
                for slot in [2 * child, 2 * child + 1] { queue += slots[slot].relations }
            } else if nodes[child].isFixed, nodes[child].isResizedWithParent {
                for slot in [2 * child, 2 * child + 1] { read(.readSize, slot) }
                for slot in [2 * child, 2 * child + 1] { read(.readMin, slot) }
            } else {
                place(child)
            }
        }
    }

    // MARK: Steps

    private mutating func readLast(_ kind: LayoutPlan.Step.Kind, _ slot: Int) {
        nodes[slot / 2].isAmbiguous = true
        lastValueSteps.insert(steps.count)
        read(kind, slot)
    }

    /// The present length or position of a node counts.
    private mutating func read(_ kind: LayoutPlan.Step.Kind, _ slot: Int) {
        let isSize = kind == .readSize
        let register = isSize ? LayoutPlan.size(slot) : LayoutPlan.min(slot)
        let parent = 2 * nodes[slot / 2].item.parent + slot % 2
        steps.append(
            LayoutPlan.Step(
                kind: kind, axis: UInt8(slot % 2), item: Int32(slot / 2), to: register,
                a: isSize ? 0 : LayoutPlan.min(parent)))
        learn(Term(slot: slot, edge: isSize ? .size : .min), register)
    }

    private mutating func register(for term: Term) -> Int32 {
        switch term.edge {
        case .min: return LayoutPlan.min(term.slot)
        case .size: return LayoutPlan.size(term.slot)
        case .middle, .max: return temporary()
        }
    }

    private mutating func temporary() -> Int32 {
        registers += 1
        return Int32(registers - 1)
    }

    /// - Returns: The index of the step that adds the constant.
    @discardableResult
    private mutating func emit(_ to: Int32, _ terms: Terms, _ constant: Double = 0) -> Int {
        var terms = terms
        while terms.count > 2 {
            let sum = temporary()
            emit(sum, Array(terms[..<2]))
            terms = [(sum, 1)] + terms[2...]
        }
        var step = LayoutPlan.Step(kind: .linear, to: to, constant: constant)
        if let first = terms.first { (step.a, step.factorA) = first }
        if terms.count == 2 { (step.b, step.factorB) = terms[1] }
        steps.append(step)
        return steps.count - 1
    }

    // MARK: Contradictions

    /// A relation between what is known already, with the relations and values that it depends
    /// on.
    private struct Dependence {
        var relations: [Int]
        var fixedViews: [UIView] = []
        var dependsOnLastValues = false
    }

    /// Both sides of a relation are known, so one of those on which they depend is not applied:
    /// the one that was activated last.
    private mutating func drop(_ index: Int) -> Bool {
        let dependence = dependence(of: index)
        var candidates = dependence.relations
        // Where last values are part of it, what is known without them stays.
        if dependence.dependsOnLastValues {
            candidates = candidates.filter { relations[$0].needsLastValues || $0 == index }
        }
        let last = candidates.max {
            let isOlder = relations[$0].constraint.activation < relations[$1].constraint.activation
            return isOlder != Planted.oldestDropped
        }
        dropped[last ?? index] = dependence.dependsOnLastValues ? .cycle : .dropped
        relations[index].isUsed = last == index
        return last == index
    }

    /// The difference of a relation's sides, of which the constant's share is left out.
    private func difference(of relation: Relation) -> Terms {
        (known(relation.first) ?? []) + (known(relation.second) ?? []).scaled(by: -relation.multiplier)
            + (known(relation.origin) ?? []).scaled(by: relation.multiplier - 1)
    }

    /// Follows the program backwards from a relation's sides.
    private func dependence(of index: Int) -> Dependence {
        var weights = [Double](repeating: 0, count: registers)
        for term in difference(of: relations[index]) { weights[Int(term.register)] += term.factor }
        var found = Dependence(relations: [index])
        func take(_ register: Int32) -> Double? {
            let weight = weights[Int(register)]
            weights[Int(register)] = 0
            return abs(weight) > 1e-9 ? weight : nil
        }
        for (number, step) in steps.enumerated().reversed() {
            switch step.kind {
            case .linear:
                guard let weight = take(step.to) else { continue }
                weights[Int(step.a)] += weight * step.factorA
                weights[Int(step.b)] += weight * step.factorB
                if let relation = relationOfStep[number]?.relation { found.relations.append(relation) }
            case .readSize, .readMin:
                guard let weight = take(step.to) else { continue }
                if step.kind == .readMin { weights[Int(step.a)] += weight }
                if lastValueSteps.contains(number) {
                    found.dependsOnLastValues = true
                } else if let view = nodes[Int(step.item)].item.view {
                    found.fixedViews.append(view)
                }
            case .region:
                let parent = nodes[Int(step.item)].item.parent
                for axis in 0..<2 {
                    let (from, to) = (2 * parent + axis, 2 * Int(step.item) + axis)
                    if let weight = take(LayoutPlan.min(to)) { weights[Int(LayoutPlan.min(from))] += weight }
                    if let weight = take(LayoutPlan.size(to)) { weights[Int(LayoutPlan.size(from))] += weight }
                }
            case .place, .fixed: break
            }
        }
        return found
    }

    // MARK: The plan

    /// Makes the plan of the complete program, and notes in the constraints and items what became of them.
    mutating func finish() -> LayoutPlan {
        var checks: [LayoutPlan.Check] = []
        var positionOfCheck: [(NSLayoutConstraint, LayoutPlan.Position)] = []
        for (index, relation) in relations.enumerated() {
            let constraint = relation.constraint
            constraint.status = dropped[index] ?? .applied
            switch constraint.status {
            case .cycle: UISystem.current?.logUnsupported(constraint)
            case .dropped:
                let dependence = dependence(of: index)
                let position = LayoutPlan.Position(index: -1 - checks.count, factor: -relation.sign)
                positionOfCheck.append((constraint, position))
                checks.append(
                    LayoutPlan.Check(
                        constraint: constraint, terms: difference(of: relation),
                        constant: position.factor * Double(constraint.constant),
                        others: dependence.relations.dropFirst().map { relations[$0].constraint },
                        fixedViews: dependence.fixedViews))
            case .applied, .notPlanned: break
            }
        }
        let plan = LayoutPlan(
            root: root, items: nodes.map(\.item), steps: steps, registers: registers, checks: checks, merged: merged,
            directions: directions.map { ($0.key, $0.value) })
        for (constraint, position) in positionOfCheck { (constraint.plan, constraint.step) = (plan, position) }
        for (step, source) in relationOfStep {
            let constraint = relations[source.relation].constraint
            (constraint.plan, constraint.step) = (plan, LayoutPlan.Position(index: step, factor: source.factor))
        }
        for node in nodes {
            node.item.view?.constraintState?.isAmbiguous = node.isAmbiguous
            node.item.guide?.isAmbiguous = node.isAmbiguous
        }
        return plan
    }
}

extension LayoutPlanner.Terms {
    fileprivate func scaled(by factor: Double) -> Self {
        factor == 0 ? [] : map { ($0.register, $0.factor * factor) }
    }
}
