internal import Settle

@MainActor struct TabBarContent {
    let tabs: [UITab]
    /// Those behind the last item, which is *More*; empty if all have an item.
    let more: [UITab]

    /// - Parameters:
    ///   - roots: The controller's tabs.
    ///   - isCompact: The bar is at the bottom: it has the visible root tabs, of which
    ///     `compactIdentifiers` may choose some.
    ///   - hasPlacements: The platform lets people choose what the bar has, so that
    ///     `preferredPlacement` counts.
    init(_ roots: [UITab], isCompact: Bool, compactIdentifiers: [String]?, hasPlacements: Bool) {
        let visible = roots.filter { !$0.isHidden }
        guard isCompact else {
            tabs = hasPlacements ? Self.placed(visible) : visible
            more = []
            return
        }
        let chosen = visible.filter { compactIdentifiers?.contains($0.identifier) ?? true }
        let hasMore = chosen.count > TabArrangement.itemsMax
        let count = hasMore ? TabArrangement.itemsMax - 1 : chosen.count
        tabs = Array(chosen[..<count])
        more = Array(chosen[count...])
    }

    /// Fixed tabs first, pinned ones last. Tabs in groups are in the bar if they ask for it.
    private static func placed(_ roots: [UITab]) -> [UITab] {
        let inBar = roots.subtrees { !$0.isHidden }.filter(\.placement.isInBar)
        return inBar.filter { $0.placement == .fixed }
            + inBar.filter { $0.placement != .fixed && $0.placement != .pinned }
            + inBar.filter { $0.placement == .pinned }
    }
}

extension UITab {
    /// The preferred placement, with `automatic` resolved: root tabs are in the bar, others
    /// only if a person adds them.
    fileprivate var placement: Placement {
        if preferredPlacement != .automatic { return preferredPlacement }
        return parent == nil ? .default : .optional
    }
}

extension UITab.Placement {
    fileprivate var isInBar: Bool {
        switch self {
        case .automatic, .default, .movable, .pinned, .fixed: true
        case .optional, .sidebarOnly: false
        }
    }
}
