/// An app's beginning and end.
extension UISystem {
    /// Launches an app whose delegate is made of the class, by its `init()`.
    public func launch<Delegate: UIApplicationDelegate & NSObject>(
        _ delegateClass: Delegate.Type, urls: [URL] = [], userActivities: Set<NSUserActivity> = [],
        connectsScene: Bool = true
    ) throws {
        guard let delegate = (delegateClass as NSObject.Type).newInstance() as? Delegate else { return }
        try launch(delegate, urls: urls, userActivities: userActivities, connectsScene: connectsScene)
    }

    /// Launches an app: its delegate hears of it, then the session that was in front last,
    /// or a new one, connects and comes to the front.
    ///
    /// - Parameters:
    ///   - delegate: `nil` for an app without one.
    ///   - urls: What the app was launched to open. An app whose manifest declares no scenes
    ///     finds the first in its launch options; it opens them all on its way to the
    ///     foreground, unless its answers at launch are all false.
    ///   - connectsScene: Off where scenes are to come one by one, as in a replay.
    /// - Throws: What `connect` does, for the first scene; `launchedBefore`.
    public func launch(
        _ delegate: (any UIApplicationDelegate)?, urls: [URL] = [], userActivities: Set<NSUserActivity> = [],
        connectsScene: Bool = true
    ) throws {
        guard phase == .made else { throw UISystem.Error.launchedBefore }
        // What the app asks for at launch waits for the first scene.
        try act { try start(delegate, urls, userActivities, connectsScene: connectsScene) }
    }

    private func start(
        _ delegate: (any UIApplicationDelegate)?, _ urls: [URL], _ userActivities: Set<NSUserActivity>,
        connectsScene: Bool
    ) throws {
        phase = .launching
        application.delegate = delegate
        openState()
        let options = launchOptions(urls)
        traceCallback("willFinishLaunching")
        let first = answer { delegate?.application(application, willFinishLaunchingWithOptions: options) }
        traceCallback("didFinishLaunching")
        let second = answer { delegate?.application(application, didFinishLaunchingWithOptions: options) }
        post(UIApplication.didFinishLaunchingNotification, application)
        guard connectsScene else { return }
        let answers = [first, second].compactMap { $0 }
        opensLaunchURLs = answers.isEmpty || answers.contains(true)
        defer { opensLaunchURLs = true }
        try connect(
            lastInFront ?? newSession(.windowApplication), urls: urls, userActivities: userActivities)
    }

    /// Whether the app has scenes shows only when one connects, unless the manifest
    /// declares them; those find URLs in their connection options.
    private func launchOptions(_ urls: [URL]) -> [UIApplication.LaunchOptionsKey: Any]? {
        guard let url = urls.first, infoPlist.sceneManifest?.declaresScenes != true else { return nil }
        return [.url: url]
    }

    /// What the app delegate answers; `nil` when it leaves the method out.
    private func answer(_ ask: () -> Bool?) -> Bool? {
        application.answersByDefault = false
        let answer = ask()
        return application.answersByDefault ? nil : answer
    }

    /// Ends the app: its scenes enter the background, where their state is kept, and its
    /// delegate hears of the end. `UIApplicationMain` then returns. A terminated app is
    /// called no more.
    public func terminate() {
        try? changeState { [unowned self] in
            for scene in scenes { try? takeSteps(scene, to: .background) }
            traceCallback("applicationWillTerminate")
            application.delegate?.applicationWillTerminate(application)
            post(UIApplication.willTerminateNotification, application)
            phase = .ended
            keeper?.close()
            keeper = nil
        }
    }

    /// Whether the app was terminated.
    public var hasEnded: Bool {
        if case .ended = phase { return true }
        return false
    }

    /// Takes up the sessions of earlier launches. What cannot be read is reported and the
    /// app goes on without it.
    private func openState() {
        keeper = SessionKeeper { [unowned self] in log($0) }
        guard let folder = configuration.stateFolder else { return }
        do {
            let keeper = try SessionKeeper(folder: folder) { [unowned self] in log($0) }
            self.keeper = keeper
            sessions = try keeper.load()
            activations = sessions.last?.activation ?? 0
        } catch {
            log("State is not kept: \(error)")
        }
    }
}
