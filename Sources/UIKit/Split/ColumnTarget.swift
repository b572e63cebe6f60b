internal import Settle

/// A column of a split view controller as a scene of the engine. It stays connected while the
/// column is hidden, so that the engine knows the size that was built.
@MainActor final class ColumnTarget {
    let identity: SceneID
    let column: UISplitViewController.Column
    private let splitHandle: ItemHandle
    /// The scene that shows the column and has it in its `columns`. It clears the reference when it
    /// is deallocated: unlike a weak one, that leaves its reference count fast.
    nonisolated(unsafe) unowned(unsafe) var scene: UIWindowScene?
    /// Whether the column is on the screen. If not, nothing is decided for it.
    var isShown = false
    /// The engine decided a rebuild while the column was not on the screen.
    var hasDeferredRebuild = false
    var size = CGSize.zero
    var isResizing = false

    init(_ identity: SceneID, _ split: UISplitViewController, _ column: UISplitViewController.Column) {
        self.identity = identity
        splitHandle = split.handle
        self.column = column
    }

    var split: UISplitViewController? { splitHandle.split }
}

extension UISplitViewController {
    /// Submits the columns to the engine once the present turn has laid out the windows.
    func columnsDidChange() {
        guard !isColumnsChangeWaiting, let system = UISystem.current else { return }
        isColumnsChangeWaiting = true
        system.turn.submitColumns(of: self)
    }

    func windowDidChange() {
        if viewIfLoaded?.window == nil { endDrag() }
        columnsDidChange()
    }

    /// The size of what nothing covers of a column, in points; `nil` if it is hidden.
    func visibleSize(_ column: Column) -> CGSize? {
        guard let view = viewIfLoaded else { return nil }
        if column == .inspector, let sheet = inspectorSheet { return sheet.viewIfLoaded?.bounds.size }
        if isCollapsed { return column == topColumn ? view.bounds.size : nil }
        guard shownColumns.contains(column), let width = layout?.columns[column].visibleWidth else { return nil }
        return CGSize(width: width, height: view.bounds.height)
    }

    /// Whether a person drags a separator of the column of another split view that this one is in.
    var isInResizedColumn: Bool {
        var child: UIViewController = self
        while let next = child.columnParent {
            if let split = next as? UISplitViewController, let drag = split.drag,
                Column.all.contains(where: { split.slots[$0].child === child && drag.resizes($0) })
            {
                return true
            }
            child = next
        }
        return false
    }

    /// Disconnects a column from the engine, as it shows something else.
    func forgetTarget(_ column: Column) {
        slots[column].target = nil
    }
}

/// Keeps a column in the engine as long as its split view controller has it. The column leaves the
/// engine on the main actor, wherever the split view controller is deallocated.
@MainActor final class ColumnLease {
    let target: ColumnTarget

    init(_ target: ColumnTarget) { self.target = target }

    isolated deinit { UISystem.current?.engine.disconnect(target) }
}

extension UIWindowScene {
    /// Submits the scene's columns at the end of the turn: its flag has changed.
    func columnsDidChange() {
        for target in columns { target.split?.columnsDidChange() }
    }
}
