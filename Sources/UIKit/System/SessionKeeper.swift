/// Keeps sessions on disk across launches. What fails is reported and costs only itself.
@MainActor final class SessionKeeper {
    private let store: RestorationStore
    private let log: (String) -> Void

    /// - Throws: When the folder cannot be used, or another system uses it.
    init(folder: URL, log: @escaping (String) -> Void) throws(RestorationError) {
        store = try RestorationStore(folder: folder.path)
        self.log = log
    }

    /// The sessions that earlier launches left.
    func load() throws(RestorationError) -> [UISceneSession] {
        let content = try store.content()
        for fault in content.faults { log("A scene's state is lost: \(fault)") }
        return content.sessions.map(UISceneSession.init)
    }

    func keep(_ session: UISceneSession) {
        do {
            try store.store(StoredSession(session))
        } catch {
            log("The state of scene session \(session.persistentIdentifier) is not kept: \(error)")
        }
    }

    func remove(_ session: UISceneSession) {
        do {
            try store.remove(session.persistentIdentifier)
        } catch {
            log("Scene session \(session.persistentIdentifier) is still kept: \(error)")
        }
    }

    /// Lets another system use the folder.
    func close() { store.close() }
}

extension UISceneSession {
    fileprivate convenience init(_ stored: StoredSession) {
        let role = Role(rawValue: stored.role)
        self.init(
            role: role, persistentIdentifier: stored.persistentIdentifier,
            configuration: UISceneConfiguration(name: stored.configurationName, sessionRole: role))
        isOpen = true
        stateRestorationActivity = stored.stateRestorationActivity?.activity
        userInfo = stored.userInfo?.dictionary
    }
}

extension StoredSession {
    @MainActor fileprivate init(_ session: UISceneSession) throws(RestorationError) {
        self.init(
            persistentIdentifier: session.persistentIdentifier, role: session.role.rawValue,
            configurationName: session.configuration.name,
            stateRestorationActivity: try session.stateRestorationActivity.map { activity throws(RestorationError) in
                try StoredActivity(activity)
            },
            userInfo: try session.userInfo.map { info throws(RestorationError) in
                try StoredDictionary(info, named: "userInfo")
            })
    }
}
