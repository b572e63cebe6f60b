internal import Settle

/// What decides where a tab bar controller's bar and sidebar are. Lengths are in points.
struct TabContext: Equatable {
    var kind = UISystem.Platform.Kind.pad
    var isCompact = false
    var size = CGSize.zero
    /// The part of the view's top that its own container covers: the bar lies below it.
    var topSafeArea: CGFloat = 0
    /// The same at the bottom: the bar extends over it.
    var bottomSafeArea: CGFloat = 0
    /// The mode, resolved: tabs in a bar, or a bar and a sidebar.
    var wantsSidebar = false
    /// What the app or a person chose; `nil` while neither has.
    var isSidebarHidden: Bool?
    var sidebarLayout = UITabBarController.Sidebar.Layout.automatic
    var isBarHidden = false
    /// The selection is a group, or lies in one.
    var selectsInGroup = false
    var isRightToLeft = false
}

/// Where the bar, the sidebar and the pane of a tab bar controller are: a function of the
/// context alone. Frames are in the coordinates of the controller's view.
struct TabArrangement: Equatable {
    /// The height of a bar at the bottom, without the safe area below it.
    static let bottomBarHeight: CGFloat = 49
    /// The height of a bar at the top, which is also that of the navigation bars in its row.
    static let topBarHeight: CGFloat = 50
    static let sidebarWidth: CGFloat = 320
    /// The largest number of items in a bar at the bottom. Of more tabs the first four are
    /// shown, and an item for the others.
    static let itemsMax = 5

    var placement = UISystem.TabBarPlacement.hidden
    /// The platform, size and mode allow a sidebar, shown or not.
    var isSidebarAvailable = false
    var pane = CGRect.zero
    /// What bar and sidebar cover of the pane.
    var covered = UIEdgeInsets.zero
    /// `nil` where the bar is hidden or not in the view.
    var bar: CGRect?
    /// `nil` if no sidebar is shown.
    var sidebar: CGRect?
    /// What bar and sidebar leave.
    var content = CGRect.zero

    init(_ context: TabContext) {
        isSidebarAvailable = Self.isSidebarAvailable(context)
        let showsSidebar = isSidebarAvailable && !Self.isSidebarHidden(context)
        placement = Self.placement(context, showsSidebar: showsSidebar)
        let bounds = CGRect(origin: .zero, size: context.size)
        (pane, content) = (bounds, bounds)
        switch placement {
        case .bottom:
            let height = Self.bottomBarHeight + context.bottomSafeArea
            bar = CGRect(x: 0, y: bounds.height - height, width: bounds.width, height: height)
            covered.bottom = Self.bottomBarHeight
            content.size.height = max(0, bounds.height - height)
        case .top:
            let bottom = context.topSafeArea + Self.topBarHeight
            bar = CGRect(x: 0, y: context.topSafeArea, width: bounds.width, height: Self.topBarHeight)
            covered.top = Self.topBarHeight
            content = CGRect(x: 0, y: bottom, width: bounds.width, height: max(0, bounds.height - bottom))
        case .sidebar, .tiledSidebar, .ornamentWithSidebar:
            let width = min(Self.sidebarWidth, bounds.width)
            let x = context.isRightToLeft ? bounds.width - width : 0
            sidebar = CGRect(x: x, y: 0, width: width, height: bounds.height)
            content.origin.x = context.isRightToLeft ? 0 : width
            content.size.width = bounds.width - width
            if placement != .sidebar {
                pane = content
            } else if context.isRightToLeft {
                covered.right = width
            } else {
                covered.left = width
            }
        case .toolbar, .ornament, .hidden: break
        }
    }

    /// Phones and compact widths have no sidebar; in a headset a group has one.
    private static func isSidebarAvailable(_ context: TabContext) -> Bool {
        guard context.wantsSidebar else { return false }
        switch context.kind {
        case .phone: return false
        case .pad: return !context.isCompact
        case .mac: return true
        case .vision: return context.selectsInGroup
        }
    }

    /// Until the app or a person decides, a pad in portrait hides the sidebar.
    static func isSidebarHidden(_ context: TabContext) -> Bool {
        if let isHidden = context.isSidebarHidden { return isHidden }
        return context.kind == .pad && context.size.width <= context.size.height
    }

    private static func placement(_ context: TabContext, showsSidebar: Bool) -> UISystem.TabBarPlacement {
        if showsSidebar {
            switch context.kind {
            case .vision: return context.isBarHidden ? .tiledSidebar : .ornamentWithSidebar
            case .mac: return .tiledSidebar
            case .pad, .phone: return context.sidebarLayout == .tile ? .tiledSidebar : .sidebar
            }
        }
        if context.isBarHidden { return .hidden }
        switch context.kind {
        case .phone: return .bottom
        case .pad: return context.isCompact ? .bottom : .top
        case .mac: return .toolbar
        case .vision: return .ornament
        }
    }
}
