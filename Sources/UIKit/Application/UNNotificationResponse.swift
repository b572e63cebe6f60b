// Apple has these classes in the framework UserNotifications. Here they are what a scene's
// connection options need; there are no notifications that an app can schedule.

/// What a notification shows.
@preconcurrency @MainActor open class UNNotificationContent: NSObject {
    open internal(set) var title = ""
    open internal(set) var subtitle = ""
    open internal(set) var body = ""
    open internal(set) var userInfo: [AnyHashable: Any] = [:]
    /// The kind of notification, for the app's own use.
    open internal(set) var categoryIdentifier = ""
    /// Groups notifications.
    open internal(set) var threadIdentifier = ""
    /// Names the content, to choose the scene that shows it; see `UISceneActivationConditions`.
    open internal(set) var targetContentIdentifier: String?
}

/// Content that can be changed.
@preconcurrency @MainActor open class UNMutableNotificationContent: UNNotificationContent {
    open override var title: String {
        get { super.title }
        set { super.title = newValue }
    }
    open override var subtitle: String {
        get { super.subtitle }
        set { super.subtitle = newValue }
    }
    open override var body: String {
        get { super.body }
        set { super.body = newValue }
    }
    open override var userInfo: [AnyHashable: Any] {
        get { super.userInfo }
        set { super.userInfo = newValue }
    }
    open override var categoryIdentifier: String {
        get { super.categoryIdentifier }
        set { super.categoryIdentifier = newValue }
    }
    open override var threadIdentifier: String {
        get { super.threadIdentifier }
        set { super.threadIdentifier = newValue }
    }
    open override var targetContentIdentifier: String? {
        get { super.targetContentIdentifier }
        set { super.targetContentIdentifier = newValue }
    }
}

/// A request to show a notification.
@preconcurrency @MainActor open class UNNotificationRequest: NSObject {
    public let identifier: String
    /// What the notification shows.
    public let content: UNNotificationContent

    init(identifier: String, content: UNNotificationContent) {
        self.identifier = identifier
        self.content = content
        super.init()
    }
}

/// A notification that was shown.
@preconcurrency @MainActor open class UNNotification: NSObject {
    /// When it was shown.
    public let date: Date
    /// What was to be shown.
    public let request: UNNotificationRequest

    init(date: Date, request: UNNotificationRequest) {
        self.date = date
        self.request = request
        super.init()
    }
}

/// What a person did with a notification.
@preconcurrency @MainActor open class UNNotificationResponse: NSObject {
    public let notification: UNNotification
    /// The action that the person chose.
    public let actionIdentifier: String
    /// The scene that the person is taken to.
    public internal(set) weak var targetScene: UIScene?

    init(_ notification: UNNotification, actionIdentifier: String) {
        self.notification = notification
        self.actionIdentifier = actionIdentifier
        super.init()
    }
}

// The names are Apple's.

/// The action of a person who opens a notification.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let UNNotificationDefaultActionIdentifier = "com.apple.UNNotificationDefaultActionIdentifier"
/// The action of a person who dismisses a notification.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let UNNotificationDismissActionIdentifier = "com.apple.UNNotificationDismissActionIdentifier"

extension UISystem {
    /// A person's response to a notification, which an app is opened for: see `OpeningRequest`.
    public static func notificationResponse(
        to content: UNNotificationContent, identifier: String = UUID().uuidString, date: Date = Date(),
        actionIdentifier: String = UNNotificationDefaultActionIdentifier
    ) -> UNNotificationResponse {
        let request = UNNotificationRequest(identifier: identifier, content: content)
        return UNNotificationResponse(UNNotification(date: date, request: request), actionIdentifier: actionIdentifier)
    }
}
