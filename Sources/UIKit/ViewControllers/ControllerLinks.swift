/// What navigation, tabs and presentation store at a view controller. Most controllers
/// have none of it, so it is allocated when first used.
@MainActor final class ControllerLinks {
    private var navigationItem: UINavigationItem?
    var tabBarItem: UITabBarItem?
    weak var tab: UITab?
    var presented: ModalPresentation?
    weak var presenting: ModalPresentation?
    /// What the present change of appearance makes of a presented controller.
    var presentationChange: PresentationChange?
    enum PresentationChange { case presented, dismissed }
    /// The window that the controller's view has left, as what is presented above covers it.
    weak var coveredIn: UIWindow?
    /// What is presented above a controller that is not presented itself.
    var chain: PresentationChain?
    var modalPresentationStyle = UIModalPresentationStyle.pageSheet
    var modalTransitionStyle = UIModalTransitionStyle.coverVertical
    var isModalInPresentation = false
    var toolbarItems: [UIBarButtonItem]?
    var keyCommands: [UIKeyCommand] = []
    /// What the controller's popover points to.
    var popover = PopoverSource()
    weak var presentationController: UIPresentationController?
    weak var presentationDelegate: (any UIAdaptivePresentationControllerDelegate)?
    /// How high the controller's sheet is; `nil` for one that was not configured.
    var sheet: SheetDetents?
    /// The split view controller whose inspector the controller is, while it is presented.
    weak var inspectorOwner: UISplitViewController?

    func navigationItem(_ title: String?) -> UINavigationItem {
        if let navigationItem { return navigationItem }
        let new = UINavigationItem(title: title ?? "")
        new.title = title
        navigationItem = new
        return new
    }

    func tabBarItem(_ title: String?) -> UITabBarItem {
        if let tabBarItem { return tabBarItem }
        let new = UITabBarItem(title: title, image: nil, tag: 0)
        tabBarItem = new
        return new
    }

    func titleDidChange(_ title: String?) {
        navigationItem?.title = title
        tabBarItem?.title = title
    }
}

extension UIViewController {
    var links: ControllerLinks {
        if let linksIfAny { return linksIfAny }
        let new = ControllerLinks()
        linksIfAny = new
        return new
    }

    /// The tab that this is the view controller of; `nil` if no tab made it.
    public var tab: UITab? { linksIfAny?.tab }

    func ancestor<Container: UIViewController>() -> Container? {
        var next = parent
        while let controller = next {
            if let container = controller as? Container { return container }
            next = controller.parent
        }
        return nil
    }

    /// Tries this controller and the containers around it, the nearest first.
    ///
    /// - Returns: Whether one has shown it.
    func showInContainer(_ shows: (UIViewController) -> Bool) -> Bool {
        var next: UIViewController? = self
        while let controller = next {
            if shows(controller) { return true }
            next = controller.parent
        }
        return false
    }
}
