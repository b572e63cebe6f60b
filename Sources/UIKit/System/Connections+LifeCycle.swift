internal import Settle

extension UISystem {
    /// One step: from unattached or background to foregroundInactive; from unattached to
    /// background; from foregroundInactive to foregroundActive or background; from
    /// foregroundActive to foregroundInactive. `disconnect` ends a scene's life.
    ///
    /// - Throws: `illegalTransition` for any other step, and nothing changes;
    ///   `notConnected`; `ended`.
    public func transition(_ scene: UIScene, to state: UIScene.ActivationState) throws {
        guard connections.isConnected(scene) else { throw UISystem.Error.notConnected }
        try turn.changeState { [unowned self] in try connections.transitionNow(scene, to: state) }
    }

    /// As many steps as the state needs; none if the scene is in it. A scene that is brought
    /// to `foregroundActive` is in front of all other scenes of its screen then.
    ///
    /// - Throws: `notConnected`, unless the scene is unattached and is to stay so; `ended`.
    public func bring(_ scene: UIScene, to state: UIScene.ActivationState) throws {
        if scene.activationState == .unattached, state == .unattached { return }
        guard connections.isConnected(scene) else { throw UISystem.Error.notConnected }
        try turn.changeState { [unowned self] in try connections.transitionNow(scene, through: state) }
    }
}

