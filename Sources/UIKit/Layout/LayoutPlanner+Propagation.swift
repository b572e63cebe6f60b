internal import Settle

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
        // What is not known now, required equalities do not fix one after the other. It keeps its last
        // value, from which a solver may move it: sizes first, so that positions follow from relations
        // where they can.
        let decided = slots.indices.filter { nodes[$0 / 2].isDecided && !slots[$0].isSolved }
        guard !decided.isEmpty else { return true }
        firstFreeStep = steps.count
        steps.append(LayoutPlan.Step(kind: .solve))
        for slot in decided {
            if slots[slot].isSolved || slots[slot].first?.edge == .size { continue }
            readLast(.readSize, slot)
            guard runQueue() else { return false }
        }
        for slot in decided where !slots[slot].isSolved {
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
        producers = [Int32](repeating: -1, count: registers)
        firstFreeStep = .max
        for index in nodes.indices {
            nodes[index].isPlaced = false
            nodes[index].isAmbiguous = false
        }
        for index in relations.indices {
            relations[index].isRow = !relations[index].propagates
            relations[index].isUsed = relations[index].isRow || dropped.contains(index)
            for term in [relations[index].first, relations[index].second, relations[index].origin] {
                if let term { slots[term.slot].relations.append(index) }
            }
        }
        queue = Array(relations.indices)
        if fitting == nil {
            (slots[0].isSolved, slots[1].isSolved) = (true, true)
            nodes[0].isPlaced = true
            didPlace(0)
        } else {
            for slot in 0..<2 { slots[slot].first = (.min, LayoutPlan.min(slot)) }
        }
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
        let register = register(for: target)
        let constant = constantFactor * Double(relations[index].constraint.constant)
        relationOfStep[emit(register, terms, constant)] = (index, constantFactor)
        learn(target, register)
    }

    /// What a coordinate is made of, if that is known.
    func known(_ term: Term?) -> Terms? {
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
            index == 0 || nodes[nodes[index].item.parent].isPlaced
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
                for slot in [2 * child, 2 * child + 1] {
                    slots[slot].isSolved = true
                    for register in [LayoutPlan.min(slot), LayoutPlan.size(slot)] { didCompute(register) }
                }
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
        didCompute(register)
        learn(Term(slot: slot, edge: isSize ? .size : .min), register)
    }

    private mutating func register(for term: Term) -> Int32 {
        switch term.edge {
        case .min: return LayoutPlan.min(term.slot)
        case .size: return LayoutPlan.size(term.slot)
        case .middle, .max: return temporary()
        }
    }

    mutating func temporary() -> Int32 {
        registers += 1
        producers.append(-1)
        return Int32(registers - 1)
    }

    private mutating func didCompute(_ register: Int32) { producers[Int(register)] = Int32(steps.count - 1) }

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
        didCompute(to)
        return steps.count - 1
    }

    // MARK: Contradictions

    /// A relation between what is known already, with the relations and values that it depends
    /// on.
    struct Dependence {
        var relations: [Int]
        var fixedViews: [UIView] = []
        var dependsOnLastValues = false
    }

    /// Both sides of a relation are known, so one of those on which they depend is not applied:
    /// the one that was activated last. Where last values are part of it, all are, as a solver moves those.
    private mutating func drop(_ index: Int) -> Bool {
        let dependence = dependence(of: index)
        if dependence.dependsOnLastValues {
            (relations[index].isUsed, relations[index].isRow) = (true, true)
            return true
        }
        let last = dependence.relations.max {
            relations[$0].constraint.activation < relations[$1].constraint.activation
        }
        dropped.insert(last ?? index)
        relations[index].isUsed = last == index
        return last == index
    }

    /// The difference of a relation's sides, of which the constant's share is left out.
    func difference(of relation: Relation) -> Terms {
        (known(relation.first) ?? []) + (known(relation.second) ?? []).scaled(by: -relation.multiplier)
            + (known(relation.origin) ?? []).scaled(by: relation.multiplier - 1)
    }

    /// Follows the program backwards from a relation's sides.
    func dependence(of index: Int) -> Dependence {
        var found = Dependence(relations: [index])
        follow(difference(of: relations[index]), from: 0) { number, _ in
            let step = steps[number]
            if let relation = relationOfStep[number]?.relation { found.relations.append(relation) }
            guard step.kind == .readSize || step.kind == .readMin else { return }
            if lastValueSteps.contains(number) {
                found.dependsOnLastValues = true
            } else if let view = nodes[Int(step.item)].item.view {
                found.fixedViews.append(view)
            }
        }
        return found
    }

    /// Calls a function with each step on which terms depend, the last one first, and with the factor of
    /// what it computes. The factor of a region is 0.
    func follow(_ terms: Terms, from first: Int, _ body: (_ step: Int, _ factor: Double) -> Void) {
        var weights: [Int32: Double] = [:]
        for term in terms { weights[term.register, default: 0] += term.factor }
        for number in stepsBefore(terms, from: first) {
            let step = steps[number]
            func spread(_ from: Int32, _ to: Int32, _ factor: Double) {
                if let weight = weights[from], abs(weight) > 1e-9 { weights[to, default: 0] += weight * factor }
            }
            if step.kind == .region {
                let (own, parent) = (Int(step.item), nodes[Int(step.item)].item.parent)
                for axis in 0..<2 {
                    spread(LayoutPlan.min(2 * own + axis), LayoutPlan.min(2 * parent + axis), 1)
                    spread(LayoutPlan.size(2 * own + axis), LayoutPlan.size(2 * parent + axis), 1)
                }
                continue
            }
            guard let weight = weights[step.to], abs(weight) > 1e-9 else { continue }
            body(number, weight)
            spread(step.to, step.a, step.kind == .linear ? step.factorA : 1)
            if step.kind == .linear { spread(step.to, step.b, step.factorB) }
        }
    }

    private func stepsBefore(_ terms: Terms, from first: Int) -> [Int] {
        var found: Set<Int> = []
        var waiting = terms.map(\.register)
        while let register = waiting.popLast() {
            let number = Int(producers[Int(register)])
            guard number >= first, number >= 0, found.insert(number).inserted else { continue }
            let step = steps[number]
            if step.kind == .region {
                let parent = 2 * nodes[Int(step.item)].item.parent
                for slot in [parent, parent + 1] { waiting += [LayoutPlan.min(slot), LayoutPlan.size(slot)] }
            } else {
                waiting += [step.a, step.b]
            }
        }
        return found.sorted(by: >)
    }
}

extension LayoutPlanner.Terms {
    fileprivate func scaled(by factor: Double) -> Self {
        factor == 0 ? [] : map { ($0.register, $0.factor * factor) }
    }
}
