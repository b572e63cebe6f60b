internal import Settle

/// A destination of a tab bar controller.
@preconcurrency @MainActor open class UITab: NSObject {
    /// Where a bar that people can customise shows a tab. The raw values are Apple's.
    public enum Placement: Int, Sendable {
        /// `default` for a root tab, `optional` for others.
        case automatic = 0
        /// In the bar, until a person removes it.
        case `default` = 1
        /// Not in the bar, until a person adds it.
        case optional = 2
        /// Always in the bar, where a person may move it.
        case movable = 3
        /// Always in the bar, at its trailing end.
        case pinned = 4
        /// Always in the bar, before those that people customise.
        case fixed = 5
        /// Never in the bar.
        case sidebarOnly = 6
    }

    /// The tab's name within its tab bar controller, which has it once.
    public let identifier: String
    /// The name that people see.
    open var title: String {
        didSet { if title != oldValue { tabBarController?.tabDidChange() } }
    }
    /// What people see with the title; `nil` for none.
    open var image: UIImage? {
        didSet { if image != oldValue { tabBarController?.tabDidChange() } }
    }
    /// Shown below the title in a sidebar; `nil` for none.
    open var subtitle: String?
    /// Shown at the tab; `nil` for none.
    open var badgeValue: String? {
        didSet { if badgeValue != oldValue { tabBarController?.tabDidChange() } }
    }
    /// For the app's own use.
    open var userInfo: Any?
    /// Whether people can select the tab. The app always can.
    open var isEnabled = true {
        didSet { if isEnabled != oldValue { tabBarController?.tabDidChange() } }
    }
    /// Whether people may hide the tab in the sidebar.
    open var allowsHiding = false
    /// Where a bar that people can customise shows the tab.
    open var preferredPlacement = Placement.automatic {
        didSet { if preferredPlacement != oldValue { tabBarController?.tabDidChange() } }
    }

    /// The group that contains the tab; `nil` for a root tab.
    public internal(set) weak var parent: UITabGroup?

    private let provider: ((UITab) -> UIViewController)?
    private var madeController: UIViewController?
    private var isMaking = false
    private var chosenIsHidden: Bool?
    private weak var root: UITabBarController?
    /// What was pushed on top of the tab's controller while the tab was selected, for its
    /// return.
    var pushedControllers: [UIViewController] = []

    /// A tab without a group.
    ///
    /// - Parameters:
    ///   - title: What people read.
    ///   - image: What people see; `nil` for none.
    ///   - identifier: Another one for each tab of a tab bar controller.
    ///   - viewControllerProvider: Returns the tab's view controller. It is called once, when
    ///     the controller is first needed.
    public init(
        title: String, image: UIImage?, identifier: String,
        viewControllerProvider: ((UITab) -> UIViewController)? = nil
    ) {
        self.title = title
        self.image = image
        self.identifier = identifier
        provider = viewControllerProvider
        super.init()
    }

    /// The tab of a view controller that a tab bar controller has without tabs.
    init(wrapping controller: UIViewController, identifier: String) {
        let item = controller.linksIfAny?.tabBarItem
        title = item?.title ?? controller.title ?? ""
        image = item?.image
        badgeValue = item?.badgeValue
        self.identifier = identifier
        provider = nil
        madeController = controller
        super.init()
    }

    /// Whether the tab is shown nowhere.
    open var isHidden: Bool {
        get { chosenIsHidden ?? isHiddenByDefault }
        set {
            let wasHidden = isHidden
            chosenIsHidden = newValue
            if newValue != wasHidden { tabBarController?.tabsDidChange() }
        }
    }

    /// Whether the tab is hidden until the app or a person decides.
    open var isHiddenByDefault = false {
        didSet { if chosenIsHidden == nil, isHiddenByDefault != oldValue { tabBarController?.tabsDidChange() } }
    }

    /// The controller of the tab, made when first asked for; `nil` if the tab has none. The tab's
    /// provider stops the program if it asks for it.
    public var viewController: UIViewController? {
        if madeController == nil, let provider {
            guard !isMaking else {
                fatalError(
                    "the viewControllerProvider of the \(type(of: self)) \(identifier) asks for the view controller "
                        + "that it is to return")
            }
            isMaking = true
            defer { isMaking = false }
            let controller = provider(self)
            madeController = controller
            controller.links.tab = self
        }
        return madeController
    }

    /// The same if it was made, else `nil`.
    var viewControllerIfMade: UIViewController? { madeController }

    /// The tab bar controller that the tab, or the group around it, belongs to.
    public var tabBarController: UITabBarController? { root ?? parent?.tabBarController }

    /// Of the groups around the tab, and the tab itself, the outermost that has a managing
    /// navigation controller; `nil` if none has.
    public var managingTabGroup: UITabGroup? {
        var found: UITabGroup?
        var next: UITab? = self
        while let tab = next {
            if let group = tab as? UITabGroup, group.managingNavigationController != nil { found = group }
            next = tab.parent
        }
        return found
    }

    /// Whether the tab is in a bar that lets people choose its tabs.
    public var hasVisiblePlacement: Bool {
        guard let tabBarController, tabBarController.hasPlacements else { return false }
        return tabBarController.barContent.tabs.contains { $0 === self }
    }

    /// Becomes, or stops being, a root tab of a tab bar controller.
    func move(to controller: UITabBarController?) { root = controller }

    /// Whether the tab is a root tab of that tab bar controller.
    func isRoot(of controller: UITabBarController) -> Bool { root === controller }

    /// The outermost group around the tab, or the tab itself.
    var rootTab: UITab {
        var tab = self
        while let parent = tab.parent { tab = parent }
        return tab
    }

    /// The tab and all within it, parents first.
    final var subtree: [UITab] { [self].subtrees() }

    /// Appends the tab, and all within it, parents first; not those that are not wanted, nor what is in them.
    func collect(into tabs: inout [UITab], while isWanted: (UITab) -> Bool) {
        if isWanted(self) { tabs.append(self) }
    }
}

extension [UITab] {
    /// These tabs and all within them, parents first; not those that are not wanted, nor what is in them.
    @MainActor func subtrees(while isWanted: (UITab) -> Bool = { _ in true }) -> [UITab] {
        var tabs: [UITab] = []
        for tab in self { tab.collect(into: &tabs, while: isWanted) }
        return tabs
    }
}
