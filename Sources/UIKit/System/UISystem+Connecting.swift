internal import Settle

/// How scenes come and go.
extension UISystem {
    /// Whether several scenes may be connected: the Info.plist says so, and the platform
    /// can show them.
    public var supportsMultipleScenes: Bool {
        infoPlist.sceneManifest?.supportsMultipleScenes == true && platform.kind != .phone
    }

    /// Connects a new session's scene, as when a person opens the app or a new window. An
    /// app that has one scene at a time has one session, which comes back if its scene has
    /// gone.
    ///
    /// - Parameters:
    ///   - frame: Of a window on the screen, in points; `nil` for the whole screen on pads,
    ///     and for a window in its middle elsewhere. It counts where windows vary in size.
    ///   - state: Where the scene's life goes at once.
    /// - Throws: `UISystem.Error` when the app does not say how, when it has one scene at a
    ///   time and that is connected, when no attached external display is free for a scene of
    ///   that role, or when the app was terminated; `EngineError` when `scenesMax` scenes are
    ///   connected.
    @discardableResult
    public func connect(
        role: UISceneSession.Role = .windowApplication, frame: CGRect? = nil, urls: [URL] = [],
        userActivities: Set<NSUserActivity> = [], state: UIScene.ActivationState = .foregroundActive
    ) throws -> UIScene {
        let isOne = role == .windowApplication && !supportsMultipleScenes
        let session = isOne ? lastInFront ?? newSession(role) : newSession(role)
        return try connect(session, frame: frame, urls: urls, userActivities: userActivities, state: state)
    }

    func newSession(_ role: UISceneSession.Role) -> UISceneSession {
        UISceneSession(
            role: role, persistentIdentifier: UUID().uuidString,
            configuration: UISceneConfiguration(name: nil, sessionRole: role))
    }

    /// Of the sessions of the app's windows that have no scene, the one whose scene was in
    /// front last.
    var lastInFront: UISceneSession? {
        sessions.filter { $0.role == .windowApplication && $0.scene == nil }.max { $0.activation < $1.activation }
    }

    /// Connects a session's scene anew. A connected one only comes to `state`, and opens
    /// the URLs.
    ///
    /// - Throws: As the other `connect`; `notConnected` while the session's scene
    ///   disconnects.
    @discardableResult
    public func connect(
        _ session: UISceneSession, frame: CGRect? = nil, urls: [URL] = [],
        userActivities: Set<NSUserActivity> = [], state: UIScene.ActivationState = .foregroundActive
    ) throws -> UIScene {
        let contexts = urls.map { UIOpenURLContext($0) }
        guard let scene = session.scene else {
            let options = UIScene.ConnectionOptions(contexts, userActivities: userActivities)
            return try connect(session, options, frame: frame, state: state)
        }
        guard isConnected(scene) else { throw UISystem.Error.notConnected }
        try changeState { [unowned self] in
            try takeSteps(scene, to: state)
            if !contexts.isEmpty { try open(contexts, in: scene) }
        }
        return scene
    }

    func connect(
        _ session: UISceneSession, _ options: UIScene.ConnectionOptions, frame: CGRect? = nil,
        state: UIScene.ActivationState = .foregroundActive
    ) throws -> UIScene {
        let isSecond = connected.values.contains { $0.session.role == .windowApplication }
        if session.role == .windowApplication, isSecond, !supportsMultipleScenes {
            throw UISystem.Error.multipleScenesNotSupported
        }
        guard session.role == .windowExternalDisplayNonInteractive else {
            return try act {
                try make(
                    session, options, on: mainScreen, frame: frame ?? defaultFrame, state: state, first: tellSize(of:))
            }
        }
        guard let screen = screens.first(where: isFree) else { throw UISystem.Error.noFreeDisplay }
        return try act { try connect(session, options, onDisplay: screen, state: state) }
    }

    /// The first event of a scene that connects. Of a window it says nothing about being
    /// resized, so that a held pointer button can say it until `beginResize` does; what has
    /// one size is never resized.
    func tellSize(of scene: UIWindowScene) {
        impose(
            .geometry(
                scene.identity, at: now, size: Size(scene.state.size),
                isInteractivelyResizing: scene.sizing == .window ? nil : false),
            on: scene)
    }

    private var defaultFrame: CGRect {
        let bounds = mainScreen.bounds
        guard platform.kind == .mac || platform.kind == .vision else { return bounds }
        let size = CGSize(width: min(1024, bounds.width), height: min(768, bounds.height))
        return CGRect(
            x: ((bounds.width - size.width) / 2).rounded(), y: ((bounds.height - size.height) / 2).rounded(),
            width: size.width, height: size.height)
    }

