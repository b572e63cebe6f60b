internal import Settle

extension UISystem {
    /// Whether several scenes may be connected: the Info.plist says so, and the platform
    /// can show them.
    public var supportsMultipleScenes: Bool { connections.supportsMultipleScenes }

    /// Connects a new session's scene, as when a person opens the app or a new window. An
    /// app with one scene at a time has one session, which is used again once its scene has
    /// disconnected.
    ///
    /// - Parameters:
    ///   - role: The role of the session.
    ///   - frame: The window's frame on the screen, in points, where scenes are windows of
    ///     variable size; `nil` for the whole screen on pads, and for a window in its
    ///     middle elsewhere.
    ///   - urls: What the scene is to open; they are in its connection options.
    ///   - userActivities: What the scene is to continue; they are in its connection options.
    ///   - state: The state that the scene enters.
    /// - Throws: `UISystem.Error` if the app does not configure such scenes, if it has one
    ///   scene at a time and that is connected or just disconnecting, if no attached external
    ///   display is free for a scene of that role, or if the app was terminated; `EngineError`
    ///   if `scenesMax` scenes are connected.
    @discardableResult
    public func connect(
        role: UISceneSession.Role = .windowApplication, frame: CGRect? = nil, urls: [URL] = [],
        userActivities: Set<NSUserActivity> = [], state: UIScene.ActivationState = .foregroundActive
    ) throws -> UIScene {
        let hasOneSession = role == .windowApplication && !supportsMultipleScenes
        let session =
            hasOneSession ? app.lastActiveSession ?? UISceneSession(role: role) : UISceneSession(role: role)
        return try connect(session, frame: frame, urls: urls, userActivities: userActivities, state: state)
    }

    /// Connects a session's scene again. A connected scene enters `state`, opens the URLs and
    /// continues the activities.
    ///
    /// - Throws: The errors of the other `connect`; `notConnected` while the session's scene
    ///   disconnects.
    @discardableResult
    public func connect(
        _ session: UISceneSession, frame: CGRect? = nil, urls: [URL] = [],
        userActivities: Set<NSUserActivity> = [], state: UIScene.ActivationState = .foregroundActive
    ) throws -> UIScene {
        let options = UIScene.ConnectionOptions(urls.map { UIOpenURLContext($0) }, userActivities: userActivities)
        guard let scene = session.scene else {
            return try connections.connect(session, options, frame: frame, state: state)
        }
        guard connections.isConnected(scene) else { throw UISystem.Error.notConnected }
        try turn.changeState { [unowned self] in
            try connections.transitionNow(scene, through: state)
            try connections.open(options, in: scene)
        }
        return scene
    }

    /// Disconnects the scene by way of the background, as when the system needs its memory.
    /// The session stays open.
    ///
    /// - Throws: `notConnected`; `ended`.
    public func disconnect(_ scene: UIScene) throws {
        guard connections.isConnected(scene) else { throw UISystem.Error.notConnected }
        try turn.changeState { [unowned self] in try connections.disconnectNow(scene, at: now) }
    }

    /// Closes a session for good, as when a person swipes it away. Its scene disconnects.
    public func discard(_ session: UISceneSession) {
        try? turn.changeState { [unowned self] in connections.discardNow(session) }
    }
}

/// How the sessions' scenes connect, live and disconnect.
@MainActor final class Connections {
    var persistence: SessionPersistence?
    var lastActivationOrder: UInt64 = 0
    private(set) var connectedScenes: [ObjectIdentifier: UIScene] = [:]
    /// External displays on which the app was not offered a scene yet.
    var displaysToOffer: [UIScreen] = []
    /// False while an app without scenes launches whose delegate refused its launch URLs.
    var opensLaunchURLs = true
    /// Windows of an app without scenes, while its one scene is not connected.
    private var windowsWithoutScene: [UIWindow] = []

    let configuration: UISystem.Configuration
    let app: RunningApp
    let displays: Displays
    let engine: SceneEngine
    let turn: Turn
    let reports: Reports

    init(_ configuration: UISystem.Configuration, _ app: RunningApp, _ displays: Displays, _ engine: SceneEngine) {
        self.configuration = configuration
        self.app = app
        self.displays = displays
        self.engine = engine
        turn = engine.turn
        reports = engine.reports
    }

    /// See `UISystem.supportsMultipleScenes`.
    var supportsMultipleScenes: Bool {
        app.infoPlist.sceneManifest?.supportsMultipleScenes == true && displays.platform.kind != .phone
    }

