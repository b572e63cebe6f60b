extension UIView {
    final func reorder(_ view: UIView, to index: Int) {
        guard let old = storedSubviews.firstIndex(where: { $0 === view }), old != index else { return }
        subviewList.remove(view)
        subviewList.insert(view, at: index)
        mark(.layout)
    }

    final func insert(_ view: UIView, nextTo sibling: UIView, offset: Int) {
        guard sibling.parentView === self, sibling !== view else {
            fatalError(
                "a \(type(of: view)) cannot be inserted next to a \(type(of: sibling)), which is not another subview "
                    + "of the \(type(of: self))")
        }
        // The sibling's index once the view has left its present position.
        let siblings = storedSubviews.filter { $0 !== view }
        // The sibling is one of them, as the guard says.
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
        if let parentView, parentView === parent {
            let last = parentView.storedSubviews.count - 1
            parentView.reorder(self, to: min(max(index, 0), last))
            return
        }
        if parentView != nil, parent?.isContentVisible != true { beginDisappearance() }
        let (oldParent, oldWindow) = (parentView, window)
        let newWindow = parent?.window
        if oldParent != nil { deactivateConstraintsOutwards() }
        oldParent?.willRemoveSubview(self)
        willMove(toSuperview: parent)
        if newWindow !== oldWindow { forAllWithin { $0.willMove(toWindow: newWindow) } }
        // The hooks may have moved the view elsewhere.
        if let presentParent = parentView {
            if presentParent !== oldParent { deactivateConstraintsOutwards() }
            presentParent.subviewList.remove(self)
            presentParent.waitingForLayout.remove(self)
            presentParent.waitingForTraits.remove(self)
            presentParent.mark(.layout)
        }
        parentView = parent
        if let parent {
            parent.subviewList.insert(self, at: max(index, 0))
            if !marks.isDisjoint(with: .waiting) { markPath() }
            parent.mark(.layout)
        }
        hierarchyDidChange(from: oldParent, oldWindow: oldWindow)
        if newWindow !== oldWindow { forAllWithin { $0.didMoveToWindow() } }
        didMoveToSuperview()
        parent?.didAddSubview(self)
        updateAppearanceOfContent()
    }

    /// What depends on where a view is in the tree, after it was moved with all within it.
    private func hierarchyDidChange(from oldParent: UIView?, oldWindow: UIWindow?) {
        let present = parentView?.window
        let isNews = present !== oldWindow
        if isNews { forAllWithin { $0.windowDidChange(isInside: present != nil) } }
        if parentView != nil { markTraits() }
        planPlaceDidChange()
        if marks.contains(.adaptive) { adaptivePlaceDidChange(from: oldWindow) }
        if present == nil { return }
        if isNews { insetsFromOutsideMayChange() }
        insetsMayChange()
    }

    final func forAllWithin(_ body: (UIView) -> Void) {
        body(self)
        for view in storedSubviews { view.forAllWithin(body) }
    }
}
