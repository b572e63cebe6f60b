/// What becomes of an app without the scene life cycle, by release (Apple's technical
/// note TN3187).
enum Adoption: Equatable {
    case quiet
    case log(String)
    /// The release after 26 does not launch it, if it was built with that SDK.
    case refuse

    init(without platform: UIPlatform) {
        // visionOS 2.4 came with iOS 18.4; from 26 on, the numbers are the same.
        let first: UIVersion = platform.kind == .vision ? UIVersion(2, 4) : UIVersion(18, 4)
        let os = platform.osVersion
        if os >= 27, platform.linkedSDK >= 27 {
            self = .refuse
        } else if os >= 26 {
            self = .log(
                "UIScene lifecycle will soon be required.\nFailure to adopt will result in an assert in the future.")
        } else if os >= first {
            self = .log(
                "This process does not adopt UIScene lifecycle.\nThis will become an assert in a future version.")
        } else {
            self = .quiet
        }
    }
}
