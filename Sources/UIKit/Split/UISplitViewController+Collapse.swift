internal import Settle

/// One stack instead of columns, and columns again. The calls to the delegate are in the order
/// that they have on a device; `isCollapsed` changes before the last one.
extension UISplitViewController {
    /// Whether the width leaves no space for columns. Without a window they stay as they are.
    var wantsToCollapse: Bool { viewIfLoaded?.window == nil ? isCollapsed : hasCompactWidth }

    /// At each layout.
    func collapseOrExpand() {
        if wantsToCollapse == isCollapsed { return }
        if isCollapsed { expand() } else { collapse() }
    }

    private func collapse() {
        endDrag()
        let top = topColumnForCollapsing()
        let wasShown = shownColumns.contains(.inspector) || (layout == nil && request.showsInspector)
        let isSheet = wasShown && presentedViewController == nil
        var going = shownColumns.subtracting(ColumnSet(top))
        if isSheet { going.remove(ColumnSet(.inspector)) } else if wasShown { logRefusedInspector() }
        isMovingInspector = isSheet
        notify(going) { $0.splitViewController(self, willHide: $1) }
        stackColumns(top)
        updateTraitsIfNeeded()
        notify(going) { $0.splitViewController(self, didHide: $1) }
        isCollapsed = true
        delegate?.splitViewControllerDidCollapse(self)
        if isSheet, request.showsInspector { presentInspector() }
        isMovingInspector = false
        childrenDidChange()
    }

    private func expand() {
        askForModeOfExpanding()
        isMovingInspector = inspectorSheet != nil
        let hadSheet = takeInspectorBack()
        let stayed = topColumn
        // What the app sets from here on goes to its column.
        isExpanding = true
        arranging { divide(stayed, hadSheet) }
        isExpanding = false
        delegate?.splitViewControllerDidExpand(self)
        childrenDidChange()
    }

    /// Gives the columns back what is theirs, and shows them.
    private func divide(_ stayed: Column?, _ hadSheet: Bool) {
        unstackColumns()
        separateClassic()
        let next = layout(width: view.bounds.width)
        if request.squeezed != next.squeezed { request.squeezed = next.squeezed }
        isChangedByApp = false
        let columns = next.shownColumns
        var coming = columns
        if let stayed { coming.remove(ColumnSet(stayed)) }
        if hadSheet { coming.remove(ColumnSet(.inspector)) }
        // There is no space for the inspector beside the other columns.
        let isLeaving = hadSheet && request.showsInspector && !columns.contains(.inspector)
        let going = isLeaving ? ColumnSet(.inspector) : []
        notify(going) { $0.splitViewController(self, willHide: $1) }
        notify(coming) { $0.splitViewController(self, willShow: $1) }
        if let old = collapsedChild, !columns.columns.contains(where: { slots[$0].child === old }) {
            old.viewIfLoaded?.removeFromSuperview()
        }
        collapsedChild = nil
        shownColumns = columns
        isMovingInspector = false
        place(next)
        updateTraitsIfNeeded()
        notify(going) { $0.splitViewController(self, didHide: $1) }
        notify(coming) { $0.splitViewController(self, didShow: $1) }
        isCollapsed = false
    }

    /// Calls a column method of the delegate. There are no columns in the classic style.
    private func notify(_ columns: ColumnSet, _ call: (any UISplitViewControllerDelegate, Column) -> Void) {
        guard style != .unspecified, !columns.isEmpty else { return }
        for column in columns.columns {
            delegate.map { call($0, column) }
        }
    }

    /// The column that a collapsed interface shows; `nil` if it shows nothing.
    var topColumn: Column? {
        if let stack, let host = collapsedChild as? UINavigationController {
            return stack.top(of: host.viewControllers)
        }
        guard let collapsedChild else { return nil }
        return (Column.stacked + [.compact]).first { slots[$0].child === collapsedChild }
    }

    private var proposedTopColumn: Column {
        if slots.compact.child != nil { return .compact }
        return Column.stacked.last { slots[$0].child != nil } ?? .secondary
    }

    private func topColumnForCollapsing() -> Column {
        guard style != .unspecified else { return collapseClassic() }
        let proposed = proposedTopColumn
        let answer =
            delegate?.splitViewController(self, topColumnForCollapsingToProposedTopColumn: proposed) ?? proposed
        return answer == .inspector || slots[answer].child == nil ? proposed : answer
    }

    private func askForModeOfExpanding() {
        let proposed = layout(width: view.bounds.width).mode
        guard style != .unspecified, let delegate else { return }
        let answer = delegate.splitViewController(self, displayModeForExpandingToProposedDisplayMode: proposed)
        guard answer != proposed, let count = answer.columns else { return }
        request.columns = min(count, style.columnsMax)
        request.squeezed.columns = nil
    }

