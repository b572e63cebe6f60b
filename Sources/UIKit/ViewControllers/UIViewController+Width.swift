extension UIViewController {
    final var hasCompactWidth: Bool {
        // What the last update of traits set, as each layout reads it.
        (traits.updated ?? presentTraits).horizontalSizeClass == .compact
    }
}
