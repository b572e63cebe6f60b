/// Which configuration a scene gets, and what it takes from the Info.plist.
extension Connections {
    /// The configuration of a session's scene: the one that a known session has, else the
    /// app delegate's, else the manifest's. `nil` for an app that does not adopt the scene
    /// life cycle.
    func configuration(
        for session: UISceneSession, _ options: UIScene.ConnectionOptions
    ) throws -> UISceneConfiguration? {
        switch session.configurationStatus {
        case .known: return adopted(session.configuration)
        case .lost:
            let name = session.configuration.name.map { " \"\($0)\"" } ?? ""
            reports.log(
                "Scene session \(session.persistentIdentifier) gets a new configuration: its configuration\(name) or "
                    + "a class of it does not exist any more.")
        case .undecided: break
        }
        reports.traceCallback("configurationForConnecting", session)
        let answer = app.delegate?.application(
            app.application, configurationForConnecting: session, options: options)
        guard let answer, answer !== UISceneConfiguration.undecided else {
            return try declaredConfiguration(for: session)
        }
        let configuration = adopted(answer)
        try check(configuration, for: session)
        return configuration
    }

    /// The app adopts the scene life cycle with its first configuration.
    private func adopted(_ configuration: UISceneConfiguration) -> UISceneConfiguration {
        if app.phase == .launching { app.phase = .scenes }
        return configuration
    }

    /// - Throws: If no scene of the session can be made with what the app delegate returned.
    private func check(_ answer: UISceneConfiguration, for session: UISceneSession) throws {
        guard answer.role == session.role else {
            throw UISystem.Error.wrongRole(found: answer.role.rawValue, expected: session.role.rawValue)
        }
        if let found = answer.sceneClass, !(found is UIScene.Type) {
            throw UISystem.Error.wrongClass(
                name: String(reflecting: found), property: "sceneClass", expected: "subclass of UIScene")
        }
        if let found = answer.delegateClass, !(found is any UISceneDelegate.Type && found is NSObject.Type) {
            throw UISystem.Error.wrongClass(
                name: String(reflecting: found), property: "delegateClass",
                expected: "subclass of NSObject that adopts UISceneDelegate")
        }
        // A fault of the manifest does not matter where the app sets the class itself.
        guard answer.delegateClass == nil else { return }
        if let fault = answer.fault { throw fault }
        if let name = answer.name, !answer.isDeclared {
            let known = app.infoPlist.sceneManifest?.configurations[answer.role.rawValue]?.compactMap(\.name) ?? []
            throw UISystem.Error.unknownConfiguration(name: name, role: answer.role.rawValue, known: known)
        }
    }

    private func declaredConfiguration(for session: UISceneSession) throws -> UISceneConfiguration? {
        var configuration = session.configuration
        if !configuration.isDeclared {
            configuration = UISceneConfiguration(name: nil, sessionRole: session.role)
        }
        if let fault = configuration.fault { throw fault }
        if configuration.isDeclared { return adopted(configuration) }
        guard app.infoPlist.sceneManifest?.declaresScenes != true, session.role == .windowApplication,
            app.phase == .launching
        else {
            throw UISystem.Error.noConfiguration(role: session.role.rawValue)
        }
        switch LifecycleRequirement(on: displays.platform) {
        case .none: break
        case .warning(let text): reports.log(text)
        case .required: throw UISystem.Error.scenesRequired
        }
        return nil
    }

    // MARK: The Info.plist

    /// Fills a configuration from the manifest's entry of its name.
    func fill(_ configuration: UISceneConfiguration) {
        let role = configuration.role.rawValue
        let manifest = app.infoPlist.sceneManifest
        let named = configuration.name.map { manifest?.entry(named: $0, role: role) }
        guard let entry = named ?? manifest?.defaultEntry(role: role) else { return }
        configuration.isDeclared = true
        configuration.name = entry.name
        configuration.storyboard = entry.storyboardName.map { UIStoryboard(name: $0, bundle: nil) }
        do throws(UISystem.Error) {
            configuration.sceneClass = try lookUpClass(
                entry.sceneClassName, "UISceneClassName", "subclass of UIScene"
            ) { $0 is UIScene.Type }
            configuration.delegateClass = try entry.delegateClassName.map { name throws(UISystem.Error) in
                try lookUpClass(name, "UISceneDelegateClassName", "class that adopts UISceneDelegate") {
                    $0 is any UISceneDelegate.Type && $0 is NSObject.Type
                }
            }
        } catch {
            configuration.fault = error
        }
    }

    private func lookUpClass(
        _ name: String, _ key: String, _ expected: String, _ isUsable: (AnyClass) -> Bool
    ) throws(UISystem.Error) -> AnyClass {
        // An Info.plist names Apple's own classes without their module.
        switch name {
        case "UIScene": return UIScene.self
        case "UIWindowScene": return UIWindowScene.self
        default: break
        }
        let full = name.replacingOccurrences(of: Self.moduleNameVariable, with: moduleName)
        guard let found = NSClassFromString(full), isUsable(found) else {
            throw .unusableClass(name: full, key: key, expected: expected)
        }
        return found
    }

    /// Stays in the names that are read from the Info.plist: it is read before the app
    /// delegate's class, and with it the module, is known.
    private static let moduleNameVariable = "$(PRODUCT_MODULE_NAME)"

    static func readInfoPlist(_ url: URL?) throws(UISystem.Error) -> InfoPropertyList {
        guard let url else { return InfoPropertyList() }
        do {
            return try InfoPropertyList(path: url.path, moduleName: moduleNameVariable)
        } catch {
            throw .infoPlist(error)
        }
    }

    private var moduleName: String {
        if let name = configuration.moduleName { return name }
        guard let delegate = app.delegate else { return "" }
        return Self.module(of: type(of: delegate))
    }

    /// The module of a class, which may be nested: Foundation's `NSStringFromClass` stops
    /// the program for nested classes.
    static func module(of aClass: AnyClass) -> String { String(String(reflecting: aClass).prefix { $0 != "." }) }
}
