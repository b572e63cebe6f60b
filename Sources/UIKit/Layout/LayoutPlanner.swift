internal import Settle

/// Makes the plan of a part of a root's constraints: numbers the items, then propagates what is known.
@MainActor struct LayoutPlanner {
    enum Edge: UInt8 { case min, middle, max, size }

    /// An item's coordinate. A slot is an item's axis: twice the item's number, plus 1 for the
    /// vertical axis.
    struct Term: Equatable {
        var slot: Int
        var edge: Edge
    }

    /// A constraint in the plan's terms: first = multiplier × second + sign × constant, where
    /// positions are those relative to an origin.
    struct Relation {
        let constraint: NSLayoutConstraint
        var first: Term
        var second: Term?
        var multiplier: Double
        var sign: Double
        /// What positions are multiplied from: a side of the nearest view that contains both
        /// items; `nil` if it makes no difference.
        var origin: Term?
        var isUsed = false
        /// It is a row of a solver: an inequality, one that is not required, or one between what only last
        /// values determine.
        var isRow = false

        /// Whether what is known of one side gives the other.
        @MainActor var propagates: Bool {
            guard constraint.relation == .equal, constraint.isRequired else { return false }
            return !constraint.isContested
        }
    }

    struct Node {
        var item: LayoutPlan.Item
        var children: [Int] = []
        /// A view whose frame the app sets, and whether the superview's size changes it.
        var isFixed = false
        var isResizedWithParent = false
        var isPlaced = false
        /// What no constraint fixes keeps its last value.
        var isAmbiguous = false

        var isRegion: Bool { item.guide?.region != nil }
        var isDecided: Bool { !isFixed && !isRegion }
    }

    struct Slot {
        var first: (edge: Edge, register: Int32)?
        var isSolved = false
        /// The relations that may become known with it.
        var relations: [Int] = []
    }

    let root: UIView
    let part: LayoutParts.Part
    let merged: [UIView]
    var nodes: [Node] = []
    var relations: [Relation] = []
    /// The views whose direction mirrors constraints that they hold, and whether it did.
    var directions: [Int: Bool] = [:]
    /// The numbers of relations that the others determine or contradict.
    var dropped: Set<Int> = []
    /// The size for which the root's own is computed; `nil` where the root has one.
    let fitting: Fitting?

    // What a run of the propagation makes; see LayoutPlanner+Propagation.

    var slots: [Slot] = []
    var steps: [LayoutPlan.Step] = []
    /// The relation of each step that has a constraint's constant, and the constant's factor.
    var relationOfStep: [Int: (relation: Int, factor: Double)] = [:]
    /// The steps that read the last value of something that nothing fixes.
    var lastValueSteps: Set<Int> = []
    var registers = 0
    /// The step that computes each register; -1 for none.
    var producers: [Int32] = []
    var queue: [Int] = []
    /// The first step that needs last values.
    var firstFreeStep = Int.max

    /// What `systemLayoutSizeFitting` asks for, per axis.
    struct Fitting {
        var size: [Double]
        var priority: [UILayoutPriority]
    }

    init(root: UIView, part: LayoutParts.Part, merged: [UIView] = [], fitting: Fitting? = nil) {
        self.root = root
        self.part = part
        self.merged = merged
        self.fitting = fitting
    }

    mutating func makePlan() -> LayoutPlan {
        addNode(root, parent: 0)
        addGuides()
        defer {
            root.constraintState?.planItem = -1
            for node in nodes {
                node.item.view?.constraintState?.planItem = -1
                node.item.guide?.planItem = -1
            }
        }
        for constraint in part.constraints { addRelation(constraint) }
        while !propagate() {}
        return finish()
    }

    // MARK: Nodes, in the order of the tree

    private mutating func addNode(_ view: UIView, parent: Int) {
        let index = nodes.count
        let state = view.ensureConstraintState()
        state.planItem = index
        var node = Node(item: .init(view: view === root ? nil : view, guide: nil, parent: parent))
        if view !== root {
            if fitting == nil { state.plannedBy = root }
            node.isFixed = view.translatesAutoresizingMaskIntoConstraints
            node.isResizedWithParent = !view.autoresizingMask.isEmpty
            nodes[parent].children.append(index)
        }
        nodes.append(node)
        for subview in part.ways[ObjectIdentifier(view)] ?? [] { addNode(subview, parent: index) }
    }

