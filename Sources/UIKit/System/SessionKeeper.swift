/// Keeps sessions on disk across launches, or, without a folder, only reports what could
/// not be kept. What fails is reported and costs only itself.
@MainActor final class SessionKeeper {
    private let store: RestorationStore?
    private let log: (String) -> Void
    /// What was left out of each session's state when it was kept last, which was logged.
    private var leftOut: [String: Set<String>] = [:]

    /// - Throws: When the folder cannot be used, or another system uses it.
    init(folder: URL, log: @escaping (String) -> Void) throws(UISystem.RestorationError) {
        store = try RestorationStore(folder: folder.path)
        self.log = log
    }

    /// Keeps nothing beyond this launch.
    init(log: @escaping (String) -> Void) {
        store = nil
        self.log = log
    }

    /// The sessions that earlier launches left, the one that was in front last at the end.
    func load() throws(UISystem.RestorationError) -> [UISceneSession] {
        guard let store else { return [] }
        let content = try store.content()
        for fault in content.faults { log("A scene's state is lost: \(fault)") }
        return content.sessions.map(UISceneSession.init).sorted { $0.activation < $1.activation }
    }

    func keep(_ session: UISceneSession) {
        if store == nil, session.stateRestorationActivity == nil, session.userInfo == nil { return }
        do {
            let stored = try StoredSession(session)
            report(stored.leftOut, of: session.persistentIdentifier)
            try store?.store(stored)
        } catch {
            log("The state of scene session \(session.persistentIdentifier) is not kept: \(error)")
        }
    }

    /// Says what is left out, and says it again only when something else is.
    private func report(_ fresh: (first: [UISystem.RestorationError], count: Int), of session: String) {
        let places = Set(fresh.first.map(\.place))
        defer { leftOut[session] = places.isEmpty ? nil : places }
        guard !places.isSubset(of: leftOut[session] ?? []) else { return }
        let told = fresh.first.prefix(Self.reportedMax)
        let more = fresh.count > told.count ? " and \(fresh.count - told.count) more" : ""
        log(
            "The state of scene session \(session) is kept without "
                + told.map { "\($0.place), as it \($0.problem)" }.joined(separator: "; ") + more
                + " (\(told[0].advice))")
    }

    private static let reportedMax = 10

    func remove(_ session: UISceneSession) {
        do {
            leftOut[session.persistentIdentifier] = nil
            try store?.remove(session.persistentIdentifier)
        } catch {
            log("Scene session \(session.persistentIdentifier) is still kept: \(error)")
        }
    }

    /// Lets another system use the folder.
    func close() { store?.close() }
}

extension UISceneSession {
    /// What the scene gets when it comes back: the same within a launch as after it.
    var keptActivity: NSUserActivity? {
        stateRestorationActivity.flatMap { try? StoredActivity($0).activity }
    }

    fileprivate convenience init(_ stored: StoredSession) {
        let role = Role(rawValue: stored.role)
        let configuration = UISceneConfiguration(name: stored.configurationName, sessionRole: role)
        self.init(role: role, persistentIdentifier: stored.persistentIdentifier, configuration: configuration)
        isOpen = true
        let hadNone = stored.configurationName == nil && stored.delegateClassName == nil
        setup = configuration.takeUp(stored) ? .known : hadNone ? .none : .lost
        activation = min(stored.activation ?? 0, Self.activationMax)
        stateRestorationActivity = stored.stateRestorationActivity?.activity
        userInfo = stored.userInfo?.dictionary as? [String: Any]
    }

    /// No app comes so far, but a file may say anything.
    private static let activationMax: UInt64 = 1 << 62
}

extension UISceneConfiguration {
    /// Takes from a stored session what the app chose itself.
    ///
    /// - Returns: Whether a scene can be made by the result. It cannot where the manifest
    ///   has no such entry, or where a class is gone.
    fileprivate func takeUp(_ stored: StoredSession) -> Bool {
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
        activation = session.activation
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
