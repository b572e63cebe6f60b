internal import Settle

/// Whether a view controller is visible, or about to change that.
///
/// One machine for all containers: adding and removing views begins a change, the layout pass brings a
/// view that appears to its place, and the end of the turn ends all changes in the order in which they
/// began, except for a view that gives way `before` or `after` the others. So the callbacks of two views
/// that take turns interleave, and a view has its layout before `viewDidAppear`.
enum Appearance {
    case disappeared
    /// After `viewWillAppear`.
    case appearing
    /// After `viewIsAppearing`, which the layout pass calls.
    case arriving
    case appeared
    /// Between `viewWillDisappear` and `viewDidDisappear`.
    case disappearing

    var isVisible: Bool { self == .appearing || self == .arriving || self == .appeared }
    var isChanging: Bool { self != .appeared && self != .disappeared }
}

/// What is known of a view controller's present change of appearance, or of the last one.
@MainActor struct AppearanceChange {
    var end = AppearanceEnd.inOrder
    /// Whether it was asked for with animation.
    var isAnimated = false
    /// The view is being removed for another one; see `giveWay`.
    var isGivingWay = false
    /// The app makes the calls, see `beginAppearanceTransition(_:animated:)`.
    var isOfApp = false {
        didSet { if isOfApp != oldValue { Self.ofApp += isOfApp ? 1 : -1 } }
    }
    /// Of how many that is true; of more if one was deallocated meanwhile.
    private(set) static var ofApp = 0
}

/// When a change of appearance ends, among those of a turn.
enum AppearanceEnd: Int {
    case before
    case inOrder
    case after
}

enum ParentMove {
    case none
    /// It was added, and has not appeared since.
    case entering
    /// It was notified that it leaves.
    case leaving
}

/// A view controller is visible while its view is in a window that is shown, at any depth. A
/// parent's callbacks come before those of its children.
extension UIViewController {
    fileprivate func beginAppearance(_ isVisible: Bool) {
        guard isVisible != appearance.isVisible else {
            // A layout outside of the window has taken the mark.
            if appearance == .appearing { viewIfLoaded?.mark(.appearing) }
            // A callback of its disappearance has removed it, before those within it disappeared.
            if !isVisible { for child in controllersWithin where isAround(child) { child.beginAppearance(false) } }
            return
        }
        // It returns before its disappearance has ended.
        if appearance == .disappearing { endAppearance() }
        guard isVisible != appearance.isVisible else { return }
        appearance = isVisible ? .appearing : .disappearing
        appearanceChange.isAnimated = UISystem.current?.turn.isAnimated ?? false
        appearanceChange.end = isVisible ? .inOrder : UISystem.current?.turn.disappearancesEnd ?? .inOrder
        UISystem.current?.turn.endAfterLayout(self)
        if isVisible {
            viewWillAppear(appearanceChange.isAnimated)
            if appearance.isVisible {
                prepareContent()
                viewIfLoaded?.mark(.appearing)
            }
        } else {
            viewWillDisappear(appearanceChange.isAnimated)
        }
        // Each call may take a view out of the window, or bring it back.
        for child in controllersWithin where appearance.isVisible == isVisible && isAround(child) {
            child.beginAppearance(isVisible)
        }
    }

    /// Calls `viewIsAppearing`, once: the superview was laid out, so the view has its final frame.
    func arrive() {
        guard appearance == .appearing, !isRunByApp else { return }
        appearance = .arriving
        hasAppeared = true
        viewIsAppearing(appearanceChange.isAnimated)
    }

    /// Its change does not end with this turn: what appears in a window that is not on the screen waits for
    /// its layout, and the app ends what it has begun.
    fileprivate var waits: Bool {
        appearance.isVisible && viewIfLoaded?.window?.isOnScreen != true || isRunByApp
    }

    /// The app runs the appearance calls of this view controller, or of one above.
    private var isRunByApp: Bool {
        guard AppearanceChange.ofApp > 0 else { return false }
        return sequence(first: self, next: { $0.parent }).contains { $0.appearanceChange.isOfApp }
    }

    fileprivate func endAppearance() {
        switch appearance {
        case .appeared, .disappeared: return
        case .appearing, .arriving:
            // Its layout was left out, as there were too many.
            arrive()
            guard appearance == .arriving else { return }
            appearance = .appeared
            viewDidAppear(appearanceChange.isAnimated)
            if parentMove == .entering { parentMove = .none }
            parent?.childDidAppear(self)
        case .disappearing:
            appearance = .disappeared
            viewDidDisappear(appearanceChange.isAnimated)
            if parent == nil { parentMove = .none }
        }
        linksIfAny?.presentationChange = nil
    }

    /// Ends what has begun at once, here and in those within.
    func endAtOnce() {
        guard appearance.isChanging else { return }
        endAppearance()
        for child in controllersWithin where isAround(child) { child.endAtOnce() }
    }

    /// The view controllers whose views are within this one's, without those below them.
    private var controllersWithin: [UIViewController] {
        return (viewIfLoaded?.subviews ?? []).flatMap(\.topControllers).filter(\.followsAppearance)
    }

    /// Whether the appearance calls are the system's, not those of the app.
    fileprivate var followsAppearance: Bool {
        !appearanceChange.isOfApp && parent?.shouldAutomaticallyForwardAppearanceMethods != false
    }

