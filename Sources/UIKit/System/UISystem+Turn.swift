internal import Settle

/// What waits for the end of a turn, in the order in which it runs: work alongside transitions,
/// the layout pass of each touched window, the ends of changes of appearance, `viewSizeDidSettle`, the
/// completions of transitions.
///
/// A turn is the outermost call into the system. The traits, the transitions and the geometry
/// callbacks come before, for each scene with another geometry.
@MainActor struct Turn {
    /// Whether anything waits.
    var isNeeded = false
    /// A transition coordinator was passed to the app and its completions have not run.
    var isInTransition = false
    /// Traits are being computed, and their callbacks run.
    var isUpdatingTraits = false
    /// The number of times that the app was notified of other traits.
    var traitNotifications = 0
    /// What waits for the end of the turn is running: all that the app does is in its callbacks.
    var isSettling = false
    /// The windows with marked views, or with other traits.
    var windows: [UIWindow] = []
    var alongside: [() -> Void] = []
    /// The view controllers that have begun to appear or disappear, in that order.
    var appearances: [UIViewController] = []
    /// The number of times that changes of appearance have ended in this turn.
    var appearanceRounds = 0
    var settled: [UIWindow] = []
    var completions: [() -> Void] = []
    /// The number of times that completions have run in this turn.
    var completionRounds = 0
    /// The number of turns that have ended.
    var ended = 0
}

extension UISystem {
    /// The largest number of times that a window's views are laid out within one turn because
    /// layouts mark views again.
    public static let layoutsMax = 100

    /// Marks a window for the layout pass. A hidden window, or one of a scene in the background,
    /// waits until it is shown.
    func setNeedsTurn(_ window: UIWindow) {
        guard !window.isInTurn, window.isOnScreen else { return }
        window.isInTurn = true
        turn.windows.append(window)
        needTurn()
    }

    /// Runs work after the layout pass of this turn, or of the next one outside of any.
    func afterLayout(_ work: @escaping () -> Void) {
        turn.completions.append(work)
        needTurn()
    }

    /// Runs work before the layout pass of this turn, or of the next one outside of any.
    func beforeLayout(_ work: @escaping () -> Void) {
        turn.alongside.append(work)
        needTurn()
    }

    /// Calls `viewSizeDidSettle(_:)` of the root controllers of a scene's windows after the layout
    /// pass, as the engine has decided a rebuild. A hidden window waits until it is shown. Of
    /// several rebuilds that are decided within a turn the last counts.
    func settleAfterLayout(_ scene: UIWindowScene, _ size: CGSize) {
        for window in scene.windows { window.owedSize = size }
        settleOwed(scene)
    }

    /// The same for what was decided before.
    func settleOwed(_ scene: UIWindowScene) {
        scene.owesSizes = false
        for window in scene.windows where window.owedSize != nil {
            scene.owesSizes = true
            guard window.isOnScreen else { continue }
            turn.settled.append(window)
            needTurn()
        }
    }

    /// The coordinator of a transition in this turn.
    func coordinator(isInteractive: Bool, in window: UIWindow?) -> TransitionCoordinator {
        turn.isInTransition = true
        needTurn()
        let coordinator = isInteractive ? interactiveCoordinator : coordinator
        coordinator.place = TransitionPlace(window)
        return coordinator
    }

    /// Makes the present turn, or the next one outside of any, run what waits for its end.
    func needTurn() {
        guard !turn.isNeeded else { return }
        turn.isNeeded = true
        // Outside of any call, the main queue's next turn makes one.
        if transaction.depth == 0, wakeUp != nil { onNextTurn {} }
    }

    /// Runs what waits for the end of the turn. Its callbacks may ask for more, which the
    /// caller runs.
    func endTurn() {
        turn.isNeeded = false
        turn.isSettling = true
        defer { turn.isSettling = false }
        if !turn.alongside.isEmpty || turn.isInTransition {
            // A split view that collapses notifies its columns there.
            layOutContainers()
            run(\.alongside)
        }
        layOutWindows()
        // Work of a transition that began in the pass, such as a column's, comes before what
        // follows the pass.
        if !turn.alongside.isEmpty { return }
        if !turn.appearances.isEmpty { endAppearances() }
        // What their callbacks change is laid out before what follows.
        if turn.isNeeded { return }
        if !changedSplits.isEmpty { submitColumns() }
        if !turn.settled.isEmpty { notifySettled() }
        if turn.isInTransition, turn.alongside.isEmpty {
            turn.isInTransition = false
            coordinator.place = nil
            interactiveCoordinator.place = nil
        }
        if !turn.completions.isEmpty { runCompletions() }
    }

    /// Runs the completions. Those that completions have added run in another round, and after
    /// `callbacksMax` rounds in the next turn: on a device each round is a turn.
    private func runCompletions() {
        turn.completionRounds += 1
        if turn.completionRounds <= Self.callbacksMax { return run(\.completions) }
        logOnce(
            "Completions of transitions and presentations have asked for further ones \(Self.callbacksMax) times in "
                + "one turn; the rest runs in the next.")
        let due = turn.completions
        turn.completions = []
        onNextTurn {
            for work in due { work() }
        }
    }

    private func run(_ list: WritableKeyPath<Turn, [() -> Void]>) {
        let due = turn[keyPath: list]
        turn[keyPath: list] = []
        for work in due { work() }
    }

    private func layOutContainers() {
        var next = 0
        while next < turn.windows.count {
            turn.windows[next].layOutContainers()
            next += 1
        }
    }

    private func layOutWindows() {
        // Mostly there is one, and emptying the list costs more than the check.
        if turn.windows.count == 1 {
            let window = turn.windows.removeLast()
            layOut(window)
        }
        // Layouts may touch more windows, which join the list.
        var next = 0
        while next < turn.windows.count {
            let window = turn.windows[next]
            next += 1
            layOut(window)
        }
        if next > 0 { turn.windows.removeAll(keepingCapacity: true) }
    }

    /// The layout pass of a window: until nothing in it is marked, and at most
    /// `UISystem.layoutsMax` times a turn. Beyond that, what the callbacks after the pass mark is
    /// laid out once for each of their rounds, as it is not what marks itself without end.
    private func layOut(_ window: UIWindow) {
        defer { window.isInTurn = false }
        while window.isOnScreen {
            if window.needsTraitUpdate { window.updateTraits() }
            guard window.isMarked else { return }
            if window.passes.turn != turn.ended { window.passes = (turn.ended, 0) }
            guard window.passes.count < 2 * UISystem.layoutsMax else { return window.leaveMarks() }
            window.passes.count += 1
            window.layOutMarked()
            guard window.passes.count >= UISystem.layoutsMax else { continue }
            if window.needsTraitUpdate { window.updateTraits() }
            if window.isMarked { window.leaveMarks() }
            return
        }
    }

    private func notifySettled() {
        let due = turn.settled
        turn.settled = []
        for window in due {
            // The scene may be resized again within this turn, and under a hand. The decided size
            // waits then: at the end another one is decided, unless it has come back.
            guard let size = window.owedSize, let scene = window.windowScene, window.isOnScreen,
                scene.current.state.size == size, !scene.pending.isInteractivelyResizing
            else { continue }
            window.owedSize = nil
            guard window.settledSize != size else { continue }
            window.settledSize = size
            window.rootViewController?.viewSizeDidSettle(size)
            onSettled?(scene)
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
