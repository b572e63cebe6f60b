internal import Settle

/// The view controllers of columns, and which columns are shown.
extension UISplitViewController {
    func setController(_ vc: UIViewController?, for column: Column) {
        if let fault = fault(of: vc, for: column) { fatalError(fault) }
        if isChangingColumns {
            return columnChanges.append(
                ColumnChange(column: column, controller: vc) { [unowned self] in setController(vc, for: column) })
        }
        if slots[column].controller === vc, hasItsController(column) { return }
        settling {
            makingChange {
                // A view controller is in one column.
                for other in Column.all where vc != nil && other != column && slots[other].controller === vc {
                    replace(other, with: nil)
                }
                replace(column, with: vc)
            }
        }
    }

    /// Why the view controller cannot be in the column; `nil` if it can.
    func fault(of vc: UIViewController?, for column: Column) -> String? {
        if column == .supplementary, style != .tripleColumn {
            let subject = vc.map { "a \(type(of: $0))" } ?? "nil"
            return
                "\(subject) cannot be the supplementary column of a \(type(of: self)) whose style is not tripleColumn"
        }
        if let vc = vc as? UITabBarController, style != .unspecified, column == .primary || column == .supplementary {
            return "a \(type(of: vc)), a tab bar controller, cannot be the \(column) column of a \(type(of: self))"
        }
        if let vc, sequence(first: self as UIViewController, next: \.parent).contains(where: { $0 === vc }) {
            return "a \(type(of: vc)) cannot be the \(column) column of a \(type(of: self)) that is or is in it"
        }
        return nil
    }

    /// Whether the view controller that was set for a column is still its own. The app may have
    /// taken it out of the navigation controller around it.
    private func hasItsController(_ column: Column) -> Bool {
        guard let controller = slots[column].controller, let child = slots[column].child else { return true }
        if child === controller || controller.parent === child { return true }
        guard let stack, stack.items[column].contains(where: { $0 === controller }) else { return false }
        return controller.parent == nil || controller.parent === collapsedChild
    }

    func controller(for column: Column) -> UIViewController? {
        if let change = columnChanges.last(where: { $0.column == column }) { return change.controller }
        return slots[column].controller
    }

    private func replace(_ column: Column, with controller: UIViewController?) {
        if column == .inspector { inspectorWillChange() }
        changingColumns(column) {
            forgetTarget(column)
            let old = slots[column].child
            slots[column].controller = controller
            slots[column].child = controller.map { wrapped($0, for: column) }
            if let old { removeChild(old) }
            guard let child = slots[column].child else { return }
            addChild(child)
            child.didMove(toParent: self)
        }
        viewIfLoaded?.setNeedsLayout()
    }

    func removeChild(_ child: UIViewController) {
        guard child.parent === self else { return }
        child.willMove(toParent: nil)
        child.viewIfLoaded?.removeFromSuperview()
        child.removeFromParent()
    }

    /// Removes a child that stays in its column: for the stack, or for a sheet.
    func lend(_ child: UIViewController) {
        guard child.parent === self else { return }
        child.willMove(toParent: nil)
        child.viewIfLoaded?.removeFromSuperview()
        isLending = true
        child.removeFromParent()
        isLending = false
    }

    /// The app has removed a column's child, or added it to another container.
    func columnDidLeave(_ column: Column) {
        let child = slots[column].child
        if isChangingColumns {
            let next = columnChanges.last { $0.column == column }?.controller
            return columnChanges.append(
                ColumnChange(column: column, controller: next) { [unowned self] in
                    if slots[column].child === child, child?.parent !== self { columnDidLeave(column) }
                })
        }
        settling {
            changingColumns(column) {
                clear(column)
                if column == .inspector { inspectorWillChange() }
                if let view = child?.viewIfLoaded, view.superview === viewIfLoaded { view.removeFromSuperview() }
            }
            viewIfLoaded?.setNeedsLayout()
        }
    }

    func clear(_ column: Column) {
        forgetTarget(column)
        slots[column].controller = nil
        slots[column].child = nil
    }

