import Foundation

/// What a person was doing, so that the app can continue it: the state of a scene across
/// launches. Apple's class of this name is part of Foundation, whose Linux version does not
/// have it. This one has what scenes use.
///
/// Not for use by several threads at once. Scenes use it on the main thread.
open class NSUserActivity: NSObject {
    /// The kind of activity, a reverse-DNS name. Never empty.
    public let activityType: String
    /// A short text to show to people.
    open var title: String?
    /// The state itself. Strings, numbers, Booleans, dates, data, URLs, UUIDs, `NSNull`, and
    /// arrays, sets and dictionaries of them can be stored; keys may be of these types too.
    /// An entry with anything else is left out when the state is stored, and the log names
    /// its key. Restored values are of Swift's types: `URL`, `UUID`, `Set<AnyHashable>`.
    /// Restored numbers are `NSNumber`: cast them to `Int` or `Double`, as Linux's Foundation
    /// does not cast an `NSNumber` to `CGFloat`.
    open var userInfo: [AnyHashable: Any]?

    /// Names the content, to choose the scene that continues the activity; see
    /// `UISceneActivationConditions`. Stored with the state.
    open var targetContentIdentifier: String?
    /// The page on the web with the same content. Traps if its scheme is neither `http` nor
    /// `https`. Stored with the state.
    open var webpageURL: URL? {
        didSet {
            guard let webpageURL, !["http", "https"].contains(webpageURL.scheme?.lowercased()) else { return }
            fatalError("the webpageURL of a \(type(of: self)) needs the scheme http or https, not \(webpageURL)")
        }
    }

    // The values below are for the app's own use: they are neither used nor stored.

    /// The page that the person came from.
    open var referrerURL: URL?
    /// Words to find the activity by.
    open var keywords: Set<String> = []
    /// The keys of `userInfo` that the activity needs.
    open var requiredUserInfoKeys: Set<String>?
    /// A name for the activity, to delete it by.
    open var persistentIdentifier: String?
    /// When the activity is of no more use; `nil` for never.
    open var expirationDate: Date?
    /// Whether `userInfo` is out of date.
    open var needsSave = false
    /// Whether another device may continue the activity.
    open var isEligibleForHandoff = true
    /// Whether the activity may be found on this device.
    open var isEligibleForSearch = false
    /// Whether everybody may find the activity.
    open var isEligibleForPublicIndexing = false
    /// Whether the system may suggest the activity.
    open var isEligibleForPrediction = false

    /// An activity without content.
    ///
    /// - Parameter activityType: Traps if it is empty.
    public init(activityType: String) {
        guard !activityType.isEmpty else {
            fatalError("NSUserActivity needs an activity type, for example com.example.editing")
        }
        self.activityType = activityType
    }

    /// Adds entries to `userInfo`. They replace entries with the same keys.
    open func addUserInfoEntries(from otherDictionary: [AnyHashable: Any]) {
        userInfo = (userInfo ?? [:]).merging(otherDictionary) { _, new in new }
    }

    // MARK: The current activity

    /// What the person is doing now: the activity that became current last. Of the main thread.
    nonisolated(unsafe) private(set) static weak var current: NSUserActivity?
    private var isValid = true

    /// Says that the person is doing this now; the activity that was current is not any more. An
    /// activity that was invalidated is ignored. The host sees it as
    /// `UISystem.currentUserActivity`.
    open func becomeCurrent() {
        if isValid { Self.current = self }
    }

    /// Says that the person is not doing this any more.
    open func resignCurrent() {
        if Self.current === self { Self.current = nil }
    }

    /// Ends the activity for good.
    open func invalidate() {
        isValid = false
        resignCurrent()
    }
}

/// The type of an activity that continues what a person does in a web browser, at its
/// `webpageURL`.
// The name is Apple's.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NSUserActivityTypeBrowsingWeb = "NSUserActivityTypeBrowsingWeb"
