internal import Settle

/// What a view has to do with constraints; `nil` for most views.
///
/// A *root* is a view whose frame no constraint decides: its constraints decide frames within
/// it, which its plan computes whenever the root is laid out.
@MainActor final class ConstraintState {
    nonisolated let handle = ItemHandle()
    /// The active constraints for which the view is the nearest one that contains both items, by their
    /// activation.
    var held: [Int: NSLayoutConstraint] = [:]
    /// The active constraints that refer to the view or to its guides.
    var attached: [Int: NSLayoutConstraint] = [:]
    var guides: [UILayoutGuide] = []

    // For a root:
    // `@exclusivity(unchecked)`: see UISystem.swift.
    @exclusivity(unchecked) var plans: [LayoutPlan] = []
    @exclusivity(unchecked) var needsPlans = false
    /// Constraints that are in no plan, unless they are not active any more.
    @exclusivity(unchecked) var unplanned: [NSLayoutConstraint] = []
    /// The plan of another root that includes this root's constraints, as both decide one frame.
    @exclusivity(unchecked) var mergedInto: ItemHandle?
    var isReplaying = false
    /// The items whose own size has changed since the last layout.
    @exclusivity(unchecked) var resizedItems: [ItemHandle] = []

    // For an item of a plan:
    /// The root whose plan reads or sets the view's frame; `nil` for the root itself.
    var plannedBy: UIView? {
        get { plannedByHandle?.view }
        set { plannedByHandle = newValue?.constraintState?.handle }
    }
    private var plannedByHandle: ItemHandle?
    /// The plan that computes the frame of a view directly in that plan's root.
    var partOfTop: ItemHandle?
    /// The constraints leave the view more than one place or size.
    var isAmbiguous = true
    var planItem = -1
    /// How much the view resists being larger and smaller than its own size, per axis.
    var hugging = SIMD2(repeating: UILayoutPriority.defaultLow.rawValue)
    var compressionResistance = SIMD2(repeating: UILayoutPriority.defaultHigh.rawValue)
    /// The view's own size, as a plan has read it.
    var intrinsicSize: CGSize?

    init(_ view: UIView) { handle.item = view }
}

extension UIView {
    // MARK: Apple's

    /// The active constraints for which this is the nearest view that contains both items.
    public var constraints: [NSLayoutConstraint] {
        constraintState?.held.values.sorted { $0.activation < $1.activation } ?? []
    }

    /// Whether the constraints leave the view more than one place or size: what nothing fixes
    /// keeps its last value. Always false for a view whose frame the app sets.
    public var hasAmbiguousLayout: Bool {
        guard !translatesAutoresizingMaskIntoConstraints else { return false }
        constraintRoot.findAmbiguity(of: self)
        return constraintState?.isAmbiguous ?? true
    }

    // MARK: Roots

    /// The view at or above this one whose frame no constraint decides.
    final var constraintRoot: UIView {
        var view = self
        while !view.translatesAutoresizingMaskIntoConstraints, let above = view.superview { view = above }
        return view
    }

    final func ensureConstraintState() -> ConstraintState {
        if let constraintState { return constraintState }
        let state = ConstraintState(self)
        constraintState = state
        return state
    }

    final func commonAncestor(with other: UIView) -> UIView? {
        var view: UIView? = self
        while let current = view, !other.isDescendant(of: current) { view = current.superview }
        return view
    }

    // MARK: Changes

    final func hold(_ constraint: NSLayoutConstraint) {
        ensureConstraintState().held[constraint.activation] = constraint
        for item in [constraint.firstItem, constraint.secondItem] {
            NSLayoutConstraint.view(of: item)?.ensureConstraintState().attached[constraint.activation] = constraint
        }
        constraintsDidChange(constraint)
    }

    final func release(_ constraint: NSLayoutConstraint) {
        constraintState?.held[constraint.activation] = nil
        for item in [constraint.firstItem, constraint.secondItem] {
            NSLayoutConstraint.view(of: item)?.constraintState?.attached[constraint.activation] = nil
        }
        constraintsDidChange(constraint)
    }

