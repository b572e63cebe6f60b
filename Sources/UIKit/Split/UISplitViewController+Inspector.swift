internal import Settle

/// The inspector: a column or, collapsed, a sheet.
extension UISplitViewController {
    func showInspector() {
        guard slots.inspector.child != nil, !isShowing(.inspector) else { return }
        request.showsInspector = true
        request.squeezed.inspector = false
        if isStacked { return presentInspector() }
        isChangedByApp = true
        viewIfLoaded?.setNeedsLayout()
    }

    func hideInspector() {
        guard request.showsInspector else { return }
        request.showsInspector = false
        isMovingInspector = false
        if inspectorSheet != nil { return dismissInspector() }
        isChangedByApp = true
        viewIfLoaded?.setNeedsLayout()
    }

    func presentInspector() {
        guard inspectorSheet == nil, let child = slots.inspector.child else { return }
        guard presentedViewController == nil else { return logRefusedInspector() }
        inspectorSheet = child
        child.links.inspectorOwner = self
        lend(child)
        present(child, animated: false)
        // It is refused outside of a window.
        if child.presentingViewController == nil { inspectorSheetDidEnd(child) }
        columnsDidChange()
    }

    /// A sheet is not shown while another view controller is presented.
    func logRefusedInspector() {
        guard let presentedViewController else { return }
        log("the inspector is not shown, as a \(type(of: presentedViewController)) is presented already.")
    }

    private func dismissInspector() {
        guard let sheet = inspectorSheet else { return }
        inspectorSheet = nil
        // What the sheet presents ends with it; `dismiss` would end only that.
        sheet.linksIfAny?.presenting?.end()
        takeBack(sheet)
    }

    /// Makes the sheet a column again.
    ///
    /// - Returns: Whether there was a sheet.
    func takeInspectorBack() -> Bool {
        guard inspectorSheet != nil else { return false }
        dismissInspector()
        return true
    }

    /// The sheet was dismissed by something else than this split view controller.
    func inspectorSheetDidEnd(_ sheet: UIViewController) {
        guard inspectorSheet === sheet else { return }
        inspectorSheet = nil
        request.showsInspector = false
        takeBack(sheet)
    }

    private func takeBack(_ sheet: UIViewController) {
        sheet.links.inspectorOwner = nil
        if slots.inspector.child === sheet {
            addChild(sheet)
            sheet.didMove(toParent: self)
        }
        columnsDidChange()
    }

    func inspectorWillChange() {
        if inspectorSheet != nil { dismissInspector() }
        request.showsInspector = false
        isMovingInspector = false
        request.squeezed.inspector = false
        isChangedByApp = true
    }

    /// A person dismisses the sheet, by work that removes it.
    func personDismissesInspector(_ work: () -> Void) {
        delegate?.splitViewController(self, willHide: .inspector)
        work()
        delegate?.splitViewController(self, didHide: .inspector)
    }

    // MARK: What a person does

    /// A person shows or hides the sidebar: the primary column or, collapsed, what is above it. Call it
    /// only where people can change the mode.
    func personShowsSidebar(_ isShown: Bool) {
        if isShown { show(.primary) } else { hide(.primary) }
        isChangedByApp = false
    }

    func personShowsInspector(_ isShown: Bool) {
        guard slots.inspector.child != nil, isShown != isShowing(.inspector) else { return }
        if isCollapsed {
            guard isShown else { return personDismissesInspector { hideInspector() } }
            delegate?.splitViewController(self, willShow: .inspector)
            showInspector()
            delegate?.splitViewController(self, didShow: .inspector)
        } else {
            if isShown { showInspector() } else { hideInspector() }
            isChangedByApp = false
        }
    }
}
