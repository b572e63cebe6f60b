import UIKit
import XCTest

/// Records what a tab bar controller displays, in `DelegateCalls`.
@MainActor final class RecordingTabDelegate: NSObject, UITabBarControllerDelegate {
    var displayed: (UITab, [UIViewController]) -> [UIViewController] = { $1 }
    /// Whether `displayedViewControllersFor` is recorded.
    var recordsDisplayed = true

    func tabBarController(
        _ tabBarController: UITabBarController, displayedViewControllersFor tab: UITab,
        proposedViewControllers: [UIViewController]
    ) -> [UIViewController] {
        if recordsDisplayed { DelegateCalls.all.append("\(tab.identifier): \(proposedViewControllers.titles)") }
        return displayed(tab, proposedViewControllers)
    }
}

extension UITab {
    /// A tab with a recording controller of the same name.
    convenience init(_ name: String) {
        self.init(title: name, image: UIImage(systemName: name), identifier: name) { _ in NamedController(name) }
    }
}

extension UITabGroup {
    /// A group with a recording controller of the same name.
    convenience init(_ name: String, _ children: [UITab]) {
        self.init(title: name, image: nil, identifier: name, children: children) { _ in NamedController(name) }
    }
}

extension UITabBarController {
    var barTitles: [String] { (tabBar.items ?? []).map { $0.title ?? "" } }
}
