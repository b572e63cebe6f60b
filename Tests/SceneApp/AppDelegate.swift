import UIKit

/// A typical app, which the tests run: it prints its callbacks, and what its timer and its
/// tasks do.
@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        say("launched")
        if let fault = ProcessInfo.processInfo.environment["SCENE_APP_FAULT"] {
            makeContainerFault(fault)
            makeConstraintFault(fault)
        }
        return true
    }

    func applicationWillTerminate(_ application: UIApplication) { say("terminates") }
}

func say(_ words: String) {
    FileHandle.standardOutput.write(Data("\(words)\n".utf8))
}