    func layOutCollapsed() {
        guard let collapsedChild else { return }
        place(collapsedChild, in: view.bounds, at: 0, covered: .zero)
    }

    // MARK: The stack

    /// Stacks the view controllers of the columns up to the top one in the lowest column's
    /// navigation controller, and shows only that.
    private func stackColumns(_ top: Column) { makingChange { arranging { makeStack(top) } } }

    private func makeStack(_ top: Column) {
        let kept = top == .compact ? slots.compact.child : host(top)?.child
        // An inspector that is a sheet has its view in the window.
        for column in Column.expanded where slots[column].child !== kept && slots[column].child !== inspectorSheet {
            slots[column].child?.viewIfLoaded?.removeFromSuperview()
        }
        shownColumns = []
        collapsedChild = kept
        stack = nil
        if top != .compact, let host = kept as? UINavigationController {
            var items = PerColumn<[UIViewController]>(repeating: [])
            for column in Column.stacked { items[column] = ownItems(column) }
            let bottom = Column.stacked.first { !items[$0].isEmpty } ?? .primary
            let stack = ColumnStack(items, bottom: bottom)
            self.stack = stack
            let stacked = stack.items(from: .primary, through: top)
            show(stacked, in: host)
            host.stackDidChange = { [handle] in handle.split?.stackDidChange() }
        }
        layOutCollapsed()
    }

    /// The lowest column up to the top one that has a navigation controller, which will show the
    /// stack; without one, the top one.
    private func host(_ top: Column) -> SplitSlot? {
        let columns = Column.stacked.filter { $0.rawValue <= top.rawValue && slots[$0].child != nil }
        // The classic style pushes onto the primary view controller only.
        if style == .unspecified, let lowest = columns.first { return slots[lowest] }
        return (columns.first { slots[$0].child is UINavigationController } ?? columns.last).map { slots[$0] }
    }

    private func ownItems(_ column: Column) -> [UIViewController] {
        guard let child = slots[column].child else { return [] }
        return (child as? UINavigationController)?.viewControllers ?? [child]
    }

    private func show(_ items: [UIViewController], in host: UINavigationController) {
        for column in Column.stacked {
            guard let child = slots[column].child as? UINavigationController, child !== host else { continue }
            if let first = child.viewControllers.first, items.contains(where: { $0 === first }) {
                child.setViewControllers([], animated: false)
                stack?.emptied.insert(ColumnSet(column))
            }
        }
        for item in items { lend(item) }
        host.setViewControllers(items, animated: false)
    }

    private func unstackColumns() {
        guard var stack, let host = collapsedChild as? UINavigationController else { return }
        host.stackDidChange = nil
        stack.update(host.viewControllers)
        self.stack = nil
        let present = stack.columns(of: host.viewControllers)
        let children = Column.stacked.map { slots[$0].child }
        let hostColumn = Column.stacked.first { slots[$0].child === host } ?? .primary
        // What the app has put elsewhere meanwhile stays there. In a callback of the host's it is still
        // the parent of what has left its stack.
        func isFree(_ item: UIViewController) -> Bool {
            item.parent == nil || item.parent === host && !host.viewControllers.contains { $0 === item }
        }
        func free(_ items: [UIViewController]) -> [UIViewController] { items.filter { isFree($0) } }
        var own = present[hostColumn].isEmpty ? free(stack.items[hostColumn]) : present[hostColumn]
        // A child that has no stack of its own leaves what was pushed on it below.
        for column in Column.stacked where !(slots[column].child is UINavigationController) {
            own += present[column].filter { $0 !== slots[column].child }
        }
        host.setViewControllers(own, animated: false)
        for column in Column.stacked where column != hostColumn {
            guard let child = slots[column].child else { continue }
            guard let navigation = child as? UINavigationController else {
                if isFree(child) {
                    addChild(child)
                    child.didMove(toParent: self)
                } else if child.parent !== self {
                    // The app has put it elsewhere.
                    clear(column)
                }
                continue
            }
            // Another one was set for the column just now.
            guard children.contains(where: { $0 === child }) else { continue }
            // What the app has put onto it meanwhile is above what comes back.
            let pushed = navigation.viewControllers
            let items = stack.emptied.contains(column) ? free(stack.items[column]) : []
            if !items.isEmpty { navigation.setViewControllers(items + pushed, animated: false) }
        }
    }

    /// The collapsed stack has changed: by the app, or by a person who pops a view controller.
    private func stackDidChange() {
        guard let host = collapsedChild as? UINavigationController else { return }
        stack?.update(host.viewControllers)
        settling { columnsDidChange() }
    }

