internal import Settle

/// The frames of columns in an expanded interface.
extension UISplitViewController {
    /// The columns from the back to the front: what covers another one is in front of it.
    private static let order: [Column] = [.secondary, .supplementary, .inspector, .primary]

    func layOutExpanded() {
        let byApp = isChangedByApp
        isChangedByApp = false
        let next = layout(width: view.bounds.width)
        if request.squeezed != next.squeezed { request.squeezed = next.squeezed }
        let columns = next.shownColumns
        if let layout, layout.mode != next.mode {
            delegate?.splitViewController(self, willChangeTo: next.mode)
        }
        guard columns != shownColumns else { return place(next) }
        let (gone, come) = (shownColumns.subtracting(columns), columns.subtracting(shownColumns))
        let isNotified = layout != nil && !byApp
        if let drag, !gone.isDisjoint(with: drag.columns) { endDrag() }
        if isNotified {
            for column in gone.columns { delegate?.splitViewController(self, willHide: column) }
            for column in come.columns { delegate?.splitViewController(self, willShow: column) }
        }
        shownColumns = columns
        for column in gone.columns { slots[column].child?.viewIfLoaded?.removeFromSuperview() }
        place(next)
        if isNotified {
            for column in gone.columns { delegate?.splitViewController(self, didHide: column) }
            for column in come.columns { delegate?.splitViewController(self, didShow: column) }
        }
        childrenDidChange()
    }

    func place(_ next: SplitLayout) {
        layout = next
        let mirrored = isMirrored
        let height = view.bounds.height
        var index = 0
        for column in Self.order where shownColumns.contains(column) {
            guard let child = slots[column].child else { continue }
            let covered = next.covered(column, isMirrored: mirrored)
            place(
                child, in: next.frame(column, height: height, isMirrored: mirrored), at: index,
                covered: UIEdgeInsets(top: 0, left: covered.left, bottom: 0, right: covered.right))
            index += 1
        }
    }

    /// Shows a child in a frame, at a place in the order of subviews.
    func place(_ child: UIViewController, in frame: CGRect, at index: Int, covered: UIEdgeInsets) {
        guard let childView = child.view else { return }
        if childView.frame.size != frame.size { child.transition(to: frame.size) }
        if !childView.frame.isSame(as: frame) { childView.frame = frame }
        if child.coveredInsets != covered { child.coveredInsets = covered }
        if childView.superview !== view { view.insertSubview(childView, at: index) }
    }

    /// Other children are visible: what another one prefers and supports may count.
    func childrenDidChange() { visibleControllerDidChange() }
}

extension SplitLayout {
    var shownColumns: ColumnSet {
        var set = ColumnSet()
        if columns.primary.isShown { set.insert(ColumnSet(.primary)) }
        if columns.supplementary.isShown { set.insert(ColumnSet(.supplementary)) }
        if columns.secondary.isShown { set.insert(ColumnSet(.secondary)) }
        if columns.inspector.isShown { set.insert(ColumnSet(.inspector)) }
        return set
    }
}

extension ColumnSet {
    var columns: [UISplitViewController.Column] { UISplitViewController.Column.expanded.filter { contains($0) } }
}
