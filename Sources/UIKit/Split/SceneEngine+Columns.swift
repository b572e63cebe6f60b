internal import Settle

/// The columns of split views in the engine.
extension SceneEngine {
    /// Submits the sizes of the columns of a split view that are on the screen, and holds the others.
    func submitColumns(of split: UISplitViewController, at time: Timestamp) {
        split.isColumnsChangeWaiting = false
        let window = split.viewIfLoaded?.window
        let scene = window?.isOnScreen == true ? window?.windowScene : nil
        // Nobody drags what is not on the screen.
        if scene == nil { split.endDrag() }
        let isResizing = split.isInResizedColumn || scene?.pending.isInteractivelyResizing == true
        for column in UISplitViewController.Column.all
        where split.slots[column].target != nil || split.slots[column].controller != nil {
            if let scene, isBound(scene), let size = split.visibleSize(column) {
                let isDragged = split.drag?.resizes(column) == true
                submit(column, of: split, size, isResizing || isDragged, in: scene, at: time)
            } else if let target = split.slots[column].target {
                hold(target, at: time)
            }
        }
    }

    private func submit(
        _ column: UISplitViewController.Column, of split: UISplitViewController, _ size: CGSize, _ isResizing: Bool,
        in scene: UIWindowScene, at time: Timestamp
    ) {
        guard let target = split.slots[column].target ?? connect(column, of: split) else { return }
        split.slots[column].target = target
        if target.scene !== scene {
            target.scene?.columns.removeAll { $0 === target }
            target.scene = scene
            scene.columns.append(target)
        }
        let isNew = !target.isShown
        // An unchanged size keeps the watchdog of an interaction from ending it.
        guard isNew || isResizing || target.isResizing || target.size != size else { return }
        (target.isShown, target.size, target.isResizing) = (true, size, isResizing)
        submit(.geometry(target.identity, at: time, size: Size(size), isInteractivelyResizing: isResizing))
        if isNew, target.hasDeferredRebuild {
            target.hasDeferredRebuild = false
            submit(.flush(target.identity, at: time))
        }
    }

    /// Connects a column to the engine.
    ///
    /// - Returns: `nil` if `columnsMax` columns are connected, which is logged once.
    private func connect(_ column: UISplitViewController.Column, of split: UISplitViewController) -> ColumnTarget? {
        guard boundColumns.count < columnsMax, let identity = try? timed.core.connect() else {
            reports.logOnce(
                "Rebuilds are not decided for more than \(columnsMax) columns of split views at "
                    + "the same time; raise UISystem.Configuration.columnsMax.")
            return nil
        }
        let target = ColumnTarget(identity, split, column)
        boundColumns[identity] = target
        // The flag alone says whether a column is being resized (contract, rules 3 and 5). The
        // interaction that makes it count is no person's.
        for flag in [true, false] {
            timed.core.submit(.geometry(identity, at: timed.core.now, isInteractivelyResizing: flag)) { decision in
                if decision.scene != identity { timed.decisions.append(decision) }
            }
        }
        return target
    }

    /// Holds a column that has left the screen: what is decided for it waits until it is shown.
    private func hold(_ target: ColumnTarget, at time: Timestamp) {
        guard target.isShown else { return }
        target.isShown = false
        guard target.isResizing else { return }
        target.isResizing = false
        submit(.geometry(target.identity, at: time, isInteractivelyResizing: false))
    }

    func hold(columnsOf scene: UIWindowScene) {
        for target in scene.columns {
            target.split?.endDrag()
            hold(target, at: now)
        }
    }

    func disconnect(columnsOf scene: UIWindowScene) {
        for target in scene.columns {
            target.split?.slots[target.column].target = nil
            disconnect(target)
        }
    }

    func disconnect(_ target: ColumnTarget) {
        target.scene?.columns.removeAll { $0 === target }
        target.scene = nil
        target.isShown = false
        guard boundColumns[target.identity] === target else { return }
        submit(.disconnect(target.identity, at: now))
        unbind(target)
    }

    /// Removes a column once the decisions about it are processed.
    private func unbind(_ target: ColumnTarget) {
        if isProcessingDecisions {
            return turn.afterCallbacks { [unowned self] in unbind(target) }
        }
        boundColumns[target.identity] = nil
    }

    /// Passes what the engine has decided for a column to the host and the app. A rebuild of a
    /// column that is not on the screen waits until the column is shown.
    func process(_ decision: Decision, of target: ColumnTarget) {
        guard case .rebuild(let rebuild) = decision.kind else {
            // Also of a column that has left the screen: what was reported to begin has ended.
            if let split = target.split { reports.onColumnDecision?(split, target.column, decision) }
            return
        }
        guard target.isShown else {
            target.hasDeferredRebuild = true
            timed.core.submit(.reallyBuilt(target.identity, at: timed.core.now, size: rebuild.previousSize)) { _ in }
            return
        }
        guard let split = target.split else { return }
        reports.onColumnDecision?(split, target.column, decision)
        split.slots[target.column].controller?.viewSizeDidSettle(CGSize(rebuild.size))
        if let onSettled = reports.onSettled, let scene = target.scene { onSettled(scene) }
    }
}