    private func wrapped(_ controller: UIViewController, for column: Column) -> UIViewController {
        let isWhole =
            column == .compact || style == .unspecified || controller is UINavigationController
            || controller.children.first is UINavigationController
            || (column == .secondary && controller is UITabBarController)
        return isWhole ? controller : UINavigationController(rootViewController: controller)
    }

    func setViewControllers(_ controllers: [UIViewController]) {
        let columns = style == .tripleColumn ? Column.stacked : [.primary, .secondary]
        settling {
            for (index, column) in columns.enumerated() {
                setViewController(index < controllers.count ? controllers[index] : nil, for: column)
            }
        }
    }

    // MARK: Showing and hiding

    func showColumn(_ column: Column) {
        if isChangingColumns { return columnChanges.append(ColumnChange { [unowned self] in showColumn(column) }) }
        settling { showNow(column) }
    }

    func hideColumn(_ column: Column) {
        if isChangingColumns { return columnChanges.append(ColumnChange { [unowned self] in hideColumn(column) }) }
        settling { hideNow(column) }
    }

    func shows(_ column: Column) -> Bool {
        if column == .inspector, inspectorSheet != nil || isMovingInspector { return true }
        return isStacked ? column == topColumn : shownColumns.contains(column)
    }

    private func showNow(_ column: Column) {
        switch column {
        case .compact: log("show(.compact) is refused: the system shows it when the interface collapses.")
        case .inspector: showInspector()
        case .supplementary where style != .tripleColumn: log("show(.supplementary) needs the triple style.")
        case .primary, .supplementary, .secondary:
            if isStacked { return showCollapsed(column) }
            let present = layout?.mode.columns ?? request.askedColumns
            switch column {
            // Nothing else hides the secondary column.
            case .secondary:
                if displayMode == .twoDisplaceSecondary { ask(forColumns: 1) }
            case .primary: if present < style.columnsMax { ask(forColumns: style.columnsMax) }
            default: if present < 1 { ask(forColumns: 1) }
            }
        }
    }

    private func hideNow(_ column: Column) {
        switch column {
        case .compact: log("hide(.compact) is refused: the system hides it when the interface expands.")
        case .inspector: hideInspector()
        case .primary, .supplementary, .secondary:
            if isStacked { return hideCollapsed(column) }
            // Also of a column that has no space at present, which does not return then.
            let present = request.askedColumns
            if column == .primary, present >= style.columnsMax { ask(forColumns: style.columnsMax - 1) }
            if column == .supplementary, style == .tripleColumn, present >= 1 { ask(forColumns: 0) }
        }
    }

    private func ask(forColumns count: Int) {
        // What is shown needs no more space than its own.
        if count >= request.askedColumns { request.squeezed.columns = nil }
        request.columns = count
        isChangedByApp = true
        viewIfLoaded?.setNeedsLayout()
    }

    func performDisplayModeAction() {
        guard request.isStrict == false, !isCollapsed else { return }
        let target = delegate?.targetDisplayModeForAction(in: self) ?? .automatic
        let present = displayMode.columns ?? 0
        let next = target.columns ?? (present > 0 ? present - 1 : style.columnsMax)
        settling {
            request.columns = min(next, style.columnsMax)
            request.squeezed.columns = nil
            viewIfLoaded?.setNeedsLayout()
        }
    }

    // MARK: Other view controllers

    func showAsPrimary(_ vc: UIViewController, sender: Any?) {
        if delegate?.splitViewController(self, show: vc, sender: sender) == true { return }
        if isStacked, let top = collapsedChild as? UINavigationController {
            return top.pushViewController(vc, animated: false)
        }
        setViewController(vc, for: .primary)
    }

    func showAsSecondary(_ vc: UIViewController, sender: Any?) {
        if delegate?.splitViewController(self, showDetail: vc, sender: sender) == true { return }
        settling {
            setViewController(vc, for: .secondary)
            if isStacked || (isCollapsed && isChangingColumns) { show(.secondary) }
        }
    }
}
