import UIKit

/// A driving game: an example of an app whose scenes are resized, rotated, shown on a second
/// display, closed and restored.
///
/// Nothing is drawn here. The game prints what it does, indented, below the callbacks that
/// `UIKIT_TRACE` prints.
@main
final class AppDelegate: UIResponder, UIApplicationDelegate {
    /// The race that was started last, which the grandstand's display shows.
    static weak var currentRace: Race?

    func application(
        _ application: UIApplication, configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration {
        let isDisplay = connectingSceneSession.role == .windowExternalDisplayNonInteractive
        return UISceneConfiguration(
            name: isDisplay ? "Grandstand" : "Cockpit", sessionRole: connectingSceneSession.role)
    }
}

/// Prints what the game does.
func say(_ text: String) { print("                game: \(text)") }
