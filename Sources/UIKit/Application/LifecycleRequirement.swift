/// What a release does with an app that does not adopt the scene life cycle (Apple's
/// technical note TN3187).
enum LifecycleRequirement: Equatable {
    case none
    /// Logs a warning at launch.
    case warning(String)
    /// Refuses to launch the app: the release after 26, for an app built with its SDK.
    case required

    init(on platform: UISystem.Platform) {
        // visionOS 2.4 shipped with iOS 18.4; from 26 on, the version numbers are equal.
        let firstWarning: UISystem.Version = platform.kind == .vision ? UISystem.Version(2, 4) : UISystem.Version(18, 4)
        let os = platform.osVersion
        if os >= 27, platform.linkedSDK >= 27 {
            self = .required
        } else if os >= 26 {
            self = .warning(
                "UIScene lifecycle will soon be required.\nFailure to adopt will result in an assert in the future.")
        } else if os >= firstWarning {
            self = .warning(
                "This process does not adopt UIScene lifecycle.\nThis will become an assert in a future version.")
        } else {
            self = .none
        }
    }
}
