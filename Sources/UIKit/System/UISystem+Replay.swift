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
        var scenes = LogScenes(open: sessions)
        while try reader.read(into: batch) {
            scenes.grow(to: reader.scenes.count)
            for index in 0..<batch.count { try replay(batch[index], &scenes, reader.scenes) }
        }
        finish()
    }

    private func replay(_ event: Event, _ scenes: inout LogScenes, _ names: SceneNames) throws {
        advance(to: event.at)
        if event.kind == .pointer { return submit(event) }
        guard let scene = try boundScene(for: event, &scenes, names) else { return }
        var event = event
        event.scene = scene.identity
        submit(event)
    }

    /// The connected scene that an event of the log is about. The first event of an unknown
    /// scene connects it: then, and for a scene that would disconnect at once, the event is
    /// done with and the result is `nil`.
    private func boundScene(
        for event: Event, _ scenes: inout LogScenes, _ names: SceneNames
    ) throws -> UIWindowScene? {
        let number = Int(event.scene.rawValue)
        if scenes.connected[number] == nil {
            let session = scenes.session(number, named: names[event.scene])
            guard let known = session.scene else {
                if event.kind != .disconnect { scenes.connected[number] = try connect(session, by: event) }
                return nil
            }
            scenes.connected[number] = try windowScene(known)
        }
        defer { if event.kind == .disconnect { scenes.connected[number] = nil } }
        return scenes.connected[number]
    }

    /// Connects a scene with its first event.
    private func connect(_ session: UISceneSession, by event: Event) throws -> UIWindowScene {
        try hostCall {
            let scene = try connectScene(
                of: session, UIScene.ConnectionOptions(), on: mainScreen, frame: .zero, state: .foregroundActive
            ) { scene in
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

/// The sessions and connected scenes of a log's scenes, by their numbers in the log.
@MainActor private struct LogScenes {
    var connected: [UIWindowScene?] = []
    private var sessions: [UISceneSession?] = []
    /// The sessions of earlier launches and replays, by their identifiers.
    private let open: [String: UISceneSession]

    init(open sessions: [UISceneSession]) {
        open = Dictionary(sessions.map { ($0.persistentIdentifier, $0) }) { first, _ in first }
    }

    mutating func grow(to count: Int) {
        connected.append(contentsOf: repeatElement(nil, count: max(0, count - connected.count)))
        sessions.append(contentsOf: repeatElement(nil, count: max(0, count - sessions.count)))
    }

    /// The session of a scene, which is the same whenever the scene connects again.
    mutating func session(_ number: Int, named name: String) -> UISceneSession {
        if let session = sessions[number] ?? open[name] { return session }
        let session = UISceneSession(role: .windowApplication, persistentIdentifier: name)
        sessions[number] = session
        return session
    }
}
