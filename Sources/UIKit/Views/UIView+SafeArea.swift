internal import Settle

/// What a view knows of its safe area and margins; `nil` for a view without a safe area and with
/// the margins that every view has.
@MainActor final class InsetState {
    /// The safe area's insets of which the view was notified.
    var safeArea = UIEdgeInsets.zero
    /// The same, if no class of the app's overrides `safeAreaInsets`.
    var safeAreaInWindow = UIEdgeInsets.zero
    /// The distances of the margins' guide from the bounds of which the view was notified;
    /// `nil` for the standard ones.
    var notifiedMargins: UIEdgeInsets?
    var margins: NSDirectionalEdgeInsets?
    var insetsMarginsFromSafeArea = true
    var preservesSuperviewMargins = false
    /// The window control or the keyboard lay over the view in the last layout. Kept for the guides that
    /// keep clear of it.
    var meetsCover = false
    /// What the subviews were compared with last, of a view with many that have insets.
    var compared: ComparedInsets?
    // `@exclusivity(unchecked)`: see UISystem.swift.
    @exclusivity(unchecked) var regions: [UILayoutGuide] = []
}

/// What of a view decides the insets of its subviews, besides what is theirs.
struct ComparedInsets: Equatable {
    let bounds: CGRect
    let safeArea: UIEdgeInsets
    let margins: UIEdgeInsets?
}

extension UIView {
    /// The bounds without the safe area's insets.
    public var safeAreaLayoutGuide: UILayoutGuide { layoutGuide(for: .safeArea()) }

    final var safeAreaInWindow: UIEdgeInsets? { safeArea(below: nearestKnowingAbove) }

    /// The same, from what a view above knows, or from the window's.
    private final func safeArea(below known: Unmanaged<UIView>?) -> UIEdgeInsets? {
        // Not borrowed: the app may override what a controller adds, and change the tree there.
        guard let above = parentView else { return safeAreaOfTop }
        let isKnown = known?.toOpaque() == Unmanaged.passUnretained(above).toOpaque()
        let inner = isKnown ? above.insetState?.safeAreaInWindow ?? .zero : above.safeArea(below: known)
        guard let outer = inner else { return nil }
        return safeArea(within: outer, of: above)
    }

    /// The nearest view above whose insets its last layout found, as long as nothing that could have changed
    /// them waits for a layout: each change of a frame or an inset marks what it changes. It is found in one
    /// walk, and saves the computation of what is above it.
    private final var nearestKnowingAbove: Unmanaged<UIView>? {
        var found: Unmanaged<UIView>?
        var (top, belowTop) = (Unmanaged.passUnretained(self), Unmanaged.passUnretained(self))
        while let next = top.borrow({ $0.parentReference }) {
            (top, belowTop) = (next, top)
            next.borrow { view in
                // A view whose layout is running may not have marked the views within it yet. The topmost one has
                // nothing but its own insets, which are compared below.
                let isWaiting = !view.marks.isDisjoint(with: [.layout, .constraints, .running])
                if isWaiting, found != nil, view.parentReference != nil { found = nil }
                if found == nil, view.marks.contains(.knowsInsets), view.marks.isDisjoint(with: .own) { found = next }
            }
        }
        return top.borrow { top -> Unmanaged<UIView>? in
            guard let ofTop = top.safeAreaOfTop, ofTop == top.insetState?.safeAreaInWindow ?? .zero else { return nil }
            if top.marks.isDisjoint(with: [.layout, .constraints, .running])
                || found?.toOpaque() == Unmanaged.passUnretained(top).toOpaque()
            {
                return found
            }
            // Its size may be another one, of which the view below does not know yet.
            let below = belowTop.takeUnretainedValue()
            let isSame = below.safeArea(within: ofTop, of: top) == below.insetState?.safeAreaInWindow ?? .zero
            return isSame ? found : nil
        }
    }

