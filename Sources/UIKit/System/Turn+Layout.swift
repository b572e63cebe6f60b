internal import Settle

extension UISystem {
    /// The largest number of times that a window's views are laid out within one turn because
    /// layouts mark views again.
    public static let layoutsMax = 100
}

extension Turn {
    /// Marks a window for the layout pass. A hidden window, or one of a scene in the background,
    /// waits until it is shown.
    func setNeedsTurn(_ window: UIWindow) {
        guard !window.isInTurn, window.isOnScreen else { return }
        window.isInTurn = true
        windows.append(window)
        needTurn()
    }

    /// Runs work after the layout pass of this turn, or of the next one outside of any.
    func afterLayout(_ work: @escaping () -> Void) {
        completions.append(work)
        needTurn()
    }

    /// Runs work before the layout pass of this turn, or of the next one outside of any.
    func beforeLayout(_ work: @escaping () -> Void) {
        alongside.append(work)
        needTurn()
    }

    /// Calls `viewSizeDidSettle(_:)` of the root controllers of a scene's windows after the layout
    /// pass, as the engine has decided a rebuild. A hidden window waits until it is shown. Of
    /// several rebuilds that are decided within a turn the last counts.
    func settleAfterLayout(_ scene: UIWindowScene, _ size: CGSize) {
        for window in scene.windows { window.decidedSize = size }
        settleDecided(scene)
    }

    /// The same for what was decided before.
    func settleDecided(_ scene: UIWindowScene) {
        scene.hasDecidedSizes = false
        for window in scene.windows where window.decidedSize != nil {
            scene.hasDecidedSizes = true
            guard window.isOnScreen else { continue }
            settled.append(window)
            needTurn()
        }
    }

    /// The coordinator of a transition in this turn.
    func coordinator(isInteractive: Bool, in window: UIWindow?) -> TransitionCoordinator {
        needTurn()
        waiting = .transition
        let coordinator = isInteractive ? interactiveCoordinator : coordinator
        coordinator.place = TransitionPlace(window)
        return coordinator
    }

    /// A transition coordinator was passed to the app and its completions have not run.
    var isInTransition: Bool { waiting == .transition || phase.isEndingTransition }

    /// Submits the columns of a split view after the layout pass of this turn, or of the next one outside
    /// of any.
    func submitColumns(of split: UISplitViewController) {
        splits.append(split)
        needTurn()
    }

    /// Makes the present turn, or the next one outside of any, run what waits for its end.
    func needTurn() {
        guard waiting == .nothing else { return }
        waiting = .work
        // Outside of any call, the main queue's next turn makes one.
        if !phase.isInTurn, wakeUp != nil { onNextTurn {} }
    }

    /// Runs what waits for the end of the turn. Its callbacks may ask for more, which the
    /// caller runs.
    func endTurn() {
        phase.take(.ending(inTransition: waiting == .transition))
        waiting = .nothing
        defer {
            // A transition that has not ended waits for the next end, with the work that keeps it.
            if phase.isEndingTransition { waiting = .transition }
            phase.take(.delivering)
        }
        if !alongside.isEmpty || isInTransition {
            // A split view that collapses notifies its columns there.
            layOutContainers()
            for work in taken(&alongside) { work() }
        }
        layOutWindows()
        // Work of a transition that began in the pass, such as a column's, comes before what
        // follows the pass.
        if !alongside.isEmpty { return }
        if !appearances.isEmpty { endAppearances() }
        // What their callbacks change is laid out before what follows.
        if waiting != .nothing { return }
        if !splits.isEmpty { submitColumns() }
        if !settled.isEmpty { notifySettled() }
        if isInTransition, alongside.isEmpty {
            phase.take(.ending(inTransition: false))
            if waiting == .transition { waiting = .work }
            coordinator.place = nil
            interactiveCoordinator.place = nil
        }
        if !completions.isEmpty { runCompletions() }
    }

    /// Runs the completions. Those that completions have added run in another round, and after
    /// `callbacksMax` rounds in the next turn: on a device each round is a turn.
    private func runCompletions() {
        completionRounds += 1
        let due = taken(&completions)
        if completionRounds <= UISystem.callbacksMax {
            for work in due { work() }
            return
        }
        reports.logOnce(
            "Completions of transitions and presentations have asked for further ones \(UISystem.callbacksMax) times in "
                + "one turn; the rest runs in the next.")
        onNextTurn {
            for work in due { work() }
        }
    }

    /// What waits in a list, which is empty then: the work may add to it.
    private func taken(_ list: inout [() -> Void]) -> [() -> Void] {
        defer { list = [] }
        return list
    }

    private func layOutContainers() {
        var next = 0
        while next < windows.count {
            windows[next].layOutContainers()
            next += 1
        }
    }

    private func layOutWindows() {
        // Mostly there is one, and emptying the list costs more than the check.
        if windows.count == 1 {
            let window = windows.removeLast()
            layOut(window)
        }
        // Layouts may touch more windows, which join the list.
        var next = 0
        while next < windows.count {
            let window = windows[next]
            next += 1
            layOut(window)
        }
        if next > 0 { windows.removeAll(keepingCapacity: true) }
    }

    /// The layout pass of a window: until nothing in it is marked, and at most
    /// `UISystem.layoutsMax` times a turn. Beyond that, what the callbacks after the pass mark is
    /// laid out once for each of their rounds, as it is not what marks itself without end.
    private func layOut(_ window: UIWindow) {
        defer { window.isInTurn = false }
        while window.isOnScreen {
            if window.needsTraitUpdate { window.updateTraits() }
            guard window.isMarked else { return }
            if window.passes.turn != ended { window.passes = (ended, 0) }
            guard window.passes.count < 2 * UISystem.layoutsMax else { return window.leaveMarks() }
            window.passes.count += 1
            window.layOutMarked()
            guard window.passes.count >= UISystem.layoutsMax else { continue }
            if window.needsTraitUpdate { window.updateTraits() }
            if window.isMarked { window.leaveMarks() }
            return
        }
    }

    /// Callbacks may add more split views.
    private func submitColumns() {
        let time = timed.now
        var next = 0
        while next < splits.count {
            let split = splits[next]
            next += 1
            onColumnsChange(split, time)
        }
        splits.removeAll(keepingCapacity: true)
    }

    private func notifySettled() {
        let due = settled
        settled = []
        for window in due {
            // The scene may be resized again within this turn, and under a hand. The decided size
            // waits then: at the end another one is decided, unless it has come back.
            guard let size = window.decidedSize, let scene = window.windowScene, window.isOnScreen,
                scene.current.state.size == size, !scene.pending.isInteractivelyResizing
            else { continue }
            window.decidedSize = nil
            guard window.settledSize != size else { continue }
            window.settledSize = size
            window.rootViewController?.viewSizeDidSettle(size)
            reports.onSettled?(scene)
        }
    }
}

extension UIWindow {
    /// Counts a layout pass of this turn that `layoutIfNeeded` makes.
    ///
    /// - Returns: Whether it may be made.
    final func countsPass() -> Bool {
        guard let system = UISystem.current else { return true }
        if passes.turn != system.turn.ended { passes = (system.turn.ended, 0) }
        guard passes.count < UISystem.layoutsMax else { return false }
        passes.count += 1
        return true
    }
}
