import Foundation

/// The scenes that an app declares under `UIApplicationSceneManifest`.
///
/// Keys and their meaning are Apple's, from "Specifying the scenes your app supports"
/// and the reference of each key. Keys not named here are ignored.
package struct SceneManifest: Hashable, Sendable {
    /// What a scene of a role is made of.
    package struct Entry: Hashable, Sendable {
        package var name: String?
        /// `UIWindowScene` where the list names none.
        package var sceneClassName = "UIWindowScene"
        package var delegateClassName: String?
        /// Without the extension.
        package var storyboardName: String?
    }

    package var supportsMultipleScenes = false
    /// By the role's raw string, in the list's order. An app may name roles that this
    /// module does not know.
    package var configurations: [String: [Entry]] = [:]

    /// Whether any scene is declared at all; an app without must configure its scenes
    /// when they connect.
    package var declaresScenes: Bool { configurations.values.contains { !$0.isEmpty } }

    /// The role's first configuration; nil if it has none.
    package func defaultEntry(role: String) -> Entry? { configurations[role]?.first }

    /// The role's configuration of that name; nil if it has none.
    package func entry(named name: String, role: String) -> Entry? {
        configurations[role]?.first { $0.name == name }
    }
}

extension SceneManifest {
    /// - Parameter moduleName: what stands for `$(PRODUCT_MODULE_NAME)` in class names.
    /// - Throws: naming the key whose value has the wrong type, or the second
    ///   configuration of a name.
    init(_ node: PropertyListNode, moduleName: String) throws(UISystem.ManifestError) {
        supportsMultipleScenes = try node.child("UIApplicationSupportsMultipleScenes")?.boolean() ?? false
        for (role, list) in try node.child("UISceneConfigurations")?.children() ?? [] {
            var names: Set<String> = []
            for item in try list.elements() {
                let entry = try Entry(item, moduleName: moduleName)
                configurations[role, default: []].append(entry)
                // Decided here, as Apple says only that each should be unique: names are
                // looked up with a role, so two roles may share one, and where there is
                // only one scene, the first of two is meant.
                guard let name = entry.name, !names.insert(name).inserted, supportsMultipleScenes else {
                    continue
                }
                throw item.problem("\"\(name)\" is the name of another \(role) as well; give each scene its own name")
            }
        }
    }
}

extension SceneManifest.Entry {
    fileprivate init(_ node: PropertyListNode, moduleName: String) throws(UISystem.ManifestError) {
        func className(_ key: String) throws(UISystem.ManifestError) -> String? {
            guard let child = try node.child(key) else { return nil }
            let name = try child.string()
            guard !name.isEmpty else { throw child.problem("is empty; name a class or leave the key out") }
            return name.replacingOccurrences(of: "$(PRODUCT_MODULE_NAME)", with: moduleName)
                .replacingOccurrences(of: "${PRODUCT_MODULE_NAME}", with: moduleName)
        }
        name = try node.child("UISceneConfigurationName")?.string()
        if let named = try className("UISceneClassName") { sceneClassName = named }
        delegateClassName = try className("UISceneDelegateClassName")
        storyboardName = try node.child("UISceneStoryboardFile")?.string()
    }
}