    /// The safe area's insets, in the view's own layout: its beginning has just computed them.
    final var safeAreaInLayout: UIEdgeInsets {
        guard marks.contains(.running), !marks.contains(.again), let insetState else { return safeAreaInsets }
        return insetState.safeArea
    }

    private func safeArea(within outer: UIEdgeInsets, of above: UIView) -> UIEdgeInsets {
        let isWhole = outer == .zero
        var insets = isWhole ? outer : overlap(with: outer, of: above)
        if let controller { controller.addInsets(to: &insets) }
        return insets
    }

    /// What of the view lies in the insets of the view around it.
    private func overlap(with outer: UIEdgeInsets, of above: UIView) -> UIEdgeInsets {
        let (frame, bounds) = (storedFrame, above.bounds)
        func covered(_ inset: CGFloat, _ length: CGFloat, _ full: CGFloat) -> CGFloat {
            inset > 0 ? max(0, min(length, full)) : 0
        }
        let (width, height) = (max(0, frame.size.width), max(0, frame.size.height))
        return UIEdgeInsets(
            top: covered(outer.top, bounds.origin.y + outer.top - frame.origin.y, height),
            left: covered(outer.left, bounds.origin.x + outer.left - frame.origin.x, width),
            bottom: covered(
                outer.bottom,
                frame.origin.y + height - (bounds.origin.y + bounds.size.height - outer.bottom), height),
            right: covered(
                outer.right, frame.origin.x + width - (bounds.origin.x + bounds.size.width - outer.right), width))
    }

    final func ensureInsetState() -> InsetState {
        if let insetState { return insetState }
        let state = InsetState()
        insetState = state
        return state
    }

    // MARK: In the layout pass

    /// Notifies the view, and its controller, of another safe area and other margins.
    ///
    /// - Returns: Whether the view is still where it was.
    final func updateInsets() -> Bool {
        marks.insert(.knowsInsets)
        noteOutside()
        if insetState == nil, controllerReference == nil {
            // A plain view in one without a safe area, or in no window.
            if let parentReference {
                if parentReference.borrow({ $0.insetState == nil }) { return true }
            } else if safeAreaOfTop == nil {
                return true
            }
        }
        let inWindow = safeAreaInWindow ?? .zero
        if inWindow != insetState?.safeAreaInWindow ?? .zero { ensureInsetState().safeAreaInWindow = inWindow }
        let safeArea = ownSafeArea(inWindow)
        if safeArea != insetState?.safeArea ?? .zero {
            let window = self.window
            ensureInsetState().safeArea = safeArea
            safeAreaInsetsDidChange()
            controller?.viewSafeAreaInsetsDidChange()
            guard window === self.window else { return false }
        }
        updateMargins(safeArea)
        if let state = insetState, !state.regions.isEmpty {
            if marks.contains(.adaptive) { state.meetsCover = meetsCover }
            updateRegions(state.regions)
        }
        return true
    }

    /// `safeAreaInsets`, which an app may override, without a second way upwards.
    private func ownSafeArea(_ inWindow: UIEdgeInsets) -> UIEdgeInsets {
        let outer = Self.computed
        Self.computed = (.passUnretained(self), inWindow)
        defer { Self.computed = outer }
        return safeAreaInsets
    }

    private func updateMargins(_ safeArea: UIEdgeInsets) {
        let standard = standardMarginInsets
        let insets = marginInsets(safeArea, safeArea)
        guard insets != insetState?.notifiedMargins ?? standard else { return }
        ensureInsetState().notifiedMargins = insets
        layoutMarginsDidChange()
        controller?.viewLayoutMarginsDidChange()
    }

