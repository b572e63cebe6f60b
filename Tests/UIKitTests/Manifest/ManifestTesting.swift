import UIKit

/// The Info.plist of a made-up app, in XML or binary.
func infoPlist(
    _ content: [String: Any], format: PropertyListSerialization.PropertyListFormat = .xml
) throws -> InfoPropertyList {
    let data = try PropertyListSerialization.data(fromPropertyList: content, format: format, options: 0)
    return try InfoPropertyList(data: data, file: "Info.plist", moduleName: "Clock")
}

func manifest(_ content: [String: Any]) throws -> SceneManifest? {
    try infoPlist(["UIApplicationSceneManifest": content]).sceneManifest
}

/// What reading is refused with, nil if it is not refused.
func refusal(_ read: @autoclosure () throws -> some Any) -> String? {
    do {
        _ = try read()
        return nil
    } catch {
        return (error as? UISystem.ManifestError)?.description ?? "not a UISystem.ManifestError: \(error)"
    }
}
