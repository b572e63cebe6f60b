extension UISystem {
    /// What an app is launched for, or a scene connects for.
    public struct OpeningRequest {
        /// The URLs to open.
        public var urls: [URL]
        /// The activities to continue.
        public var userActivities: Set<NSUserActivity>
        /// The type of an activity that is handed over from another device, and may not have
        /// arrived yet.
        public var handoffUserActivityType: String?
        /// The quick action to run.
        public var shortcutItem: UIApplicationShortcutItem?
        /// The notification that a person responded to.
        public var notificationResponse: UNNotificationResponse?
        /// The bundle identifier of the app that asks for it; `nil` if it is unknown.
        public var sourceApplication: String?

        /// A request; by default for nothing.
        public init(
            urls: [URL] = [], userActivities: Set<NSUserActivity> = [], handoffUserActivityType: String? = nil,
            shortcutItem: UIApplicationShortcutItem? = nil, notificationResponse: UNNotificationResponse? = nil,
            sourceApplication: String? = nil
        ) {
            self.urls = urls
            self.userActivities = userActivities
            self.handoffUserActivityType = handoffUserActivityType
            self.shortcutItem = shortcutItem
            self.notificationResponse = notificationResponse
            self.sourceApplication = sourceApplication
        }

        /// What chooses the scene; `nil` for the scene in front.
        @MainActor fileprivate var targetContentIdentifier: String? {
            urls.first?.absoluteString ?? shortcutItem?.targetContentIdentifier as? String
                ?? notificationResponse?.notification.request.content.targetContentIdentifier
                ?? userActivities.lazy.compactMap(\.targetContentIdentifier).first
        }
    }

    /// Connects a session's scene for a request; a new session's if there is none.
    ///
    /// - Parameters:
    ///   - request: The scene finds it in its connection options. A connected scene opens,
    ///     continues and runs what is in it.
    ///   - session: An open session; `nil` for a new one or, in an app with one scene at a time,
    ///     its own.
    ///   - state: The state that the scene enters.
    /// - Throws: See `connect(role:frame:urls:userActivities:state:)`.
    @discardableResult
    public func connect(
        for request: OpeningRequest, session: UISceneSession? = nil, state: UIScene.ActivationState = .foregroundActive
    ) throws -> UIScene {
        let own = supportsMultipleScenes ? nil : app.lastActiveSession
        let session = session ?? own ?? UISceneSession(role: .windowApplication)
        let options = UIScene.ConnectionOptions(request)
        guard let scene = session.scene else { return try connections.connect(session, options, state: state) }
        guard connections.isConnected(scene) else { throw UISystem.Error.notConnected }
        try turn.changeState { [unowned self] in
            try connections.transitionNow(scene, through: state)
            try connections.open(options, in: scene)
        }
        return scene
    }

    /// Opens the app for a request: in the scene that its content chooses, which becomes active,
    /// else in one that connects for it. A connected scene gets no callback for a notification,
    /// which Apple's passes to `UNUserNotificationCenter`.
    ///
    /// - Throws: What `connect` throws; `ended`.
    public func open(_ request: OpeningRequest) throws {
        try turn.changeState { [unowned self] in
            let options = UIScene.ConnectionOptions(request)
            guard let scene = connections.scene(for: request.targetContentIdentifier) else {
                return try connections.connectForOpening(options)
            }
            try connections.transitionNow(scene, through: .foregroundActive)
            try connections.open(options, in: scene)
        }
    }

    // MARK: Handoff

    /// The activity that the app has made current, which another device could continue.
    public static var currentUserActivity: NSUserActivity? { NSUserActivity.current }

    /// A person continues an activity in the app: in `scene` or, if that is `nil`, in the one
    /// that its `targetContentIdentifier` chooses. The scene becomes active, is notified that the
    /// activity is being fetched, and gets it. Without a connected scene one connects with it.
    ///
    /// - Throws: What `connect` throws; `ended`.
    public func continueActivity(_ activity: NSUserActivity, in scene: UIScene? = nil) throws {
        try turn.changeState { [unowned self] in
            let identifier = activity.targetContentIdentifier ?? activity.webpageURL?.absoluteString
            if let scene = scene ?? connections.scene(for: identifier) {
                try connections.continueNow(activity, in: scene)
            } else {
                try connections.connectForOpening(
                    UIScene.ConnectionOptions(
                        OpeningRequest(
                            userActivities: [activity], handoffUserActivityType: activity.activityType)))
            }
        }
    }

    /// An activity that a person continues cannot be fetched from its device.
    ///
    /// - Throws: `notConnected`; `ended`.
    public func failToContinueActivity(ofType type: String, in scene: UIScene, error: any Swift.Error) throws {
        guard connections.isConnected(scene) else { throw UISystem.Error.notConnected }
        try turn.changeState { [unowned self] in
            guard connections.isConnected(scene) else { return }
            try connections.transitionNow(scene, through: .foregroundActive)
            reports.traceCallback("willContinueUserActivityWithType", scene.session, type)
            scene.delegate?.scene(scene, willContinueUserActivityWithType: type)
            reports.traceCallback("didFailToContinueUserActivity", scene.session, type)
            scene.delegate?.scene(scene, didFailToContinueUserActivityWithType: type, error: error)
        }
    }
}

extension Connections {
    func open(_ options: UIScene.ConnectionOptions, in scene: UIScene) throws {
        options.notificationResponse?.targetScene = scene
        if !options.contexts.isEmpty { try open(options.contexts, in: scene) }
        for activity in options.userActivities { try continueNow(activity, in: scene) }
        if let item = options.shortcutItem { try perform(item, in: scene) { _ in } }
    }

    fileprivate func continueNow(_ activity: NSUserActivity, in scene: UIScene) throws {
        guard app.phase == .withoutScenes else {
            try transitionNow(scene, through: .foregroundActive)
            reports.traceCallback("willContinueUserActivityWithType", scene.session, activity.activityType)
            scene.delegate?.scene(scene, willContinueUserActivityWithType: activity.activityType)
            reports.traceCallback("continueUserActivity", scene.session, activity.activityType)
            scene.delegate?.scene(scene, continue: activity)
            return
        }
        try transitionNow(scene, through: .foregroundActive)
        reports.traceCallback("continueUserActivity", nil, activity.activityType)
        _ = app.delegate?.application(app.application, continue: activity) { _ in }
    }
}
