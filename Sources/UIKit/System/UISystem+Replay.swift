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
        var scenes = LogScenes(known: Dictionary(known) { first, _ in first })
        while try reader.read(into: batch) {
            scenes.grow(to: reader.scenes.count)
            for index in 0..<batch.count { try replay(batch[index], &scenes, reader.scenes) }
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

    private func replay(_ event: Event, _ scenes: inout LogScenes, _ names: SceneNames) throws {
        advance(to: event.at)
        if event.kind == .pointer { return submit(event) }
        let number = Int(event.scene.rawValue)
        guard let scene = scenes.connected[number] else {
            let session = scenes.session(number, named: names[event.scene])
            if let scene = session.scene {
                // An earlier replay left it connected.
                scenes.connected[number] = try windowScene(scene)
                return try replay(event, &scenes, names)
            }
            guard event.kind != .disconnect else { return }
            scenes.connected[number] = try connect(session, by: event)
            return
        }
        var event = event
        event.scene = scene.identity
        if event.kind == .disconnect { scenes.connected[number] = nil }
        submit(event)
    }

    /// Connects a scene by its first event.
    private func connect(_ session: UISceneSession, by event: Event) throws -> UIWindowScene {
        try act {
            let options = UIScene.ConnectionOptions()
            let scene = try make(session, options, on: mainScreen, frame: .zero, state: .foregroundActive) { scene in
                scene.title = session.persistentIdentifier
                var event = event
                event.scene = scene.identity
                apply(event, to: scene)
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

/// What became of a log's scenes, by their numbers in the log.
@MainActor private struct LogScenes {
    /// Sessions of earlier launches and replays, by their identifiers.
    let known: [String: UISceneSession]
    var connected: [UIWindowScene?] = []
    private var sessions: [UISceneSession?] = []

    init(known: [String: UISceneSession]) {
        self.known = known
    }

    mutating func grow(to count: Int) {
        connected.append(contentsOf: repeatElement(nil, count: max(0, count - connected.count)))
        sessions.append(contentsOf: repeatElement(nil, count: max(0, count - sessions.count)))
    }

    /// The same whenever the scene comes back.
    mutating func session(_ number: Int, named name: String) -> UISceneSession {
        if let session = sessions[number] ?? known[name] { return session }
        let role = UISceneSession.Role.windowApplication
        let session = UISceneSession(
            role: role, persistentIdentifier: name, configuration: UISceneConfiguration(name: nil, sessionRole: role))
        sessions[number] = session
        return session
    }
}
