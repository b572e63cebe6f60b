/// What navigation, tabs and presentation store at a view controller. Most controllers
/// have none of it, so it is allocated when first used.
@MainActor final class ControllerLinks {
    var navigationItem: UINavigationItem?
    var tabBarItem: UITabBarItem?
    /// The tab whose provider returned the controller.
    weak var tab: UITab?
    /// What the controller presents.
    var presented: Presentation?
    /// What presents the controller.
    weak var presenting: Presentation?
    var modalPresentationStyle = UIModalPresentationStyle.automatic
    var isModalInPresentation = false
    var preferredContentSize = CGSize.zero
    var presentationController: UIPresentationController?
    /// The size with which the controller was last shown by a container that keeps hidden
    /// children.
    var shownSize: CGSize?
}

extension UIViewController {
    /// The nearest navigation controller around this one.
    public var navigationController: UINavigationController? { ancestor() }

    /// The nearest tab bar controller around this one.
    public var tabBarController: UITabBarController? { ancestor() }

    /// The tab that this is the view controller of; `nil` if no tab made it.
    public var tab: UITab? { linksIfAny?.tab }

    private func ancestor<Container: UIViewController>() -> Container? {
        var next = parent
        while let controller = next {
            if let container = controller as? Container { return container }
            next = controller.parent
        }
        return nil
    }
}
