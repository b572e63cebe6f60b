/// The widths of columns, in points: `automaticDimension`, or finite and at least 0. Anything
/// else is ignored, which is logged. An infinite maximum is no bound. A fraction is a part of the split view's width; one above 1
/// counts as 1. Setting a column's width replaces the one that a person has dragged it to.
extension UISplitViewController {
    /// The width of the primary column: the shown one or, if it is hidden, what it would be.
    public var primaryColumnWidth: CGFloat { width(of: .primary) }
    /// The width of the supplementary column: the shown one or, if it is hidden, what it would be.
    public var supplementaryColumnWidth: CGFloat { width(of: .supplementary) }

    /// The width that the app wants for the primary column; before its fraction.
    public var preferredPrimaryColumnWidth: CGFloat {
        get { request.widths.primary.preferred }
        set { setWidth(.primary, \.preferred, newValue, "preferredPrimaryColumnWidth") }
    }
    /// The part of the width that the app wants for the primary column.
    public var preferredPrimaryColumnWidthFraction: CGFloat {
        get { request.widths.primary.fraction }
        set { setWidth(.primary, \.fraction, newValue, "preferredPrimaryColumnWidthFraction") }
    }
    /// The least width of the primary column.
    public var minimumPrimaryColumnWidth: CGFloat {
        get { request.widths.primary.minimum }
        set { setWidth(.primary, \.minimum, newValue, "minimumPrimaryColumnWidth") }
    }
    /// The largest width of the primary column. The minimum counts if it is larger.
    public var maximumPrimaryColumnWidth: CGFloat {
        get { request.widths.primary.maximum }
        set { setWidth(.primary, \.maximum, newValue, "maximumPrimaryColumnWidth") }
    }

    /// The width that the app wants for the supplementary column; before its fraction.
    public var preferredSupplementaryColumnWidth: CGFloat {
        get { request.widths.supplementary.preferred }
        set { setWidth(.supplementary, \.preferred, newValue, "preferredSupplementaryColumnWidth") }
    }
    /// The part of the width that the app wants for the supplementary column.
    public var preferredSupplementaryColumnWidthFraction: CGFloat {
        get { request.widths.supplementary.fraction }
        set { setWidth(.supplementary, \.fraction, newValue, "preferredSupplementaryColumnWidthFraction") }
    }
    /// The least width of the supplementary column.
    public var minimumSupplementaryColumnWidth: CGFloat {
        get { request.widths.supplementary.minimum }
        set { setWidth(.supplementary, \.minimum, newValue, "minimumSupplementaryColumnWidth") }
    }
    /// The largest width of the supplementary column. The minimum counts if it is larger.
    public var maximumSupplementaryColumnWidth: CGFloat {
        get { request.widths.supplementary.maximum }
        set { setWidth(.supplementary, \.maximum, newValue, "maximumSupplementaryColumnWidth") }
    }

    /// The width that the secondary column wants before the automatic mode shows others.
    public var preferredSecondaryColumnWidth: CGFloat {
        get { request.widths.secondary.preferred }
        set { setWidth(.secondary, \.preferred, newValue, "preferredSecondaryColumnWidth") }
    }
    /// The part of the width that the secondary column wants before the automatic mode shows
    /// others.
    public var preferredSecondaryColumnWidthFraction: CGFloat {
        get { request.widths.secondary.fraction }
        set { setWidth(.secondary, \.fraction, newValue, "preferredSecondaryColumnWidthFraction") }
    }
    /// The width of the secondary column to which others give way.
    public var minimumSecondaryColumnWidth: CGFloat {
        get { request.widths.secondary.minimum }
        set { setWidth(.secondary, \.minimum, newValue, "minimumSecondaryColumnWidth") }
    }

    /// The width that the app wants for the inspector; before its fraction.
    public var preferredInspectorColumnWidth: CGFloat {
        get { request.widths.inspector.preferred }
        set { setWidth(.inspector, \.preferred, newValue, "preferredInspectorColumnWidth") }
    }
    /// The part of the width that the app wants for the inspector.
    public var preferredInspectorColumnWidthFraction: CGFloat {
        get { request.widths.inspector.fraction }
        set { setWidth(.inspector, \.fraction, newValue, "preferredInspectorColumnWidthFraction") }
    }
    /// The least width of the inspector.
    public var minimumInspectorColumnWidth: CGFloat {
        get { request.widths.inspector.minimum }
        set { setWidth(.inspector, \.minimum, newValue, "minimumInspectorColumnWidth") }
    }
    /// The largest width of the inspector. The minimum counts if it is larger.
    public var maximumInspectorColumnWidth: CGFloat {
        get { request.widths.inspector.maximum }
        set { setWidth(.inspector, \.maximum, newValue, "maximumInspectorColumnWidth") }
    }

    private func width(of column: Column) -> CGFloat {
        if let place = shownLayout?.columns[column], place.isShown { return place.visibleWidth }
        return request.widths[column].natural(column, in: viewIfLoaded?.bounds.width ?? 0)
    }

    private func setWidth(
        _ column: Column, _ field: WritableKeyPath<SplitWidths, CGFloat>, _ width: CGFloat, _ name: StaticString
    ) {
        guard SplitWidths.accepts(width, as: field) else {
            return log("\(name) stays \(request.widths[column][keyPath: field]), as \(width) is no width.")
        }
        let isFraction = field == \SplitWidths.fraction
        request.widths[column][keyPath: field] = isFraction ? min(1, width) : width
        request.widths[column].dragged = nil
        requestDidChange()
    }
}
