/// A view controller's root view, and the view controller as the root of a window.
extension UIViewController {
    /// The root view if it is loaded, else `nil`.
    public var viewIfLoaded: UIView? { loadedView }
    /// Whether the root view is loaded.
    public var isViewLoaded: Bool { loadedView != nil }

    /// The app has set the root view.
    func viewDidChange(from old: UIView?) {
        old?.controllerDidChange()
        loadedView?.controllerDidChange()
        // A root view of a window is replaced.
        guard let window, let old, old !== loadedView, old.superview === window else { return }
        old.removeFromSuperview()
        if loadedView != nil { show(in: window) }
    }

    /// The window that the view controller is in, or is to be in.
    var containingWindow: UIWindow? {
        window ?? parent?.containingWindow ?? viewIfLoaded?.window
    }

    /// Brings those of the children that are in `order` into that order, before the others.
    func orderChildren(_ order: [UIViewController]) {
        let present = children
        let known = Set(present.map(ObjectIdentifier.init))
        let first = order.filter { known.contains(ObjectIdentifier($0)) }
        let moved = Set(first.map(ObjectIdentifier.init))
        childList.elements = first + present.filter { !moved.contains(ObjectIdentifier($0)) }
    }

    /// Becomes the root view controller of a window. The view is loaded once the window is
    /// shown.
    func enter(_ window: UIWindow) {
        self.window = window
        if !window.isHidden { show(in: window) }
    }

    /// Fills the window with the view, which is loaded if it is not.
    func show(in window: UIWindow) {
        window.updateTraits()
        view.frame = window.bounds
        // What was called has replaced the root.
        if window.rootViewController !== self { return }
        if isCovered {
            links.coveredIn = window
            return
        }
        if view.superview !== window { window.insertSubview(view, at: 0) }
    }

    /// Stops being the root view controller of a window, unless it is another one's already.
    func leave(_ window: UIWindow) {
        guard self.window === window else { return }
        linksIfAny?.coveredIn = nil
        linksIfAny?.presented?.end()
        viewIfLoaded?.removeFromSuperview()
        self.window = nil
        // What the callbacks of that have presented, and made to cover it.
        linksIfAny?.coveredIn = nil
        linksIfAny?.presented?.end()
    }
}
