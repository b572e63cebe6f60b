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

        enum Kind: Int { case safeArea, margins, readableContent, keyboard }

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
            case .horizontal: 4 + kind.rawValue
            case .vertical: 8 + kind.rawValue
            }
        }

        /// What the keyboard covers.
        static let keyboard = LayoutRegion(kind: .keyboard, axis: nil)
        /// Whether it depends on where the view is in the window.
        var followsWindow: Bool { axis != nil || kind == .keyboard }
    }

    final func regionGuide(for layoutRegion: LayoutRegion) -> UILayoutGuide {
        let state = ensureInsetState()
        if let guide = state.regions.first(where: { $0.region == layoutRegion }) { return guide }
        let isKeyboard = layoutRegion.kind == .keyboard
        let guide = isKeyboard ? UIKeyboardLayoutGuide(layoutRegion, of: self) : UILayoutGuide(layoutRegion, of: self)
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
        case .keyboard: return keyboardInsets(safeArea)
        }
    }

    /// `edgeInsets(for:)` for a plan: the layout that runs has just computed those of its view.
    final func edgeInsetsInReplay(for region: LayoutRegion) -> UIEdgeInsets {
        guard !region.followsWindow, marks.contains(.running), !marks.contains(.again), let state = insetState else {
            return edgeInsets(for: region)
        }
        switch region.kind {
        case .safeArea: return state.safeArea
        case .margins: return state.notifiedMargins ?? standardMarginInsets
        case .readableContent: return readableInsets(state.notifiedMargins ?? standardMarginInsets)
        case .keyboard: return keyboardInsets(state.safeArea)
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

extension UIView {
    /// Marks the view and those around it, so that others need not look for the window.
    final func markAdaptive() {
        var view: UIView? = self
        while let current = view, !current.marks.contains(.adaptive) {
            current.marks.insert(.adaptive)
            view = current.parentView
        }
    }

    /// The view, with guides that follow their place in the window in it, has another superview.
    final func adaptivePlaceDidChange(from oldWindow: UIWindow?) {
        parentView?.markAdaptive()
        guard let window else { return }
        if window !== oldWindow { addAdaptiveViews(to: window) }
        window.markAdaptiveViews(within: self)
    }

    /// Whether the window control or the keyboard lies over a part of the view. What they cover of the view's
    /// safe area is a part of that.
    final var meetsCover: Bool {
        guard let window else { return false }
        let bounds = bounds
        let (right, bottom) = (bounds.origin.x + bounds.size.width, bounds.origin.y + bounds.size.height)
        // The keyboard has the window's width.
        if let area = window.keyboardArea, window.convert(area.origin, to: self).y < bottom { return true }
        guard let area = window.controlArea else { return false }
        let rect = window.convert(area, to: self)
        return rect.origin.x < right && rect.origin.x + rect.size.width > bounds.origin.x && rect.origin.y < bottom
            && rect.origin.y + rect.size.height > bounds.origin.y
    }

    /// The views within this one whose guides follow their place in the window.
    private func addAdaptiveViews(to window: UIWindow) {
        guard marks.contains(.adaptive) else { return }
        if insetState?.regions.contains(where: { $0.region?.followsWindow == true }) == true {
            window.addAdaptiveView(self)
        }
        for view in storedSubviews { view.addAdaptiveViews(to: window) }
    }
}

extension UIWindow {
    /// Remembers a view whose guides depend on where it is in the window.
    final func addAdaptiveView(_ view: UIView) {
        adaptiveViews.removeAll { $0.item == nil || $0.item === view }
        adaptiveViews.append(view.ensureConstraintState().handle)
    }

    /// The window control, the keyboard or the place of a view has changed: marks what depends on it.
    final func markAdaptiveViews(within view: UIView) {
        for entry in adaptiveViews {
            guard let adaptive = entry.view else { continue }
            let planner = adaptive.constraintState?.plannedBy
            // Mostly a view around it has moved before, in this turn.
            if adaptive.marks.contains(.layout), planner?.marks.contains(.layout) != false { continue }
            guard adaptive.isDescendant(of: view) else { continue }
            // What covers the window is and was elsewhere, so that the guides have the same place in the view.
            if adaptive.insetState?.meetsCover == false, !adaptive.meetsCover { continue }
            adaptive.setNeedsLayout()
            planner?.setNeedsLayout()
        }
    }
}
