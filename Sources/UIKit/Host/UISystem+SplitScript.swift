/// What a person does to the columns of a split view.
extension UISystem {
    /// A person shows or hides the sidebar, the primary column; collapsed, what is above it.
    ///
    /// - Throws: `sidebarNotAvailable` if the split view shows columns in a mode that people cannot
    ///   change.
    public func setSidebarHidden(_ isHidden: Bool, of controller: UISplitViewController) throws {
        guard controller.isCollapsed || controller.presentsWithGesture else {
            throw UISystem.Error.sidebarNotAvailable
        }
        turn.hostCall { controller.personShowsSidebar(!isHidden) }
    }

    /// A person shows or hides the inspector: a column or, collapsed, a sheet. It does nothing to
    /// a split view without an inspector.
    public func setInspectorHidden(_ isHidden: Bool, of controller: UISplitViewController) {
        turn.hostCall { controller.personShowsInspector(!isHidden) }
    }

    /// A person uses the split view's `displayModeButtonItem`.
    ///
    /// - Throws: `sidebarNotAvailable` if the split view is collapsed, or shows a mode that people
    ///   cannot change.
    public func changeDisplayMode(of controller: UISplitViewController) throws {
        guard !controller.isCollapsed, controller.presentsWithGesture else {
            throw UISystem.Error.sidebarNotAvailable
        }
        turn.hostCall { controller.performDisplayModeAction() }
    }
}

/// What a person does to the split view of a scene, for scripts.
extension UISystem {
    /// A person drags the separator of a column to a width, in steps of 1 ms.
    ///
    /// - Throws: `noSplitView`; `notShown` and `notDraggable`.
    func dragSeparator(
        of column: UISplitViewController.Column, to width: CGFloat, _ steps: Int, in scene: UIWindowScene
    ) throws {
        let split = try splitView(in: scene)
        let isInspector = column == .inspector
        guard let separator = separators(of: split).first(where: { (isInspector ? $0.after : $0.before) == column })
        else { throw UISystem.Error.notShown }
        let from = separator.x
        let present = split.layout?.columns[column].visibleWidth ?? 0
        // A wider column has its separator farther from its own edge.
        let to = from + (isInspector != split.isMirrored ? present - width : width - present)
        try beginDrag(separator)
        for step in 1...steps {
            advance(by: .milliseconds(1))
            try drag(separator, to: (from + (to - from) * CGFloat(step) / CGFloat(steps)).rounded())
        }
        endDrag(separator)
    }

    /// A person shows or hides the inspector.
    ///
    /// - Throws: `noSplitView`.
    func showInspector(_ isShown: Bool, in scene: UIWindowScene) throws {
        setInspectorHidden(!isShown, of: try splitView(in: scene))
    }

    /// A person shows or hides the sidebar: that of the tab bar controller if it has one, else
    /// that of the split view.
    ///
    /// - Throws: `noSplitView`; `sidebarNotAvailable` if the split view shows a mode that people
    ///   cannot change.
    func showSidebar(_ isShown: Bool, in scene: UIWindowScene) throws {
        if let tabs = tabBarController(in: scene), tabs.sidebar.isAvailable {
            return try setSidebarHidden(!isShown, of: tabs)
        }
        try setSidebarHidden(!isShown, of: splitView(in: scene))
    }

    /// The outermost split view of the window in front.
    private func splitView(in scene: UIWindowScene) throws -> UISplitViewController {
        let window = scene.keyWindow.flatMap { $0.isHidden ? nil : $0 } ?? scene.windows.last { !$0.isHidden }
        guard let split = window?.rootViewController?.firstSplitView else { throw UISystem.Error.noSplitView }
        return split
    }
}

extension UIViewController {
    /// This or the first split view controller in it whose view is shown.
    fileprivate var firstSplitView: UISplitViewController? {
        if let split = self as? UISplitViewController { return split }
        for child in children where child.viewIfLoaded?.window != nil {
            if let split = child.firstSplitView { return split }
        }
        return nil
    }
}
