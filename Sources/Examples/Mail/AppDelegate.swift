import UIKit

/// A mail app: an example of an app whose window has columns, which are resized, hidden, stacked
/// in a narrow window and shown again, and tabs on a phone.
///
/// Nothing is drawn on a screen. The app prints what it does, indented, below the callbacks that
/// `UIKIT_TRACE` prints; `UIKIT_TRACE=svg:FOLDER` draws its layouts.
@main
final class AppDelegate: UIResponder, UIApplicationDelegate {}

/// Prints what the app does.
func say(_ text: String) { print("                mail: \(text)") }
