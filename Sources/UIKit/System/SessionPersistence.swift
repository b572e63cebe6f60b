/// Stores sessions in a folder across launches or, without a folder, only logs what could
/// not be stored. A failure is logged and affects one session.
@MainActor final class SessionPersistence {
    private let store: RestorationStore?
    private let log: (String) -> Void
    /// What was left out of each session's state when it was saved last; it was logged.
    private var leftOut: [String: Set<String>] = [:]

    /// - Throws: If the folder cannot be used, or another system uses it.
    init(folder: URL, log: @escaping (String) -> Void) throws(UISystem.RestorationError) {
        store = try RestorationStore(folder: folder.path)
        self.log = log
    }

    init(log: @escaping (String) -> Void) {
        store = nil
        self.log = log
    }

    /// The sessions of earlier launches; the one that was in front last is the last.
    ///
    /// - Throws: `io`, if the folder cannot be listed.
    func load() throws(UISystem.RestorationError) -> [UISceneSession] {
        guard let store else { return [] }
        let result = try store.load()
        for fault in result.faults { log("The state of a scene is lost: \(fault)") }
        return result.sessions.map(UISceneSession.init).sorted { $0.activationOrder < $1.activationOrder }
    }

    func save(_ session: UISceneSession) {
        if store == nil, session.stateRestorationActivity == nil, session.userInfo == nil { return }
        do {
            let stored = try StoredSession(session)
            logLeftOut(stored.leftOut, of: session.persistentIdentifier)
            try store?.store(stored)
        } catch {
            log("The state of scene session \(session.persistentIdentifier) is not stored: \(error)")
        }
    }

    /// Logs the entries that are left out and were not when the session was saved last.
    private func logLeftOut(_ present: (first: [UISystem.RestorationError], count: Int), of session: String) {
        let known = leftOut[session] ?? []
        leftOut[session] = present.first.isEmpty ? nil : Set(present.first.map(\.location))
        let fresh = present.first.filter { !known.contains($0.location) }
        guard !fresh.isEmpty else { return }
        let logged = fresh.prefix(Self.loggedMax)
        // Entries beyond the first are only counted.
        let others = present.count - present.first.count + fresh.count - logged.count
        let more = others > 0 ? " and \(others) more" : ""
        log(
            "The state of scene session \(session) is stored without "
                + logged.map { "\($0.location), as it \($0.problem)" }.joined(separator: "; ") + more
                + " (\(logged[0].advice))")
    }

    private static let loggedMax = 10

    func remove(_ session: UISceneSession) {
        do {
            leftOut[session.persistentIdentifier] = nil
            try store?.remove(session.persistentIdentifier)
        } catch {
            log("The state of scene session \(session.persistentIdentifier) is not removed: \(error)")
        }
    }

    func close() { store?.close() }
}

extension UISceneSession {
    /// What the session's next scene gets: the same within a launch as in the next one.
    var restorableActivity: NSUserActivity? {
        stateRestorationActivity.flatMap { try? StoredActivity($0).activity }
    }

    fileprivate convenience init(_ stored: StoredSession) {
        let role = Role(rawValue: stored.role)
        let configuration = UISceneConfiguration(name: stored.configurationName, sessionRole: role)
        self.init(role: role, persistentIdentifier: stored.persistentIdentifier, configuration: configuration)
        isOpen = true
        let hadNone = stored.configurationName == nil && stored.delegateClassName == nil
        configurationStatus = configuration.restore(from: stored) ? .known : hadNone ? .undecided : .lost
        activationOrder = min(stored.activation ?? 0, Self.activationOrderMax)
        stateRestorationActivity = stored.stateRestorationActivity?.activity
        userInfo = stored.userInfo?.dictionary as? [String: Any]
    }

    /// No app gets so far, but a file may contain any number.
    private static let activationOrderMax: UInt64 = 1 << 62
}

extension UISceneConfiguration {
    /// Sets what the app chose itself for the stored session.
    ///
    /// - Returns: Whether a scene can be made with the result. It cannot if the manifest has
    ///   no such entry, or if a class does not exist any more.
    fileprivate func restore(from stored: StoredSession) -> Bool {
        var isWhole = true
        func chosen(_ name: String?, _ present: AnyClass?, _ isUsable: (AnyClass) -> Bool) -> AnyClass? {
            guard let name else { return present }
            guard !name.isEmpty else { return nil }
            let found: AnyClass? = NSClassFromString(name)
            if found.map(isUsable) != true { isWhole = false }
            return found
        }
        let isDelegateChosen = stored.delegateClassName?.isEmpty == false
        sceneClass = chosen(stored.sceneClassName, sceneClass) { $0 is UIScene.Type }
        delegateClass = chosen(stored.delegateClassName, delegateClass) {
            $0 is any UISceneDelegate.Type && $0 is NSObject.Type
        }
        if let name = stored.storyboardName {
            storyboard = name.isEmpty ? nil : UIStoryboard(name: name, bundle: nil)
        }
        return isWhole && (isDelegateChosen || (isDeclared && fault == nil))
    }
}

extension StoredSession {
    @MainActor fileprivate init(_ session: UISceneSession) throws(UISystem.RestorationError) {
        let configuration = session.configuration
        try self.init(
            persistentIdentifier: session.persistentIdentifier, role: session.role.rawValue,
            configurationName: configuration.name,
            stateRestorationActivity: session.stateRestorationActivity.map {
                activity throws(UISystem.RestorationError) in
                try StoredActivity(activity)
            },
            userInfo: session.userInfo.map { info throws(UISystem.RestorationError) in
                try StoredDictionary(info, named: "userInfo")
            })
        activation = session.activationOrder
        let declared = UISceneConfiguration(name: configuration.name, sessionRole: session.role)
        func choice(_ chosen: AnyClass?, _ declared: AnyClass?) -> String? {
            chosen == declared ? nil : chosen.map { String(reflecting: $0) } ?? ""
        }
        sceneClassName = choice(configuration.sceneClass, declared.sceneClass)
        delegateClassName = choice(configuration.delegateClass, declared.delegateClass)
        if configuration.storyboard?.name != declared.storyboard?.name {
            storyboardName = configuration.storyboard?.name ?? ""
        }
    }
}
