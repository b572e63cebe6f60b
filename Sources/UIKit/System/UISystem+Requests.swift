/// What comes to the app from outside, and what the app asks for.
extension UISystem {
    /// Somebody opens URLs in the app: in `scene`, or in the foremost one, which comes to
    /// the foreground first. Where no scene is connected, one connects with them.
    public func open(_ urls: [URL], in scene: UIScene? = nil, sourceApplication: String? = nil) throws {
        guard let scene = scene ?? foremostScene else {
            try connect(urls: urls)
            return
        }
        try act {
            try bring(scene, to: .foregroundActive)
            if phase == .withoutScenes {
                let options = sourceApplication.map { [UIApplication.OpenURLOptionsKey.sourceApplication: $0] } ?? [:]
                announce("open", nil, urls.map(\.absoluteString).joined(separator: ", "))
                for url in urls { _ = application.delegate?.application(application, open: url, options: options) }
            } else {
                let contexts = urls.map { UIOpenURLContext($0, sourceApplication: sourceApplication) }
                announce("openURLContexts", scene.session, urls.map(\.absoluteString).joined(separator: ", "))
                scene.delegate?.scene(scene, openURLContexts: Set(contexts))
            }
        }
    }

    private var foremostScene: UIScene? {
        let open = scenes.filter { $0.session.role == .windowApplication }
        return open.first { $0.activationState == .foregroundActive } ?? open.first
    }

    /// How the scene's delegate wants the window's own controls to look.
    public func windowingControlStyle(of scene: UIWindowScene) -> UIWindowScene.WindowingControlStyle {
        scene.windowDelegate?.preferredWindowingControlStyle(for: scene) ?? .automatic
    }

    /// Grants or refuses what the app asked for by `activateSceneSession`.
    func activate(_ request: UISceneSessionActivationRequest) throws(UISceneError) {
        let isKnown = request.session?.isOpen ?? true
        guard request.role == .windowApplication, isKnown, allowsActivation(request) else {
            throw UISceneError(.requestDenied)
        }
        let activities: Set<NSUserActivity> = request.userActivity.map { [$0] } ?? []
        do {
            if let scene = request.session?.scene {
                try bring(scene, to: .foregroundActive)
                if let activity = request.userActivity {
                    announce("continueUserActivity", scene.session, activity.activityType)
                    scene.delegate?.scene(scene, continue: activity)
                }
            } else if let session = request.session {
                try connect(session, userActivities: activities)
            } else if supportsMultipleScenes {
                try connect(userActivities: activities)
            } else {
                throw UISystemError.multipleScenesNotSupported
            }
        } catch {
            log("A scene that was asked for cannot be shown: \(error).")
            let isSecond = error as? UISystemError == .multipleScenesNotSupported
            throw UISceneError(isSecond ? .multipleScenesNotSupported : .requestDenied)
        }
    }
}
