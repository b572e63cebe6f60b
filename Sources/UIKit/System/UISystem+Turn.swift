/// What waits for the end of a turn, in the order in which it runs: work alongside transitions,
/// the layout pass of each touched window, `viewSizeDidSettle`, the completions of transitions.
///
/// A turn is the outermost call into the system. The traits, the transitions and the geometry
/// callbacks come before, for each scene with another geometry.
@MainActor struct Turn {
    /// Whether anything waits.
    var isNeeded = false
    /// A transition coordinator was passed to the app and its completions have not run.
    var isInTransition = false
    /// The windows with marked views, or with other traits.
    var windows: [UIWindow] = []
    var alongside: [() -> Void] = []
    var settled: [(window: UIWindow, size: CGSize)] = []
    var completions: [() -> Void] = []
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
    /// pass, as the engine has decided a rebuild. A hidden window waits until it is shown.
    func settleAfterLayout(_ scene: UIWindowScene, _ size: CGSize) {
        for window in scene.windows { settleAfterLayout(window, size) }
    }

    func settleAfterLayout(_ window: UIWindow, _ size: CGSize) {
        guard window.isOnScreen else {
            window.owedSize = size
            return
        }
        window.owedSize = nil
        turn.settled.append((window, size))
        needTurn()
    }

    /// The coordinator of a transition in this turn.
    func coordinator(isInteractive: Bool) -> TransitionCoordinator {
        turn.isInTransition = true
        needTurn()
        return isInteractive ? interactiveCoordinator : coordinator
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
        if !turn.alongside.isEmpty { run(\.alongside) }
        layOutWindows()
        if !changedSplits.isEmpty { submitColumns() }
        if !turn.settled.isEmpty { tellSettled() }
        if turn.isInTransition, turn.alongside.isEmpty { turn.isInTransition = false }
        if !turn.completions.isEmpty { run(\.completions) }
    }

    private func run(_ list: WritableKeyPath<Turn, [() -> Void]>) {
        let due = turn[keyPath: list]
        turn[keyPath: list] = []
        for work in due { work() }
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
    /// `UISystem.layoutsMax` times a turn.
    private func layOut(_ window: UIWindow) {
        defer { window.isInTurn = false }
        while window.isOnScreen {
            if window.needsTraitUpdate { window.updateTraits() }
            guard window.isMarked else { return }
            if window.passes.turn != turn.ended { window.passes = (turn.ended, 0) }
            guard window.passes.count < UISystem.layoutsMax else { return window.leaveMarks() }
            window.passes.count += 1
            window.layOutMarked()
        }
    }

    private func tellSettled() {
        let due = turn.settled
        turn.settled = []
        for (window, size) in due {
            window.rootViewController?.viewSizeDidSettle(size)
            if let onSettled, let scene = window.windowScene { onSettled(scene) }
        }
    }
}