    func connect(
        _ session: UISceneSession, _ options: UIScene.ConnectionOptions, frame: CGRect? = nil,
        state: UIScene.ActivationState = .foregroundActive
    ) throws -> UIScene {
        // A scene in its last callback is not connected any more, but its session is in use.
        let isSecond = app.sessions.contains { $0.role == .windowApplication && $0.scene != nil }
        if session.role == .windowApplication, isSecond, !supportsMultipleScenes {
            throw UISystem.Error.multipleScenesNotSupported
        }
        guard session.role == .windowExternalDisplayNonInteractive else {
            return try turn.hostCall {
                try connectScene(
                    of: session, options, on: displays.mainScreen, frame: frame ?? defaultFrame, state: state,
                    firstEvent: submitInitialSize(of:))
            }
        }
        guard let screen = displays.screens.first(where: displays.isFree) else {
            throw UISystem.Error.noFreeDisplay
        }
        return try turn.hostCall {
            try connect(session, options, onDisplay: screen, state: state)
        }
    }

    /// The first event of a scene that connects. It does not say whether a window is being
    /// resized, so that a held pointer button can say it until `beginResize` does.
    func submitInitialSize(of scene: UIWindowScene) {
        displays.update(scene, by: .geometry(scene.identity, at: engine.now, size: Size(scene.pending.size)))
    }

    private var defaultFrame: CGRect {
        let bounds = displays.mainScreen.bounds
        guard displays.platform.kind == .mac || displays.platform.kind == .vision else { return bounds }
        let size = CGSize(width: min(1024, bounds.width), height: min(768, bounds.height))
        return CGRect(
            x: ((bounds.width - size.width) / 2).rounded(), y: ((bounds.height - size.height) / 2).rounded(),
            width: size.width, height: size.height)
    }

    /// Makes a session's scene, connects it, and brings it to a state.
    ///
    /// - Parameter firstEvent: Submits the scene's first event. Its geometry is the one with
    ///   which the scene connects, and part of the scene's first callback.
    func connectScene(
        of session: UISceneSession, _ options: UIScene.ConnectionOptions, on screen: UIScreen, frame: CGRect,
        state: UIScene.ActivationState, firstEvent: (UIWindowScene) -> Void
    ) throws -> UIScene {
        guard app.phase != .ended else { throw UISystem.Error.ended }
        if app.phase == .withoutScenes {
            guard session.isOpen else { throw UISystem.Error.multipleScenesNotSupported }
            return try connectWithoutScenes(session, options, frame: frame, state: state, firstEvent: firstEvent)
        }
        guard let configuration = try configuration(for: session, options) else {
            return try connectWithoutScenes(session, options, frame: frame, state: state, firstEvent: firstEvent)
        }
        session.configuration = configuration
        let sceneClass = configuration.sceneClass as? UIScene.Type ?? UIWindowScene.self
        let scene = sceneClass.init(session: session, connectionOptions: options)
        if let scene = scene as? UIWindowScene { try prepare(scene, on: screen, frame: frame) }
        register(session, scene)
        if let delegateClass = configuration.delegateClass as? NSObject.Type {
            scene.delegate = delegateClass.newInstance() as? any UISceneDelegate
        }
        if let scene = scene as? UIWindowScene {
            firstEvent(scene)
            scene.setInitialGeometry()
            showStoryboard(configuration.storyboard, in: scene)
        }
        options.notificationResponse?.targetScene = scene
        reports.traceCallback("willConnectTo", session, configuration.name ?? "")
        scene.delegate?.scene(scene, willConnectTo: session, options: options)
        (scene as? UIWindowScene)?.readControlStyle()
        NotificationCenter.default.post(name: UIScene.willConnectNotification, object: scene)
        if let activity = session.restorableActivity {
            reports.traceCallback("restoreInteractionStateWith", session, activity.activityType)
            scene.delegate?.scene(scene, restoreInteractionStateWith: activity)
        }
        try transitionNow(scene, through: state)
        offerDisplays()
        return scene
    }

    private func register(_ session: UISceneSession, _ scene: UIScene) {
        session.scene = scene
        connectedScenes[ObjectIdentifier(scene)] = scene
        if !session.isOpen { app.sessions.append(session) }
        session.isOpen = true
        session.configurationStatus = app.phase == .scenes ? .known : .undecided
        persistence?.save(session)
    }

