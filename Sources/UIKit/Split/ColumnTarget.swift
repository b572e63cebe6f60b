internal import Settle

/// A column of a split view controller as a scene of the engine. It stays connected while the
/// column is hidden, so that the engine knows the size that was built.
@MainActor final class ColumnTarget {
    let identity: SceneID
    let column: UISplitViewController.Column
    private let splitHandle: ItemHandle
    /// The scene that shows the column and has it in its `columns`. It clears the reference when it
    /// is deallocated: unlike a weak one, that leaves its reference count fast.
    @exclusivity(unchecked) nonisolated(unsafe) unowned(unsafe) var scene: UIWindowScene?
    /// Whether the column is on the screen. If not, nothing is decided for it.
    @exclusivity(unchecked) var isShown = false
    /// The engine decided a rebuild while the column was not on the screen.
    @exclusivity(unchecked) var hasDeferredRebuild = false
    /// What was submitted last.
    @exclusivity(unchecked) var size = CGSize.zero
    @exclusivity(unchecked) var isResizing = false

    init(_ identity: SceneID, _ split: UISplitViewController, _ column: UISplitViewController.Column) {
        self.identity = identity
        splitHandle = split.handle
        self.column = column
    }

    /// `nil` once it is deallocated.
    var split: UISplitViewController? { splitHandle.split }
}

extension UISplitViewController {
    /// Submits the columns to the engine once the present turn has laid out the windows.
    func columnsDidChange() {
        guard !isColumnsChangeWaiting, let system = UISystem.current else { return }
        isColumnsChangeWaiting = true
        system.changedSplits.append(self)
        system.needTurn()
    }

    /// The root view is in another window, or in none.
    func windowDidChange() {
        if viewIfLoaded?.window == nil { endDrag() }
        columnsDidChange()
    }

    /// Submits the sizes of the columns that are on the screen, and holds the others.
    func submitColumns(to system: UISystem, at time: Timestamp) {
        isColumnsChangeWaiting = false
        let window = viewIfLoaded?.window
        let scene = window?.isOnScreen == true ? window?.windowScene : nil
        // Nobody drags what is not on the screen.
        if scene == nil { endDrag() }
        let isResizing =
            isInResizedColumn || scene?.pending.isInteractivelyResizing == true
        for column in Column.all where slots[column].target != nil || slots[column].controller != nil {
            if let scene, system.isBound(scene), let size = visibleSize(column) {
                let isDragged = drag?.resizes(column) == true
                submit(column, size, isResizing || isDragged, in: scene, to: system, at: time)
            } else if let target = slots[column].target {
                system.hold(target, at: time)
            }
        }
    }

    /// The size of what nothing covers of a column, in points; `nil` if it is hidden.
    private func visibleSize(_ column: Column) -> CGSize? {
        guard let view = viewIfLoaded else { return nil }
        if column == .inspector, let sheet = inspectorSheet { return sheet.viewIfLoaded?.bounds.size }
        if isCollapsed { return column == topColumn ? view.bounds.size : nil }
        guard shownColumns.contains(column), let width = layout?.columns[column].visibleWidth else { return nil }
        return CGSize(width: width, height: view.bounds.height)
    }

    private func submit(
        _ column: Column, _ size: CGSize, _ isResizing: Bool, in scene: UIWindowScene, to system: UISystem,
        at time: Timestamp
    ) {
        guard let target = slots[column].target ?? system.connect(column, of: self) else { return }
        slots[column].target = target
        if target.scene !== scene {
            target.scene?.columns.removeAll { $0 === target }
            target.scene = scene
            scene.columns.append(target)
        }
        let isNew = !target.isShown
        // An unchanged size keeps the watchdog of an interaction from ending it.
        guard isNew || isResizing || target.isResizing || target.size != size else { return }
        (target.isShown, target.size, target.isResizing) = (true, size, isResizing)
        system.submitToEngine(
            .geometry(target.identity, at: time, size: Size(size), isInteractivelyResizing: isResizing))
        if isNew, target.hasDeferredRebuild {
            target.hasDeferredRebuild = false
            system.submitToEngine(.flush(target.identity, at: time))
        }
    }

