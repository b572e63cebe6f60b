@_spi(Faults) internal import Settle

/// Whether a view controller is visible, or about to change that.
enum Appearance {
    case disappeared
    /// After `viewWillAppear`.
    case appearing
    /// After `viewIsAppearing`.
    case arriving
    case appeared
    /// Between `viewWillDisappear` and `viewDidDisappear`.
    case disappearing

    var isVisible: Bool { self == .appearing || self == .arriving || self == .appeared }
}

/// Why a view controller appears, or disappears, in its container.
enum ParentMove {
    case none
    /// It was added, and has not appeared since.
    case entering
    /// It was notified that it leaves.
    case leaving
}

/// A view controller is visible while its view is in a visible window, at any depth. A
/// parent's callbacks come before those of its children.
extension UIViewController {
    func setVisible(_ isVisible: Bool) {
        beginAppearance(isVisible)
        if isVisible { arrive() }
        endAppearance()
    }

    fileprivate func beginAppearance(_ isVisible: Bool) {
        guard isVisible != appearance.isVisible || (Planted.appearanceRepeated && isVisible) else { return }
        appearance = isVisible ? .appearing : .disappearing
        if isVisible { hasAppeared = true }
        if isVisible { viewWillAppear(false) } else { viewWillDisappear(false) }
        if isVisible, appearance.isVisible { prepareContent() }
        // Each call may take a view out of the window, or bring it back.
        for child in controllersWithin where appearance.isVisible == isVisible && isAround(child) {
            child.beginAppearance(isVisible)
        }
    }

    /// Calls `viewIsAppearing` where `viewWillAppear` was called: the views are in the window, and
    /// as large as they will be.
    private func arrive() {
        if appearance == .appearing {
            appearance = .arriving
            viewIsAppearing(false)
        }
        guard appearance.isVisible, let view = viewIfLoaded else { return }
        for child in controllersWithin where isAround(child) {
            if let childView = child.viewIfLoaded { view.layOutWay(to: childView) }
            child.arrive()
        }
        // The layout may have added more.
        for child in controllersWithin where child.appearance == .appearing { child.arrive() }
    }

    fileprivate func endAppearance() {
        // A view controller that was added too late for it.
        if appearance == .appearing { arrive() }
        switch appearance {
        case .appeared, .disappeared: return
        case .appearing, .arriving:
            appearance = .appeared
            viewDidAppear(false)
            if parentMove == .entering { parentMove = .none }
        case .disappearing:
            appearance = .disappeared
            viewDidDisappear(false)
        }
        for child in controllersWithin where isAround(child) { child.endAppearance() }
    }

    /// The view controllers whose views are within this one's, without those below them.
    private var controllersWithin: [UIViewController] {
        if Planted.hiddenChildrenAppear { return children }
        return (viewIfLoaded?.subviews ?? []).flatMap(\.topControllers).filter(\.followsAppearance)
    }

    /// Whether the appearance calls are the system's, not those of the app.
    fileprivate var followsAppearance: Bool {
        !hasAppearanceOfApp && parent?.shouldAutomaticallyForwardAppearanceMethods != false
    }

    func beginAppearanceByApp(_ isVisible: Bool) {
        hasAppearanceOfApp = true
        beginAppearance(isVisible)
    }

    func endAppearanceByApp() {
        guard hasAppearanceOfApp else { return }
        hasAppearanceOfApp = false
        endAppearance()
    }

    /// Whether the view of one of those still is: a callback of another one may have moved it.
    private func isAround(_ child: UIViewController) -> Bool {
        if Planted.hiddenChildrenAppear { return true }
        guard let view = viewIfLoaded, let childView = child.viewIfLoaded else { return false }
        return childView.isDescendant(of: view)
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
            switch controller.viewIfLoaded?.superview?.appearanceOfContent ?? .disappeared {
            // The controller above ends it.
            case .appearing, .arriving: controller.beginAppearance(true)
            case .appeared: controller.setVisible(true)
            case .disappearing, .disappeared: controller.setVisible(false)
            }
        }
    }

    /// The appearance of the view controllers within the view: that of the next controller
    /// above, or of the window.
    var appearanceOfContent: Appearance {
        if let controller { return controller.appearance }
        if let window = self as? UIWindow { return window.isOnScreen ? .appeared : .disappeared }
        return superview?.appearanceOfContent ?? .disappeared
    }
}

extension UIWindow {
    /// Whether the window is not hidden, and its scene is in the foreground.
    var isOnScreen: Bool { !isHidden && sceneReference?.borrow { $0.activationState.isInForeground } == true }

    /// Updates the view controllers after the window or its scene was shown or hidden.
    func updateAppearance() {
        // While the window was hidden, its traits were not computed.
        windowScene?.needsTraits = true
        for view in subviews { view.updateAppearanceOfContent() }
        guard isOnScreen, let system = UISystem.current else { return }
        if isMarked || needsTraitUpdate, !Planted.shownWindowNotLaidOut { system.setNeedsTurn(self) }
        if owedSize != nil, let windowScene { system.settleOwed(windowScene) }
    }
}
