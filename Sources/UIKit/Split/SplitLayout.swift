internal import Settle

/// What an app and a person ask of a split view: everything that its layout depends on but
/// the width.
struct SplitRequest: Equatable, Sendable {
    typealias Column = UISplitViewController.Column

    var style: UISplitViewController.Style
    var widths = PerColumn(repeating: SplitWidths())
    var preferredMode = UISplitViewController.DisplayMode.automatic
    var preferredBehavior = UISplitViewController.SplitBehavior.automatic
    /// The number of columns besides the secondary one after `show` or `hide`; `nil` for that
    /// of the preferred mode.
    var columns: Int?
    var showsInspector = false
    /// A preferred mode is never reduced.
    var isStrict = false
    /// What the last layout had no space for, and the next one shows again only with
    /// `hysteresis` points more.
    var squeezed = Squeezed()

    struct Squeezed: Equatable, Sendable {
        /// The number of columns that had space; `nil` if all that were asked for had.
        var columns: Int?
        var inspector = false
    }

    /// By how much the split view must grow, in points, beyond the width at which a column was
    /// hidden, before the column is shown again.
    static let hysteresis: CGFloat = 20

    /// Sums of a few such widths are finite.
    private static let widthMax: CGFloat = 1e100

    var behavior: UISplitViewController.SplitBehavior { .resolved(preferredBehavior, for: preferredMode) }

    var askedColumns: Int {
        let most = style.columnsMax
        return min(most, columns ?? preferredMode.columns ?? behavior.automaticColumns(most: most))
    }

    var isAutomatic: Bool { columns == nil && preferredMode == .automatic }

    /// The layout at a width in points; one that is negative or not finite counts as 0.
    func layout(width: CGFloat) -> SplitLayout {
        let total = width.isFinite ? min(max(0, width), Self.widthMax) : 0
        return Fitting(self, total).layout()
    }
}

/// The columns of a split view at one width: which are shown, and where. Lengths are in
/// points from the edge of the primary column.
struct SplitLayout: Equatable, Sendable {
    typealias Column = UISplitViewController.Column

    struct Extent: Equatable, Sendable {
        var isShown = false
        var x: CGFloat = 0
        var width: CGFloat = 0
        /// How far a neighbour covers the column at the primary edge, and at the other one.
        var coveredBefore: CGFloat = 0
        var coveredAfter: CGFloat = 0
        /// The width that no neighbour covers: as it was asked for, without errors of rounding,
        /// so that it changes only if it has to.
        var visibleWidth: CGFloat = 0

        init(isShown: Bool = false, x: CGFloat = 0, width: CGFloat = 0) {
            self.isShown = isShown
            self.x = x
            self.width = width
            visibleWidth = width
        }
    }

    var width: CGFloat
    var behavior: UISplitViewController.SplitBehavior
    var mode: UISplitViewController.DisplayMode
    var columns = PerColumn(repeating: Extent())
    var squeezed = SplitRequest.Squeezed()

    func frame(_ column: Column, height: CGFloat, isMirrored: Bool) -> CGRect {
        let extent = columns[column]
        let x = isMirrored ? width - extent.x - extent.width : extent.x
        return CGRect(x: x, y: 0, width: extent.width, height: height)
    }

    func covered(_ column: Column, isMirrored: Bool) -> (left: CGFloat, right: CGFloat) {
        let extent = columns[column]
        return isMirrored ? (extent.coveredAfter, extent.coveredBefore) : (extent.coveredBefore, extent.coveredAfter)
    }
}

private struct Fitting {
    let request: SplitRequest
    let total: CGFloat
    let behavior: UISplitViewController.SplitBehavior
    /// The widths that the columns have if there is space, and to which they give way.
    let primary: Range
    let supplementary: Range
    let inspector: Range
    let least: CGFloat

    struct Range {
        var width: CGFloat
        let lowest: CGFloat

        /// Gives way by as much as is missing, or as it can.
        mutating func give(_ missing: inout CGFloat) {
            guard missing > 0 else { return }
            let given = min(missing, max(0, width - lowest))
            width -= given
            missing -= given
        }
    }

    init(_ request: SplitRequest, _ total: CGFloat) {
        self.request = request
        self.total = total
        behavior = request.behavior
        func range(_ column: UISplitViewController.Column) -> Range {
            let widths = request.widths[column]
            let natural = widths.natural(column, in: total)
            return Range(width: natural, lowest: min(natural, widths.lowest(natural: natural)))
        }
        primary = range(.primary)
        supplementary = range(.supplementary)
        inspector = range(.inspector)
        least = request.widths.secondary.secondaryLeast
    }

    func layout() -> SplitLayout {
        let asked = request.askedColumns
        // The automatic mode has as many as fit, also where people cannot change it.
        let count = request.isStrict && !request.isAutomatic ? asked : mostColumns(asked)
        let hasInspector = request.showsInspector && mayShowInspector(count, of: asked) && fitsInspector(count)
        var layout = SplitLayout(width: total, behavior: behavior, mode: behavior.mode(columns: count))
        layout.squeezed.columns = count < asked ? count : nil
        layout.squeezed.inspector = request.showsInspector && !hasInspector
        place(count, hasInspector, in: &layout)
        return layout
    }