    /// The plans that include the constraint, or what it relates, must be made again.
    final func constraintsDidChange(_ constraint: NSLayoutConstraint) {
        let root = constraintRoot
        for item in [constraint.firstItem, constraint.secondItem] {
            let planner = NSLayoutConstraint.view(of: item)?.constraintState?.plannedBy
            if let planner, planner !== root { planner.markPlans() }
        }
        root.planAgain(constraint)
    }

    /// A constraint of this root has changed: its part is planned again.
    private func planAgain(_ constraint: NSLayoutConstraint) {
        let state = ensureConstraintState()
        setNeedsLayout()
        guard !state.needsPlans else { return }
        if state.mergedInto != nil || state.plans.first?.merged.isEmpty == false { return markPlans() }
        for item in [constraint.firstItem, constraint.secondItem].compactMap({ $0 }) {
            if let plan = part(of: item)?.plan { retire(plan) }
        }
        if let plan = constraint.plan, plan.root === self { return retire(plan) }
        constraint.plan = nil
        if constraint.isActive { state.unplanned.append(constraint) }
    }

    /// A plan of this root must be made again, perhaps as a part of another one.
    final func retire(_ plan: LayoutPlan) {
        setNeedsLayout()
        guard let state = constraintState, !state.needsPlans, plan.index < state.plans.count,
            state.plans[plan.index] === plan
        else { return }
        if !plan.merged.isEmpty { return markPlans() }
        let last = state.plans.removeLast()
        if last !== plan {
            state.plans[plan.index] = last
            last.index = plan.index
        }
        plan.forgetResults()
        for constraint in plan.constraints where constraint.isActive {
            if constraint.plan === plan { constraint.plan = nil }
            state.unplanned.append(constraint)
        }
    }

    /// The constraints of this view changed, or its place among views whose frames constraints
    /// decide.
    final func markPlans() {
        constraintRoot.markAllPlans()
        constraintState?.plannedBy?.markAllPlans()
    }

    private func markAllPlans() {
        let state = ensureConstraintState()
        state.plannedBy?.dropPlans()
        dropPlans()
        state.needsPlans = true
        setNeedsLayout()
    }

    private func dropPlans() {
        guard let state = constraintState, !state.plans.isEmpty else { return }
        let plans = state.plans
        (state.plans, state.unplanned, state.needsPlans) = ([], [], true)
        for plan in plans {
            plan.forgetResults()
            for view in plan.merged {
                view.constraintState?.mergedInto = nil
                view.constraintState?.needsPlans = true
                view.setNeedsLayout()
            }
        }
        setNeedsLayout()
    }

    final func translatesDidChange() {
        // One to which no constraint has ever referred, also none within it, is in no plan.
        guard let superview, constraintState != nil else { return }
        superview.markPlans()
        markPlans()
    }

    /// The view has got a mask, or has lost it: a plan reads its frame after the superview's
    /// frame is set, or before.
    final func maskDidChange() { constraintState?.plannedBy?.markAllPlans() }

    /// The view's frame has changed, and a plan may read it.
    final func planInputDidChange(_ state: ConstraintState) {
        guard translatesAutoresizingMaskIntoConstraints, let root = state.plannedBy else { return }
        if root.constraintState?.isReplaying == false { root.setNeedsLayout() }
    }

    /// The view is about to leave its superview: what leads from within it to the outside is
    /// deactivated.
    final func deactivateConstraintsOutwards() {
        deactivateConstraints(leadingFrom: self)
        if !translatesAutoresizingMaskIntoConstraints, constraintState != nil, let root = superview?.constraintRoot {
            if let plan = root.part(of: self)?.plan { root.retire(plan) }
        }
    }

    private func deactivateConstraints(leadingFrom top: UIView) {
        if let attached = constraintState?.attached {
            for constraint in attached.values where constraint.leads(from: top) { constraint.deactivate() }
        }
        for view in storedSubviews { view.deactivateConstraints(leadingFrom: top) }
    }

    final func planPlaceDidChange() {
        guard let state = constraintState else { return }
        (state.plannedBy, state.partOfTop) = (nil, nil)
        if translatesAutoresizingMaskIntoConstraints {
            // What refers to the view's guides and margins may refer to another window now.
            if !state.plans.isEmpty || state.mergedInto != nil { setNeedsLayout() }
        } else if superview == nil {
            markPlans()
        } else {
            (state.plans, state.unplanned, state.needsPlans) = ([], [], false)
            let root = constraintRoot
            for constraint in constraintsWithin { root.planAgain(constraint) }
        }
    }

