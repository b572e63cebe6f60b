internal import Settle

/// The states of a scene's life, and who hears of them.
extension UISystem {
    /// One step: unattached or background to foregroundInactive or, for a scene that
    /// connects there, to background; foregroundInactive to foregroundActive or
    /// background; foregroundActive to foregroundInactive. To disconnect see
    /// `disconnect`.
    ///
    /// - Throws: `UISystem.Error.illegalTransition`, and nothing happens;
    ///   `notConnected`.
    public func transition(_ scene: UIScene, to state: UIScene.ActivationState) throws {
        guard isConnected(scene) else { throw UISystem.Error.notConnected }
        try changeState { [unowned self] in try takeStep(scene, to: state) }
    }

    private func takeStep(_ scene: UIScene, to state: UIScene.ActivationState) throws {
        guard isConnected(scene) else { throw UISystem.Error.notConnected }
        switch (scene.activationState, state) {
        case (.unattached, .foregroundInactive), (.background, .foregroundInactive): enterForeground(scene)
        case (.foregroundInactive, .foregroundActive): becomeActive(scene)
        case (.foregroundActive, .foregroundInactive): resignActive(scene)
        case (.foregroundInactive, .background): enterBackground(scene)
        case (.unattached, .background): scene.activationState = .background
        case (let from, let to): throw UISystem.Error.illegalTransition(from: from, to: to)
        }
    }

    /// As many steps as are needed; none when the scene is there already. An unattached
    /// scene that is to stay so is left alone. What is brought to `foregroundActive` comes
    /// before all other scenes of its screen.
    public func bring(_ scene: UIScene, to state: UIScene.ActivationState) throws {
        if scene.activationState == .unattached, state == .unattached { return }
        guard isConnected(scene) else { throw UISystem.Error.notConnected }
        try changeState { [unowned self] in try takeSteps(scene, to: state) }
    }

    /// The same at once, also where the system itself changes several states.
    func takeSteps(_ scene: UIScene, to state: UIScene.ActivationState) throws {
        while scene.activationState != state {
            let isNeighbour = scene.activationState != .foregroundInactive && state != .foregroundInactive
            let isNew = scene.activationState == .unattached && state == .background
            try takeStep(scene, to: isNeighbour && !isNew ? .foregroundInactive : state)
        }
        if state == .foregroundActive { comeToFront(scene) }
    }

    /// The scene is before all others of its screen now, and the next launch must know of
    /// the app's windows which was, however this one ends.
    private func comeToFront(_ scene: UIScene) {
        let session = scene.session
        if session.activation == 0 || session.activation < activations {
            activations += 1
            session.activation = activations
            keeper?.keep(session)
        }
        locksMayChange()
    }

    private func enterForeground(_ scene: UIScene) {
        let isBack = scene.activationState == .background
        // An app without scenes is launched into the foreground, and is not told.
        let isFirst = !hasScene { $0.isInForeground } && (phase != .withoutScenes || isBack)
        traceCallback("sceneWillEnterForeground", scene.session)
        scene.delegate?.sceneWillEnterForeground(scene)
        post(UIScene.willEnterForegroundNotification, scene)
        tellApplication(
            if: isFirst, "applicationWillEnterForeground", UIApplication.willEnterForegroundNotification
        ) { $0.applicationWillEnterForeground($1) }
        scene.activationState = .foregroundInactive
        guard let scene = scene as? UIWindowScene else { return comeToFront(scene) }
        scene.isHeld = false
        windowsDidChange([scene])
        comeToFront(scene)
        if scene.owesRebuild {
            scene.owesRebuild = false
            hand(.flush(scene.identity, at: now))
        }
        tell(scene)
    }

    private func becomeActive(_ scene: UIScene) {
        let isFirst = !hasScene { $0 == .foregroundActive }
        scene.activationState = .foregroundActive
        comeToFront(scene)
        traceCallback("sceneDidBecomeActive", scene.session)
        scene.delegate?.sceneDidBecomeActive(scene)
        post(UIScene.didActivateNotification, scene)
        tellApplication(if: isFirst, "applicationDidBecomeActive", UIApplication.didBecomeActiveNotification) {
            $0.applicationDidBecomeActive($1)
        }
    }

    private func resignActive(_ scene: UIScene) {
        let isLast = !hasScene(besides: scene) { $0 == .foregroundActive }
        traceCallback("sceneWillResignActive", scene.session)
        scene.delegate?.sceneWillResignActive(scene)
        post(UIScene.willDeactivateNotification, scene)
        tellApplication(if: isLast, "applicationWillResignActive", UIApplication.willResignActiveNotification) {
            $0.applicationWillResignActive($1)
        }
        scene.activationState = .foregroundInactive
    }

    private func enterBackground(_ scene: UIScene) {
        scene.activationState = .background
        if let scene = scene as? UIWindowScene {
            scene.isHeld = true
            letGo(scene)
            windowsDidChange([scene])
            locksMayChange()
        }
        traceCallback("sceneDidEnterBackground", scene.session)
        scene.delegate?.sceneDidEnterBackground(scene)
        post(UIScene.didEnterBackgroundNotification, scene)
        tellApplication(
            if: !hasScene { $0.isInForeground }, "applicationDidEnterBackground",
            UIApplication.didEnterBackgroundNotification
        ) { $0.applicationDidEnterBackground($1) }
        traceCallback("stateRestorationActivity", scene.session)
        if let delegate = scene.delegate {
            scene.session.stateRestorationActivity = delegate.stateRestorationActivity(for: scene)
        }
        keeper?.keep(scene.session)
    }

    /// A hand cannot hold a window that is not on the screen. Where pointer buttons tell,
    /// the interaction ends with their release.
    private func letGo(_ scene: UIWindowScene) {
        guard scene.reportsResizing, engine.isInteracting(scene.identity) else { return }
        apply(.geometry(scene.identity, at: now, isInteractivelyResizing: false), to: scene)
    }

    private func hasScene(besides one: UIScene? = nil, where isSo: (UIScene.ActivationState) -> Bool) -> Bool {
        connected.values.contains { $0 !== one && isSo($0.activationState) }
    }

    /// What happens to the app as a whole: to its first scene, or its last. Whoever
    /// observes it is told in every app, the app delegate in one without scenes.
    private func tellApplication(
        if happens: Bool, _ name: StaticString, _ notification: NSNotification.Name,
        _ call: (any UIApplicationDelegate, UIApplication) -> Void
    ) {
        guard happens else { return }
        if phase == .withoutScenes {
            traceCallback(name)
            application.delegate.map { call($0, application) }
        }
        post(notification, application)
    }

    /// Shows and hides the windows' controllers after a window, its controller or the
    /// scene's state has changed, and reads what they prefer.
    func windowsDidChange(_ scenes: [UIWindowScene]) {
        for scene in scenes {
            for window in scene.windows {
                window.updateAppearance()
            }
            if windowScene(scene.identity) === scene { readLockPreference(of: scene) }
            if scene.screen.isExternal { updateMirroring(of: scene.screen) }
        }
    }
}
