/// The inspector: a column or, collapsed, a sheet.
extension UISplitViewController {
    func showInspector() {
        guard slots.inspector.child != nil, !isShowing(.inspector) else { return }
        request.showsInspector = true
        request.squeezed.inspector = false
        if isCollapsed { return presentInspector() }
        isChangedByApp = true
        viewIfLoaded?.setNeedsLayout()
    }

    func hideInspector() {
        guard request.showsInspector else { return }
        request.showsInspector = false
        if inspectorSheet != nil { return dismissInspector() }
        isChangedByApp = true
        viewIfLoaded?.setNeedsLayout()
    }

    func presentInspector() {
        guard inspectorSheet == nil, let child = slots.inspector.child else { return }
        guard presentedViewController == nil else {
            return log("the inspector is not shown, as \(type(of: presentedViewController!)) is presented already.")
        }
        removeChild(child)
        inspectorSheet = child
        present(child, animated: false)
        columnsDidChange()
    }

    private func dismissInspector() {
        guard let sheet = inspectorSheet else { return }
        inspectorSheet = nil
        if presentedViewController === sheet { dismiss(animated: false) }
        if slots.inspector.child === sheet { addChild(sheet) }
        columnsDidChange()
    }

    /// Makes the sheet a column again.
    ///
    /// - Returns: Whether there was a sheet.
    func takeInspectorBack() -> Bool {
        guard inspectorSheet != nil else { return false }
        dismissInspector()
        return true
    }

    /// An inspector that the app sets is hidden until it shows it.
    func inspectorWillChange() {
        if inspectorSheet != nil { dismissInspector() }
        request.showsInspector = false
        request.squeezed.inspector = false
        isChangedByApp = true
    }

    /// A person dismisses the sheet.
    ///
    /// - Parameter dismissal: Removes it.
    func personDismissesInspector(_ dismissal: () -> Void) {
        delegate?.splitViewController(self, willHide: .inspector)
        request.showsInspector = false
        let sheet = inspectorSheet
        inspectorSheet = nil
        dismissal()
        if let sheet, slots.inspector.child === sheet { addChild(sheet) }
        columnsDidChange()
        delegate?.splitViewController(self, didHide: .inspector)
    }

    // MARK: What a person does

    /// A person shows or hides the sidebar: the primary column or, collapsed, what is above it.
    func personShowsSidebar(_ isShown: Bool) {
        if isShown { show(.primary) } else { hide(.primary) }
        isChangedByApp = false
    }

    func personShowsInspector(_ isShown: Bool) {
        guard slots.inspector.child != nil, isShown != isShowing(.inspector) else { return }
        if isCollapsed {
            if isShown { delegate?.splitViewController(self, willShow: .inspector) }
            if isShown { showInspector() } else { personDismissesInspector { dismiss(animated: false) } }
            if isShown { delegate?.splitViewController(self, didShow: .inspector) }
        } else {
            if isShown { showInspector() } else { hideInspector() }
            isChangedByApp = false
        }
    }
}
