internal import Settle

/// The boundary of two shown columns, and how far a person can drag it.
struct SplitSeparator: Equatable, Sendable {
    typealias Column = UISplitViewController.Column

    /// The columns on its sides, in the order of columns.
    var before: Column
    var after: Column
    /// The column whose width a drag changes, its width, and the bounds of that.
    var resized: Column
    var width: CGFloat
    var bounds: ClosedRange<CGFloat>
    var x: CGFloat

    func width(at x: CGFloat) -> CGFloat {
        resized == .inspector ? width + (self.x - x) : width + (x - self.x)
    }

    /// The nearest width within the bounds; the present one if `width` is not a number.
    func clamped(_ width: CGFloat) -> CGFloat {
        let stop = bounds.upperBound
        return width.isNaN ? self.width : min(max(width, bounds.lowerBound), stop)
    }
}

extension SplitRequest {
    /// The separators of a layout of this request, those near the primary edge first.
    func separators(of layout: SplitLayout) -> [SplitSeparator] {
        let shown = Column.expanded.filter { layout.columns[$0].isShown }
        return zip(shown, shown.dropFirst()).map { before, after in
            let resized = after == .inspector ? after : before
            let extent = layout.columns[resized]
            return SplitSeparator(
                before: before, after: after, resized: resized, width: extent.visibleWidth,
                bounds: bounds(resized, isFirst: before == shown[0], in: layout),
                x: resized == .inspector ? extent.x : extent.x + extent.width)
        }
    }

    /// The widths to which a person can drag a column. Only the column at the primary edge can
    /// be dragged where columns cover or move the secondary one.
    private func bounds(_ column: Column, isFirst: Bool, in layout: SplitLayout) -> ClosedRange<CGFloat> {
        let width = layout.columns[column].visibleWidth
        let tiles = layout.behavior == .tile || layout.behavior == .automatic
        guard tiles || (isFirst && column != .inspector) else { return width...width }
        let secondary = layout.columns.secondary
        let free: CGFloat
        // One column displaces nothing: it is beside the secondary one.
        if tiles || (layout.behavior == .displace && layout.mode.columns == 1) {
            free = secondary.visibleWidth - widths.secondary.secondaryLeast
        } else {
            let others = layout.columns.primary.visibleWidth + layout.columns.supplementary.visibleWidth
            free = layout.width - others
        }
        let lowest = min(width, widths[column].lowest(natural: width))
        let highest = min(width + max(0, free), widths[column].explicitMaximum ?? .infinity)
        return lowest...max(width, highest)
    }

    /// The request after a person has dragged a column to a width. Columns that had given way
    /// keep the widths that they have, as they would grow into the freed space otherwise.
    mutating func drag(_ column: Column, to width: CGFloat, in layout: SplitLayout) {
        for other in Column.expanded where other != column && other != .secondary && layout.columns[other].isShown {
            let present = layout.columns[other].visibleWidth
            if widths[other].natural(other, in: layout.width) != present { widths[other].dragged = present }
        }
        widths[column].dragged = width
    }
}