    /// Makes a session's scene and lets it live. What `first` feeds the engine is told
    /// with the first call.
    func make(
        _ session: UISceneSession, _ options: UIScene.ConnectionOptions, on screen: UIScreen, frame: CGRect,
        state: UIScene.ActivationState, first: (UIWindowScene) -> Void
    ) throws -> UIScene {
        guard phase != .ended else { throw UISystem.Error.ended }
        if phase == .withoutScenes {
            guard session.isOpen else { throw UISystem.Error.multipleScenesNotSupported }
            return try makeWithoutScenes(session, options, frame: frame, state: state, first: first)
        }
        guard let configuration = try configuration(for: session, options) else {
            return try makeWithoutScenes(session, options, frame: frame, state: state, first: first)
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
            first(scene)
            showStoryboard(configuration.storyboard, in: scene)
        }
        traceCallback("willConnectTo", session, configuration.name ?? "")
        scene.delegate?.scene(scene, willConnectTo: session, options: options)
        post(UIScene.willConnectNotification, scene)
        if let activity = session.keptActivity {
            traceCallback("restoreInteractionStateWith", session, activity.activityType)
            scene.delegate?.scene(scene, restoreInteractionStateWith: activity)
        }
        try takeSteps(scene, to: state)
        offerDisplays()
        return scene
    }

    private func register(_ session: UISceneSession, _ scene: UIScene) {
        session.scene = scene
        connected[ObjectIdentifier(scene)] = scene
        if !session.isOpen { sessions.append(session) }
        session.isOpen = true
        session.setup = phase == .scenes ? .known : .none
        keeper?.keep(session)
    }

    /// The one scene of an app without scenes: nobody hears of it but the app delegate.
    private func makeWithoutScenes(
        _ session: UISceneSession, _ options: UIScene.ConnectionOptions, frame: CGRect,
        state: UIScene.ActivationState, first: (UIWindowScene) -> Void
    ) throws -> UIScene {
        let scene = UIWindowScene(session: session, connectionOptions: options)
        try prepare(scene, on: mainScreen, frame: frame)
        phase = .withoutScenes
        register(session, scene)
        first(scene)
        for window in loneWindows { window.windowScene = scene }
        loneWindows = []
        // The app opens what it was launched for on its way to the foreground.
        if opensLaunchURLs, !options.contexts.isEmpty { try open(options.contexts, in: scene) }
        try takeSteps(scene, to: state)
        return scene
    }

    /// Gives the scene its place in the engine and on the screen.
    private func prepare(_ scene: UIWindowScene, on screen: UIScreen, frame: CGRect) throws {
        scene.identity = try engine.connect()
        let index = indices[scene.identity]
        if index >= scenesByIndex.count {
            scenesByIndex.append(contentsOf: repeatElement(nil, count: index + 1 - scenesByIndex.count))
        }
        scenesByIndex[index] = scene
        scene.screen = screen
        scene.state.orientation = screen.orientation
        settleIn(scene, frame)
        scene.effectiveGeometry = GeometrySnapshot(scene.state)
    }

    /// The scene's first place, and the bounds that its platform and its app set. An
    /// empty frame says nothing.
    private func settleIn(_ scene: UIWindowScene, _ frame: CGRect) {
        let bounds = scene.screen.bounds
        scene.sizing = sizing(on: scene.screen)
        if platform.isLetterboxed, !scene.screen.isExternal { scene.scaling = .letterbox }
        switch scene.sizing {
        case .window:
            scene.sizeRestrictions = UISceneSizeRestrictions(scene)
            let place = frame.isSound ? frame : bounds
            (scene.state.size, scene.state.origin) = (place.size, place.origin)
        case .scaled:
            if frame.isSound, !frame.isEmpty { scene.show(in: frame) }
            fallthrough
        case .screen: (scene.state.size, scene.state.origin) = (bounds.size, bounds.origin)
        }
    }

    /// The configuration that a known session has, else the app's answer, else the
    /// manifest's. `nil` for an app that does not adopt the scene life cycle.
    private func configuration(
        for session: UISceneSession, _ options: UIScene.ConnectionOptions
    ) throws -> UISceneConfiguration? {
        switch session.setup {
        case .known:
            if phase == .launching { phase = .scenes }
            return session.configuration
        case .lost:
            let name = session.configuration.name.map { " \"\($0)\"" } ?? ""
            log(
                "Scene session \(session.persistentIdentifier) is configured anew: its configuration\(name) or a class "
                    + "of it is gone.")
        case .none: break
        }
        traceCallback("configurationForConnecting", session)
        let answer = application.delegate?.application(
            application, configurationForConnecting: session, options: options)
        guard let answer, answer !== UISceneConfiguration.undecided else {
            return try declaredConfiguration(for: session)
        }
        if phase == .launching { phase = .scenes }
        guard answer.role == session.role else {
            throw UISystem.Error.wrongRole(found: answer.role.rawValue, expected: session.role.rawValue)
        }
        try checkClasses(of: answer)
        // What the manifest gets wrong does no harm where the app says it itself.
        if let fault = answer.fault, answer.delegateClass == nil { throw fault }
        if let name = answer.name, !answer.isDeclared, answer.delegateClass == nil {
            let known = infoPlist.sceneManifest?.configurations[answer.role.rawValue]?.compactMap(\.name) ?? []
            throw UISystem.Error.unknownConfiguration(name: name, role: answer.role.rawValue, known: known)
        }
        return answer
    }

