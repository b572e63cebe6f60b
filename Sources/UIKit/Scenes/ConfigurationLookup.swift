/// How a configuration gets its classes from the Info.plist.
extension UISystem {
    /// Fills a configuration from the manifest's entry of its name.
    func fill(_ configuration: UISceneConfiguration) {
        let role = configuration.role.rawValue
        let manifest = infoPlist.sceneManifest
        let found = configuration.name.map { manifest?.configuration(named: $0, role: role) }
        guard let entry = found ?? manifest?.defaultConfiguration(role: role) else { return }
        configuration.isDeclared = true
        configuration.name = entry.name
        configuration.storyboard = entry.storyboardName.map { UIStoryboard(name: $0, bundle: nil) }
        do throws(UISystem.Error) {
            configuration.sceneClass = try named(
                entry.sceneClassName, "UISceneClassName", "subclass of UIScene"
            ) { $0 is UIScene.Type }
            configuration.delegateClass = try entry.delegateClassName.map { name throws(UISystem.Error) in
                try named(name, "UISceneDelegateClassName", "class that adopts UISceneDelegate") {
                    $0 is any UISceneDelegate.Type && $0 is NSObject.Type
                }
            }
        } catch {
            configuration.fault = error
        }
    }

    private func named(
        _ name: String, _ key: String, _ expected: String, _ isUsable: (AnyClass) -> Bool
    ) throws(UISystem.Error) -> AnyClass {
        // Apple's own classes stand in Info.plists without their module.
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

    /// The Info.plist is read before the app delegate's class, and with it the module, is
    /// known; so what stands for the module is replaced when a class is looked up.
    private static let moduleNameVariable = "$(PRODUCT_MODULE_NAME)"

    static func readInfoPlist(_ url: URL?) throws(UISystem.Error) -> InfoPropertyList {
        guard let url else { return InfoPropertyList() }
        do {
            return try InfoPropertyList(path: url.path, moduleName: moduleNameVariable)
        } catch {
            throw .infoPlist("\(error)")
        }
    }

    private var moduleName: String {
        if let name = configuration.moduleName { return name }
        guard let delegate = application.delegate else { return "" }
        return Self.module(of: type(of: delegate))
    }

    /// The module of a class, which may be nested: Foundation's NSStringFromClass stops the
    /// program for those.
    static func module(of aClass: AnyClass) -> String { String(String(reflecting: aClass).prefix { $0 != "." }) }
}
