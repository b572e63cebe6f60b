import Foundation

/// What a person was doing, so that it can be taken up again: the carrier of a
/// scene's state across launches. Apple's class of this name belongs to Foundation,
/// whose Linux version lacks it; here is what scenes use of it.
///
/// A value not shared between threads; scenes hand it over on the main thread.
open class NSUserActivity: NSObject {
    /// Reverse-DNS name of the kind of activity, never empty.
    public let activityType: String
    /// A short text for people.
    open var title: String?
    /// The state itself. What is kept of it is strings, numbers, Booleans, dates, data, URLs,
    /// UUIDs, `NSNull`, and arrays, sets and dictionaries of them; keys may be of these types
    /// too. An entry with anything else is left out when the state is stored, and the log
    /// names its key. What comes back is of Swift's types: `URL`, `UUID`, `Set<AnyHashable>`.
    /// Numbers come back as `NSNumber`: ask for `Int` or `Double`, as Linux's Foundation does
    /// not cast an `NSNumber` to `CGFloat`.
    open var userInfo: [AnyHashable: Any]?

    /// - Parameter activityType: not empty; an empty one is a programmer's error and traps.
    public init(activityType: String) {
        precondition(!activityType.isEmpty, "NSUserActivity needs an activity type such as com.example.editing")
        self.activityType = activityType
    }

    /// Adds to `userInfo`, replacing the values of keys that it has.
    open func addUserInfoEntries(from otherDictionary: [AnyHashable: Any]) {
        userInfo = (userInfo ?? [:]).merging(otherDictionary) { _, new in new }
    }
}
