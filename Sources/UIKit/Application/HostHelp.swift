/// What an app that `UIApplicationMain` or `@main` runs says about itself, as it has no window to show.
struct HostHelp {
    /// The app's executable.
    let program: String

    /// What `--help` prints.
    var text: String {
        """
        usage: [VARIABLE=VALUE]... \(program)
        example: UIKIT_SCRIPT=drag.script UIKIT_TRACE=brief \(program)

        An app of the module UIKit, which has no screen: it runs over a log or a script of what a
        person does, and prints what it does. Without either it runs live until SIGTERM or
        SIGINT, and nobody acts on it. 'settle replay LOG --app PATH' replays a log to it as well.

          UIKIT_REPLAY=LOG          replay an event log in virtual time, and end
          UIKIT_SCRIPT=FILE         run a script in virtual time, and end. It has one command per
                                    line, for example: drag 900x700 100
                                                       rotate landscapeLeft
          UIKIT_TRACE=STYLE         full prints each callback, brief the middle of a resize as one
                                    line; svg:FOLDER draws the layouts that settle
          UIKIT_PLATFORM=NAME       phone, pad, mac or vision (pad)
          UIKIT_SCREEN=1024x768     the main screen in points (the platform's)
          UIKIT_OS=18.4, UIKIT_SDK=18.4
                                    the system's and the linked SDK's version (26.0)
          UIKIT_STATE=FOLDER        where the state of scenes is stored; a replay or a script
                                    stores none without it
                                    ($XDG_STATE_HOME/settle-uikit/\(program))
          UIKIT_INFO_PLIST=FILE     the app's Info.plist (the one among its resources)

        exit status: 0 success, 1 the app could not be launched, or a fault of the log or the script
        """
    }

    /// What an app says that is started live without any variable.
    var explanation: String {
        "\(program) runs, but has no screen, and nobody acts on it; Ctrl-C ends it. UIKIT_REPLAY=LOG replays a log to it,"
            + " UIKIT_SCRIPT=FILE runs a script; see \(program) --help"
    }

    /// Whether the help is asked for.
    static var isWanted: Bool { ["--help", "-h"].contains(CommandLine.arguments.dropFirst().first) }

    /// Prints the help; returns the exit status.
    func print() -> Int32 {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data("\(text)\n".utf8))
            return 0
        } catch {
            UISystem.Configuration.standardError("standard output: \(error.localizedDescription)")
            return 1
        }
    }
}
