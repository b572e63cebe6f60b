extension UIViewController {
    /// Whether there is little room along the horizontal axis.
    final var hasCompactWidth: Bool { (containingWindow?.storedFrame.size.width ?? .infinity) < 600 }
}
