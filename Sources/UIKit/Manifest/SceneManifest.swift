import Foundation

/// The scenes that an app declares under `UIApplicationSceneManifest` in its Info.plist.
///
/// Keys and their meaning are Apple's, from "Specifying the scenes your app supports" and
/// the reference of each key. Other keys are ignored.
package struct SceneManifest: Hashable, Sendable {
    /// A configuration for scenes of a role.
    package struct Entry: Hashable, Sendable {
        package var name: String?
        /// `UIWindowScene` if the entry has no class.
        package var sceneClassName = "UIWindowScene"
        package var delegateClassName: String?
        /// Without the file name's extension.
        package var storyboardName: String?
    }

    package var supportsMultipleScenes = false
    /// The entries by the role's raw string, in the list's order. The roles may be unknown to
    /// this module.
    package var configurations: [String: [Entry]] = [:]

    /// Whether there is any entry. An app without one must configure its scenes when they
    /// connect.
    package var declaresScenes: Bool { configurations.values.contains { !$0.isEmpty } }

    /// The role's first entry; `nil` if it has none.
    package func defaultEntry(role: String) -> Entry? { configurations[role]?.first }

    /// The role's first entry of that name; `nil` if it has none.
    package func entry(named name: String, role: String) -> Entry? {
        configurations[role]?.first { $0.name == name }
    }
}

extension SceneManifest {
    /// - Parameter moduleName: The value of `$(PRODUCT_MODULE_NAME)` in class names.
    /// - Throws: For a value of the wrong type, and for the second entry with a name in an
    ///   app with multiple scenes.
    init(_ node: PropertyListNode, moduleName: String) throws(UISystem.ManifestError) {
        supportsMultipleScenes = try node.child("UIApplicationSupportsMultipleScenes")?.boolean() ?? false
        for (role, list) in try node.child("UISceneConfigurations")?.children() ?? [] {
            var names: Set<String> = []
            for item in try list.elements() {
                let entry = try Entry(item, moduleName: moduleName)
                configurations[role, default: []].append(entry)
                // Apple says only that each name should be unique. Names are looked up
                // together with a role, so two roles may share one, and in an app with one
                // scene at a time the first entry of a name counts.
                guard let name = entry.name, !names.insert(name).inserted, supportsMultipleScenes else {
                    continue
                }
                throw item.problem(
                    "\"\(name)\" is the name of another \(role) as well; give each configuration its own name")
            }
        }
    }
}

extension SceneManifest.Entry {
    fileprivate init(_ node: PropertyListNode, moduleName: String) throws(UISystem.ManifestError) {
        func className(_ key: String) throws(UISystem.ManifestError) -> String? {
            guard let child = try node.child(key) else { return nil }
            let name = try child.string()
            guard !name.isEmpty else { throw child.problem("is empty; write a class's name or remove the key") }
            return name.replacingOccurrences(of: "$(PRODUCT_MODULE_NAME)", with: moduleName)
                .replacingOccurrences(of: "${PRODUCT_MODULE_NAME}", with: moduleName)
        }
        name = try node.child("UISceneConfigurationName")?.string()
        if let named = try className("UISceneClassName") { sceneClassName = named }
        delegateClassName = try className("UISceneDelegateClassName")
        storyboardName = try node.child("UISceneStoryboardFile")?.string()
    }
}
