extension UIView {
    /// Adds a view just in front of one of the subviews. It is removed from its superview before.
    public func insertSubview(_ view: UIView, aboveSubview siblingSubview: UIView) {
        insert(view, nextTo: siblingSubview, offset: 1)
    }

    /// Adds a view just behind one of the subviews. It is removed from its superview before.
    public func insertSubview(_ view: UIView, belowSubview siblingSubview: UIView) {
        insert(view, nextTo: siblingSubview, offset: 0)
    }

    /// Moves a subview in front of the others. Another view is ignored.
    public func bringSubviewToFront(_ view: UIView) { reorder(view, to: storedSubviews.count - 1) }

    /// Moves a subview behind the others. Another view is ignored.
    public func sendSubviewToBack(_ view: UIView) { reorder(view, to: 0) }

    /// Whether the view is `view`, or lies within it at any depth.
    public func isDescendant(of view: UIView) -> Bool {
        var ancestor: UIView? = self
        while let current = ancestor {
            if current === view { return true }
            ancestor = current.parentView
        }
        return false
    }

    private func reorder(_ view: UIView, to index: Int) {
        guard let old = storedSubviews.firstIndex(where: { $0 === view }), old != index else { return }
        storedSubviews.remove(at: old)
        storedSubviews.insert(view, at: index)
        mark(.layout)
    }

    private func insert(_ view: UIView, nextTo sibling: UIView, offset: Int) {
        guard sibling.parentView === self, sibling !== view else {
            fatalError(
                "a \(type(of: view)) cannot be inserted next to a \(type(of: sibling)), which is not another subview "
                    + "of the \(type(of: self))")
        }
        // The sibling's index once the view has left its present position.
        let siblings = storedSubviews.filter { $0 !== view }
        insert(view, at: siblings.firstIndex { $0 === sibling }! + offset)
    }

    final func insert(_ view: UIView, at index: Int) {
        guard !isDescendant(of: view) else {
            fatalError("a \(type(of: view)) cannot be added to a \(type(of: self)) within it")
        }
        view.move(to: self, at: index)
    }

    /// The one place that changes a view's superview; `nil` removes it.
    final func move(to parent: UIView?, at index: Int) {
        let (oldParent, oldWindow) = (parentView, window)
        if let oldParent, oldParent === parent {
            let last = oldParent.storedSubviews.count - 1
            oldParent.reorder(self, to: min(max(index, 0), last))
            return
        }
        let newWindow = parent?.window
        if oldParent != nil { deactivateConstraintsOutwards() }
        oldParent?.willRemoveSubview(self)
        willMove(toSuperview: parent)
        if newWindow !== oldWindow { forAllWithin { $0.willMove(toWindow: newWindow) } }
        if let oldParent {
            oldParent.storedSubviews.removeAll { $0 === self }
            oldParent.mark(.layout)
        }
        parentView = parent
        if let parent {
            parent.storedSubviews.insert(self, at: min(max(index, 0), parent.storedSubviews.count))
            if !marks.isDisjoint(with: .waiting) { markPath() }
            parent.mark(.layout)
        }
        hierarchyDidChange(from: oldParent, oldWindow: oldWindow)
        if newWindow !== oldWindow { forAllWithin { $0.didMoveToWindow() } }
        didMoveToSuperview()
        parent?.didAddSubview(self)
        updateAppearance(to: parent?.appearanceOfContent ?? .disappeared)
    }

    /// What depends on where a view is in the tree, after it was moved with all within it.
    private func hierarchyDidChange(from oldParent: UIView?, oldWindow: UIWindow?) {
        if parentView != nil { markTraits() }
        planPlaceDidChange()
        guard let window else { return }
        if window !== oldWindow, RegionGuide.adaptiveGuides > 0 { addAdaptiveViews(to: window) }
        insetsMayChange()
    }

    private func forAllWithin(_ body: (UIView) -> Void) {
        body(self)
        for view in storedSubviews { view.forAllWithin(body) }
    }
}
