/// A scene's wish to stay as it is turned, and whether it may be granted. The engine
/// decides when a value has held long enough to be told (contract, rule 9).
struct OrientationLock {
    /// What the visible view controller prefers, as last read.
    var isPreferred = false
    /// What the engine was told last on behalf of the preference.
    var isRequested = false
    /// Something lies over the scene.
    var isOccluded = false
}

extension UISystem {
    /// Reads the preference of the scene's visible controller anew.
    func readLockPreference(of scene: UIWindowScene) {
        act {
            scene.lock.isPreferred = visibleController(in: scene)?.prefersInterfaceOrientationLocked ?? false
            updateLock(of: scene)
        }
    }

    /// Tells the engine when what is preferred and granted has changed.
    ///
    /// Granted is a lock only to a scene in the foreground that is centred on its screen,
    /// as large as the screen, and not covered, while the controller that prefers it is
    /// visible (Apple's conditions for `prefersInterfaceOrientationLocked`).
    func updateLock(of scene: UIWindowScene) {
        let isWanted = scene.lock.isPreferred && mayLock(scene)
        guard isWanted != scene.lock.isRequested else { return }
        scene.lock.isRequested = isWanted
        apply(.geometry(scene.identity, at: now, isInterfaceOrientationLocked: isWanted), to: scene)
    }

    private func mayLock(_ scene: UIWindowScene) -> Bool {
        let isInForeground = scene.activationState == .foregroundActive || scene.activationState == .foregroundInactive
        let frame = CGRect(origin: scene.state.origin, size: scene.state.size)
        return isInForeground && !scene.lock.isOccluded && frame == scene.screen.bounds
            && scene.presentation == .none && visibleController(in: scene) != nil
    }

    /// The controller whose preference counts: in the key window, else in the last
    /// visible one, and down the chain of children that controllers name.
    private func visibleController(in scene: UIWindowScene) -> UIViewController? {
        let window = scene.keyWindow.flatMap { $0.isHidden ? nil : $0 } ?? scene.windows.last { !$0.isHidden }
        var controller = window?.rootViewController
        while let child = controller?.childViewControllerForInterfaceOrientationLock { controller = child }
        return controller
    }
}
