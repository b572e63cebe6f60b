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

    /// Launches an app: its delegate hears of it, then the session that was there before,
    /// or a new one, connects and comes to the front.
    ///
    /// - Parameters:
    ///   - delegate: `nil` for an app without one.
    ///   - urls: What the app was launched to open.
    ///   - connectsScene: Off where scenes are to come one by one, as in a replay.
    /// - Throws: What `connect` does, for the first scene; `launchedBefore`.
    public func launch(
        _ delegate: (any UIApplicationDelegate)?, urls: [URL] = [], userActivities: Set<NSUserActivity> = [],
        connectsScene: Bool = true
    ) throws {
        guard phase == .made else { throw UISystemError.launchedBefore }
        phase = .launching
        application.delegate = delegate
        if let folder = configuration.stateFolder { openState(folder) }
        announce("willFinishLaunching")
        _ = delegate?.application(application, willFinishLaunchingWithOptions: nil)
        announce("didFinishLaunching")
        _ = delegate?.application(application, didFinishLaunchingWithOptions: nil)
        post(UIApplication.didFinishLaunchingNotification, application)
        guard connectsScene else { return }
        if let known = sessions.first(where: { $0.role == .windowApplication }) {
            try connect(known, urls: urls, userActivities: userActivities)
        } else {
            try connect(urls: urls, userActivities: userActivities)
        }
    }

    /// Ends the app: its scenes enter the background, where their state is kept, and its
    /// delegate hears of the end. `UIApplicationMain` then returns.
    public func terminate() {
        takeNextTurn()
        act {
            for scene in scenes { try? bring(scene, to: .background) }
            announce("applicationWillTerminate")
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
    private func openState(_ folder: URL) {
        do {
            let keeper = try SessionKeeper(folder: folder) { [unowned self] in log($0) }
            self.keeper = keeper
            sessions = try keeper.load()
        } catch {
            log("State is not kept: \(error)")
        }
    }
}
