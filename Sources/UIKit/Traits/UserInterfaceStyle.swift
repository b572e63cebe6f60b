extension UIView {
    /// Whether the view, and what is in it, is light or dark whatever the window is:
    /// `traitOverrides.userInterfaceStyle`. `.unspecified` is neither.
    public final var overrideUserInterfaceStyle: UIUserInterfaceStyle {
        get { traitOverrides.forcedStyle }
        set { traitOverrides.forcedStyle = newValue }
    }
}

extension UIViewController {
    /// Whether the view controller, and what is in it, is light or dark whatever the window is:
    /// `traitOverrides.userInterfaceStyle`. `.unspecified` is neither.
    public final var overrideUserInterfaceStyle: UIUserInterfaceStyle {
        get { traitOverrides.forcedStyle }
        set { traitOverrides.forcedStyle = newValue }
    }
}

extension UITraitOverrides {
    fileprivate var forcedStyle: UIUserInterfaceStyle {
        get { contains(UITraitUserInterfaceStyle.self) ? userInterfaceStyle : .unspecified }
        set {
            guard newValue != .unspecified else { return remove(UITraitUserInterfaceStyle.self) }
            userInterfaceStyle = newValue
        }
    }
}
