internal import Settle

/// A container that shows one of several panes, and lets people choose: in a bar, in a
/// sidebar or in an ornament, as the platform and the size have it.
///
/// A pane's controller is made when it is first shown, and kept. While another pane is shown
/// its view is in no window and is not laid out; if the size has changed meanwhile, it gets
/// one transition when it is shown again. There are no animations.
@preconcurrency @MainActor open class UITabBarController: UIViewController {
    /// How tabs are shown where there is a choice. The raw values are Apple's.
    public enum Mode: Int, Sendable {
        /// `tabSidebar` if a root tab is a group and the platform has a sidebar, else
        /// `tabBar`.
        case automatic = 0
        case tabBar = 1
        /// In a bar that can become a sidebar.
        case tabSidebar = 2
    }

    /// Is asked about selections, and notified of them.
    open weak var delegate: (any UITabBarControllerDelegate)?
    /// The bar. Its frame is that of the bar in the view, where there is one.
    public let tabBar = UITabBar(frame: .zero)
    /// The sidebar, shown or not.
    public let sidebar = Sidebar()
    /// What the bar and the sidebar leave of the view.
    public let contentLayoutGuide = UILayoutGuide()
    /// The name under which people's changes of the bar are kept. Nothing is stored.
    open var customizationIdentifier: String?

    private var ownTabs: [UITab]?
    private var controllers: [UIViewController] = []
    private var wrappedCount = 0
    /// The root tabs: the app's or, without any, those of its view controllers.
    private(set) var rootTabs: [UITab] = []
    /// All tabs, at any depth.
    private(set) var tabsByIdentifier: [String: UITab] = [:]
    /// The tab that is selected; `nil` before the first layout, unless the app selects one.
    private(set) var selection: UITab?
    private weak var selectedRoot: UITab?
    /// The controller whose view is in this one's.
    private(set) weak var pane: UIViewController?
    /// The controller whose view is to be there: that of the selection.
    private weak var wanted: UIViewController?
    /// `wanted` is to be found again.
    private(set) var isPaneDue = false
    /// Children may belong to no tab any more.
    private var hasUnusedPanes = false
    private let loop = ContentLoop()
    /// The stack of the present selection; `nil` without a managing group.
    var stack: TabStack?
    /// Whose stack that is.
    weak var managed: UINavigationController?
    /// The selections of which the delegate is not notified yet.
    private var unnotified: [(tab: UITab, previous: UITab?)] = []
    private var isPrepared = false
    private var isBarHidden = false
    var needsBar = true
    /// Another tab is selected than the bar shows.
    var needsSelectedItem = true
    /// The bar's items by their tabs: a selection costs the same among many.
    var itemsOfTabs: [ObjectIdentifier: UITabBarItem] = [:]
    /// What the last layout showed.
    var shown: (arrangement: TabArrangement, isCompact: Bool)?
    let sidebarView = UIView(frame: .zero)
    let moreItem = UITabBarItem(title: "More", image: nil, tag: 0)

    /// A tab bar controller with tabs. Tabs with equal identifiers stop the program.
    public init(tabs: [UITab]) {
        super.init(nibName: nil, bundle: nil)
        sidebar.controller = self
        set(tabs)
    }

