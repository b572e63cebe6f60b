/// What comes to the app from outside, and what the app asks for.
extension UISystem {
    /// Somebody opens URLs in the app: in `scene`, or in the foremost one, which comes to
    /// the foreground first. Where no scene is connected, the session that was in front
    /// last connects with them, or a new one where there is none. No URLs change nothing.
    public func open(_ urls: [URL], in scene: UIScene? = nil, sourceApplication: String? = nil) throws {
        guard !urls.isEmpty else { return }
        let contexts = urls.map { UIOpenURLContext($0, sourceApplication: sourceApplication) }
        try changeState { [unowned self] in
            if let scene = scene ?? foremostScene {
                try open(contexts, in: scene)
            } else {
                _ = try connect(lastInFront ?? newSession(.windowApplication), UIScene.ConnectionOptions(contexts))
            }
        }
    }

    func open(_ contexts: [UIOpenURLContext], in scene: UIScene) throws {
        let urls = contexts.map(\.url.absoluteString).joined(separator: ", ")
        guard phase == .withoutScenes else {
            try takeSteps(scene, to: .foregroundActive)
            traceCallback("openURLContexts", scene.session, urls)
            scene.delegate?.scene(scene, openURLContexts: Set(contexts))
            return
        }
        // An app without scenes opens them between entering the foreground and becoming
        // active.
        if scene.activationState != .foregroundActive { try takeSteps(scene, to: .foregroundInactive) }
        traceCallback("open", nil, urls)
        for context in contexts { openWithoutScenes(context) }
        try takeSteps(scene, to: .foregroundActive)
    }

    private func openWithoutScenes(_ context: UIOpenURLContext) {
        let source = context.options.sourceApplication
        let options = source.map { [UIApplication.OpenURLOptionsKey.sourceApplication: $0] } ?? [:]
        _ = application.delegate?.application(application, open: context.url, options: options)
    }

    /// A scene in the background lies behind all in the foreground.
    private var foremostScene: UIScene? {
        func rank(_ scene: UIScene) -> (Int, UInt64) {
            (scene.activationState.isInForeground ? 1 : 0, scene.session.activation)
        }
        return scenes.filter { $0.session.role == .windowApplication }.max { rank($0) < rank($1) }
    }

    /// How the scene's delegate wants the window's own controls to look.
    public func windowingControlStyle(of scene: UIWindowScene) -> UIWindowScene.WindowingControlStyle {
        scene.windowDelegate?.preferredWindowingControlStyle(for: scene) ?? .automatic
    }

    /// Grants or refuses what the app asked for by `activateSceneSession`.
    func activate(_ request: UISceneSessionActivationRequest) throws(UISceneError) {
        let isKnown = request.session?.isOpen ?? true
        guard phase != .ended, request.role == .windowApplication, isKnown, allowsActivation(request) else {
            throw UISceneError(.requestDenied)
        }
        let activities: Set<NSUserActivity> = request.userActivity.map { [$0] } ?? []
        do {
            if let scene = request.session?.scene {
                try takeSteps(scene, to: .foregroundActive)
                if let activity = request.userActivity {
                    traceCallback("continueUserActivity", scene.session, activity.activityType)
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
            log("A scene that was asked for cannot be shown: \(error).")
            let isSecond = error as? UISystem.Error == .multipleScenesNotSupported
            throw UISceneError(isSecond ? .multipleScenesNotSupported : .requestDenied)
        }
    }
}
