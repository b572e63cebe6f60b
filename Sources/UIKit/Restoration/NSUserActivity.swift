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

    /// An activity without content.
    ///
    /// - Parameter activityType: Traps if it is empty.
    public init(activityType: String) {
        precondition(!activityType.isEmpty, "NSUserActivity needs an activity type, for example com.example.editing")
        self.activityType = activityType
    }

    /// Adds entries to `userInfo`. They replace entries with the same keys.
    open func addUserInfoEntries(from otherDictionary: [AnyHashable: Any]) {
        userInfo = (userInfo ?? [:]).merging(otherDictionary) { _, new in new }
    }
}
