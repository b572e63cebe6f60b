import Foundation

/// What is stored of a scene session.
package struct StoredSession: Codable, Sendable {
    /// Unique among the app's sessions, and the same whenever the session connects.
    package var persistentIdentifier: String
    /// The role's raw string, as in Info.plist.
    package var role: String
    package var configurationName: String?
    /// The names of what the app chose instead of the manifest's entry: empty for none,
    /// `nil` where it uses the manifest's.
    package var sceneClassName: String?
    package var delegateClassName: String?
    package var storyboardName: String?
    /// Orders the sessions by when they were in front last. Older programs did not store
    /// it.
    package var activation: UInt64?
    package var stateRestorationActivity: StoredActivity?
    package var userInfo: StoredDictionary?

    /// The first entries of the activity and of `userInfo` that could not be stored, and the
    /// number of all.
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
    // Older programs did not store the next two.
    private let targetContentIdentifier: String?
    private let webpageURL: String?
    fileprivate let userInfo: StoredDictionary?

    /// Stores an activity without the entries of `userInfo` that cannot be stored.
    ///
    /// - Throws: `unstorable`, if `userInfo` as a whole cannot be stored.
    package init(_ activity: NSUserActivity) throws(UISystem.RestorationError) {
        activityType = activity.activityType
        title = activity.title
        targetContentIdentifier = activity.targetContentIdentifier
        webpageURL = activity.webpageURL?.absoluteString
        userInfo = try activity.userInfo.map { info throws(UISystem.RestorationError) in
            try StoredDictionary(info, named: "stateRestorationActivity.userInfo")
        }
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        activityType = try container.decode(String.self, forKey: .activityType)
        title = try container.decodeIfPresent(String.self, forKey: .title)
        targetContentIdentifier = try container.decodeIfPresent(String.self, forKey: .targetContentIdentifier)
        let page = try container.decodeIfPresent(String.self, forKey: .webpageURL)
        // NSUserActivity traps for other schemes, and a file must not cause that.
        webpageURL = page.flatMap { URL(string: $0) }.flatMap {
            ["http", "https"].contains($0.scheme?.lowercased()) ? $0.absoluteString : nil
        }
        userInfo = try container.decodeIfPresent(StoredDictionary.self, forKey: .userInfo)
        // NSUserActivity traps for an empty type, and a file must not cause that.
        guard !activityType.isEmpty else {
            throw DecodingError.dataCorruptedError(
                forKey: .activityType, in: container, debugDescription: "the activity type is empty")
        }
    }

    /// A new activity with the stored content.
    package var activity: NSUserActivity {
        let activity = NSUserActivity(activityType: activityType)
        activity.title = title
        activity.targetContentIdentifier = targetContentIdentifier
        activity.webpageURL = webpageURL.flatMap { URL(string: $0) }
        activity.userInfo = userInfo?.dictionary
        return activity
    }
}
