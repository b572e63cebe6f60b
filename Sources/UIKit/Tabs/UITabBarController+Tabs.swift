/// Looking for tabs.
extension UITabBarController {
    /// The tab of that identifier, at any depth; `nil` if there is none.
    public func tab(forIdentifier identifier: String) -> UITab? { tabsByIdentifier[identifier] }

    /// All tabs, parents first.
    var allTabs: [UITab] { rootTabs.subtrees() }

    /// Whether the tab can be selected: it is one of the controller's, and not hidden, nor in a hidden
    /// group.
    func isSelectable(_ tab: UITab) -> Bool {
        var next: UITab? = tab
        while let tab = next {
            if tab.isHidden { return false }
            next = tab.parent
        }
        return tab.tabBarController === self
    }

    /// The tab that a choice of this one selects: where a group's children are shown in a
    /// sidebar, one of them.
    func destination(_ tab: UITab) -> UITab {
        guard let group = tab as? UITabGroup, arrangement.isSidebarAvailable else { return tab }
        return group.destination
    }
}