    // MARK: In the layout pass

    /// Sets the frames that constraints give to the views and guides within this one.
    final func applyConstraints() {
        // Most views with a state are items of another one's plan.
        guard let state = constraintState else { return }
        if !state.plans.isEmpty || state.needsPlans || !state.unplanned.isEmpty || state.mergedInto != nil {
            applyConstraints(state)
        }
    }

    private func applyConstraints(_ state: ConstraintState) {
        // The other root was deallocated, or its plan was made again without this one.
        if let mergedInto = state.mergedInto, mergedInto.item == nil {
            state.mergedInto = nil
            state.needsPlans = true
        }
        makeNeededPlans(state)
        let bounds = self.bounds
        guard bounds.hasFiniteSides, !state.plans.isEmpty else { return }
        let scale = Double(window?.screen.scale ?? UISystem.current?.mainScreen.scale ?? 1)
        state.isReplaying = true
        defer { state.isReplaying = false }
        for plan in state.plans { plan.replay(bounds: bounds, scale: scale) }
        // Each time other constraints are contested.
        while state.plans.contains(where: \.isOutdated) {
            makeNeededPlans(state)
            for plan in state.plans { plan.replay(bounds: bounds, scale: scale) }
        }
    }

    /// Makes the plan of an item before the layout that will run it, to know what it leaves open.
    final func findAmbiguity(of item: AnyObject) {
        guard let state = constraintState else { return }
        repeat {
            makeNeededPlans(state)
            part(of: item)?.plan?.findAmbiguity()
        } while state.plans.contains(where: \.isOutdated)
    }

    private func makeNeededPlans(_ state: ConstraintState) {
        if !state.resizedItems.isEmpty { updateIntrinsicSizes(state) }
        for plan in state.plans where plan.isOutdated || !plan.isCurrent(for: self) { retire(plan) }
        if state.needsPlans || !state.unplanned.isEmpty { makePlans(state) }
    }

    private func makePlans(_ state: ConstraintState) {
        var some: [NSLayoutConstraint]? = state.needsPlans ? nil : state.unplanned
        (state.needsPlans, state.unplanned) = (false, [])
        guard state.mergedInto?.item == nil, constraintRoot === self else {
            state.plans = []
            return
        }
        var parts = LayoutParts(root: self)
        if let given = some {
            var isKnown: Set<Int> = []
            let active = given.filter { $0.isActive && $0.plan == nil && isKnown.insert($0.activation).inserted }
            if !parts.collect(active) { (some, parts) = (nil, LayoutParts(root: self)) }
        }
        if some == nil {
            dropPlans()
            state.needsPlans = false
            parts.collectAll()
        }
        for view in parts.merged {
            let other = view.ensureConstraintState()
            (other.plans, other.unplanned, other.needsPlans) = ([], [], false)
        }
        for part in parts.parts() {
            var planner = LayoutPlanner(root: self, part: part, merged: parts.merged)
            let plan = planner.makePlan()
            plan.index = state.plans.count
            state.plans.append(plan)
            for view in parts.merged { view.constraintState?.mergedInto = plan.handle }
        }
    }

    /// `layoutIfNeeded` was called: if constraints decide the view's frame, the root's plan is
    /// replayed first.
    final func applyConstraintsAbove() {
        guard !translatesAutoresizingMaskIntoConstraints, superview != nil else { return }
        let root = constraintRoot
        if root !== self, root.marks.contains(.layout) { root.applyConstraints() }
    }
}

extension NSLayoutConstraint {
    /// Whether one item lies within the view and the other does not.
    fileprivate func leads(from view: UIView) -> Bool {
        guard secondAttribute != .notAnAttribute else { return false }
        let isFirst = Self.view(of: firstItem)?.isDescendant(of: view) ?? true
        let isSecond = Self.view(of: secondItem)?.isDescendant(of: view) ?? true
        return isFirst != isSecond
    }
}