    // MARK: Columns that fit

    private func mostColumns(_ asked: Int) -> Int {
        var count = asked
        while count > 0 {
            let grows = request.squeezed.columns.map { count > $0 } ?? false
            if needed(count) + (grows ? SplitRequest.hysteresis : 0) <= total { break }
            count -= 1
        }
        return count
    }

    private func needed(_ count: Int) -> CGFloat {
        let columns = lowest(count)
        if isDisplaced(count) { return max(columns, supplementary.lowest + wanted) }
        return behavior == .overlay ? columns : columns + wanted
    }

    /// Whether the secondary column moves: it keeps the width that it has beside the supplementary one.
    private func isDisplaced(_ count: Int) -> Bool { behavior == .displace && count > 1 }

    private func lowest(_ count: Int) -> CGFloat {
        (shows(.primary, count) ? primary.lowest : 0) + (shows(.supplementary, count) ? supplementary.lowest : 0)
    }

    private func shows(_ column: UISplitViewController.Column, _ count: Int) -> Bool {
        request.style.shows(column, columns: count)
    }

    /// What the secondary column needs before others are shown beside it: what it wants if the app
    /// has not chosen their number. Columns that are shown give way only to its minimum.
    private var wanted: CGFloat {
        request.isAutomatic ? request.widths.secondary.secondaryWanted(in: total) : least
    }

    /// The inspector is hidden before the other columns, so it is not shown without one that was
    /// asked for. If that is hidden because the secondary column wants more than its minimum, the
    /// inspector may take what is more.
    private func mayShowInspector(_ count: Int, of asked: Int) -> Bool {
        count == asked || (wanted > least && wanted - least >= inspector.lowest)
    }

    private func fitsInspector(_ count: Int) -> Bool {
        let margin = request.squeezed.inspector ? SplitRequest.hysteresis : 0
        let others: CGFloat
        if isDisplaced(count) {
            others = max(lowest(count), supplementary.lowest + least)
        } else {
            others = least + (behavior == .overlay ? 0 : lowest(count))
        }
        return inspector.lowest + others + margin <= total
    }

    // MARK: Positions

    private func place(_ count: Int, _ hasInspector: Bool, in layout: inout SplitLayout) {
        let (hasPrimary, hasSupplementary) = (shows(.primary, count), shows(.supplementary, count))
        var (primary, supplementary, inspector) = (self.primary, self.supplementary, self.inspector)
        if !hasPrimary { primary.width = 0 }
        if !hasSupplementary { supplementary.width = 0 }
        if !hasInspector { inspector.width = 0 }
        let isDisplaced = isDisplaced(count)

        // Columns give way to the secondary one, first the primary column.
        switch behavior {
        case .overlay:
            var missing = primary.width + supplementary.width - total
            primary.give(&missing)
            supplementary.give(&missing)
            missing = inspector.width + least - total
            inspector.give(&missing)
        case .automatic, .tile, .displace:
            var missing = supplementary.width + inspector.width + least - total
            if isDisplaced {
                // The width that the secondary column has beside the supplementary one alone.
                supplementary.give(&missing)
                inspector.give(&missing)
                missing = primary.width + supplementary.width + inspector.width - total
            } else {
                missing += primary.width
            }
            primary.give(&missing)
            supplementary.give(&missing)
            inspector.give(&missing)
        }
        primary.width = min(primary.width, total)
        supplementary.width = min(supplementary.width, total)
        inspector.width = min(inspector.width, total)

        let both = primary.width + supplementary.width
        layout.columns.primary = .init(isShown: hasPrimary, x: 0, width: primary.width)
        layout.columns.supplementary = .init(
            isShown: hasSupplementary, x: primary.width, width: supplementary.width)
        layout.columns.inspector = .init(
            isShown: hasInspector, x: total - inspector.width, width: inspector.width)
        var secondary = SplitLayout.Extent(isShown: true, x: both, width: max(0, total - both))
        secondary.coveredAfter = inspector.width
        switch behavior {
        case .overlay: (secondary.x, secondary.width) = (0, total)
        case .displace where isDisplaced: secondary.width = max(0, total - supplementary.width)
        case .automatic, .tile, .displace:
            // The column beside the primary one extends below it.
            if hasSupplementary, hasPrimary {
                layout.columns.supplementary.x = 0
                layout.columns.supplementary.width = both
                layout.columns.supplementary.coveredBefore = primary.width
            } else if hasPrimary {
                (secondary.x, secondary.width) = (0, total)
                secondary.coveredBefore = primary.width
            }
        }
        // With a mode that is never reduced, covers may be wider than what they cover.
        secondary.coveredBefore = min(secondary.coveredBefore, secondary.width)
        secondary.coveredAfter = min(secondary.coveredAfter, secondary.width - secondary.coveredBefore)
        secondary.visibleWidth = max(0, secondary.width - secondary.coveredBefore - secondary.coveredAfter)
        layout.columns.secondary = secondary
    }
}
