/// What the environment says to an app that runs without a host of its own.
///
/// | variable | meaning | default |
/// |---|---|---|
/// | `UIKIT_INFO_PLIST` | the app's Info.plist | `Info.plist` beside the executable, if it is there |
/// | `UIKIT_PLATFORM` | `phone`, `pad`, `mac` or `vision` | `pad` |
/// | `UIKIT_SCREEN` | the main screen in points, such as `1024x768` | the platform's |
/// | `UIKIT_OS`, `UIKIT_SDK` | the system's and the linked SDK's version, such as `18.4` | 26.0 |
/// | `UIKIT_STATE` | the folder where scenes' state is kept | `$XDG_STATE_HOME/settle-uikit/EXECUTABLE` |
/// | `UIKIT_REPLAY` | an event log: the app replays it in virtual time and ends | none: the app runs live |
///
/// A replay keeps no state unless `UIKIT_STATE` is set.
struct HostEnvironment {
    private let variables: [String: String]

    init(_ variables: [String: String]) {
        // An empty variable is as good as none.
        self.variables = variables.filter { !$0.value.isEmpty }
    }

    /// The log to replay.
    var replay: String? { variables["UIKIT_REPLAY"] }

    @MainActor func configuration() throws(UISystemError) -> UISystem.Configuration {
        UISystem.Configuration(
            platform: try platform(), infoPlist: infoPlist, stateFolder: stateFolder,
            clock: replay == nil ? .monotonic : .virtual)
    }

    private func platform() throws(UISystemError) -> UIPlatform {
        let kinds = UIPlatform.Kind.allCases.map(\.rawValue).joined(separator: ", ")
        let kind = try value("UIKIT_PLATFORM", "one of \(kinds)") { UIPlatform.Kind(rawValue: $0) }
        var platform = UIPlatform(kind ?? .pad)
        if let version = try version("UIKIT_OS") { platform.osVersion = version }
        if let version = try version("UIKIT_SDK") { platform.linkedSDK = version }
        let size = try value("UIKIT_SCREEN", "WIDTHxHEIGHT in points, such as 1024x768") { CGSize(screen: $0) }
        if let size { platform.screenSize = size }
        return platform
    }

    private func version(_ name: String) throws(UISystemError) -> UIVersion? {
        try value(name, "a version such as 18.4") { UIVersion($0) }
    }

    private func value<Value>(
        _ name: String, _ expected: String, _ parse: (String) -> Value?
    ) throws(UISystemError) -> Value? {
        guard let text = variables[name] else { return nil }
        guard let value = parse(text) else { throw .environment(name: name, value: text, expected: expected) }
        return value
    }

    private var infoPlist: URL? {
        if let path = variables["UIKIT_INFO_PLIST"] { return URL(fileURLWithPath: path) }
        let beside = Bundle.main.executableURL?.deletingLastPathComponent().appendingPathComponent("Info.plist")
        return beside.flatMap { FileManager.default.fileExists(atPath: $0.path) ? $0 : nil }
    }

    private var stateFolder: URL? {
        if let path = variables["UIKIT_STATE"] { return URL(fileURLWithPath: path, isDirectory: true) }
        guard replay == nil, let executable = Bundle.main.executableURL?.lastPathComponent else { return nil }
        let home = FileManager.default.homeDirectoryForCurrentUser
        let base = variables["XDG_STATE_HOME"].map { URL(fileURLWithPath: $0, isDirectory: true) }
        return (base ?? home.appendingPathComponent(".local/state"))
            .appendingPathComponent("settle-uikit").appendingPathComponent(executable)
    }
}

extension CGSize {
    /// `nil` unless the text is two lengths above zero with an x between them.
    fileprivate init?(screen text: String) {
        let sides = text.split(separator: "x", omittingEmptySubsequences: false).compactMap { Double($0) }
        guard sides.count == 2, sides.allSatisfy({ $0 > 0 && $0.isFinite }) else { return nil }
        self.init(width: sides[0], height: sides[1])
    }
}
