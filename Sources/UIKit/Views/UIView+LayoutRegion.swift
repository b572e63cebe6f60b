internal import Settle

extension UIView {
    /// A part of a view for content: the safe area, or the margins or readable width in it. With
    /// an axis it also keeps clear of the window control, see `AdaptivityAxis`.
    public struct LayoutRegion: Hashable, Sendable {
        /// On which side content keeps clear of the window control.
        public enum AdaptivityAxis: Hashable, Sendable {
            /// The content begins beside it: for what is like a bar at the top of a scene.
            case horizontal
            /// The content begins below it.
            case vertical
        }

        enum Kind: Int { case safeArea, margins, readableContent }

        let kind: Kind
        let axis: AdaptivityAxis?

        /// The bounds without what is covered.
        public static func safeArea(cornerAdaptation: AdaptivityAxis? = nil) -> LayoutRegion {
            LayoutRegion(kind: .safeArea, axis: cornerAdaptation)
        }

        /// The safe area without the layout margins.
        public static func margins(cornerAdaptation: AdaptivityAxis? = nil) -> LayoutRegion {
            LayoutRegion(kind: .margins, axis: cornerAdaptation)
        }

        /// The middle of the layout margins, at most as wide as text is easy to read.
        public static func readableContent(cornerAdaptation: AdaptivityAxis? = nil) -> LayoutRegion {
            LayoutRegion(kind: .readableContent, axis: cornerAdaptation)
        }

        var index: Int {
            switch axis {
            case nil: kind.rawValue
            case .horizontal: 3 + kind.rawValue
            case .vertical: 6 + kind.rawValue
            }
        }
    }

    final func regionGuide(for layoutRegion: LayoutRegion) -> RegionGuide {
        let state = ensureInsetState()
        if let guide = state.regions.first(where: { $0.region == layoutRegion }) { return guide }
        let guide = RegionGuide(layoutRegion, of: self)
        state.regions.append(guide)
        return guide
    }

    /// A region's present distances from the bounds, in points.
    public func edgeInsets(for layoutRegion: LayoutRegion) -> UIEdgeInsets {
        edgeInsets(for: layoutRegion, safeAreaInsets)
    }

    /// `edgeInsets(for:)` in the view's own layout; see `safeAreaInLayout`.
    final func edgeInsetsInLayout(for layoutRegion: LayoutRegion) -> UIEdgeInsets {
        edgeInsets(for: layoutRegion, safeAreaInLayout)
    }

    private func edgeInsets(for layoutRegion: LayoutRegion, _ safeArea: UIEdgeInsets) -> UIEdgeInsets {
        // No closure, as its isolation would be checked.
        var adapted = safeArea
        if let axis = layoutRegion.axis { adapted = self.adapted(safeArea, axis) }
        switch layoutRegion.kind {
        case .safeArea: return adapted
        case .margins: return marginInsets(safeArea, adapted)
        case .readableContent: return readableInsets(marginInsets(safeArea, adapted))
        }
    }

    /// `edgeInsets(for:)` for a plan: the layout that runs has just computed those of its view.
    final func edgeInsetsInReplay(for region: LayoutRegion) -> UIEdgeInsets {
        guard region.axis == nil, marks.contains(.running), !marks.contains(.again), let state = insetState else {
            return edgeInsets(for: region)
        }
        switch region.kind {
        case .safeArea: return state.safeArea
        case .margins: return state.notifiedMargins ?? standardMarginInsets
        case .readableContent: return readableInsets(state.notifiedMargins ?? standardMarginInsets)
        }
    }

    /// `edgeInsets(for:)`, by the view's direction.
    public func directionalEdgeInsets(for layoutRegion: LayoutRegion) -> NSDirectionalEdgeInsets {
        NSDirectionalEdgeInsets(edgeInsets(for: layoutRegion), effectiveUserInterfaceLayoutDirection)
    }

