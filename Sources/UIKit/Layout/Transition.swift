extension UIViewController: UIContentContainer {}

/// How view controllers hear of another size before their views get it.
extension UIViewController {
    /// Calls `viewWillTransition(to:with:)`, unless the view has that size, the view controller
    /// was told about it, or it was never visible. Call before the frame changes.
    func transition(to size: CGSize) {
        guard isToHear(of: size), let system = UISystem.current else { return }
        let isInteractive = containingWindow?.windowScene?.pending.isInteractivelyResizing ?? false
        transition(to: size, with: system.coordinator(isInteractive: isInteractive))
    }

    /// The same within a transition.
    func transition(to size: CGSize, with coordinator: any UIViewControllerTransitionCoordinator) {
        guard isToHear(of: size) else { return }
        toldSize = size
        viewWillTransition(to: size, with: coordinator)
    }

    private func isToHear(of size: CGSize) -> Bool {
        guard hasAppeared, let view = viewIfLoaded else { return false }
        return (toldSize ?? view.storedFrame.size) != size
    }

    /// Marks what depends on the part of the view that the container covers.
    func coveredInsetsDidChange() { viewIfLoaded?.setNeedsLayout() }
}
