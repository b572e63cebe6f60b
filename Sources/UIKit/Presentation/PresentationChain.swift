/// What a view controller presents, and that presents, and so on: one above the other in a window.
///
/// `present` and `dismiss` record what is to be shown. One loop makes the steps to that, and finds each
/// from what is recorded by then: a callback in a step that presents or dismisses only records it, too.
/// What earlier loops have left in order is not looked at again, so a step costs the same in a long chain.
@MainActor final class PresentationChain {
    /// The view controller below all that are presented.
    private weak var bottom: UIViewController?
    private(set) var presentations: [ModalPresentation] = []
    /// The places of the presentations that cover what is below them, in order.
    private var covering: [Int] = []
    private var isSettling = false
    /// Whether the last `present` or `dismiss` was to be animated.
    var isAnimated = false

    // The places of view controllers, of which the one at the bottom has 0.

    /// The lowest one that nothing covered in the last step.
    private var uncovered = 0
    /// From this one to `uncovered` all have left the window.
    private var leaving = 0
    /// The views of those below are in the window if nothing covers them.
    private var returning = 0
    /// Those below have left the window.
    private var shown = 0

    init(above bottom: UIViewController) { self.bottom = bottom }

    /// The topmost view controller.
    var top: UIViewController? { presentations.last?.controller ?? bottom }

    private func controller(at place: Int) -> UIViewController? {
        place == 0 ? bottom : presentations[place - 1].controller
    }

    // MARK: What covers what

    /// The topmost view controller that covers those below it, if that one is above a place.
    func covering(above place: Int) -> UIViewController? {
        guard let last = covering.last, last >= place else { return nil }
        return presentations[last].controller
    }

    func append(_ presentation: ModalPresentation) {
        presentation.place = presentations.count
        presentation.chain = self
        presentations.append(presentation)
        coverageDidChange(of: presentation)
    }

    func removeLast() {
        presentations.removeLast().chain = nil
        while let last = covering.last, last >= presentations.count { covering.removeLast() }
        returning = min(returning, presentations.count + 1)
    }

    func coverageDidChange(of presentation: ModalPresentation) {
        if presentation.place == presentations.count - 1 {
            if covering.last == presentation.place { covering.removeLast() }
            if presentation.covers { covering.append(presentation.place) }
        } else {
            covering = presentations.indices.filter { presentations[$0].covers }
        }
    }

    /// Ends a presentation and all above it, the topmost first. While the presentations change, that comes
    /// with their next step.
    func end(_ presentation: ModalPresentation, isAnimated: Bool) {
        for above in presentations[presentation.place...].reversed() {
            above.isDismissed = true
            if covering.last == above.place { covering.removeLast() }
        }
        self.isAnimated = isAnimated
        settle()
    }

    // MARK: Steps

    /// Makes the window show what is recorded.
    func settle() {
        guard !isSettling else { return }
        isSettling = true
        var begun = 0
        while begun <= UISystem.callbacksMax, UISystem.animating(isAnimated, { makeStep(&begun) }) {}
        isSettling = false
        if begun > UISystem.callbacksMax { settleInNextTurn() }
        for place in (0...presentations.count).reversed() {
            guard let controller = controller(at: place), controller.viewIfLoaded?.window != nil else { continue }
            return controller.visibleControllerDidChange()
        }
    }

    /// The callbacks present, and dismiss again, without end: on a device each time is a turn.
    private func settleInNextTurn() {
        guard let system = UISystem.current else { return }
        system.logOnce(
            "View controllers were presented more than \(UISystem.callbacksMax) times in the callbacks of one "
                + "`present` or `dismiss`; the rest follows in the next turn.")
        system.turn.onNextTurn { [weak self] in
            guard let self else { return }
            UISystem.current?.turn.perform { self.settle() }
        }
    }

    /// Makes the next step.
    ///
    /// - Returns: Whether one was left to make.
    private func makeStep(_ begun: inout Int) -> Bool {
        if let top = presentations.last {
            if top.phase == .beginning, !top.isDismissed { top.load() }
            if top.isDismissed {
                top.leaveWindow()
                return true
            }
        }
        return makeCoveredLeave() || makeUncoveredEnter(&begun)
    }

    /// The topmost one that is covered, and still in the window, leaves it.
    private func makeCoveredLeave() -> Bool {
        let bottom = covering.last.map { $0 + 1 } ?? 0
        if bottom < uncovered {
            returning = min(returning, bottom)
            shown = min(shown, bottom)
        }
        if bottom != uncovered { (uncovered, leaving) = (bottom, bottom) }
        while leaving > shown {
            if let covered = controller(at: leaving - 1), let window = covered.viewIfLoaded?.window {
                covered.links.coveredIn = window
                covered.giveWay(.after)
                return true
            }
            leaving -= 1
        }
        shown = uncovered
        return false
    }

    /// The lowest one that is not covered, and not in the window, enters it.
    private func makeUncoveredEnter(_ begun: inout Int) -> Bool {
        returning = max(returning, uncovered)
        while returning <= presentations.count {
            let presentation = returning == 0 ? nil : presentations[returning - 1]
            if let presentation, presentation.phase == .beginning {
                begun += 1
                presentation.enterWindow()
                return true
            }
            if let controller = controller(at: returning), let window = controller.linksIfAny?.coveredIn {
                controller.links.coveredIn = nil
                if let presentation { presentation.returnToWindow(window) } else { controller.returnToWindow(window) }
                return true
            }
            returning += 1
        }
        return false
    }
}

extension UIViewController {
    /// The chain that it is in, as one that is presented or as the one below all.
    var presentationChain: PresentationChain? {
        guard let links = linksIfAny else { return nil }
        return links.presenting?.chain ?? links.chain
    }

    /// The same, made if it is in none.
    func makePresentationChain() -> PresentationChain {
        if let presentationChain { return presentationChain }
        let chain = PresentationChain(above: self)
        links.chain = chain
        return chain
    }

    /// What covers it in the window: the topmost one that covers what is below.
    var coveringController: UIViewController? {
        presentationChain?.covering(above: linksIfAny?.presenting.map { $0.place + 1 } ?? 0)
    }

    /// Whether something above has taken its place in the window.
    var isCovered: Bool { coveringController != nil }

    /// Returns to the window, once nothing covers this view controller any more. Its frame has
    /// followed the window's meanwhile.
    fileprivate func returnToWindow(_ window: UIWindow) {
        guard let view, view.window !== window else { return }
        let isRoot = window.rootViewController === self
        window.insertSubview(view, at: isRoot ? 0 : window.subviews.count)
    }
}
