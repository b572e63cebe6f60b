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
        let split = try splitView(in: scene)
        hostCall { split.personShowsInspector(isShown) }
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
        let split = try splitView(in: scene)
        guard split.isCollapsed || split.presentsWithGesture else { throw UISystem.Error.sidebarNotAvailable }
        hostCall { split.personShowsSidebar(isShown) }
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
