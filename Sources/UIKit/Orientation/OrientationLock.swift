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
        actForApp {
            prefer(visibleController(in: scene)?.prefersInterfaceOrientationLocked ?? false, in: scene)
            updateLock(of: scene)
        }
    }

    func prefer(_ isPreferred: Bool, in scene: UIWindowScene) {
        guard isPreferred != scene.lock.isPreferred else { return }
        scene.lock.isPreferred = isPreferred
        lockWishes += isPreferred ? 1 : -1
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

    /// Judges all locks anew after a scene came or went, moved to another screen, or began
    /// or ceased to cover its own; and turns the interface if none holds it any more.
    func locksMayChange() {
        if lockWishes > 0 {
            for case let scene? in scenesByIndex where scene.lock.isPreferred { updateLock(of: scene) }
        }
        if deviceOrientation != mainScreen.orientation { afterCallbacks { [unowned self] in followDevice() } }
    }

    /// After a scene's geometry may have changed.
    func noteCovering(_ scene: UIWindowScene) {
        let isCovering = scene.coversScreen
        guard isCovering != scene.wasCovering else { return }
        scene.wasCovering = isCovering
        locksMayChange()
    }

    private func mayLock(_ scene: UIWindowScene) -> Bool {
        scene.activationState.isInForeground && !scene.lock.isOccluded && scene.coversScreen
            && scene.scaling == .none
            && visibleController(in: scene) != nil && !isCovered(scene)
    }

    /// Whether a scene that covers the screen lies before this one.
    private func isCovered(_ scene: UIWindowScene) -> Bool {
        scenesByIndex.contains { other in
            guard let other, other !== scene, other.screen === scene.screen else { return false }
            return !other.isHeld && other.coversScreen && other.session.activation > scene.session.activation
        }
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
