/// What a person does to the separators of a split view, which is an interactive resize of its
/// columns.
extension UISystem {
    /// The boundary of two columns that are shown beside or over each other.
    public struct Separator {
        /// A direction in which a separator can be moved. A pointer's shape shows them.
        public enum Direction: Hashable, Sendable {
            /// To the left in an interface from left to right.
            case leading
            /// To the right in an interface from left to right.
            case trailing
        }

        public let splitViewController: UISplitViewController
        /// The column on the side of the primary edge.
        public let before: UISplitViewController.Column
        /// The column on the other side.
        public let after: UISplitViewController.Column
        /// In points from the left edge of the split view.
        public let x: CGFloat
        /// Where it can be moved to: both directions, one at a bound, none if it is fixed.
        public let directions: Set<Direction>
    }

    /// The separators of a split view, those near the primary edge first; none if it is
    /// collapsed or not on the screen.
    public func separators(of splitViewController: UISplitViewController) -> [Separator] {
        splitViewController.separators.map { Separator($0, of: splitViewController) }
    }

    /// A person starts to drag a separator: nothing is rebuilt for its columns and the secondary one
    /// until it ends.
    /// A drag of another separator of the split view ends.
    ///
    /// - Throws: `notShown` if its columns are not shown beside each other; `notDraggable` if it
    ///   cannot move.
    public func beginDrag(_ separator: Separator) throws {
        let split = separator.splitViewController
        guard let present = split.separator(separator.before, separator.after) else {
            throw UISystem.Error.notShown
        }
        guard present.bounds.lowerBound < present.bounds.upperBound else { throw UISystem.Error.notDraggable }
        turn.hostCall { split.beginDrag(present) }
    }

    /// The person moves the separator. It stops where a column is as narrow or wide as it may
    /// be.
    ///
    /// - Parameters:
    ///   - separator: One that is being dragged.
    ///   - x: In points from the left edge of the split view; one that is not a number changes
    ///     nothing.
    /// - Throws: `notShown` if its columns are not shown beside each other any more, which ends
    ///   the drag; `notDraggable` if it is not being dragged.
    public func drag(_ separator: Separator, to x: CGFloat) throws {
        let split = separator.splitViewController
        guard split.isDragging(separator) else {
            let isShown = split.separator(separator.before, separator.after) != nil
            throw isShown ? UISystem.Error.notDraggable : UISystem.Error.notShown
        }
        turn.hostCall { split.drag(to: x) }
    }

    /// The person ends the drag. It does nothing if the drag has ended.
    public func endDrag(_ separator: Separator) {
        let split = separator.splitViewController
        guard split.isDragging(separator) else { return }
        turn.hostCall { split.endDrag() }
    }
}

extension UISystem.Separator {
    @MainActor fileprivate init(_ separator: SplitSeparator, of split: UISplitViewController) {
        splitViewController = split
        before = separator.before
        after = separator.after
        x = split.mirrored(separator.x)
        var directions = Set<Direction>()
        let (width, bounds) = (separator.width, separator.bounds)
        // A column that is wider moves its separator away from its own edge.
        let isReversed = (separator.resized == .inspector) != (split.primaryEdge == .trailing)
        if width < bounds.upperBound { directions.insert(isReversed ? .leading : .trailing) }
        if width > bounds.lowerBound { directions.insert(isReversed ? .trailing : .leading) }
        self.directions = directions
    }
}

struct SeparatorDrag {
    /// The separator as it was when the drag began, or when the split view got another width.
    var separator: SplitSeparator
    var total: CGFloat

    var columns: ColumnSet { [ColumnSet(separator.before), ColumnSet(separator.after)] }

    /// Whether the drag resizes a column: those of the separator, and the secondary one, which gets
    /// the rest.
    func resizes(_ column: UISplitViewController.Column) -> Bool {
        column == separator.before || column == separator.after || column == .secondary
    }
}

extension UISplitViewController {
    fileprivate var separators: [SplitSeparator] {
        guard !isCollapsed, let layout, viewIfLoaded?.window?.isOnScreen == true else { return [] }
        return request.separators(of: layout)
    }

    fileprivate func separator(_ before: Column, _ after: Column) -> SplitSeparator? {
        separators.first { $0.before == before && $0.after == after }
    }

    fileprivate func isDragging(_ separator: UISystem.Separator) -> Bool {
        guard let drag else { return false }
        return drag.separator.before == separator.before && drag.separator.after == separator.after
    }

    /// Points from the left edge as points from the primary edge, and back.
    fileprivate func mirrored(_ x: CGFloat) -> CGFloat { isMirrored ? (layout?.width ?? 0) - x : x }

    fileprivate func beginDrag(_ separator: SplitSeparator) {
        drag = SeparatorDrag(separator: separator, total: layout?.width ?? 0)
        flagDidChange()
    }

    fileprivate func drag(to x: CGFloat) {
        guard var drag, let layout else { return }
        if drag.total != layout.width {
            guard let present = separator(drag.separator.before, drag.separator.after) else { return endDrag() }
            drag = SeparatorDrag(separator: present, total: layout.width)
            self.drag = drag
        }
        let separator = drag.separator
        let width = separator.clamped(separator.width(at: mirrored(x)))
        guard width != layout.columns[separator.resized].visibleWidth else { return }
        request.drag(separator.resized, to: width, in: layout)
        viewIfLoaded?.setNeedsLayout()
    }

    func endDrag() {
        guard drag != nil else { return }
        drag = nil
        flagDidChange()
    }

    /// The columns, and those of split views within them, start or stop being resized.
    private func flagDidChange() {
        columnsDidChange()
        viewIfLoaded?.window?.windowScene?.columnsDidChange()
    }
}
