extension UISystem {
    /// Where a tab bar controller shows its tabs.
    public enum TabBarPlacement: String, Hashable, Sendable, CaseIterable {
        /// A bar at the bottom, over the pane: on a phone, and on a pad in compact width.
        case bottom
        /// A bar at the top of a pad, over the pane, in the row of navigation bars.
        case top
        /// The toolbar of a Mac's window, outside of the pane.
        case toolbar
        /// A sidebar at the leading edge, over the pane.
        case sidebar
        /// A sidebar at the leading edge, beside the pane.
        case tiledSidebar
        /// An ornament at the leading edge, outside of the window.
        case ornament
        /// An ornament, and the sidebar of the selected group beside the pane.
        case ornamentWithSidebar
        /// The bar is hidden.
        case hidden

        /// Whether a sidebar is shown.
        public var hasSidebar: Bool {
            switch self {
            case .sidebar, .tiledSidebar, .ornamentWithSidebar: true
            case .bottom, .top, .toolbar, .ornament, .hidden: false
            }
        }
    }

    /// Where a tab bar controller shows its tabs at its present size.
    public func tabPlacement(of controller: UITabBarController) -> TabBarPlacement {
        controller.arrangement.placement
    }
}
