import UIKit

/// A driving game: an example of an app whose scenes are resized, rotated, shown on a
/// second display, closed and brought back.
///
/// It has no screen here. It prints what it does, indented, so that it can be read below
/// the callbacks that `UIKIT_TRACE` prints.
@main
final class AppDelegate: UIResponder, UIApplicationDelegate {
    /// The race that was started last: what the grandstand's display shows.
    static weak var raceOfTheDay: Race?

    func application(
        _ application: UIApplication, configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration {
        let isDisplay = connectingSceneSession.role == .windowExternalDisplayNonInteractive
        return UISceneConfiguration(
            name: isDisplay ? "Grandstand" : "Cockpit", sessionRole: connectingSceneSession.role)
    }
}

/// What the game says to whoever watches it.
func say(_ text: String) { print("                game: \(text)") }