    /// Marks the views within for which the safe area or the margins have changed with those of
    /// this view, or with its size. The layout has set their frames.
    final func markSubviewsWithOtherInsets() {
        if storedSubviews.isEmpty { return }
        noteOutside()
        let safeArea = insetState?.safeArea ?? .zero
        let isUncovered = safeArea == .zero
        // With the same insets of this view, each subview marks itself where its own change.
        let compared = ComparedInsets(bounds: bounds, safeArea: safeArea, margins: insetState?.notifiedMargins)
        if let known = insetState?.compared, known == compared { return }
        var isCompared = false
        defer {
            if isCompared, storedSubviews.count > Self.comparedEachTime { ensureInsetState().compared = compared }
        }
        storedSubviews.forEachBorrowed { view in
            if isUncovered, view.insetState == nil, view.controllerReference == nil { return }
            isCompared = true
            let told = view.insetState?.safeArea ?? .zero
            // The first check needs no walk to the window, without which there is no safe area.
            let isOther = view.safeArea(within: safeArea, of: self) != told && !view.knowsSafeArea
            if isOther || !view.knowsMarginsOfSuperview { view.mark(.layout) }
        }
    }

    /// Up to so many subviews it costs less to compare their insets at each layout than to know that they
    /// were.
    private static let comparedEachTime = 8

    /// The insets of the view, and of those directly in it, may be others without a change of theirs.
    final func windowDidChange(isInside: Bool) {
        marks.remove(.knowsInsets)
        if isInside { marks.insert(.inWindow) } else { marks.remove(.inWindow) }
        insetState?.compared = nil
    }

    private func noteOutside() { if !marks.contains(.inWindow), asWindow == nil { marks.insert(.outside) } }

    /// Whether the view was notified of its present margins, as far as they follow those of the
    /// superview.
    private var knowsMarginsOfSuperview: Bool {
        guard let insetState, insetState.preservesSuperviewMargins else { return true }
        let safeArea = safeAreaInsets
        return marginInsets(safeArea, safeArea) == insetState.notifiedMargins ?? standardMarginInsets
    }

    /// The root's plan was made with other rectangles, if the view is not the root itself.
    private func updateRegions(_ regions: [UILayoutGuide]) {
        guard let root = constraintState?.plannedBy else { return }
        for guide in regions {
            guard let used = guide.plannedInsets, let region = guide.region else { continue }
            if used != edgeInsets(for: region) { root.setNeedsLayout() }
        }
    }

    /// Whether the view was notified of its present safe area.
    private var knowsSafeArea: Bool { safeAreaInsets == insetState?.safeArea ?? .zero }

    // MARK: When the view moves

    /// The view has come into a window. What was laid out outside knows no insets, also where those around it
    /// know the ones that they have now, and so mark nothing.
    final func insetsFromOutsideMayChange() {
        var outside: [UIView] = []
        forAllWithin { if $0.marks.remove(.outside) != nil { outside += [$0] + $0.storedSubviews } }
        for view in outside where !view.marks.contains(.layout) {
            if !view.knowsSafeArea || !view.knowsMarginsOfSuperview { view.markAgain() }
        }
    }

    /// It is the root view of another view controller, or of none.
    final func controllerDidChange() {
        guard let superview else { return }
        superview.insetState?.compared = nil
        markTraits()
        markAgain()
    }

    /// The view has another frame, or another superview.
    ///
    /// - Parameter isMoved: Whether the view's origin is at another place of the window. Only then
    ///   the window control is at another place of the view, and of those within it.
    final func insetsMayChange(isMoved: Bool = true) {
        // A view that is marked already is updated in its layout.
        if marks.contains(.running) || !marks.contains(.layout),
            insetState != nil || controllerReference != nil
                || parentReference?.borrow({ $0.insetState != nil }) == true
        {
            if !knowsSafeArea || insetState?.preservesSuperviewMargins == true { markAgain() }
        }
        if isMoved, marks.contains(.adaptive), let window, window.hasCover { window.markAdaptiveViews(within: self) }
    }
}

extension UIViewController {
    /// Adds what covers a root view besides what is around it.
    fileprivate final func addInsets(to insets: inout UIEdgeInsets) {
        if coveredInsets == .zero, additionalSafeAreaInsets == .zero { return }
        insets = (insets + coveredInsets + additionalSafeAreaInsets).union(.zero)
    }
}
