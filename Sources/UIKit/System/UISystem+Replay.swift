internal import Settle
public import SettleLog

extension UISystem {
    /// Replays a recorded log in virtual time: each of the log's scenes is a window
    /// scene, whose session has the scene's name as its identifier, and connects when the
    /// log first tells of it. At the end every deadline fires at its own time, and the
    /// scenes stay connected.
    ///
    /// However many scenes the log has, they connect, also for an app that otherwise has
    /// one at a time.
    ///
    /// - Throws: `LogError` at a fault, after what stands before it was replayed; what
    ///   `connect` throws.
    public func replay(_ reader: LogReader) throws {
        let batch = EventBatch()
        var scenes: [UIWindowScene?] = []
        while try reader.read(into: batch) {
            let new = max(0, reader.scenes.count - scenes.count)
            scenes.append(contentsOf: repeatElement(nil, count: new))
            for index in 0..<batch.count {
                try replay(batch[index], &scenes, reader.scenes)
            }
        }
        finish()
    }

    /// Fires all deadlines at their own times: the end of virtual time.
    public func finish() {
        act {
            engine.finish { decided.append($0) }
            takeDecisions()
        }
    }

    private func replay(_ event: Event, _ scenes: inout [UIWindowScene?], _ names: SceneNames) throws {
        if event.kind == .pointer { return submit(event) }
        let number = Int(event.scene.rawValue)
        guard let scene = scenes[number] else {
            if event.kind != .disconnect { scenes[number] = try connect(event, named: names[event.scene]) }
            return
        }
        var event = event
        event.scene = scene.identity
        if event.kind == .disconnect { scenes[number] = nil }
        submit(event)
    }

    /// Connects a scene, of a session of the name, by its first event.
    private func connect(_ event: Event, named name: String) throws -> UIWindowScene? {
        let session = sessions.first { $0.persistentIdentifier == name && $0.scene == nil }
        let role = UISceneSession.Role.windowApplication
        return try act {
            let scene = try make(
                session
                    ?? UISceneSession(
                        role: role, persistentIdentifier: name,
                        configuration: UISceneConfiguration(name: nil, sessionRole: role)),
                UIScene.ConnectionOptions(), on: mainScreen, frame: .zero, state: .foregroundActive
            ) { scene in
                var event = event
                event.scene = scene.identity
                apply(event, to: scene)
            }
            scene.title = name
            return scene as? UIWindowScene
        }
    }
}
