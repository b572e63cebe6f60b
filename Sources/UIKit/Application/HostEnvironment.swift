/// The environment variables of an app that `UIApplicationMain` or `@main` runs. An empty
/// variable counts as unset.
///
/// | variable | meaning | default |
/// |---|---|---|
/// | `UIKIT_INFO_PLIST` | the app's Info.plist | the module's resource `Resources/Info.plist`, else `Info.plist` beside the executable |
/// | `UIKIT_PLATFORM` | `phone`, `pad`, `mac` or `vision` | `pad` |
/// | `UIKIT_SCREEN` | the main screen in points, such as `1024x768` | the platform's |
/// | `UIKIT_OS`, `UIKIT_SDK` | the system's and the linked SDK's version, such as `18.4` | 26.0 |
/// | `UIKIT_STATE` | the folder that stores the state of scenes | `$XDG_STATE_HOME/settle-uikit/EXECUTABLE` |
/// | `UIKIT_REPLAY` | an event log: the app replays it in virtual time and ends | none: the app runs live |
/// | `UIKIT_SCRIPT` | a `UISystem.Script`: the app runs it in virtual time and ends | none |
/// | `UIKIT_TRACE` | `full` prints each callback, `brief` the middle of a resize as one line; `svg:FOLDER` draws layouts | none |
///
/// A replay or script stores no state unless `UIKIT_STATE` is set.
struct HostEnvironment {
    private let variables: [String: String]

    init(_ variables: [String: String]) {
        self.variables = variables.filter { !$0.value.isEmpty }
    }

    var replay: String? { variables["UIKIT_REPLAY"] }

    var isLive: Bool { replay == nil && variables["UIKIT_SCRIPT"] == nil }

    /// Whether nothing is said about how the app is to run.
    var isBare: Bool { !variables.keys.contains { $0.hasPrefix("UIKIT_") } }

    /// The script to run.
    ///
    /// - Throws: `environment` if a log is to be replayed as well; `script`.
    func script() throws(UISystem.Error) -> UISystem.Script? {
        guard let path = variables["UIKIT_SCRIPT"] else { return nil }
        if replay != nil {
            throw .environment(name: "UIKIT_SCRIPT", value: path, expected: "unset while UIKIT_REPLAY is set")
        }
        return try UISystem.Script(path: path)
    }

    /// The trace that prints callbacks; `nil` for none.
    ///
    /// - Throws: `environment` for an unknown style.
    @MainActor func trace() throws(UISystem.Error) -> UISystem.CallbackTrace? {
        if layoutFolder != nil { return nil }
        let styles = UISystem.CallbackTrace.Style.allCases.map(\.rawValue).joined(separator: ", ")
        return try value("UIKIT_TRACE", "\(styles) or svg:FOLDER") { UISystem.CallbackTrace.Style(rawValue: $0) }.map {
            UISystem.CallbackTrace($0)
        }
    }

    /// The trace that draws layouts; `nil` for none.
    ///
    /// - Throws: `environment` for a folder that is none and cannot be made.
    @MainActor func layoutTrace() throws(UISystem.Error) -> UISystem.LayoutTrace? {
        guard let layoutFolder else { return nil }
        return try value("UIKIT_TRACE", "svg: and a folder that exists or can be made") { _ in
            UISystem.LayoutTrace(folder: URL(fileURLWithPath: layoutFolder, isDirectory: true))
        }
    }

    /// The folder of drawings: what follows `svg:`.
    private var layoutFolder: String? {
        guard let text = variables["UIKIT_TRACE"], text.hasPrefix("svg:"), text.count > 4 else { return nil }
        return String(text.dropFirst(4))
    }

    /// - Parameter module: The name of the app's module, which contains the app delegate.
    /// - Throws: `environment` for a variable that cannot be used.
    @MainActor func configuration(module: String) throws(UISystem.Error) -> UISystem.Configuration {
        let infoPlist = infoPlist(module)
        if infoPlist == nil, !isLive {
            UISystem.Configuration.standardError(
                "The app has no scene manifest: there is no Info.plist among its resources or beside its executable. "
                    + "Set UIKIT_INFO_PLIST to its path if it is elsewhere.")
        }
        return UISystem.Configuration(
            platform: try platform(), infoPlist: infoPlist, stateFolder: stateFolder,
            clock: isLive ? .monotonic : .virtual)
    }

    private func platform() throws(UISystem.Error) -> UISystem.Platform {
        let kinds = UISystem.Platform.Kind.allCases.map(\.rawValue).joined(separator: ", ")
        let kind = try value("UIKIT_PLATFORM", "one of \(kinds)") { UISystem.Platform.Kind(rawValue: $0) }
        var platform = UISystem.Platform(kind ?? .pad)
        if let version = try version("UIKIT_OS") { platform.osVersion = version }
        if let version = try version("UIKIT_SDK") { platform.linkedSDK = version }
        let size = try value("UIKIT_SCREEN", "WIDTHxHEIGHT in points, such as 1024x768") { CGSize(screen: $0) }
        if let size { platform.screenSize = size }
        return platform
    }

    private func version(_ name: String) throws(UISystem.Error) -> UISystem.Version? {
        try value(name, "a version such as 18.4") { UISystem.Version($0) }
    }

    private func value<Value>(
        _ name: String, _ expected: String, _ parse: (String) -> Value?
    ) throws(UISystem.Error) -> Value? {
        guard let text = variables[name] else { return nil }
        guard let value = parse(text) else { throw .environment(name: name, value: text, expected: expected) }
        return value
    }

    /// `UIKIT_INFO_PLIST`; else `Resources/Info.plist` in the resource bundle that the Swift
    /// Package Manager puts beside the executable for the app's module; else `Info.plist`
    /// beside the executable. The package manager forbids a resource of that name outside a
    /// folder.
    private func infoPlist(_ module: String) -> URL? {
        if let path = variables["UIKIT_INFO_PLIST"] { return URL(fileURLWithPath: path) }
        guard let folder = Bundle.main.executableURL?.deletingLastPathComponent() else { return nil }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let resources = names.filter { $0.hasSuffix("_\(module).resources") }.sorted().map { "\($0)/Resources" }
        return (resources + ["."]).map { folder.appendingPathComponent("\($0)/Info.plist") }
            .first { FileManager.default.fileExists(atPath: $0.path) }
    }

    private var stateFolder: URL? {
        if let path = variables["UIKIT_STATE"] { return URL(fileURLWithPath: path, isDirectory: true) }
        guard isLive, let executable = Bundle.main.executableURL?.lastPathComponent else { return nil }
        let home = FileManager.default.homeDirectoryForCurrentUser
        let base = variables["XDG_STATE_HOME"].map { URL(fileURLWithPath: $0, isDirectory: true) }
        return (base ?? home.appendingPathComponent(".local/state"))
            .appendingPathComponent("settle-uikit").appendingPathComponent(executable)
    }
}

extension CGSize {
    /// Parses two lengths separated by an x, above 0 and at most 100,000; `nil` for any other
    /// text.
    init?(screen text: String) {
        let sides = text.split(separator: "x", omittingEmptySubsequences: false).compactMap { Double($0) }
        guard sides.count == 2, sides.allSatisfy({ $0 > 0 && $0 <= 100_000 }) else { return nil }
        self.init(width: sides[0], height: sides[1])
    }
}
