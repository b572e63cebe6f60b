extension UISystem {
    /// Launches an app with a delegate that is made by the class's `init()`; see the other
    /// `launch`.
    public func launch<Delegate: UIApplicationDelegate & NSObject>(
        _ delegateClass: Delegate.Type, urls: [URL] = [], userActivities: Set<NSUserActivity> = [],
        connectsScene: Bool = true
    ) throws {
        guard let delegate = (delegateClass as NSObject.Type).newInstance() as? Delegate else { return }
        try launch(delegate, urls: urls, userActivities: userActivities, connectsScene: connectsScene)
    }

    /// Launches an app: calls the launch methods of its delegate, then connects the session
    /// that was in front last, or a new one, and brings its scene to the front.
    ///
    /// - Parameters:
    ///   - delegate: `nil` for an app without one.
    ///   - urls: What the app is launched to open. An app whose manifest declares no scenes
    ///     finds the first in its launch options, and opens all on its way to the
    ///     foreground, unless every launch method that it has returns false.
    ///   - userActivities: What the first scene is to continue.
    ///   - connectsScene: Whether the first scene connects; false for a replay, which
    ///     connects the scenes of its log.
    /// - Throws: `launchedBefore`; what `connect` throws for the first scene.
    public func launch(
        _ delegate: (any UIApplicationDelegate)?, urls: [URL] = [], userActivities: Set<NSUserActivity> = [],
        connectsScene: Bool = true
    ) throws {
        try launch(
            delegate, for: OpeningRequest(urls: urls, userActivities: userActivities), connectsScene: connectsScene)
    }

    /// Launches an app for more than URLs and activities; see the other `launch`. The first scene
    /// finds the request in its connection options.
    public func launch(
        _ delegate: (any UIApplicationDelegate)?, for request: OpeningRequest, connectsScene: Bool = true
    ) throws {
        guard app.phase == .made else { throw UISystem.Error.launchedBefore }
        // What the app requests at launch waits for the first scene.
        try turn.hostCall { try connections.start(delegate, request, connectsScene: connectsScene) }
    }

    /// Ends the app: its scenes enter the background, where their state is stored, and its
    /// delegate gets `applicationWillTerminate`, its last callback. `UIApplicationMain` then
    /// returns.
    public func terminate() {
        try? turn.changeState { [unowned self] in
            for scene in scenes { try? connections.transitionNow(scene, through: .background) }
            reports.traceCallback("applicationWillTerminate")
            application.delegate?.applicationWillTerminate(application)
            NotificationCenter.default.post(name: UIApplication.willTerminateNotification, object: application)
            app.phase = .ended
            connections.persistence?.close()
            connections.persistence = nil
        }
    }

    /// Whether the app was terminated.
    public var hasEnded: Bool {
        if case .ended = app.phase { return true }
        return false
    }
}

extension Connections {
    fileprivate func start(
        _ delegate: (any UIApplicationDelegate)?, _ request: UISystem.OpeningRequest, connectsScene: Bool
    ) throws {
        app.phase = .launching
        app.application.delegate = delegate
        openStateFolder()
        let options = launchOptions(request)
        reports.traceCallback("willFinishLaunching")
        let first = launchAnswer { delegate?.application(app.application, willFinishLaunchingWithOptions: options) }
        reports.traceCallback("didFinishLaunching")
        let second = launchAnswer { delegate?.application(app.application, didFinishLaunchingWithOptions: options) }
        NotificationCenter.default.post(name: UIApplication.didFinishLaunchingNotification, object: app.application)
        guard connectsScene else { return }
        let answers = [first, second].compactMap { $0 }
        opensLaunchURLs = answers.isEmpty || answers.contains(true)
        defer { opensLaunchURLs = true }
        let session = app.lastActiveSession ?? UISceneSession(role: .windowApplication)
        _ = try connect(session, UIScene.ConnectionOptions(request))
    }

    /// The options of an app whose manifest declares no scenes: whether it has scenes is
    /// known only when one connects. Declared scenes find URLs in their connection options.
    private func launchOptions(_ request: UISystem.OpeningRequest) -> [UIApplication.LaunchOptionsKey: Any]? {
        guard app.infoPlist.sceneManifest?.declaresScenes != true else { return nil }
        var options: [UIApplication.LaunchOptionsKey: Any] = [:]
        options[.url] = request.urls.first
        options[.shortcutItem] = request.shortcutItem
        options[.sourceApplication] = request.sourceApplication
        return options.isEmpty ? nil : options
    }

    /// What a launch method of the app delegate returns; `nil` if the delegate does not have
    /// the method.
    private func launchAnswer(_ call: () -> Bool?) -> Bool? {
        app.application.ranDefaultLaunchMethod = false
        let answer = call()
        return app.application.ranDefaultLaunchMethod ? nil : answer
    }

    /// Restores the sessions of earlier launches. What cannot be read is logged, and the app
    /// starts without it.
    private func openStateFolder() {
        persistence = SessionPersistence { [unowned self] in reports.log($0) }
        guard let folder = configuration.stateFolder else { return }
        do {
            let persistence = try SessionPersistence(folder: folder) { [unowned self] in reports.log($0) }
            app.sessions = try persistence.load()
            self.persistence = persistence
            lastActivationOrder = app.sessions.last?.activationOrder ?? 0
        } catch {
            reports.log("State is not stored: \(error)")
        }
    }
}
