internal import Settle

/// The states of a scene's life, and who hears of them.
extension UISystem {
    /// One step: unattached or background to foregroundInactive or, for a scene that
    /// connects there, to background; foregroundInactive to foregroundActive or
    /// background; foregroundActive to foregroundInactive. To disconnect see
    /// `disconnect`.
    ///
    /// - Throws: `UISystemError.illegalTransition`, and nothing happens;
    ///   `notConnected`.
    public func transition(_ scene: UIScene, to state: UIScene.ActivationState) throws {
        guard connected[ObjectIdentifier(scene)] != nil else { throw UISystemError.notConnected }
        try act {
            switch (scene.activationState, state) {
            case (.unattached, .foregroundInactive), (.background, .foregroundInactive): enterForeground(scene)
            case (.foregroundInactive, .foregroundActive): becomeActive(scene)
            case (.foregroundActive, .foregroundInactive): resignActive(scene)
            case (.foregroundInactive, .background): enterBackground(scene)
            case (.unattached, .background): scene.activationState = .background
            case (let from, let to): throw UISystemError.illegalTransition(from: from, to: to)
            }
        }
    }

    /// As many steps as are needed; none when the scene is there already. An unattached
    /// scene that is to stay so is left alone.
    public func bring(_ scene: UIScene, to state: UIScene.ActivationState) throws {
        while scene.activationState != state {
            let isNeighbour = scene.activationState != .foregroundInactive && state != .foregroundInactive
            let isNew = scene.activationState == .unattached && state == .background
            try transition(scene, to: isNeighbour && !isNew ? .foregroundInactive : state)
        }
        if state == .foregroundActive { noteInFront(scene.session) }
    }

    /// The session's scene is in front of the others now, which the next launch must know
    /// however this one ends.
    private func noteInFront(_ session: UISceneSession) {
        guard session.role == .windowApplication, session.activation == 0 || session.activation < activations else {
            return
        }
        activations += 1
        session.activation = activations
        keeper?.keep(session)
    }

    private func enterForeground(_ scene: UIScene) {
        let isBack = scene.activationState == .background
        announce("sceneWillEnterForeground", scene.session)
        scene.delegate?.sceneWillEnterForeground(scene)
        post(UIScene.willEnterForegroundNotification, scene)
        if phase == .withoutScenes, isBack {
            announce("applicationWillEnterForeground")
            application.delegate?.applicationWillEnterForeground(application)
            post(UIApplication.willEnterForegroundNotification, application)
        }
        scene.activationState = .foregroundInactive
        guard let scene = scene as? UIWindowScene else { return }
        scene.isHeld = false
        windowsDidChange([scene])
        if scene.owesRebuild {
            scene.owesRebuild = false
            hand(.flush(scene.identity, at: now))
        }
        tell(scene)
    }

    private func becomeActive(_ scene: UIScene) {
        scene.activationState = .foregroundActive
        noteInFront(scene.session)
        announce("sceneDidBecomeActive", scene.session)
        scene.delegate?.sceneDidBecomeActive(scene)
        post(UIScene.didActivateNotification, scene)
        guard phase == .withoutScenes else { return }
        announce("applicationDidBecomeActive")
        application.delegate?.applicationDidBecomeActive(application)
        post(UIApplication.didBecomeActiveNotification, application)
    }

    private func resignActive(_ scene: UIScene) {
        announce("sceneWillResignActive", scene.session)
        scene.delegate?.sceneWillResignActive(scene)
        post(UIScene.willDeactivateNotification, scene)
        if phase == .withoutScenes {
            announce("applicationWillResignActive")
            application.delegate?.applicationWillResignActive(application)
            post(UIApplication.willResignActiveNotification, application)
        }
        scene.activationState = .foregroundInactive
    }

    private func enterBackground(_ scene: UIScene) {
        scene.activationState = .background
        if let scene = scene as? UIWindowScene {
            scene.isHeld = true
            windowsDidChange([scene])
        }
        announce("sceneDidEnterBackground", scene.session)
        scene.delegate?.sceneDidEnterBackground(scene)
        post(UIScene.didEnterBackgroundNotification, scene)
        if phase == .withoutScenes {
            announce("applicationDidEnterBackground")
            application.delegate?.applicationDidEnterBackground(application)
            post(UIApplication.didEnterBackgroundNotification, application)
        }
        announce("stateRestorationActivity", scene.session)
        if let delegate = scene.delegate {
            scene.session.stateRestorationActivity = delegate.stateRestorationActivity(for: scene)
        }
        keeper?.keep(scene.session)
    }

    /// Shows and hides the windows' controllers after a window, its controller or the
    /// scene's state has changed, and reads what they prefer.
    func windowsDidChange(_ scenes: [UIWindowScene]) {
        for scene in scenes {
            for window in scene.windows {
                window.rootViewController?.setVisible(!window.isHidden && !scene.isHeld)
            }
            if windowScene(scene.identity) === scene { readLockPreference(of: scene) }
            if scene.screen.isExternal { updateMirroring(of: scene.screen) }
        }
    }
}
