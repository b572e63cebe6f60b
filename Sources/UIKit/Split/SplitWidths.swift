internal import Settle

/// What the app and the person asked for the width of one column, in points.
struct SplitWidths: Equatable, Sendable {
    /// `automaticDimension` or at least 0, as all but `dragged`.
    var preferred = UISplitViewController.automaticDimension
    /// Of the split view's width, 0 to 1.
    var fraction = UISplitViewController.automaticDimension
    var minimum = UISplitViewController.automaticDimension
    var maximum = UISplitViewController.automaticDimension
    /// The width that a person dragged the column to. The app's next width replaces it.
    var dragged: CGFloat?

    /// The width of a primary or supplementary column that nothing else is asked for.
    static let sidebar: CGFloat = 320
    static let inspector: CGFloat = 270
    /// The automatic maximum of a primary or supplementary column. It bounds fractions and
    /// defaults, and no width that the app or the person asked for.
    static let sidebarMaximum: CGFloat = 320
    /// The automatic maximum of an inspector; the same holds for it.
    static let inspectorMaximum: CGFloat = 400
    static let secondaryMinimum: CGFloat = 320
    /// A column without a minimum gives way to the secondary one down to this width.
    static let lowest: CGFloat = 200

    /// The width that was asked for, within its minimum and maximum. The minimum counts if it
    /// is larger than the maximum.
    ///
    /// - Parameters:
    ///   - column: Any but the secondary and compact columns, which get the rest or everything.
    ///   - total: The split view's width.
    func natural(_ column: UISplitViewController.Column, in total: CGFloat) -> CGFloat {
        var width: CGFloat
        var bound = maximum.asked ?? .infinity
        if let asked = dragged ?? preferred.asked {
            width = asked
        } else {
            let isInspector = column == .inspector
            width = fraction.asked.map { $0 * total } ?? (isInspector ? Self.inspector : Self.sidebar)
            bound = maximum.asked ?? (isInspector ? Self.inspectorMaximum : Self.sidebarMaximum)
        }
        width = min(width, bound)
        return max(minimum.asked ?? 0, width)
    }

    /// The width down to which a column of that natural width gives way.
    func lowest(natural: CGFloat) -> CGFloat { minimum.asked ?? min(Self.lowest, natural) }

    /// The least width of the secondary column beside which others are shown.
    var secondaryLeast: CGFloat { minimum.asked ?? Self.secondaryMinimum }

    /// The width that the secondary column wants before the split view shows others on its own.
    func secondaryWanted(in total: CGFloat) -> CGFloat {
        max(secondaryLeast, preferred.asked ?? fraction.asked.map { $0 * total } ?? 0)
    }

    var explicitMaximum: CGFloat? { maximum.asked }

    /// Whether an app may set a width: automatic, or not negative and, except for a maximum, finite.
    static func accepts(_ width: CGFloat, as field: WritableKeyPath<SplitWidths, CGFloat>) -> Bool {
        if width == UISplitViewController.automaticDimension { return true }
        return width >= 0 && (width.isFinite || field == \SplitWidths.maximum)
    }
}

extension CGFloat {
    fileprivate var asked: CGFloat? { self == UISplitViewController.automaticDimension ? nil : self }
}
