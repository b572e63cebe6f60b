import UIKit
import XCTest

/// Records what a tab bar controller asks and reports, in `DelegateCalls`.
@MainActor final class RecordingTabDelegate: NSObject, UITabBarControllerDelegate {
    var allows = true
    var displayed: (UITab, [UIViewController]) -> [UIViewController] = { $1 }
    /// Whether `displayedViewControllersFor` is recorded.
    var recordsDisplayed = true

    func tabBarController(_ tabBarController: UITabBarController, shouldSelectTab tab: UITab) -> Bool {
        DelegateCalls.all.append("should select \(tab.identifier)")
        return allows
    }
    func tabBarController(
        _ tabBarController: UITabBarController, didSelectTab selectedTab: UITab, previousTab: UITab?
    ) {
        DelegateCalls.all.append("did select \(selectedTab.identifier) after \(previousTab?.identifier ?? "none")")
    }
    func tabBarController(
        _ tabBarController: UITabBarController, displayedViewControllersFor tab: UITab,
        proposedViewControllers: [UIViewController]
    ) -> [UIViewController] {
        if recordsDisplayed { DelegateCalls.all.append("\(tab.identifier): \(proposedViewControllers.titles)") }
        return displayed(tab, proposedViewControllers)
    }
    func tabBarController(
        _ tabBarController: UITabBarController, shouldSelect viewController: UIViewController
    ) -> Bool {
        DelegateCalls.all.append("should select controller \(viewController.title ?? "")")
        return allows
    }
    func tabBarController(_ tabBarController: UITabBarController, didSelect viewController: UIViewController) {
        DelegateCalls.all.append("did select controller \(viewController.title ?? "")")
    }
}

extension UITab {
    /// A tab with a recording controller of the same name.
    convenience init(_ name: String) {
        self.init(title: name, image: UIImage(systemName: name), identifier: name) { _ in NamedController(name) }
    }

    var recording: NamedController { viewController as! NamedController }
}

/// Tabs with recording controllers of the same names.
@MainActor func tabs(_ names: String...) -> [UITab] { names.map { UITab($0) } }

extension UITabGroup {
    /// A group with a recording controller of the same name.
    convenience init(_ name: String, _ children: [UITab]) {
        self.init(title: name, image: nil, identifier: name, children: children) { _ in NamedController(name) }
    }
}

extension UITabBarController {
    var barTitles: [String] { (tabBar.items ?? []).map { $0.title ?? "" } }
}