    /// The safe area past the window control, if that lies in it.
    private func adapted(_ safeArea: UIEdgeInsets, _ axis: LayoutRegion.AdaptivityAxis) -> UIEdgeInsets {
        guard let window, let area = window.controlArea else { return safeArea }
        let rect = window.convert(area, to: self)
        let safe = bounds.inset(by: safeArea)
        let isMet =
            rect.origin.x < safe.origin.x + safe.size.width && rect.origin.x + rect.size.width > safe.origin.x
            && rect.origin.y < safe.origin.y + safe.size.height && rect.origin.y + rect.size.height > safe.origin.y
        guard isMet else { return safeArea }
        var insets = safeArea
        switch axis {
        case .vertical: insets.top = rect.origin.y + rect.size.height - bounds.origin.y
        case .horizontal:
            if window.effectiveUserInterfaceLayoutDirection == .rightToLeft {
                insets.right = bounds.origin.x + bounds.size.width - rect.origin.x
            } else {
                insets.left = rect.origin.x + rect.size.width - bounds.origin.x
            }
        }
        return insets
    }
}

/// The guide of a region. Its frame is always the present one.
@MainActor final class RegionGuide: UILayoutGuide {
    let region: UIView.LayoutRegion
    /// The insets with which a plan was run last; `nil` if none uses the guide.
    var plannedInsets: UIEdgeInsets?

    init(_ region: UIView.LayoutRegion, of view: UIView) {
        self.region = region
        super.init()
        owningView = view
        if region.axis != nil {
            view.markAdaptive()
            view.window?.addAdaptiveView(view)
        }
    }

    override var layoutFrame: CGRect {
        guard let view = owningView else { return .zero }
        var frame = view.bounds.inset(by: view.edgeInsets(for: region))
        frame.size = CGSize(width: max(0, frame.size.width), height: max(0, frame.size.height))
        return frame
    }
}

extension UIView {
    /// Marks the view and those around it, so that others need not look for the window.
    final func markAdaptive() {
        var view: UIView? = self
        while let current = view, !current.marks.contains(.adaptive) {
            current.marks.insert(.adaptive)
            view = current.parentView
        }
    }

    /// The view, with guides that keep clear of the window control in it, has another superview.
    final func adaptivePlaceDidChange(from oldWindow: UIWindow?) {
        parentView?.markAdaptive()
        guard let window else { return }
        if window !== oldWindow { addAdaptiveViews(to: window) }
        window.markAdaptiveViews(within: self)
    }

    /// Whether the window control lies over a part of the view. What it covers of the view's safe
    /// area is a part of that.
    final var meetsControl: Bool {
        guard let window, let area = window.controlArea else { return false }
        let rect = window.convert(area, to: self)
        let (bounds, right, bottom) = (self.bounds, rect.origin.x + rect.size.width, rect.origin.y + rect.size.height)
        return rect.origin.x < bounds.origin.x + bounds.size.width && right > bounds.origin.x
            && rect.origin.y < bounds.origin.y + bounds.size.height && bottom > bounds.origin.y
    }

    /// The views within this one whose guides keep clear of the window control.
    private func addAdaptiveViews(to window: UIWindow) {
        guard marks.contains(.adaptive) else { return }
        if insetState?.regions.contains(where: { $0.region.axis != nil }) == true { window.addAdaptiveView(self) }
        for view in storedSubviews { view.addAdaptiveViews(to: window) }
    }
}

extension UIWindow {
    /// Remembers a view whose guides depend on where it is in the window.
    final func addAdaptiveView(_ view: UIView) {
        adaptiveViews.removeAll { $0.item == nil || $0.item === view }
        adaptiveViews.append(view.ensureConstraintState().handle)
    }

    /// The window control or the place of a view has changed: marks what depends on it.
    final func markAdaptiveViews(within view: UIView) {
        for entry in adaptiveViews {
            guard let adaptive = entry.view else { continue }
            let planner = adaptive.constraintState?.plannedBy
            // Mostly a view around it has moved before, in this turn.
            if adaptive.marks.contains(.layout), planner?.marks.contains(.layout) != false { continue }
            guard adaptive.isDescendant(of: view) else { continue }
            // The control is and was elsewhere, so that the guides have the same place in the view.
            if adaptive.insetState?.meetsControl == false, !adaptive.meetsControl { continue }
            adaptive.setNeedsLayout()
            planner?.setNeedsLayout()
        }
    }
}