    /// The items of each column: what is shown of it, else what was shown last, and what the app has
    /// put onto its own navigation controller meanwhile.
    private func items(
        of stack: ColumnStack<UIViewController>, _ host: UINavigationController
    ) -> PerColumn<[UIViewController]> {
        var items = stack.columns(of: host.viewControllers)
        for column in Column.stacked {
            let isHost = slots[column].child === host
            if items[column].isEmpty, isHost || stack.emptied.contains(column) { items[column] = stack.items[column] }
            guard !isHost else { continue }
            let known = items[column]
            items[column] += ownItems(column).filter { own in !known.contains { $0 === own } }
        }
        return items
    }

    func showCollapsed(_ column: Column) {
        guard slots[column].child != nil, let known = stack, let host = collapsedChild as? UINavigationController
        else { return }
        let items = items(of: known, host)
        for other in Column.stacked { stack?.replace(other, with: items[other]) }
        show(Column.stacked.filter { $0.rawValue <= column.rawValue }.flatMap { items[$0] }, in: host)
    }

    func hideCollapsed(_ column: Column) {
        guard let stack, column == topColumn, let host = collapsedChild as? UINavigationController else { return }
        let present = stack.columns(of: host.viewControllers)
        let items = Column.stacked.filter { $0.rawValue < column.rawValue }.flatMap { present[$0] }
        if !items.isEmpty { host.setViewControllers(items, animated: false) }
    }

    /// Changes columns, and then makes the changes that callbacks have asked for meanwhile: a column
    /// that got another child in the midst would lose it, or be left without its place on the stack.
    func makingChange(_ body: () -> Void) {
        guard !isChangingColumns else { return body() }
        isChangingColumns = true
        body()
        isChangingColumns = false
        while !columnChanges.isEmpty { columnChanges.removeFirst().make() }
    }

    /// Runs a change of a column's view controller while no stack exists.
    func changingColumns(_ column: Column, _ change: () -> Void) {
        makingChange { changeColumns(column, change) }
    }

    private func changeColumns(_ column: Column, _ change: () -> Void) {
        guard isCollapsed || collapsedChild != nil, !isExpanding, column != .inspector else { return change() }
        if changeHiddenColumn(column, change) { return }
        arranging {
            let top = topColumn
            isExpanding = true
            unstackColumns()
            change()
            isExpanding = false
            if let top, slots[top].child != nil { stackColumns(top) } else { stackColumns(proposedTopColumn) }
        }
    }

    /// Changes a column that is not on top without taking the stack apart, so that what is on top stays.
    ///
    /// - Returns: False if the column has to be changed in another way: it is on top, or it has, or would
    ///   have, the navigation controller that shows the stack.
    private func changeHiddenColumn(_ column: Column, _ change: () -> Void) -> Bool {
        guard let known = stack, let host = collapsedChild as? UINavigationController, let top = topColumn,
            let hostColumn = Column.stacked.first(where: { slots[$0].child === host }),
            Column.stacked.contains(column), column != top, column.rawValue > hostColumn.rawValue,
            slots[column].child == nil || slots[column].child is UINavigationController
        else { return false }
        var present = items(of: known, host)
        let wasOnStack = column.rawValue < top.rawValue
        let others = Column.stacked.filter { $0 != column && $0.rawValue <= top.rawValue }
        if wasOnStack { host.setViewControllers(others.flatMap { present[$0] }, animated: false) }
        if known.emptied.contains(column), let own = slots[column].child as? UINavigationController {
            own.setViewControllers(present[column].filter { $0.parent == nil || $0.parent === own }, animated: false)
            stack?.emptied.remove(ColumnSet(column))
        }
        isExpanding = true
        change()
        isExpanding = false
        present[column] = ownItems(column)
        stack?.replace(column, with: present[column])
        let lowest = Column.stacked.filter { $0.rawValue <= top.rawValue }
        if wasOnStack { show(lowest.flatMap { present[$0] }, in: host) }
        return true
    }

    // MARK: The classic style

    /// - Returns: The column that will be on top.
    private func collapseClassic() -> Column {
        if let primary = delegate?.primaryViewController(forCollapsing: self) {
            setViewController(primary, for: .primary)
        }
        guard let primary = slots.primary.child else { return .secondary }
        guard let secondary = slots.secondary.child else { return .primary }
        let isHandled = delegate?.splitViewController(self, collapseSecondary: secondary, onto: primary) ?? false
        return isHandled || !(primary is UINavigationController) ? .primary : .secondary
    }

    private func separateClassic() {
        guard style == .unspecified, let delegate else { return }
        if let primary = delegate.primaryViewController(forExpanding: self) {
            setViewController(primary, for: .primary)
        }
        if let primary = slots.primary.child,
            let secondary = delegate.splitViewController(self, separateSecondaryFrom: primary)
        {
            setViewController(secondary, for: .secondary)
        }
    }
}
