/// Where a view controller is between being seen and not.
enum Appearance {
    case disappeared
    /// Between `viewWillAppear` and `viewDidAppear`.
    case appearing
    case appeared
    /// Between `viewWillDisappear` and `viewDidDisappear`.
    case disappearing

    var isVisible: Bool { self == .appearing || self == .appeared }
}

/// A view controller is visible while its view is in a window on the screen, however deep
/// below the view of another. A parent's calls come before those of its children.
extension UIViewController {
    func setVisible(_ isVisible: Bool) {
        beginAppearance(isVisible)
        endAppearance()
    }

    fileprivate func beginAppearance(_ isVisible: Bool) {
        guard isVisible != appearance.isVisible else { return }
        appearance = isVisible ? .appearing : .disappearing
        if isVisible { viewWillAppear(false) } else { viewWillDisappear(false) }
        for child in controllersWithin { child.beginAppearance(isVisible) }
    }

    fileprivate func endAppearance() {
        switch appearance {
        case .appeared, .disappeared: return
        case .appearing:
            appearance = .appeared
            viewDidAppear(false)
        case .disappearing:
            appearance = .disappeared
            viewDidDisappear(false)
        }
        for child in controllersWithin { child.endAppearance() }
    }

    /// Those whose views lie within this one's, without another controller's between.
    private var controllersWithin: [UIViewController] {
        (viewIfLoaded?.subviews ?? []).flatMap(\.topControllers)
    }
}

extension UIView {
    /// This view's controller, or else those of the views within it.
    fileprivate var topControllers: [UIViewController] {
        controller.map { [$0] } ?? subviews.flatMap(\.topControllers)
    }

    /// After the view came to another place, or before it leaves its own.
    func appear(as appearance: Appearance) {
        for controller in topControllers {
            switch appearance {
            // It ends when that of the controller above does.
            case .appearing: controller.beginAppearance(true)
            case .appeared: controller.setVisible(true)
            case .disappearing, .disappeared: controller.setVisible(false)
            }
        }
    }

    /// How what is in the view appears: as the next controller up, or the window.
    var appearanceWithin: Appearance {
        if let controller { return controller.appearance }
        if let window = self as? UIWindow { return window.isOnScreen ? .appeared : .disappeared }
        return superview?.appearanceWithin ?? .disappeared
    }
}

extension UIWindow {
    /// Whether the window is shown, in a scene in the foreground.
    var isOnScreen: Bool { !isHidden && windowScene?.isOffScreen == false }

    /// After the window or its scene was shown or hidden.
    func updateAppearance() {
        for view in subviews { view.appear(as: appearanceWithin) }
    }
}