    private mutating func addGuides() {
        // Those of the system first, then the app's in the order in which they were added.
        let regions = part.guides.filter { $0.region != nil }.sorted { $0.region!.index < $1.region!.index }
        var own = part.guides.filter { $0.region == nil }
        if own.count > 1 {
            let wanted = Set(own.map { ObjectIdentifier($0) })
            let owners = nodes.indices.map { nodes[$0].item.view ?? root }
            own = owners.flatMap { $0.layoutGuides.filter { wanted.contains(ObjectIdentifier($0)) } }
        }
        for guide in regions + own {
            guard let parent = guide.owningView?.constraintState?.planItem, parent >= 0 else { continue }
            let index = nodes.count
            guide.planItem = index
            nodes.append(Node(item: .init(view: nil, guide: guide, parent: parent)))
            nodes[parent].children.append(index)
        }
    }

    // MARK: Relations

    private func index(of item: AnyObject?) -> Int {
        if let view = item as? UIView { return view.constraintState?.planItem ?? -1 }
        return (item as? UILayoutGuide)?.planItem ?? -1
    }

    private mutating func addRelation(_ constraint: NSLayoutConstraint) {
        let (firstSide, secondSide) = (constraint.resolvedFirst, constraint.resolvedSecond)
        let (a, b) = (firstSide.attribute, secondSide.attribute)
        let first = index(of: firstSide.item)
        let holder = constraint.holder?.constraintState?.planItem ?? -1
        guard first >= 0, holder >= 0 else { return }
        var second: Int?
        if b != .notAnAttribute {
            let other = index(of: secondSide.item)
            if other < 0 { return }
            second = other
        }
        var isMirrored = false
        if a.isHorizontal, !a.isLength, !a.isAbsolute, !b.isAbsolute {
            isMirrored = constraint.holder?.effectiveUserInterfaceLayoutDirection == .rightToLeft
            directions[holder] = isMirrored
        }
        var relation = Relation(
            constraint: constraint, first: a.term(of: first, isMirrored),
            second: second.map { b.term(of: $0, isMirrored) }, multiplier: Double(constraint.multiplier),
            sign: isMirrored ? -1 : 1)
        if !a.isLength, relation.multiplier != 1, second != nil {
            relation.origin = Term(slot: 2 * holder + (a.isHorizontal ? 0 : 1), edge: isMirrored ? .max : .min)
        }
        if relation.multiplier == 0 { relation.second = nil }
        if relation.second?.slot == relation.first.slot { relation.relateToItself() }
        relations.append(relation)
    }
}

extension LayoutPlanner.Relation {
    /// Two coordinates of one item and axis: what is known is its size, if anything.
    fileprivate mutating func relateToItself() {
        guard let second, multiplier == 1, first.edge != second.edge, first.edge != .size, second.edge != .size else {
            return
        }
        sign /= first.edge.factor - second.edge.factor
        first.edge = .size
        self.second = nil
    }
}

extension LayoutPlanner.Edge {
    var factor: Double {
        switch self {
        case .min: 0
        case .middle: 0.5
        case .max, .size: 1
        }
    }
}

extension NSLayoutConstraint.Attribute {
    fileprivate func term(of item: Int, _ isMirrored: Bool) -> LayoutPlanner.Term {
        func term(_ axis: Int, _ edge: LayoutPlanner.Edge) -> LayoutPlanner.Term {
            LayoutPlanner.Term(slot: 2 * item + axis, edge: edge)
        }
        switch self {
        case .left: return term(0, .min)
        case .right: return term(0, .max)
        case .leading: return term(0, isMirrored ? .max : .min)
        case .trailing: return term(0, isMirrored ? .min : .max)
        case .centerX: return term(0, .middle)
        case .width: return term(0, .size)
        case .top, .firstBaseline: return term(1, .min)
        case .bottom, .lastBaseline: return term(1, .max)
        case .centerY: return term(1, .middle)
        case .height: return term(1, .size)
        // Sides of the margins were resolved to sides of their guide.
        default: return term(0, .min)
        }
    }
}
