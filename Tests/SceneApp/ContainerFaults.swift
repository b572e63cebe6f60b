import UIKit

final class Page: UIViewController {}
final class Section: UITab {}
final class Panes: UITabBarController {}
final class Columns: UISplitViewController {}

private final class Group: UITabGroup {}

@MainActor private func makeTabFault(_ name: String) {
    let group = Group(title: "g", image: nil, identifier: "g", children: [])
    switch name {
    case "group in itself": group.children = [group]
    case "group in child":
        group.children = [UITabGroup(title: "h", image: nil, identifier: "h", children: [group])]
    case "endless provider":
        let tab = Section(title: "a", image: nil, identifier: "a") { $0.viewController! }
        _ = tab.viewController
    default: break
    }
}

/// What no app may do with containers.
@MainActor func makeContainerFault(_ name: String) {
    let (page, other) = (Page(), UIViewController())
    let navigation = UINavigationController(rootViewController: page)
    switch name {
    case "identifiers":
        let tabs = ["a", "b", "a"].map { Section(title: $0, image: nil, identifier: $0) }
        _ = UITabBarController(tabs: tabs)
    case "foreign tab":
        let controller = UITabBarController(tabs: [UITab(title: "a", image: nil, identifier: "a")])
        controller.selectedTab = Section(title: "b", image: nil, identifier: "b")
    case "foreign pane":
        let controller = UITabBarController()
        controller.viewControllers = [other]
        controller.selectedViewController = page
    case "foreign child":
        UITabGroup(title: "g", image: nil, identifier: "g", children: []).selectedChild = Section(
            title: "a", image: nil, identifier: "a")
    case "twice": navigation.pushViewController(page, animated: false)
    case "same twice": UINavigationController().viewControllers = [page, other, page]
    case "stack in stack": UINavigationController().pushViewController(navigation, animated: false)
    case "not on the stack":
        UINavigationController(rootViewController: other).popToViewController(page, animated: false)
    case "tabs as primary": Columns(style: .doubleColumn).setViewController(Panes(), for: .primary)
    case "tabs as supplementary": Columns(style: .tripleColumn).setViewController(Panes(), for: .supplementary)
    case "no third column": Columns(style: .doubleColumn).setViewController(page, for: .supplementary)
    case "child presented": other.present(page, animated: false)
    case "container in child":
        other.addChild(navigation)
        page.addChild(other)
    case "child of itself": other.addChild(other)
    case "parent in child":
        page.addChild(other)
        other.addChild(navigation)
    default: makeTabFault(name)
    }
}
