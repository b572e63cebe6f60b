internal import Settle
public import SettleLog

extension UISystem {
    /// Replays a recorded log in virtual time. Each of the log's scenes is a window scene,
    /// whose session has the scene's name as its identifier, and connects with the first
    /// event that the log has of it. At the end every deadline fires at its own time, and
    /// the scenes stay connected.
    ///
    /// All scenes of the log connect, also in an app with one scene at a time. A scene that
    /// is connected already, as after an earlier replay, gets the log's events.
    ///
    /// - Throws: `LogError` at a fault, after what stands before it was replayed; what
    ///   `connect` throws.
    public func replay(_ reader: LogReader) throws {
        let batch = EventBatch()
        var sessions = LogSessions(open: app.sessions)
        var bindings = SceneBindings<UIWindowScene>()
        while try reader.read(into: batch) {
            for index in 0..<batch.count { try replay(batch[index], &bindings, &sessions, reader.scenes) }
        }
        finish()
    }

    private func replay(
        _ event: LogEvent, _ bindings: inout SceneBindings<UIWindowScene>, _ sessions: inout LogSessions,
        _ names: SceneNames
    ) throws {
        var isFirst = false
        let binding = try bindings.bind(event) {
            advance(to: event.at)
            let session = sessions.session(event.name, named: names[event.name])
            // A scene that an earlier replay left connected gets the event like any other.
            if let scene = session.scene { return try windowScene(scene) }
            isFirst = true
            return try connect(session, by: event)
        }
        var scene: UIWindowScene?
        switch binding {
        case .pointer: break
        case .bound(let known): scene = known
        case .newlyBound(let known):
            if isFirst { return }
            scene = known
        case .rejected:
            let isDisconnect = event.kind == .disconnect
            let left = isDisconnect ? sessions.session(event.name, named: names[event.name]).scene : nil
            guard let left else { return submitUnclamped(event.event(for: SceneID(rawValue: 0))) }
            scene = try windowScene(left)
        }
        let submitted = event.event(for: scene?.identity ?? SceneID(rawValue: 0))
        // A rejected event moves no time.
        if !timed.core.rejects(submitted) { advance(to: event.at) }
        submitUnclamped(submitted)
    }

    private func connect(_ session: UISceneSession, by event: LogEvent) throws -> UIWindowScene {
        try turn.hostCall {
            let scene = try connections.connectScene(
                of: session, UIScene.ConnectionOptions(), on: mainScreen, frame: .zero, state: .foregroundActive
            ) { scene in
                scene.title = session.persistentIdentifier
                apply(event.event(for: scene.identity), to: scene)
            }
            return try windowScene(scene)
        }
    }

    private func windowScene(_ scene: UIScene) throws -> UIWindowScene {
        guard let scene = scene as? UIWindowScene else {
            throw UISystem.Error.unusableClass(
                name: String(reflecting: type(of: scene)), key: "UISceneClassName",
                expected: "subclass of UIWindowScene, which a log's scenes are")
        }
        return scene
    }
}

@MainActor private struct LogSessions {
    private var sessions: [SceneNumber: UISceneSession] = [:]
    /// The sessions of earlier launches and replays, by their identifiers.
    private let open: [String: UISceneSession]

    init(open sessions: [UISceneSession]) {
        open = Dictionary(sessions.map { ($0.persistentIdentifier, $0) }) { first, _ in first }
    }

    /// The session of a scene, which is the same whenever the scene connects again.
    mutating func session(_ number: SceneNumber, named name: String) -> UISceneSession {
        if let session = sessions[number] ?? open[name] { return session }
        let session = UISceneSession(role: .windowApplication, persistentIdentifier: name)
        sessions[number] = session
        return session
    }
}
