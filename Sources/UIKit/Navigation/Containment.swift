/// What containers that show one child at a time have in common.
extension UIViewController {
    /// Runs a change of the app's as a turn of its own, or as part of the present one.
    func turn<Result>(_ body: () -> Result) -> Result {
        guard let system = UISystem.current else { return body() }
        return system.perform(body)
    }

    /// Adds a child's view to the container's, with the size that it is to have. A child
    /// that was visible with another size before gets one transition to this one.
    func embed(_ child: UIViewController, in view: UIView, size: CGSize) {
        child.transition(to: size)
        child.view.frame = CGRect(origin: .zero, size: size)
        view.addSubview(child.view)
    }

    /// Gives the root view a frame in its container, in the layout pass.
    func fill(_ frame: CGRect) {
        guard let view = viewIfLoaded, view.frame != frame else { return }
        view.frame = frame
    }

    /// Reads the lock preference and the supported orientations again, as another view controller is visible now.
    func visibleControllerDidChange() {
        guard let scene = viewIfLoaded?.window?.windowScene else { return }
        guard let system = UISystem.current, system.isBound(scene) else { return }
        system.readLockPreference(of: scene)
        system.updateOrientation(of: scene)
    }
}
