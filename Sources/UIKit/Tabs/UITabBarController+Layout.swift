/// Where the bar, the sidebar and the pane are.
extension UITabBarController {
    /// At the present size and traits.
    var arrangement: TabArrangement { TabArrangement(context(for: viewIfLoaded?.bounds.size ?? .zero)) }

    /// What decides the arrangement at a size, in points.
    func context(for size: CGSize) -> TabContext {
        TabContext(
            kind: kind, isCompact: nextTraits.horizontalSizeClass == .compact, size: size,
            topSafeArea: viewIfLoaded?.safeAreaInsets.top ?? 0,
            bottomSafeArea: viewIfLoaded?.safeAreaInsets.bottom ?? 0, wantsSidebar: wantsSidebar,
            isSidebarHidden: sidebar.chosenIsHidden, sidebarLayout: sidebar.preferredLayout,
            isBarHidden: isTabBarHidden, selectsInGroup: selection?.rootTab is UITabGroup,
            isRightToLeft: traitCollection.layoutDirection == .rightToLeft)
    }

    private var kind: UISystem.Platform.Kind { UISystem.current?.platform.kind ?? .pad }

    private var wantsSidebar: Bool {
        switch mode {
        case .tabBar: false
        case .tabSidebar: true
        case .automatic: rootTabs.contains { $0 is UITabGroup }
        }
    }

    /// The bar is, or would be, at the bottom.
    private var hasCompactBar: Bool {
        kind == .phone || kind == .pad && traitCollection.horizontalSizeClass == .compact
    }

    /// The bar lets people choose its tabs.
    var hasPlacements: Bool { !hasCompactBar && kind != .vision }

    /// The tabs that the bar shows, or would show if it were not hidden.
    var barContent: TabBarContent {
        TabBarContent(
            rootTabs, isCompact: hasCompactBar, compactIdentifiers: compactTabIdentifiers,
            hasPlacements: hasPlacements)
    }

    /// Lays out what is in the view. The pane's own layout follows in the same pass.
    func layOutContent() {
        prepareContent()
        let isCompact = hasCompactBar
        var now = arrangement
        let before = shown
        shown = (now, isCompact)
        if let before, before.isCompact != isCompact || before.arrangement.isSidebarAvailable != now.isSidebarAvailable
        {
            needsBar = true
            // The delegate may return other controllers for the new size.
            updatePane()
            now = arrangement
        }
        let animator = before.flatMap { sidebarAnimator($0.arrangement, now) }
        if needsBar { updateBar() }
        if needsSelectedItem { updateSelectedItem() }
        apply(now)
        animator?.run()
    }

    private func apply(_ arrangement: TabArrangement) {
        tabBar.isHidden = arrangement.bar == nil
        if let frame = arrangement.bar { tabBar.frame = frame }
        sidebarView.isHidden = arrangement.sidebar == nil
        if let frame = arrangement.sidebar { sidebarView.frame = frame }
        contentEdges.place(arrangement.content, in: view.bounds)
        guard let pane else { return }
        pane.fill(arrangement.pane)
        pane.coveredInsets = arrangement.covered
    }

    /// Notifies the sidebar's delegate, if the sidebar is about to be shown or hidden.
    private func sidebarAnimator(_ before: TabArrangement, _ now: TabArrangement) -> SidebarAnimator? {
        guard before.placement.hasSidebar != now.placement.hasSidebar, let delegate = sidebar.delegate else {
            return nil
        }
        let animator = SidebarAnimator()
        delegate.tabBarController(self, sidebarVisibilityWillChange: sidebar, animator: animator)
        return animator
    }

    private func updateBar() {
        needsBar = false
        let content = barContent
        let known = tabBar.items ?? []
        var items: [UITabBarItem] = []
        for (index, tab) in content.tabs.enumerated() {
            let own = tab.viewControllerIfMade.flatMap { tabs.isEmpty ? $0.tabBarItem : nil }
            let item = own ?? (index < known.count && known[index] !== moreItem ? known[index] : UITabBarItem())
            if own == nil { (item.title, item.image, item.badgeValue) = (tab.title, tab.image, tab.badgeValue) }
            item.isEnabled = tab.isEnabled
            items.append(item)
        }
        if !content.more.isEmpty { items.append(moreItem) }
        tabBar.items = items
        itemsOfTabs = [:]
        for tab in content.more { itemsOfTabs[ObjectIdentifier(tab)] = moreItem }
        for (tab, item) in zip(content.tabs, items) { itemsOfTabs[ObjectIdentifier(tab)] = item }
        needsSelectedItem = true
    }

    /// Selects the item of the selected tab or, if it has no item, of the nearest group around it.
    private func updateSelectedItem() {
        needsSelectedItem = false
        var next = selection
        while let tab = next, itemsOfTabs[ObjectIdentifier(tab)] == nil { next = tab.parent }
        tabBar.selectedItem = next.flatMap { itemsOfTabs[ObjectIdentifier($0)] }
    }
}

/// The constraints that place a guide in a view. They change only when what covers the view
/// does: a new size of the view alone changes none.
@MainActor struct ContentEdges {
    private let left, top, right, bottom: NSLayoutConstraint

    init(of guide: UILayoutGuide, in view: UIView) {
        left = guide.leftAnchor.constraint(equalTo: view.leftAnchor)
        top = guide.topAnchor.constraint(equalTo: view.topAnchor)
        right = guide.rightAnchor.constraint(equalTo: view.rightAnchor)
        bottom = guide.bottomAnchor.constraint(equalTo: view.bottomAnchor)
    }

    var all: [NSLayoutConstraint] { [left, top, right, bottom] }

    func place(_ frame: CGRect, in bounds: CGRect) {
        set(left, frame.minX)
        set(top, frame.minY)
        set(right, frame.maxX - bounds.width)
        set(bottom, frame.maxY - bounds.height)
    }

    private func set(_ constraint: NSLayoutConstraint, _ constant: CGFloat) {
        if constraint.constant != constant { constraint.constant = constant }
    }
}

final class TabBarControllerView: UIView {
    weak var tabBarController: UITabBarController?

    override func layoutSubviews() {
        super.layoutSubviews()
        tabBarController?.layOutContent()
    }

    override func safeAreaInsetsDidChange() {
        super.safeAreaInsetsDidChange()
        setNeedsLayout()
    }
}