    /// Connects the one scene of an app without scenes, of which only the app delegate gets
    /// callbacks.
    private func connectWithoutScenes(
        _ session: UISceneSession, _ options: UIScene.ConnectionOptions, frame: CGRect,
        state: UIScene.ActivationState, firstEvent: (UIWindowScene) -> Void
    ) throws -> UIScene {
        let scene = UIWindowScene(session: session, connectionOptions: options)
        try prepare(scene, on: displays.mainScreen, frame: frame)
        app.phase = .withoutScenes
        register(session, scene)
        firstEvent(scene)
        scene.setInitialGeometry()
        for window in windowsWithoutScene { window.windowScene = scene }
        windowsWithoutScene = []
        // The app opens its launch URLs on its way to the foreground.
        if opensLaunchURLs, !options.contexts.isEmpty { try open(options.contexts, in: scene) }
        if opensLaunchURLs, let item = options.shortcutItem { try perform(item, in: scene) { _ in } }
        try transitionNow(scene, through: state)
        return scene
    }

    /// Connects the scene to the engine, and gives it its first geometry and the bounds that
    /// the platform and the app set. An empty frame sets no size.
    private func prepare(_ scene: UIWindowScene, on screen: UIScreen, frame: CGRect) throws {
        try engine.bind(scene)
        scene.screen = screen
        scene.sizing = displays.sizing(on: screen)
        if displays.platform.isLetterboxed, !screen.isExternal { scene.scaling = .letterbox }
        var initial = screen.bounds
        switch scene.sizing {
        case .window:
            scene.sizeRestrictions = UISceneSizeRestrictions(scene)
            if frame.isUsable { initial = frame }
        case .scaled:
            if frame.isUsable, !frame.isEmpty { scene.scale(into: frame) }
        case .screen: break
        }
        scene.setPending(initial, screen.orientation)
    }

    private func showStoryboard(_ storyboard: UIStoryboard?, in scene: UIWindowScene) {
        guard let storyboard else { return }
        guard let controller = storyboard.instantiateInitialViewController() else {
            reports.log(
                "storyboard \"\(storyboard.name)\" has no view controller; register one with "
                    + "UISystem.registerStoryboard, or make the window in scene(_:willConnectTo:options:)")
            return
        }
        let window = UIWindow(windowScene: scene)
        window.rootViewController = controller
        scene.windowDelegate?.window = window
        window.makeKeyAndVisible()
    }

    /// Shows a window of an app without scenes in its one scene, now or once that connects.
    func showWithoutScene(_ window: UIWindow) {
        switch app.phase {
        case .launching: windowsWithoutScene.append(window)
        case .withoutScenes: window.windowScene = app.windowScenes.first
        case .made, .scenes, .ended: break
        }
    }

    // MARK: Disconnecting

    func isConnected(_ scene: UIScene) -> Bool { connectedScenes[ObjectIdentifier(scene)] != nil }

    func disconnectNow(_ scene: UIScene, at moment: Timestamp) throws {
        guard isConnected(scene) else { return }
        try transitionNow(scene, through: .background)
        if let scene = scene as? UIWindowScene {
            scene.showsWindows = false
            windowsDidChange([scene])
            displays.setLockPreference(false, of: scene)
            engine.disconnect(columnsOf: scene)
            // Its last decisions are processed while the engine's handle still leads to it.
            engine.submit(.disconnect(scene.identity, at: moment))
            engine.unbind(scene)
        }
        scene.activationState = .unattached
        // In its last callbacks the scene counts as not connected.
        connectedScenes[ObjectIdentifier(scene)] = nil
        reports.traceCallback("sceneDidDisconnect", scene.session)
        scene.delegate?.sceneDidDisconnect(scene)
        NotificationCenter.default.post(name: UIScene.didDisconnectNotification, object: scene)
        detach(scene)
    }

    /// Removes the references between a scene, its session and its windows.
    func detach(_ scene: UIScene) {
        scene.session.scene = nil
        let windows = (scene as? UIWindowScene)?.windows ?? []
        for window in windows { window.windowScene = nil }
        // The next scene of an app without scenes shows them again.
        if app.phase == .withoutScenes { windowsWithoutScene += windows }
    }

    func discardNow(_ session: UISceneSession) {
        guard session.isOpen else { return }
        if let scene = session.scene { try? disconnectNow(scene, at: engine.now) }
        app.sessions.removeAll { $0 === session }
        session.isOpen = false
        persistence?.remove(session)
        reports.traceCallback("didDiscardSceneSessions", session)
        app.delegate?.application(app.application, didDiscardSceneSessions: [session])
    }
}
