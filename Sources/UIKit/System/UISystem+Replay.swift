internal import Settle
public import SettleLog

extension UISystem {
    /// Replays a recorded log in virtual time: each of the log's scenes is a window
    /// scene, whose session has the scene's name as its identifier, and connects when the
    /// log first tells of it. At the end every deadline fires at its own time, and the
    /// scenes stay connected.
    ///
    /// However many scenes the log has, they connect, also for an app that otherwise has
    /// one at a time. A scene that is connected already, as after an earlier replay, gets
    /// the log's events.
    ///
    /// - Throws: `LogError` at a fault, after what stands before it was replayed; what
    ///   `connect` throws.
    public func replay(_ reader: LogReader) throws {
        let batch = EventBatch()
        let known = sessions.map { ($0.persistentIdentifier, $0) }
        var sessions = LogSessions(known: Dictionary(known) { first, _ in first })
        var bindings = SceneBindings<UIWindowScene>()
        while try reader.read(into: batch) {
            for index in 0..<batch.count { try replay(batch[index], &bindings, &sessions, reader.scenes) }
        }
        finish()
    }

    /// Fires all deadlines at their own times: the end of virtual time. An app that arms
    /// another one in each callback is left after some, and it is logged.
    public func finish() {
        takeNextTurn()
        // Of itself a scene has no more: an interaction that times out, a rebuild, a lock.
        var left = 3 * engine.statistics.scenes + Self.callbacksMax
        while let due = engine.nextDeadline {
            guard left > 0 else {
                return log(
                    "Virtual time ends at \(due.nanoseconds) ns: the app's callbacks arm another deadline each time.")
            }
            left -= 1
            advance(to: due)
        }
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
        case .unknownDisconnect:
            let left = sessions.session(event.name, named: names[event.name]).scene
            // The engine rejects and counts the disconnect of no scene, which moves no time.
            guard let left else { return submit(event.event(for: SceneID(rawValue: 0))) }
            scene = try windowScene(left)
        }
        advance(to: event.at)
        submit(event.event(for: scene?.identity ?? SceneID(rawValue: 0)))
    }

    /// Connects a scene by its first event.
    private func connect(_ session: UISceneSession, by event: LogEvent) throws -> UIWindowScene {
        try act {
            let options = UIScene.ConnectionOptions()
            let scene = try make(session, options, on: mainScreen, frame: .zero, state: .foregroundActive) { scene in
                scene.title = session.persistentIdentifier
                apply(event.event(for: scene.identity), to: scene)
            }
            return try windowScene(scene)
        }
    }

    private func windowScene(_ scene: UIScene) throws -> UIWindowScene {
        guard let scene = scene as? UIWindowScene else {
            throw UISystemError.unusableClass(
                name: String(reflecting: type(of: scene)), key: "UISceneClassName",
                expected: "subclass of UIWindowScene, which a log's scenes are")
        }
        return scene
    }
}

/// The sessions of a log's scenes.
@MainActor private struct LogSessions {
    /// Sessions of earlier launches and replays, by their identifiers.
    let known: [String: UISceneSession]
    private var sessions: [SceneNumber: UISceneSession] = [:]

    init(known: [String: UISceneSession]) {
        self.known = known
    }

    /// The session of a scene, the same whenever the scene connects again.
    mutating func session(_ number: SceneNumber, named name: String) -> UISceneSession {
        if let session = sessions[number] ?? known[name] { return session }
        let role = UISceneSession.Role.windowApplication
        let session = UISceneSession(
            role: role, persistentIdentifier: name, configuration: UISceneConfiguration(name: nil, sessionRole: role))
        sessions[number] = session
        return session
    }
}
