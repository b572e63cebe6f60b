extension UISystem {
    /// Opens URLs in the app: in `scene` or, if that is `nil`, in the scene in front, which
    /// enters the foreground first. If no scene is connected, the session that was in front
    /// last connects with them, or a new one if there is none.
    ///
    /// - Parameters:
    ///   - urls: If empty, nothing changes.
    ///   - scene: A connected scene, or `nil` for the scene in front.
    ///   - sourceApplication: The bundle identifier of the app that requests it.
    /// - Throws: What `connect` throws; `ended`.
    public func open(_ urls: [URL], in scene: UIScene? = nil, sourceApplication: String? = nil) throws {
        guard !urls.isEmpty else { return }
        let contexts = urls.map { UIOpenURLContext($0, sourceApplication: sourceApplication) }
        try turn.changeState { [unowned self] in
            if let scene = scene ?? connections.scene(for: urls[0].absoluteString) {
                try connections.open(contexts, in: scene)
            } else {
                try connections.connectForOpening(UIScene.ConnectionOptions(contexts))
            }
        }
    }

    /// The style that the scene's delegate prefers for the window's own controls. The area that
    /// the controls take follows it once the scene has connected and at each foreground.
    public func windowingControlStyle(of scene: UIWindowScene) -> UIWindowScene.WindowingControlStyle {
        scene.windowDelegate?.preferredWindowingControlStyle(for: scene) ?? .automatic
    }
}

extension Connections {
    func open(_ contexts: [UIOpenURLContext], in scene: UIScene) throws {
        let urls = contexts.map(\.url.absoluteString).joined(separator: ", ")
        guard app.phase == .withoutScenes else {
            try transitionNow(scene, through: .foregroundActive)
            reports.traceCallback("openURLContexts", scene.session, urls)
            scene.delegate?.scene(scene, openURLContexts: Set(contexts))
            return
        }
        // An app without scenes opens them between entering the foreground and becoming
        // active.
        if scene.activationState != .foregroundActive { try transitionNow(scene, through: .foregroundInactive) }
        reports.traceCallback("open", nil, urls)
        for context in contexts { openWithoutScenes(context) }
        try transitionNow(scene, through: .foregroundActive)
    }

    private func openWithoutScenes(_ context: UIOpenURLContext) {
        let source = context.options.sourceApplication
        let options = source.map { [UIApplication.OpenURLOptionsKey.sourceApplication: $0] } ?? [:]
        _ = app.delegate?.application(app.application, open: context.url, options: options)
    }

    /// Denies a request of the app. Its error handler is called after the request has
    /// returned.
    func deny(_ errorHandler: ((any Swift.Error) -> Void)?) {
        if let errorHandler { turn.onNextTurn { errorHandler(UISceneError(.requestDenied)) } }
    }
}

extension UISystem {
    /// Grants or denies a request of the app by `activateSceneSession`.
    func activate(_ request: UISceneSessionActivationRequest) throws(UISceneError) {
        let isKnown = request.session?.isOpen ?? true
        guard !hasEnded, request.role == .windowApplication, isKnown, allowsActivation(request) else {
            throw UISceneError(.requestDenied)
        }
        let activities: Set<NSUserActivity> = request.userActivity.map { [$0] } ?? []
        do {
            if let scene = request.session?.scene {
                try connections.transitionNow(scene, through: .foregroundActive)
                if let activity = request.userActivity {
                    reports.traceCallback("continueUserActivity", scene.session, activity.activityType)
                    scene.delegate?.scene(scene, continue: activity)
                }
            } else if let session = request.session {
                try connect(session, userActivities: activities)
            } else if supportsMultipleScenes {
                try connect(userActivities: activities)
            } else {
                throw UISystem.Error.multipleScenesNotSupported
            }
        } catch {
            log("A scene that the app requested cannot be shown: \(error).")
            let isSecond = error as? UISystem.Error == .multipleScenesNotSupported
            throw UISceneError(isSecond ? .multipleScenesNotSupported : .requestDenied)
        }
    }
}
