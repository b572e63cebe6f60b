extension UISystem {
    /// A person chooses a tab, in the bar or the sidebar. A group whose children a sidebar
    /// can show selects one of them. The delegate may refuse, and nothing changes. Where the tab is
    /// selected already, its navigation controller returns to the tab's own view controller.
    ///
    /// - Throws: `tabNotSelectable` if the tab, or a group around it, is hidden, if it is disabled, or
    ///   if it is in no tab bar controller.
    public func select(_ tab: UITab) throws {
        guard let controller = tab.tabBarController, tab.isEnabled, controller.isSelectable(tab) else {
            throw UISystem.Error.tabNotSelectable(identifier: tab.identifier)
        }
        turn.hostCall { controller.choose(tab) }
    }

    /// The same for the tab of that identifier that a person sees in a scene.
    ///
    /// - Throws: `unknownTab` if there is none; `tabNotSelectable`.
    public func select(tab identifier: String, in scene: UIWindowScene) throws {
        guard let tab = tabBarController(in: scene)?.tab(forIdentifier: identifier) else {
            throw UISystem.Error.unknownTab(identifier: identifier)
        }
        try select(tab)
    }

    /// A person shows or hides a sidebar.
    ///
    /// - Throws: `sidebarNotAvailable` where the platform, the size or the controller's mode
    ///   has none.
    public func setSidebarHidden(_ isHidden: Bool, of controller: UITabBarController) throws {
        guard controller.sidebar.isAvailable else { throw UISystem.Error.sidebarNotAvailable }
        turn.hostCall { controller.sidebar.isHidden = isHidden }
    }

    /// The tab bar controller that a person sees in a scene: of the window in front, nearest
    /// to its root; `nil` if there is none.
    public func tabBarController(in scene: UIWindowScene) -> UITabBarController? {
        frontController(of: scene)?.firstWithin()
    }
}

extension UITabBarController {
    /// Selects what a person chose, if the delegate agrees and has not removed it.
    fileprivate func choose(_ tab: UITab) {
        let tab = destination(tab)
        let isAgain = tab === selection
        if let controller = tab.viewControllerIfMade, tabs.isEmpty {
            guard delegate?.tabBarController(self, shouldSelect: controller) ?? true, isSelectable(tab) else { return }
            take(tab, isAgain)
            delegate?.tabBarController(self, didSelect: controller)
        } else if delegate?.tabBarController(self, shouldSelectTab: tab) ?? true, isSelectable(tab) {
            take(tab, isAgain)
        }
    }

    private func take(_ tab: UITab, _ isAgain: Bool) {
        select(tab)
        if isAgain, tab === selection { popToSelection() }
    }
}

extension UIViewController {
    /// This controller or the nearest one within it that is of the kind.
    func firstWithin<Container: UIViewController>() -> Container? {
        var level = [self]
        while !level.isEmpty {
            if let found = level.lazy.compactMap({ $0 as? Container }).first { return found }
            level = level.flatMap(\.children)
        }
        return nil
    }
}