    /// A tab bar controller without tabs.
    public override init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) {
        super.init(nibName: nibNameOrNil, bundle: nibBundleOrNil)
        sidebar.controller = self
    }

    /// A tab bar controller without tabs. There is nothing to decode on Linux.
    public required init?(coder: NSCoder) {
        super.init(coder: coder)
        sidebar.controller = self
    }

    // MARK: Tabs

    /// The root tabs, in order. Once they are set, `viewControllers` is not consulted. Tabs
    /// with equal identifiers, also within groups, stop the program.
    open var tabs: [UITab] {
        get { ownTabs ?? [] }
        set { setTabs(newValue, animated: false) }
    }

    /// Replaces the root tabs. The selected tab stays selected if it is among them. `animated`
    /// changes nothing.
    open func setTabs(_ tabs: [UITab], animated: Bool) {
        turn { set(tabs) }
    }

    private func set(_ tabs: [UITab]) {
        ownTabs = tabs
        setRoots(tabs)
    }

    private func setRoots(_ tabs: [UITab]) {
        // Those that another tab bar controller has meanwhile are its own.
        for tab in rootTabs where tab.isRoot(of: self) { tab.move(to: nil) }
        rootTabs = tabs
        for tab in tabs { tab.move(to: self) }
        tabsDidChange()
    }

    /// The tabs, or what is within one, have changed.
    func tabsDidChange() {
        tabsByIdentifier.removeAll(keepingCapacity: true)
        for tab in allTabs {
            guard tabsByIdentifier.updateValue(tab, forKey: tab.identifier) == nil else {
                fatalError("a \(type(of: tab)) of the \(type(of: self)) has another's identifier, \(tab.identifier)")
            }
        }
        turn {
            barDidChange()
            hasUnusedPanes = true
            // There was nothing to select, or there is no more.
            let isSelected = if let selection { isSelectable(selection) } else { !isPrepared }
            if isSelected { updatePane() } else { select(replacement) }
        }
    }

    /// What the bar shows has changed.
    func barDidChange() {
        needsBar = true
        viewIfLoaded?.setNeedsLayout()
    }

    /// The same by the app: laid out at once outside of callbacks.
    func tabDidChange() {
        turn { barDidChange() }
    }

    /// What is selected instead of a tab that is not there any more: its root tab, else the
    /// first visible one.
    private var replacement: UITab? {
        let root = selectedRoot.flatMap { isSelectable($0) ? $0 : nil }
        return (root ?? rootTabs.first { !$0.isHidden }).map(destination)
    }

    private func removeUnusedPanes() {
        var used = Set<ObjectIdentifier>()
        for tab in allTabs {
            if let controller = tab.viewControllerIfMade { used.insert(ObjectIdentifier(controller)) }
            guard let navigation = (tab as? UITabGroup)?.managingNavigationController else { continue }
            used.insert(ObjectIdentifier(navigation))
        }
        for child in children where child !== pane && !used.contains(ObjectIdentifier(child)) {
            child.willMove(toParent: nil)
            if child.parent === self { child.removeFromParent() }
        }
    }

    // MARK: The selection

    /// The selected tab; `nil` before the first layout, which selects the first visible tab
    /// if the app has selected none. A tab of another controller stops the program; `nil`
    /// selects the first visible tab.
    open var selectedTab: UITab? {
        get { ownTabs == nil ? nil : selection }
        set {
            guard ownTabs != nil else { return }
            if let newValue, newValue.tabBarController !== self {
                fatalError("the \(type(of: newValue)) \(newValue.identifier) is not a tab of the \(type(of: self))")
            }
            let tab = newValue ?? rootTabs.first { !$0.isHidden }.map(destination)
            turn { select(tab) }
        }
    }

    func select(_ tab: UITab?) {
        guard tab !== selection else { return updatePane() }
        let previous = selection
        keepPushed()
        note(tab, after: previous)
    }

    /// Makes a tab the selected one, and shows it.
    func note(_ tab: UITab?, after previous: UITab?) {
        stack = nil
        selection = tab
        selectedRoot = tab?.rootTab
        var child = tab
        while let next = child, let parent = next.parent {
            parent.noteSelected(next)
            child = parent
        }
        needsSelectedItem = true
        viewIfLoaded?.setNeedsLayout()
        if let tab, ownTabs != nil { unnotified.append((tab, previous)) }
        updatePane()
    }

    /// A group's selected child was set by the app.
    func selectedChildDidChange(_ child: UITab, of group: UITabGroup) {
        var next = selection
        while let tab = next, tab !== group { next = tab.parent }
        guard next != nil else { return }
        turn { select(child) }
    }

    // MARK: The pane

    /// Selects the first visible tab, unless one is selected, and shows the pane.
    override func prepareContent() {
        guard !isPrepared else { return }
        isPrepared = true
        if selection == nil { select(rootTabs.first { !$0.isHidden }.map(destination)) } else { updatePane() }
    }

    /// Shows the selection's pane. Within what this calls it is only noted that another one may be
    /// due.
    func updatePane() {
        isPaneDue = true
        loop.run(of: self) { updateStep() }
    }

    /// Does the first of what is left to do until the selection is shown and the delegate knows it.
    private func updateStep() -> Bool {
        if isPrepared, isPaneDue {
            isPaneDue = false
            let new = selectedPane()
            if !isPaneDue { wanted = new }
        } else if isPrepared, pane !== wanted {
            replacePane()
        } else if !unnotified.isEmpty {
            let next = unnotified.removeFirst()
            delegate?.tabBarController(self, didSelectTab: next.tab, previousTab: next.previous)
        } else if hasUnusedPanes {
            hasUnusedPanes = false
            removeUnusedPanes()
        } else {
            return false
        }
        return true
    }

    /// The navigation controller of the selection's managing group or, without one, the controller of
    /// its root tab.
    private func selectedPane() -> UIViewController? {
        if let selection, let navigation = selection.managingTabGroup?.managingNavigationController {
            buildStack(navigation, selection)
            return navigation
        }
        leaveStack()
        guard let root = selection?.rootTab else { return nil }
        let controller = root.viewController
        if controller == nil {
            UISystem.current?.log("The tab \(root.identifier) has no view controller to show.")
        }
        return controller
    }

    /// Shows the wanted pane, then takes the old one away. What is called may ask for another one, or
    /// move this one elsewhere.
    private func replacePane() {
        guard let new = wanted else {
            pane.map { hide($0) }
            view.setNeedsLayout()
            return visibleControllerDidChange()
        }
        let isNew = new.parent !== self
        if isNew { addChild(new) }
        defer { if isNew, new.parent === self { new.didMove(toParent: self) } }
        let size = arrangement.pane.size
        guard prepare(new, size: size, while: { !isPaneDue && wanted === new && new.parent === self }) else {
            if !isPaneDue { wanted = nil }
            return
        }
        let old = pane
        pane = new
        view.addSubview(new.view)
        view.sendSubviewToBack(new.view)
        if let old { takeOut(old, .before) }
        view.setNeedsLayout()
        visibleControllerDidChange()
    }

    private func hide(_ controller: UIViewController) {
        if controller === pane { pane = nil }
        takeOut(controller)
    }

    override func didRemoveChild(_ child: UIViewController) {
        if child === wanted { wanted = nil }
        if child === pane { hide(child) }
    }

    // MARK: View controllers without tabs

    /// The panes of a tab bar controller without tabs; `nil` if there are none. For
    /// `UISystem.select(tab:in:)` their identifiers are `0`, `1` and so on. Once `tabs` is
    /// set, setting it changes nothing.
    open var viewControllers: [UIViewController]? {
        get { controllers.isEmpty ? nil : controllers }
        set { setViewControllers(newValue, animated: false) }
    }

    /// Replaces the panes of a tab bar controller without tabs. `animated` changes nothing.
    open func setViewControllers(_ viewControllers: [UIViewController]?, animated: Bool) {
        guard ownTabs == nil else { return logIgnored("viewControllers") }
        let old = Dictionary(zip(controllers.map(ObjectIdentifier.init), rootTabs)) { first, _ in first }
        let new = viewControllers ?? []
        controllers = new
        turn {
            for controller in new where controller.parent !== self {
                addChild(controller)
                controller.didMove(toParent: self)
            }
            setRoots(new.map { old[ObjectIdentifier($0)] ?? wrapped($0) })
        }
    }

    /// A tab whose identifier is the number of those made before.
    private func wrapped(_ controller: UIViewController) -> UITab {
        defer { wrappedCount += 1 }
        return UITab(wrapping: controller, identifier: "\(wrappedCount)")
    }

    /// The index of the selected pane; `NSNotFound` for none. Setting one that does not exist
    /// changes nothing, nor does it once `tabs` is set.
    open var selectedIndex: Int {
        get { selection.flatMap { tab in rootTabs.firstIndex { $0 === tab.rootTab } } ?? NSNotFound }
        set {
            guard ownTabs == nil else { return logIgnored("selectedIndex") }
            guard rootTabs.indices.contains(newValue) else { return }
            turn { select(rootTabs[newValue]) }
        }
    }

    /// The controller of the selected pane; `nil` for none. Setting one that is not among
    /// `viewControllers` stops the program; once `tabs` is set it changes nothing.
    open var selectedViewController: UIViewController? {
        get { pane ?? (ownTabs == nil ? selection?.viewController : nil) }
        set {
            guard ownTabs == nil else { return logIgnored("selectedViewController") }
            guard let newValue else { return }
            guard let index = controllers.firstIndex(where: { $0 === newValue }) else {
                fatalError("a \(type(of: newValue)) is not a view controller of the \(type(of: self))")
            }
            selectedIndex = index
        }
    }

    private func logIgnored(_ name: String) {
        UISystem.current?.log("\(name) of a \(type(of: self)) with tabs is ignored; set selectedTab.")
    }

    open override var childForInterfaceOrientationLock: UIViewController? { pane }

    // MARK: Layout

    open override func loadView() {
        let view = TabBarControllerView(frame: .zero).likeScreen()
        // Its layout places the pane.
        view.autoresizesSubviews = false
        view.tabBarController = self
        view.addSubview(sidebarView)
        view.addSubview(tabBar)
        view.addLayoutGuide(contentLayoutGuide)
        self.view = view
        NSLayoutConstraint.activate(contentEdges.all)
    }

    /// What places the content layout guide in the view.
    private(set) lazy var contentEdges = ContentEdges(of: contentLayoutGuide, in: view)

    open override func size(
        forChildContentContainer container: any UIContentContainer, withParentContainerSize parentSize: CGSize
    ) -> CGSize { TabArrangement(context(for: parentSize)).pane.size }

    /// How tabs are shown where there is a choice.
    open var mode = Mode.automatic {
        didSet { if mode != oldValue { turn { barDidChange() } } }
    }

    /// Of the root tabs, those that a bar in compact width has; `nil` for all.
    open var compactTabIdentifiers: [String]? {
        didSet { if compactTabIdentifiers != oldValue { turn { barDidChange() } } }
    }

    /// Whether the bar is hidden. A hidden bar covers nothing; a sidebar stays.
    open var isTabBarHidden: Bool {
        get { isBarHidden }
        set { setTabBarHidden(newValue, animated: false) }
    }

    /// Hides or shows the bar. `animated` changes nothing.
    open func setTabBarHidden(_ hidden: Bool, animated: Bool) {
        guard hidden != isBarHidden else { return }
        isBarHidden = hidden
        turn { barDidChange() }
    }
}
