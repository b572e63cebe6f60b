import Foundation

/// What a scene session needs to come back after the process ended.
package struct StoredSession: Codable, Sendable {
    /// Unique among the app's sessions, and equal after every reconnect.
    package var persistentIdentifier: String
    /// The role's raw string, as in Info.plist.
    package var role: String
    package var configurationName: String?
    /// What the app chose instead of what the manifest says under that name, by name: an
    /// empty one for none, nil where the manifest's stands.
    package var sceneClassName: String?
    package var delegateClassName: String?
    package var storyboardName: String?
    /// Counts the sessions that came to the front; the greatest was there last. Older
    /// programs did not store it.
    package var activation: UInt64?
    package var stateRestorationActivity: StoredActivity?
    package var userInfo: StoredDictionary?

    /// Entries of the activity and of `userInfo` that could not be stored, and their number.
    package var leftOut: (first: [UISystem.RestorationError], count: Int) {
        let stored = [stateRestorationActivity?.userInfo, userInfo].compactMap { $0 }
        return (stored.flatMap(\.leftOut), stored.reduce(0) { $0 + $1.leftOutCount })
    }

    package init(
        persistentIdentifier: String, role: String, configurationName: String? = nil,
        stateRestorationActivity: StoredActivity? = nil, userInfo: StoredDictionary? = nil
    ) {
        self.persistentIdentifier = persistentIdentifier
        self.role = role
        self.configurationName = configurationName
        self.stateRestorationActivity = stateRestorationActivity
        self.userInfo = userInfo
    }
}

/// An `NSUserActivity` as a value.
package struct StoredActivity: Codable, Sendable {
    private let activityType: String
    private let title: String?
    fileprivate let userInfo: StoredDictionary?

    /// Entries of `userInfo` that cannot be stored are left out.
    /// - Throws: `unstorable`, if `userInfo` as a whole cannot be stored.
    package init(_ activity: NSUserActivity) throws(UISystem.RestorationError) {
        activityType = activity.activityType
        title = activity.title
        userInfo = try activity.userInfo.map { info throws(UISystem.RestorationError) in
            try StoredDictionary(info, named: "stateRestorationActivity.userInfo")
        }
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        activityType = try container.decode(String.self, forKey: .activityType)
        title = try container.decodeIfPresent(String.self, forKey: .title)
        userInfo = try container.decodeIfPresent(StoredDictionary.self, forKey: .userInfo)
        // NSUserActivity traps on an empty one, and a file must not be able to do that.
        guard !activityType.isEmpty else {
            throw DecodingError.dataCorruptedError(
                forKey: .activityType, in: container, debugDescription: "the activity type is empty")
        }
    }

    /// A new activity with the stored content.
    package var activity: NSUserActivity {
        let activity = NSUserActivity(activityType: activityType)
        activity.title = title
        activity.userInfo = userInfo?.dictionary
        return activity
    }
}
