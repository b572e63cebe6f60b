internal import Settle

/// The stack of a group's managing navigation controller.
extension UITabBarController {
    /// Keeps what the app pushed on top of the selected tab's controllers.
    func keepPushed() {
        guard let stack, let selection, let managed else { return }
        selection.pushedControllers = stack.pushed(in: managed.viewControllers)
    }

    func buildStack(_ navigation: UINavigationController, _ selection: UITab) {
        guard let group = selection.managingTabGroup else { return }
        keepPushed()
        let new = TabStack(group, selected: selection, pushed: selection.pushedControllers) { tab, proposed in
            delegate?.tabBarController(self, displayedViewControllersFor: tab, proposedViewControllers: proposed)
                ?? proposed
        }
        // A provider or the delegate has selected another tab.
        guard !isPaneDue else { return }
        if new.isSubstitute {
            UISystem.current?.log(
                "No view controller was returned for the tab \(selection.identifier) and the groups around it; its own "
                    + "is shown.")
        }
        if managed !== navigation { leaveStack() }
        (stack, managed) = (new, navigation)
        navigation.stackDidChange = { [weak self, weak navigation] in self?.stackDidChange(navigation) }
        navigation.setViewControllers(new.controllers, animated: false)
    }

    /// Another pane than the managed stack is to be shown.
    func leaveStack() {
        keepPushed()
        managed?.stackDidChange = nil
        (stack, managed) = (nil, nil)
    }

    /// The app or a person has changed a managed stack. Once the selected tab's controllers
    /// are not on it any more, the group that is on top is selected.
    private func stackDidChange(_ navigation: UINavigationController?) {
        guard let navigation, navigation === managed, let stack, let previous = selection else { return }
        let present = navigation.viewControllers
        guard !present.elementsEqual(stack.controllers, by: ===), let (tab, pushed) = stack.remaining(in: present),
            tab !== previous
        else { return }
        previous.pushedControllers = []
        tab.pushedControllers = pushed
        note(tab, after: previous)
    }

    /// A person has chosen the selected tab again: what is above its own view controllers goes.
    func popToSelection() {
        guard let navigation = pane as? UINavigationController else { return }
        guard navigation === managed, let stack else {
            navigation.popToRootViewController(animated: false)
            return
        }
        let present = navigation.viewControllers
        let own = present.dropLast(stack.pushed(in: present).count)
        if !own.isEmpty { navigation.setViewControllers(Array(own), animated: false) }
    }
}
