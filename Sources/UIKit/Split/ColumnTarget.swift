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
        system.columns.changedSplits.append(self)
        system.turn.needTurn()
    }

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
            if let scene, system.engine.isBound(scene), let size = visibleSize(column) {
                let isDragged = drag?.resizes(column) == true
                submit(column, size, isResizing || isDragged, in: scene, to: system, at: time)
            } else if let target = slots[column].target {
                system.columns.hold(target, at: time)
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
        guard let target = slots[column].target ?? system.columns.connect(column, of: self) else { return }
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
        system.engine.submit(
            .geometry(target.identity, at: time, size: Size(size), isInteractivelyResizing: isResizing))
        if isNew, target.hasDeferredRebuild {
            target.hasDeferredRebuild = false
            system.engine.submit(.flush(target.identity, at: time))
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
        UISystem.current?.columns.disconnect(target)
    }

    func forgetColumns() {
        for column in Column.all { forgetTarget(column) }
    }
}

/// The columns of split views in the engine.
@MainActor final class Columns: SystemPart {
    // `@exclusivity(unchecked)`: see UISystem.swift.
    @exclusivity(unchecked) private(set) var boundColumns: SceneTable<ColumnTarget>
    /// The split views whose columns are submitted at the end of the turn.
    @exclusivity(unchecked) var changedSplits: [UISplitViewController] = []
    private var hasLoggedColumnsMax = false

    init(_ core: borrowing Engine) {
        boundColumns = core.makeSceneTable()
        super.init()
    }

    /// Connects a column to the engine.
    ///
    /// - Returns: `nil` if `columnsMax` columns are connected, which is logged once.
    fileprivate func connect(_ column: UISplitViewController.Column, of split: UISplitViewController) -> ColumnTarget? {
        guard boundColumns.count < system.configuration.columnsBound, let identity = try? system.engine.core.connect()
        else {
            if !hasLoggedColumnsMax {
                hasLoggedColumnsMax = true
                system.log(
                    "Rebuilds are not decided for more than \(system.configuration.columnsBound) columns of split views at "
                        + "the same time; raise UISystem.Configuration.columnsMax.")
            }
            return nil
        }
        let target = ColumnTarget(identity, split, column)
        boundColumns[identity] = target
        // The flag alone says whether a column is being resized (contract, rules 3 and 5). The
        // interaction that makes it count is no person's.
        for flag in [true, false] {
            system.engine.core.submit(.geometry(identity, at: system.engine.core.now, isInteractivelyResizing: flag)) {
                decision in
                if decision.scene != identity { system.engine.decisions.append(decision) }
            }
        }
        return target
    }

    /// Submits the columns that have changed in this turn. Callbacks may change more.
    func submitChanges() {
        let time = system.now
        var next = 0
        while next < changedSplits.count {
            let split = changedSplits[next]
            next += 1
            split.submitColumns(to: system, at: time)
        }
        changedSplits.removeAll(keepingCapacity: true)
    }

    /// Holds a column that has left the screen: what is decided for it waits until it is shown.
    fileprivate func hold(_ target: ColumnTarget, at time: Timestamp) {
        guard target.isShown else { return }
        target.isShown = false
        guard target.isResizing else { return }
        target.isResizing = false
        system.engine.submit(.geometry(target.identity, at: time, isInteractivelyResizing: false))
    }

    /// Submits the columns of a scene at the end of the turn: its flag has changed.
    func needSubmit(of scene: UIWindowScene) {
        for target in scene.columns { target.split?.columnsDidChange() }
    }

    func hold(columnsOf scene: UIWindowScene) {
        for target in scene.columns {
            target.split?.endDrag()
            hold(target, at: system.now)
        }
    }

    func disconnect(columnsOf scene: UIWindowScene) {
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
        system.engine.submit(.disconnect(target.identity, at: system.now))
        unbind(target)
    }

    /// Removes a column once the decisions about it are processed.
    private func unbind(_ target: ColumnTarget) {
        if system.engine.isProcessingDecisions {
            return system.turn.afterCallbacks { [unowned self] in unbind(target) }
        }
        boundColumns[target.identity] = nil
    }

    /// Passes what the engine has decided for a column to the host and the app. A rebuild of a
    /// column that is not on the screen waits until the column is shown.
    func process(_ decision: Decision, of target: ColumnTarget) {
        guard case .rebuild(let rebuild) = decision.kind else {
            // Also of a column that has left the screen: what was reported to begin has ended.
            if let split = target.split { system.onColumnDecision?(split, target.column, decision) }
            return
        }
        guard target.isShown else {
            target.hasDeferredRebuild = true
            system.engine.core.submit(.built(target.identity, size: rebuild.previousSize, at: system.engine.core.now)) {
                _ in
            }
            return
        }
        guard let split = target.split else { return }
        system.onColumnDecision?(split, target.column, decision)
        split.slots[target.column].controller?.viewSizeDidSettle(CGSize(rebuild.size))
        if let onSettled = system.onSettled, let scene = target.scene { onSettled(scene) }
    }
}
