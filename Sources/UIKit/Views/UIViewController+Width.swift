extension UIViewController {
    /// Whether there is little space along the horizontal axis.
    final var hasCompactWidth: Bool {
        // What the last update of traits set, as each layout reads it.
        (traits.updated ?? presentTraits).horizontalSizeClass == .compact
    }
}
