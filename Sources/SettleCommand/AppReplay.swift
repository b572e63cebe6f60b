import SettleLog
import SettlePlatform

/// `settle replay LOG --app APP`: replays a log to an app.
///
/// The app is a separate program, which replaces this process (`exec`), so that `settle`
/// stays small and starts fast and any compiled app can be run. Its environment names the
/// log and the output; apps of the module UIKit read these settings.
enum AppReplay {
    static let help = """
          --app NAME|PATH           run an app over the log, and print its callbacks: the
                                    examples 'game' and 'mail', or a program of yours that
                                    imports UIKit, named with a slash as ./MyApp
          --trace full|brief|svg:FOLDER
                                    brief prints the middle of a resize as one line; svg
                                    draws the layout of each settled size instead (full)
        """

    static let traceStandard = "full"
    static let specs: [OptionSpec] = [.value("app"), .value("trace")]

    /// Runs the app in this process.
    ///
    /// - Throws: `Failure` if the app cannot be run; otherwise this does not return.
    static func run(_ app: String, _ options: Options, others: [OptionSpec]) throws -> Never {
        if let other = others.first(where: { options.has($0.name) }) {
            throw Failure.usage("--app replays the whole log in one go, so --\(other.name) does not go with it")
        }
        let style = options.value("trace") ?? traceStandard
        guard ["full", "brief"].contains(style) || (style.hasPrefix("svg:") && style.count > 4) else {
            throw Failure.usage("--trace is '\(style)'; known are full, brief and svg:FOLDER")
        }
        let log = try options.log()
        if log != "-", access(log, R_OK) != 0 { throw Failure(code: .io, message: "\(log): \(reason())") }
        try Outputs.checkStandardOutput(Outputs.identity(log))
        let path = try executable(app)
        setenv("UIKIT_REPLAY", log, 1)
        setenv("UIKIT_TRACE", style, 1)
        unsetenv("UIKIT_SCRIPT")
        var arguments = [strdup(path), nil]
        defer { for argument in arguments { free(argument) } }
        execv(path, &arguments)
        throw Failure(code: .io, message: "\(path): cannot be run: \(reason())")
    }

    /// The path of the app's program. A name without a slash is an example in this program's
    /// folder.
    private static func executable(_ app: String) throws -> String {
        let isPath = app.contains("/")
        let path = try isPath ? app : "\(OwnProgram.folder())/settle-\(app)"
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard !isPath else { throw Failure(code: .io, message: "\(path): \(reason())") }
            throw Failure.usage(
                "there is no example app '\(app)' beside settle (\(path)); build it by 'swift build', "
                    + "or name your own with a slash, as ./\(app)")
        }
        guard status.st_mode & S_IFMT == S_IFREG, access(path, X_OK) == 0 else {
            throw Failure(
                code: .io, message: "\(path): is not a program that can be run; name the app's executable file")
        }
        return path
    }

    private static func reason() -> String { String(cString: strerror(errno)) }
}
