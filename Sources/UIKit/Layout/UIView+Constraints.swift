@_spi(Faults) internal import Settle

/// What a view has to do with constraints; `nil` for most views.
///
/// A *root* is a view whose frame no constraint decides: its constraints decide frames within
/// it, which its plan computes whenever the root is laid out.
@MainActor final class ConstraintState {
    nonisolated let handle = ItemHandle()
    /// The active constraints for which the view is the nearest one that contains both items.
    @exclusivity(unchecked) var held: [NSLayoutConstraint] = []
    /// The view's own layout guides.
    var guides: [UILayoutGuide] = []

    // For a root:
    /// `nil` if there are no constraints, or if it must be made again.
    @exclusivity(unchecked) var plan: LayoutPlan?
    /// The plan must be made before the next layout.
    @exclusivity(unchecked) var needsPlan = false
    /// The plan of another root that includes this root's constraints, as both decide one frame.
    @exclusivity(unchecked) var mergedInto: ItemHandle?
    @exclusivity(unchecked) var isReplaying = false
    /// The items whose own size has changed since the last layout.
    @exclusivity(unchecked) var resizedItems: [ItemHandle] = []

    // For an item of a plan:
    /// The root whose plan reads or sets the view's frame; `nil` for the root itself.
    var plannedBy: UIView? {
        get { plannedByHandle?.view }
        set { plannedByHandle = newValue?.constraintState?.handle }
    }
    @exclusivity(unchecked) private var plannedByHandle: ItemHandle?
    /// The constraints leave the view more than one place or size.
    var isAmbiguous = true
    /// The plan's number of the view while a plan is made.
    var planItem = -1
    /// How much the view resists being larger and smaller than its own size, per axis.
    var hugging = SIMD2(repeating: UILayoutPriority.defaultLow.rawValue)
    var compressionResistance = SIMD2(repeating: UILayoutPriority.defaultHigh.rawValue)
    /// The view's own size, as a plan has read it.
    @exclusivity(unchecked) var intrinsicSize: CGSize?

    init(_ view: UIView) { handle.item = view }
}

extension UIView {
    // MARK: Apple's

    /// The active constraints for which this is the nearest view that contains both items.
    public var constraints: [NSLayoutConstraint] { constraintState?.held ?? [] }

    /// Whether the constraints leave the view more than one place or size: what nothing fixes
    /// keeps its last value. Always false for a view whose frame the app sets.
    public var hasAmbiguousLayout: Bool {
        guard !translatesAutoresizingMaskIntoConstraints else { return false }
        constraintRoot.findAmbiguity()
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
        ensureConstraintState().held.append(constraint)
        constraintsDidChange(constraint)
    }

    final func release(_ constraint: NSLayoutConstraint) {
        constraintState?.held.removeAll { $0 === constraint }
        constraintsDidChange(constraint)
    }

    /// The plans that include the constraint must be made again.
    final func constraintsDidChange(_ constraint: NSLayoutConstraint) {
        markPlans()
        for item in [constraint.firstItem, constraint.secondItem] {
            NSLayoutConstraint.view(of: item)?.constraintState?.plannedBy?.markPlan()
        }
    }

    /// The constraints of this view changed, or its place among views whose frames constraints
    /// decide.
    final func markPlans() {
        constraintRoot.markPlan()
        constraintState?.plannedBy?.markPlan()
    }

    private func markPlan() {
        let state = ensureConstraintState()
        state.plannedBy?.dropPlan()
        dropPlan()
        state.needsPlan = true
        setNeedsLayout()
    }

    private func dropPlan() {
        guard let state = constraintState, let plan = state.plan else { return }
        state.plan = nil
        state.needsPlan = true
        plan.forgetResults()
        for view in plan.merged {
            view.constraintState?.mergedInto = nil
            view.constraintState?.needsPlan = true
            view.setNeedsLayout()
        }
        setNeedsLayout()
    }

    /// `translatesAutoresizingMaskIntoConstraints` has changed.
    final func translatesDidChange() {
        guard let superview else { return }
        if constraintState != nil || superview.constraintRoot.constraintState != nil {
            superview.markPlans()
            markPlans()
        }
    }

    /// The view has got a mask, or has lost it: a plan reads its frame after the superview's
    /// frame is set, or before.
    final func maskDidChange() { constraintState?.plannedBy?.markPlan() }

    /// The view's frame has changed, and a plan may read it.
    final func planInputDidChange(_ state: ConstraintState) {
        guard translatesAutoresizingMaskIntoConstraints, let root = state.plannedBy else { return }
        if root.constraintState?.isReplaying == false { root.setNeedsLayout() }
    }

    /// The view is about to leave its superview: what leads from within it to the outside is
    /// deactivated.
    final func deactivateConstraintsOutwards() {
        var isPlanned = false
        var view = superview
        while let current = view {
            if let state = current.constraintState {
                for constraint in state.held where constraint.leads(from: self) && !Planted.removedStaysActive {
                    constraint.deactivate()
                }
                isPlanned = !translatesAutoresizingMaskIntoConstraints
            }
            view = current.superview
        }
        if isPlanned { superview?.markPlans() }
    }

    /// The view has got another superview, or none.
    final func planPlaceDidChange() {
        if let state = constraintState { state.plannedBy = nil }
        if translatesAutoresizingMaskIntoConstraints {
            // What refers to the view's guides and margins may refer to another window now.
            if constraintState?.plan != nil || constraintState?.mergedInto != nil { setNeedsLayout() }
        } else if superview != nil || constraintState != nil {
            markPlans()
        }
    }

    // MARK: In the layout pass

    /// Sets the frames that constraints give to the views and guides within this one.
    final func applyConstraints() {
        // Most views with a state are items of another one's plan.
        if let state = constraintState, state.needsPlan || state.plan != nil || state.mergedInto != nil {
            applyConstraints(state)
        }
    }

    private func applyConstraints(_ state: ConstraintState) {
        // The other root was deallocated, or its plan was made again without this one.
        if let mergedInto = state.mergedInto, mergedInto.item == nil {
            state.mergedInto = nil
            state.needsPlan = true
        }
        if !state.resizedItems.isEmpty { updateIntrinsicSizes(state) }
        if state.needsPlan || state.plan?.isCurrent(for: self) == false { makePlan() }
        // Each time another constraint is contested.
        repeat {
            if state.plan?.isOutdated == true { makePlan() }
            guard let plan = state.plan else { return }
            state.isReplaying = true
            plan.replay(root: self)
            state.isReplaying = false
        } while state.plan?.isOutdated == true
    }

    /// Makes the plan before the layout that will run it, to know what it leaves open.
    final func findAmbiguity() {
        guard let state = constraintState else { return }
        if !state.resizedItems.isEmpty { updateIntrinsicSizes(state) }
        repeat {
            if state.needsPlan || state.plan?.isOutdated == true { makePlan() }
            state.plan?.findAmbiguity()
        } while state.plan?.isOutdated == true
    }

    private func makePlan() {
        guard let state = constraintState else { return }
        state.needsPlan = false
        state.plan = nil
        guard state.mergedInto?.item == nil, constraintRoot === self else { return }
        var planner = LayoutPlanner(root: self)
        state.plan = planner.makePlan()
        for view in planner.merged { view.constraintState?.mergedInto = state.plan?.handle }
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