extension Connections {
    fileprivate func transitionNow(_ scene: UIScene, to state: UIScene.ActivationState) throws {
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

    func transitionNow(_ scene: UIScene, through state: UIScene.ActivationState) throws {
        while scene.activationState != state {
            let passesInactive = scene.activationState != .foregroundInactive && state != .foregroundInactive
            let isNew = scene.activationState == .unattached && state == .background
            try transitionNow(scene, to: passesInactive && !isNew ? .foregroundInactive : state)
        }
        if state == .foregroundActive { bringToFront(scene) }
    }

    /// Puts the scene in front of all others of its screen. The order is saved at once, as
    /// the next launch needs it however this one ends.
    private func bringToFront(_ scene: UIScene) {
        let session = scene.session
        if session.activationOrder == 0 || session.activationOrder < lastActivationOrder {
            lastActivationOrder += 1
            session.activationOrder = lastActivationOrder
            persistence?.save(session)
        }
        displays.updateLocks()
    }

    // MARK: Steps

    private func enterForeground(_ scene: UIScene) {
        let returns = scene.activationState == .background
        // An app without scenes launches into the foreground without this callback.
        let isFirst = !hasScene { $0.isInForeground } && (app.phase != .withoutScenes || returns)
        reports.traceCallback("sceneWillEnterForeground", scene.session)
        scene.delegate?.sceneWillEnterForeground(scene)
        NotificationCenter.default.post(name: UIScene.willEnterForegroundNotification, object: scene)
        notifyApplication(
            if: isFirst, "applicationWillEnterForeground", UIApplication.willEnterForegroundNotification
        ) { $0.applicationWillEnterForeground($1) }
        scene.activationState = .foregroundInactive
        guard let scene = scene as? UIWindowScene else { return bringToFront(scene) }
        scene.showsWindows = true
        scene.readControlStyle()
        // View controllers appear with the size that the delegate is about to get.
        for window in scene.windows { scene.markTraits(of: window) }
        turn.updateTraits(of: scene)
        if scene.current.state.size != scene.pending.size { scene.resizeWindows() }
        windowsDidChange([scene])
        bringToFront(scene)
        if scene.hasDeferredRebuild {
            scene.hasDeferredRebuild = false
            engine.submit(.flush(scene.identity, at: engine.now))
        }
        turn.deliverGeometry(to: scene)
    }

    private func becomeActive(_ scene: UIScene) {
        let isFirst = !hasScene { $0 == .foregroundActive }
        scene.activationState = .foregroundActive
        bringToFront(scene)
        reports.traceCallback("sceneDidBecomeActive", scene.session)
        scene.delegate?.sceneDidBecomeActive(scene)
        NotificationCenter.default.post(name: UIScene.didActivateNotification, object: scene)
        notifyApplication(if: isFirst, "applicationDidBecomeActive", UIApplication.didBecomeActiveNotification) {
            $0.applicationDidBecomeActive($1)
        }
    }

    private func resignActive(_ scene: UIScene) {
        let isLast = !hasScene(besides: scene) { $0 == .foregroundActive }
        reports.traceCallback("sceneWillResignActive", scene.session)
        scene.delegate?.sceneWillResignActive(scene)
        NotificationCenter.default.post(name: UIScene.willDeactivateNotification, object: scene)
        notifyApplication(if: isLast, "applicationWillResignActive", UIApplication.willResignActiveNotification) {
            $0.applicationWillResignActive($1)
        }
        scene.activationState = .foregroundInactive
    }

    private func enterBackground(_ scene: UIScene) {
        scene.activationState = .background
        if let scene = scene as? UIWindowScene {
            endReportedResize(of: scene)
            engine.hold(columnsOf: scene)
            windowsDidChange([scene])
            displays.updateLocks()
        }
        reports.traceCallback("sceneDidEnterBackground", scene.session)
        scene.delegate?.sceneDidEnterBackground(scene)
        NotificationCenter.default.post(name: UIScene.didEnterBackgroundNotification, object: scene)
        notifyApplication(
            if: !hasScene { $0.isInForeground }, "applicationDidEnterBackground",
            UIApplication.didEnterBackgroundNotification
        ) { $0.applicationDidEnterBackground($1) }
        reports.traceCallback("stateRestorationActivity", scene.session)
        if let delegate = scene.delegate {
            scene.session.stateRestorationActivity = delegate.stateRestorationActivity(for: scene)
        }
        persistence?.save(scene.session)
    }

    /// Ends the resize of a window that leaves the screen. Where pointer buttons say whether
    /// it is being resized, their release ends it.
    private func endReportedResize(of scene: UIWindowScene) {
        guard engine.isReportedToResize(scene) else { return }
        displays.apply(.geometry(scene.identity, at: engine.now, isInteractivelyResizing: false), to: scene)
    }

    // MARK: The app

    private func hasScene(
        besides excluded: UIScene? = nil, where condition: (UIScene.ActivationState) -> Bool
    ) -> Bool {
        connectedScenes.values.contains { $0 !== excluded && condition($0.activationState) }
    }

    /// Reports what happens to the app as a whole, with its first scene or its last: to the
    /// app delegate in an app without scenes, and by a notification in every app.
    private func notifyApplication(
        if happens: Bool, _ name: StaticString, _ notification: NSNotification.Name,
        _ call: (any UIApplicationDelegate, UIApplication) -> Void
    ) {
        guard happens else { return }
        if app.phase == .withoutScenes {
            reports.traceCallback(name)
            app.delegate.map { call($0, app.application) }
        }
        NotificationCenter.default.post(name: notification, object: app.application)
    }

    /// Updates what depends on the windows of scenes, after a window, its view controller or
    /// the scene's state has changed: which controllers are visible, and what they prefer.
    ///
    /// - Parameter changed: The window that has changed; `nil` for all of the scenes.
    func windowsDidChange(_ scenes: [UIWindowScene], _ changed: UIWindow? = nil) {
        turn.perform {
            for scene in scenes {
                for window in changed.map({ [$0] }) ?? scene.windows where window.windowScene === scene {
                    window.updateAppearance()
                }
                if engine.isBound(scene) {
                    displays.readLockPreference(of: scene)
                    displays.updateOrientation(of: scene)
                }
                if !scene.columns.isEmpty { scene.columnsDidChange() }
                if scene.screen.isExternal { displays.updateMirroring(of: scene.screen) }
            }
        }
    }
}
