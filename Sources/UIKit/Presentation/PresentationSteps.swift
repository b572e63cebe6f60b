/// What a window shows of a view controller and of all that it presents, one above the other.
///
/// `present` and `dismiss` record what is to be shown. One loop makes the steps to that, and finds
/// each from what is recorded by then: a callback in a step that presents or dismisses only
/// records it, too.
extension UIViewController {
    /// The view controller below all that are presented.
    var bottomPresenter: UIViewController {
        var controller = self
        while let below = controller.linksIfAny?.presenting?.presenter { controller = below }
        return controller
    }

    /// Makes the window show what is recorded. Call it of the controller below all that are presented.
    func settlePresentations() {
        let links = links
        guard !links.isSettlingPresentations else { return }
        links.isSettlingPresentations = true
        var begun = 0
        while begun <= UISystem.callbacksMax,
            UISystem.animating(links.arePresentationsAnimated, { makePresentationStep(&begun) })
        {}
        links.isSettlingPresentations = false
        if begun > UISystem.callbacksMax { settleInNextTurn() }
        presentationStack.controllers.last { $0.viewIfLoaded?.window != nil }?.visibleControllerDidChange()
    }

    /// The callbacks present, and dismiss again, without end: on a device each time is a turn.
    private func settleInNextTurn() {
        guard let system = UISystem.current else { return }
        system.logOnce(
            "View controllers were presented more than \(UISystem.callbacksMax) times in the callbacks of one "
                + "`present` or `dismiss`; the rest follows in the next turn.")
        system.turn.onNextTurn { [weak self] in
            guard let self else { return }
            turn { self.settlePresentations() }
        }
    }

    /// This view controller with what it presents, the topmost last.
    private var presentationStack: (controllers: [UIViewController], presentations: [ModalPresentation]) {
        var controllers = [self]
        var presentations: [ModalPresentation] = []
        while let next = controllers[presentations.count].linksIfAny?.presented {
            presentations.append(next)
            controllers.append(next.controller)
        }
        return (controllers, presentations)
    }

    /// Makes the next step.
    ///
    /// - Returns: Whether one was left to make.
    private func makePresentationStep(_ begun: inout Int) -> Bool {
        let (controllers, presentations) = presentationStack
        if let top = presentations.last {
            if top.phase == .beginning, !top.isDismissed { top.load() }
            if top.isDismissed {
                top.leaveWindow()
                return true
            }
        }
        let bottom = presentations.lastIndex { $0.covers }.map { $0 + 1 } ?? 0
        for controller in controllers[..<bottom].reversed() {
            guard let window = controller.viewIfLoaded?.window else { continue }
            controller.links.coveredIn = window
            controller.giveWay(.after)
            return true
        }
        for index in bottom..<controllers.count {
            let presentation = index == 0 ? nil : presentations[index - 1]
            if let presentation, presentation.phase == .beginning {
                begun += 1
                presentation.enterWindow()
                return true
            }
            guard let links = controllers[index].linksIfAny, let window = links.coveredIn else { continue }
            links.coveredIn = nil
            if let presentation { presentation.returnToWindow(window) } else { returnToWindow(window) }
            return true
        }
        return false
    }

    /// Returns to the window, once nothing covers this view controller any more. Its frame has
    /// followed the window's meanwhile.
    private func returnToWindow(_ window: UIWindow) {
        guard let view, view.window !== window else { return }
        let isRoot = window.rootViewController === self
        window.insertSubview(view, at: isRoot ? 0 : window.subviews.count)
    }
}
