import Foundation

/// The part of an app's Info.plist that is about scenes.
package struct InfoPropertyList: Hashable, Sendable {
    static let bytesMax = 4 << 20

    /// `nil` if the app does not declare that it supports scenes.
    package var sceneManifest: SceneManifest?
    package var fullScreen = FullScreenRequirement()
    package var orientations = DeclaredOrientations()
    /// What the app should change although it works, a line each, with the file's path.
    package var warnings: [String] = []

    /// An app without an Info.plist.
    package init() {}

    /// Reads a file of at most `bytesMax` bytes.
    ///
    /// - Parameter moduleName: The value of `$(PRODUCT_MODULE_NAME)` in class names.
    /// - Throws: If the file cannot be read or used.
    package init(path: String, moduleName: String) throws(UISystem.ManifestError) {
        let data: Data
        do {
            let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            data = try file.read(upToCount: Self.bytesMax + 1) ?? Data()
        } catch {
            throw UISystem.ManifestError(
                file: path, keyPath: "", problem: "cannot be read: \(error.localizedDescription)")
        }
        try self.init(data: data, file: path, moduleName: moduleName)
    }

    /// - Parameters:
    ///   - data: An XML or binary property list.
    ///   - file: Its name in errors.
    ///   - moduleName: The value of `$(PRODUCT_MODULE_NAME)` in class names.
    /// - Throws: If the property list is invalid or a value has the wrong type.
    package init(data: Data, file: String, moduleName: String) throws(UISystem.ManifestError) {
        guard data.count <= Self.bytesMax else {
            throw UISystem.ManifestError(
                file: file, keyPath: "", problem: "has more than \(Self.bytesMax) bytes; is it an Info.plist?")
        }
        let root = try PropertyListNode(file: file, data: data)
        sceneManifest = try root.child("UIApplicationSceneManifest").map { node throws(UISystem.ManifestError) in
            try SceneManifest(node, moduleName: moduleName)
        }
        fullScreen = try FullScreenRequirement(root, warnings: &warnings)
        orientations = try DeclaredOrientations(root, warnings: &warnings)
        warnings = warnings.map { "\(file): \($0)" }
    }
}
