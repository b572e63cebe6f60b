internal import Settle

extension UIViewController: UIContentContainer {}

/// How view controllers are notified of another size before their views get it.
extension UIViewController {
    /// Calls `viewWillTransition(to:with:)`, unless the view has that size, the call was made
    /// before, or the view was never visible. Call before the frame changes.
    func transition(to size: CGSize) {
        guard isNews(size) else { return }
        transition(to: size, isInteractive: isInDrag)
    }

    /// The same where it is known whether a person is resizing the scene.
    func transition(to size: CGSize, isInteractive: Bool) {
        guard isNews(size), let system = UISystem.current else { return }
        transition(to: size, with: system.turn.coordinator(isInteractive: isInteractive, in: containingWindow))
    }

    private var isInDrag: Bool {
        containingWindow?.windowScene?.pending.isInteractivelyResizing ?? false
    }

    /// The same within a transition.
    func transition(to size: CGSize, with coordinator: any UIViewControllerTransitionCoordinator) {
        guard isNews(size) else { return }
        notifiedSize = size
        viewWillTransition(to: size, with: coordinator)
    }

    /// Notifies the children whose views are in the view.
    func passTransition(to size: CGSize, with coordinator: any UIViewControllerTransitionCoordinator) {
        // Also in a window that is hidden or in the background, as the frames change there too.
        guard let view = viewIfLoaded else { return }
        for child in children where child.viewIfLoaded?.isDescendant(of: view) == true && keeps(child, at: size) {
            let childSize = self.size(forChildContentContainer: child, withParentContainerSize: size)
            child.transition(to: childSize, with: coordinator)
        }
    }

    /// Notifies what gives the view its size of what it prefers.
    func preferredSizeDidChange() {
        parent?.preferredContentSizeDidChange(forChildContentContainer: self)
        linksIfAny?.presenting?.preferredSizeDidChange()
    }

    /// The traits that the view will have with the size of the present transition.
    var nextTraits: UITraitCollection { announcedTraits ?? traits.updated ?? presentTraits }

    /// The coordinator of the present transition, which may be another view controller's, also in
    /// another scene: all that change in one turn share it. `nil` outside of any.
    public var transitionCoordinator: (any UIViewControllerTransitionCoordinator)? {
        guard let system = UISystem.current, system.turn.isInTransition else { return nil }
        return isInDrag ? system.turn.interactiveCoordinator : system.turn.coordinator
    }

    private func isNews(_ size: CGSize) -> Bool {
        guard hasAppeared, let view = viewIfLoaded else { return false }
        return (notifiedSize ?? view.storedFrame.size) != size
    }

    /// Marks what depends on the part of the view that the container covers.
    func coveredInsetsDidChange() { viewIfLoaded?.markAgain() }
}
