/// A view's own size, and the size that its constraints give it.
extension UIView {
    /// In `intrinsicContentSize`: the view has no length of its own along the axis. -1.
    public static let noIntrinsicMetric: CGFloat = -1
    /// For `systemLayoutSizeFitting`: as small as possible.
    public static let layoutFittingCompressedSize = CGSize.zero
    /// For `systemLayoutSizeFitting`: as large as possible, which is 10,000 points.
    public static let layoutFittingExpandedSize = CGSize(width: 10_000, height: 10_000)

    /// How much the view resists being larger than its `intrinsicContentSize`; 250 by default.
    public func contentHuggingPriority(for axis: NSLayoutConstraint.Axis) -> UILayoutPriority {
        UILayoutPriority(constraintState?.hugging[axis.rawValue] ?? UILayoutPriority.defaultLow.rawValue)
    }

    /// Sets how much the view resists being larger than its `intrinsicContentSize`.
    public func setContentHuggingPriority(_ priority: UILayoutPriority, for axis: NSLayoutConstraint.Axis) {
        guard priority != contentHuggingPriority(for: axis) else { return }
        ensureConstraintState().hugging[axis.rawValue] = priority.rawValue
        planAgain()
    }

    /// How much the view resists being smaller than its `intrinsicContentSize`; 750 by default.
    public func contentCompressionResistancePriority(for axis: NSLayoutConstraint.Axis) -> UILayoutPriority {
        UILayoutPriority(constraintState?.compressionResistance[axis.rawValue] ?? UILayoutPriority.defaultHigh.rawValue)
    }

    /// Sets how much the view resists being smaller than its `intrinsicContentSize`.
    public func setContentCompressionResistancePriority(
        _ priority: UILayoutPriority, for axis: NSLayoutConstraint.Axis
    ) {
        guard priority != contentCompressionResistancePriority(for: axis) else { return }
        ensureConstraintState().compressionResistance[axis.rawValue] = priority.rawValue
        planAgain()
    }

    /// The part of the root's plans that computes the view's frame is made again.
    private func planAgain() {
        guard let root = constraintState?.plannedBy, let plan = root.part(of: self)?.plan else { return }
        root.retire(plan)
    }

    final func intrinsicSizeDidChange() {
        guard let state = constraintState, state.intrinsicSize != nil, let root = state.plannedBy else { return }
        root.constraintState?.resizedItems.append(state.handle)
        root.setNeedsLayout()
    }

    /// Reads the sizes that have changed. Where a length is new or gone, the plan is made again.
    final func updateIntrinsicSizes(_ state: ConstraintState) {
        let items = state.resizedItems
        state.resizedItems = []
        for view in items.compactMap(\.view) {
            guard let item = view.constraintState else { continue }
            let known = (0..<2).map { item.hasIntrinsicLength($0) }
            item.readIntrinsicSize()
            if known != (0..<2).map({ item.hasIntrinsicLength($0) }) { view.planAgain() }
        }
    }

    /// The size with which the view's constraints hold and that is closest to the given one, in points.
    final func fittingSize(_ target: CGSize, _ priorities: [UILayoutPriority]) -> CGSize {
        guard target.width.isFinite, target.height.isFinite else {
            UISystem.current?.log("A size to fit, \(target), is not finite, and counts as zero.")
            return fittingSize(.zero, priorities)
        }
        updateMarkedConstraints()
        let size = [Double(target.width), Double(target.height)]
        var parts = LayoutParts(root: self, isFitting: true)
        parts.collectAll()
        var planner = LayoutPlanner(
            root: self, part: parts.parts().first ?? .init(), fitting: .init(size: size, priority: priorities))
        let found = planner.makePlan().compute(bounds: CGRect(origin: storedBoundsOrigin, size: .zero))
        let scale = Double(window?.screen.scale ?? UISystem.current?.mainScreen.scale ?? 1)
        return CGSize(
            width: max(0, LayoutPlan.pixel(found.width, scale) / scale),
            height: max(0, LayoutPlan.pixel(found.height, scale) / scale))
    }
}

extension ConstraintState {
    func readIntrinsicSize() { intrinsicSize = (handle.view)?.intrinsicContentSize }

    func intrinsicLength(_ axis: Int) -> Double {
        Double((axis == 0 ? intrinsicSize?.width : intrinsicSize?.height) ?? UIView.noIntrinsicMetric)
    }

    func hasIntrinsicLength(_ axis: Int) -> Bool {
        let length = intrinsicLength(axis)
        return length >= 0 && length.isFinite
    }
}
