internal import Settle

/// A scene's preference for an orientation lock, and whether it may be granted. The engine
/// decides when a value has held long enough to be delivered (contract, rule 9).
struct OrientationLock {
    /// What the visible view controller preferred when it was last read.
    var isPreferred = false
    /// What the engine was last asked for because of the preference.
    var isRequested = false
    var isOccluded = false
}

extension Displays {
    /// Reads the preference of the scene's visible view controller again.
    func readLockPreference(of scene: UIWindowScene) {
        turn.perform {
            let controller = visibleController(in: scene)
            setLockPreference(controller?.prefersInterfaceOrientationLocked ?? false, of: scene)
            updateLock(of: scene)
        }
    }

    func setLockPreference(_ isPreferred: Bool, of scene: UIWindowScene) {
        guard isPreferred != scene.lock.isPreferred else { return }
        scene.lock.isPreferred = isPreferred
        lockPreferences += isPreferred ? 1 : -1
    }

    /// Asks the engine for the lock, or for its end, if what is preferred and granted has
    /// changed.
    ///
    /// A lock is granted only to a scene in the foreground that is centred on its screen,
    /// as large as the screen, and not covered, while the view controller that prefers it
    /// is visible (Apple's conditions for `prefersInterfaceOrientationLocked`).
    func updateLock(of scene: UIWindowScene) {
        let isWanted = scene.lock.isPreferred && mayLock(scene)
        guard isWanted != scene.lock.isRequested else { return }
        scene.lock.isRequested = isWanted
        apply(
            .geometry(scene.identity, at: engine.now, isInterfaceOrientationLocked: isWanted), to: scene)
    }

    /// Updates all locks after a scene has connected or disconnected, has moved to another
    /// screen, or has started or stopped covering its own. If no scene holds a lock any
    /// more, the interface follows the device.
    func updateLocks() {
        if lockPreferences > 0 {
            for (_, scene) in engine.boundScenes where scene.lock.isPreferred { updateLock(of: scene) }
        }
        if wantedOrientation != mainScreen.orientation {
            turn.afterCallbacks { [unowned self] in followDevice() }
        }
    }

    func updateCoverage(of scene: UIWindowScene) {
        let coversScreen = scene.coversScreen
        guard coversScreen != scene.coveredScreen else { return }
        scene.coveredScreen = coversScreen
        updateLocks()
    }

    private func mayLock(_ scene: UIWindowScene) -> Bool {
        scene.activationState.isInForeground && !scene.lock.isOccluded && scene.coversScreen
            && scene.scaling == .none
            && visibleController(in: scene) != nil && !isCovered(scene)
    }

    private func isCovered(_ scene: UIWindowScene) -> Bool {
        engine.boundScenes.contains { _, other in
            guard other !== scene, other.screen === scene.screen else { return false }
            return other.activationState.isInForeground && other.coversScreen
                && other.session.activationOrder > scene.session.activationOrder
        }
    }

    /// The view controller whose preference counts: of the key window, else of the last
    /// visible window, and down the chain of children that view controllers return. What
    /// covers the window counts instead of what it covers.
    private func visibleController(in scene: UIWindowScene) -> UIViewController? {
        let window = scene.keyWindow.flatMap { $0.isHidden ? nil : $0 } ?? scene.windows.last { !$0.isHidden }
        var controller = window?.rootViewController
        while let next = controller?.coveringController ?? controller?.childViewControllerForInterfaceOrientationLock {
            controller = next
        }
        return controller
    }
}