    func beginAppearanceByApp(_ isVisible: Bool, _ isAnimated: Bool) {
        appearanceChange.isOfApp = true
        UISystem.animating(isAnimated) { beginAppearance(isVisible) }
    }

    func endAppearanceByApp() {
        guard appearanceChange.isOfApp else { return }
        appearanceChange.isOfApp = false
        endAtOnce()
    }

    /// Whether the view of one of those still is: a callback of another one may have moved it.
    private func isAround(_ child: UIViewController) -> Bool {
        guard let view = viewIfLoaded, let childView = child.viewIfLoaded else { return false }
        return childView.isDescendant(of: view)
    }

    /// Takes the view out of its superview to show another one in its place: it has disappeared once
    /// that has its layout.
    ///
    /// - Parameter end: Whether it disappears before the other one appears, or after that.
    func giveWay(_ end: AppearanceEnd = .inOrder) {
        let turn = UISystem.current?.turn
        let outer = turn?.disappearancesEnd ?? .inOrder
        appearanceChange.isGivingWay = true
        turn?.disappearancesEnd = end
        viewIfLoaded?.removeFromSuperview()
        turn?.disappearancesEnd = outer
        appearanceChange.isGivingWay = false
    }
}

extension UISystem {
    /// Runs a change of what is shown that was asked for with animation, or without. Nothing moves: its
    /// appearance calls say so, here and in what is within.
    static func animating<Result>(_ isAnimated: Bool, _ body: () -> Result) -> Result {
        guard let turn = current?.turn else { return body() }
        let outer = turn.isAnimated
        turn.isAnimated = isAnimated
        defer { turn.isAnimated = outer }
        return body()
    }
}

extension Turn {
    /// Ends a change of appearance after the layout pass of this turn, or of the next one outside of any.
    func endAfterLayout(_ controller: UIViewController) {
        appearances.append(controller)
        needTurn()
    }

    /// Ends the changes of appearance that have begun, in their order but for those that end before or
    /// after the others. Callbacks that answer each with
    /// another one are followed `callbacksMax` times; the rest waits for the next turn.
    func endAppearances() {
        var due = appearances.filter { !$0.waits }
        if due.contains(where: { $0.appearanceChange.end != .inOrder }) {
            due = [AppearanceEnd.before, .inOrder, .after].flatMap { end in
                due.filter { $0.appearanceChange.end == end }
            }
        }
        guard !due.isEmpty else { return }
        appearanceRounds += 1
        guard appearanceRounds <= UISystem.callbacksMax else {
            reports.logOnce(
                "Callbacks of view controllers that appeared or disappeared have shown other ones \(UISystem.callbacksMax) "
                    + "times in one turn; the rest follows in the next turn.")
            return onNextTurn { [unowned self] in needTurn() }
        }
        // On a device each round is a turn: its layouts and traits count anew.
        ended &+= 1
        appearances.removeAll { !$0.waits }
        for controller in due where !controller.waits { controller.endAppearance() }
    }
}

extension UIView {
    /// This view's controller or, without one, those of the views within it.
    fileprivate var topControllers: [UIViewController] {
        controller.map { [$0] } ?? subviews.flatMap(\.topControllers)
    }

    /// Notifies the view controllers within the view that they disappear, before it is removed.
    func beginDisappearance() {
        for controller in topControllers
        where controller.followsAppearance && controller.viewIfLoaded?.isDescendant(of: self) == true {
            controller.beginAppearance(false)
        }
    }

    /// Updates the view controllers within the view, after it or what it is in was added, removed,
    /// shown or hidden: each to what is true by then, as the callbacks of the one before may move
    /// it, or hide all.
    func updateAppearanceOfContent() {
        for controller in topControllers where controller.followsAppearance {
            let isVisible = controller.viewIfLoaded?.superview?.isContentVisible == true
            controller.beginAppearance(isVisible)
            if !isVisible, !controller.appearanceChange.isGivingWay { controller.endAtOnce() }
        }
    }

    /// Whether view controllers within the view are visible: that of the next controller above, or of
    /// the window.
    var isContentVisible: Bool {
        if let controller { return controller.appearance.isVisible }
        if let window = self as? UIWindow { return window.showsContent }
        return superview?.isContentVisible ?? false
    }
}

extension UIWindow {
    /// Whether the window is not hidden, and its scene is in the foreground: what it shows is laid out.
    var isOnScreen: Bool { !isHidden && sceneReference?.borrow { $0.activationState.isInForeground } == true }

    /// Whether the window is not hidden, and its scene has entered the foreground, which it may have left
    /// since.
    var showsContent: Bool { !isHidden && sceneReference?.borrow { $0.showsWindows } == true }

    /// Updates the view controllers after the window or its scene was shown or hidden.
    func updateAppearance() {
        // While the window was hidden, its traits were not computed.
        windowScene?.markTraits(of: self)
        for view in subviews { view.updateAppearanceOfContent() }
        guard isOnScreen, let system = UISystem.current else { return }
        for controller in system.turn.appearances where controller.appearance == .appearing {
            controller.viewIfLoaded?.mark(.appearing)
        }
        if isMarked || needsTraitUpdate { system.turn.setNeedsTurn(self) }
        // Those that have begun to appear in the background.
        if !system.turn.appearances.isEmpty { system.turn.needTurn() }
        if decidedSize != nil, let windowScene { system.turn.settleDecided(windowScene) }
    }
}