    /// Whether a person drags a separator of the column of another split view that this one is in.
    private var isInResizedColumn: Bool {
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
        guard let target = slots[column].target else { return }
        slots[column].target = nil
        UISystem.current?.disconnect(target)
    }

    func forgetColumns() {
        for column in Column.all { forgetTarget(column) }
    }
}

/// Columns in the engine.
extension UISystem {
    /// Connects a column to the engine.
    ///
    /// - Returns: `nil` if `columnsMax` columns are connected, which is logged once.
    fileprivate func connect(_ column: UISplitViewController.Column, of split: UISplitViewController) -> ColumnTarget? {
        guard boundColumns.count < configuration.columnsBound, let identity = try? engine.connect() else {
            if !hasLoggedColumnsMax {
                hasLoggedColumnsMax = true
                log(
                    "Rebuilds are not decided for more than \(configuration.columnsBound) columns of split views at "
                        + "the same time; raise UISystem.Configuration.columnsMax.")
            }
            return nil
        }
        let target = ColumnTarget(identity, split, column)
        boundColumns[identity] = target
        // The flag alone says whether a column is being resized (contract, rules 3 and 5). The
        // interaction that makes it count is no person's.
        for flag in [true, false] {
            engine.submit(.geometry(identity, at: engine.now, isInteractivelyResizing: flag)) { decision in
                if decision.scene != identity { decisions.append(decision) }
            }
        }
        return target
    }

    /// Submits the columns that have changed in this turn. Callbacks may change more.
    func submitColumns() {
        let time = now
        var next = 0
        while next < changedSplits.count {
            let split = changedSplits[next]
            next += 1
            split.submitColumns(to: self, at: time)
        }
        changedSplits.removeAll(keepingCapacity: true)
    }

    /// Holds a column that has left the screen: what is decided for it waits until it is shown.
    fileprivate func hold(_ target: ColumnTarget, at time: Timestamp) {
        guard target.isShown else { return }
        target.isShown = false
        guard target.isResizing else { return }
        target.isResizing = false
        submitToEngine(.geometry(target.identity, at: time, isInteractivelyResizing: false))
    }

    /// Submits the columns of a scene at the end of the turn: its flag has changed.
    func columnsNeedSubmit(of scene: UIWindowScene) {
        for target in scene.columns { target.split?.columnsDidChange() }
    }

    /// Holds the columns of a scene that has left the screen.
    func holdColumns(of scene: UIWindowScene) {
        for target in scene.columns {
            target.split?.endDrag()
            hold(target, at: now)
        }
    }

    /// Disconnects the columns of a scene, as it disconnects.
    func disconnectColumns(of scene: UIWindowScene) {
        for target in scene.columns {
            target.split?.slots[target.column].target = nil
            disconnect(target)
        }
    }

    fileprivate func disconnect(_ target: ColumnTarget) {
        target.scene?.columns.removeAll { $0 === target }
        target.scene = nil
        target.isShown = false
        guard boundColumns[target.identity] === target else { return }
        submitToEngine(.disconnect(target.identity, at: now))
        unbind(target)
    }

    /// Removes a column once the decisions about it are processed.
    private func unbind(_ target: ColumnTarget) {
        if isProcessingDecisions {
            return transaction.deferredWork.append { [unowned self] in unbind(target) }
        }
        boundColumns[target.identity] = nil
    }

    /// Passes what the engine has decided for a column to the host and the app. A rebuild of a
    /// column that is not on the screen waits until the column is shown.
    func process(_ decision: Decision, of target: ColumnTarget) {
        guard case .rebuild(let rebuild) = decision.kind else {
            // Also of a column that has left the screen: what was reported to begin has ended.
            if let split = target.split { onColumnDecision?(split, target.column, decision) }
            return
        }
        guard target.isShown else {
            target.hasDeferredRebuild = true
            engine.submit(.built(target.identity, size: rebuild.previousSize, at: engine.now)) { _ in }
            return
        }
        guard let split = target.split else { return }
        onColumnDecision?(split, target.column, decision)
        split.slots[target.column].controller?.viewSizeDidSettle(CGSize(rebuild.size))
        if let onSettled, let scene = target.scene { onSettled(scene) }
    }
}