    private func checkClasses(of answer: UISceneConfiguration) throws {
        if let found = answer.sceneClass, !(found is UIScene.Type) {
            throw UISystem.Error.wrongClass(
                name: String(reflecting: found), property: "sceneClass", expected: "subclass of UIScene")
        }
        if let found = answer.delegateClass, !(found is any UISceneDelegate.Type && found is NSObject.Type) {
            throw UISystem.Error.wrongClass(
                name: String(reflecting: found), property: "delegateClass",
                expected: "subclass of NSObject that adopts UISceneDelegate")
        }
    }

    private func declaredConfiguration(for session: UISceneSession) throws -> UISceneConfiguration? {
        var configuration = session.configuration
        if !configuration.isDeclared {
            configuration = UISceneConfiguration(name: nil, sessionRole: session.role)
        }
        if let fault = configuration.fault { throw fault }
        if configuration.isDeclared {
            if phase == .launching { phase = .scenes }
            return configuration
        }
        guard infoPlist.sceneManifest?.declaresScenes != true, session.role == .windowApplication, phase == .launching
        else {
            throw UISystem.Error.noConfiguration(role: session.role.rawValue)
        }
        switch LifecycleRequirement(on: platform) {
        case .none: break
        case .warning(let text): log(text)
        case .required: throw UISystem.Error.scenesRequired
        }
        return nil
    }

    private func showStoryboard(_ storyboard: UIStoryboard?, in scene: UIWindowScene) {
        guard let storyboard else { return }
        guard let controller = storyboard.instantiateInitialViewController() else {
            log(
                "storyboard \"\(storyboard.name)\" has no view controller; register one with UISystem.registerStoryboard, "
                    + "or make the window in scene(_:willConnectTo:options:)")
            return
        }
        let window = UIWindow(windowScene: scene)
        window.rootViewController = controller
        scene.windowDelegate?.window = window
        window.makeKeyAndVisible()
    }

    /// A window that an app without scenes made before its interface was there.
    func adopt(_ window: UIWindow) {
        switch phase {
        case .launching: loneWindows.append(window)
        case .withoutScenes: window.windowScene = windowScenes.first
        case .made, .scenes, .ended: break
        }
    }

    /// Disconnects the scene, by way of the background, as when the system needs its
    /// memory. The session stays.
    ///
    /// - Throws: `notConnected`.
    public func disconnect(_ scene: UIScene) throws {
        guard isConnected(scene) else { throw UISystem.Error.notConnected }
        try changeState { [unowned self] in try endConnection(of: scene, at: now) }
    }

    /// Nothing happens to a scene that was disconnected since it was asked for.
    func endConnection(of scene: UIScene, at moment: Timestamp) throws {
        guard isConnected(scene) else { return }
        try takeSteps(scene, to: .background)
        if let scene = scene as? UIWindowScene {
            prefer(false, in: scene)
            // Its decisions are told while the scene still has its place.
            hand(.disconnect(scene.identity, at: moment))
            forget(scene)
        }
        scene.activationState = .unattached
        // What the app asks for in its last callbacks finds no scene.
        connected[ObjectIdentifier(scene)] = nil
        traceCallback("sceneDidDisconnect", scene.session)
        scene.delegate?.sceneDidDisconnect(scene)
        post(UIScene.didDisconnectNotification, scene)
        release(scene)
    }

    /// Once the decisions about the scene, which may wait for others, were heard.
    private func forget(_ scene: UIWindowScene) {
        if isTaking { return waiting.append { [unowned self] in forget(scene) } }
        let index = indices[scene.identity]
        if scenesByIndex[index] === scene { scenesByIndex[index] = nil }
    }

    /// Undoes the references between a scene and what it shows.
    func release(_ scene: UIScene) {
        scene.session.scene = nil
        let windows = (scene as? UIWindowScene)?.windows ?? []
        for window in windows { window.windowScene = nil }
        // They come back with the app's one interface.
        if phase == .withoutScenes { loneWindows += windows }
    }

    /// Closes a session for good, as when a person swipes it away.
    public func discard(_ session: UISceneSession) {
        try? changeState { [unowned self] in remove(session) }
    }

    func remove(_ session: UISceneSession) {
        guard session.isOpen else { return }
        if let scene = session.scene { try? endConnection(of: scene, at: now) }
        sessions.removeAll { $0 === session }
        session.isOpen = false
        keeper?.remove(session)
        traceCallback("didDiscardSceneSessions", session)
        application.delegate?.application(application, didDiscardSceneSessions: [session])
    }
}
