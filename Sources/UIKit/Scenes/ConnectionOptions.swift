extension UIScene {
    /// What a scene that connects is to show.
    @preconcurrency @MainActor open class ConnectionOptions: NSObject {
        /// The URLs that the scene is to open.
        public let urlContexts: Set<UIOpenURLContext>
        /// The activities that the scene is to continue.
        public let userActivities: Set<NSUserActivity>

        /// The type of an activity that is handed over from another device. It may not be in
        /// `userActivities` yet: the scene's delegate gets it later then.
        public let handoffUserActivityType: String?
        /// The quick action that a person chose.
        public let shortcutItem: UIApplicationShortcutItem?
        /// The notification that a person responded to.
        public let notificationResponse: UNNotificationResponse?
        /// The bundle identifier of the app that asks for the scene; `nil` if it is unknown.
        public let sourceApplication: String?

        /// `urlContexts` in the order of the request.
        let contexts: [UIOpenURLContext]

        init(_ contexts: [UIOpenURLContext], _ request: UISystem.OpeningRequest) {
            self.contexts = contexts
            urlContexts = Set(contexts)
            userActivities = request.userActivities
            handoffUserActivityType = request.handoffUserActivityType
            shortcutItem = request.shortcutItem
            notificationResponse = request.notificationResponse
            sourceApplication = request.sourceApplication ?? contexts.lazy.compactMap(\.options.sourceApplication).first
            super.init()
        }

        convenience init(_ request: UISystem.OpeningRequest) {
            self.init(
                request.urls.map { UIOpenURLContext($0, sourceApplication: request.sourceApplication) }, request)
        }

        convenience init(_ contexts: [UIOpenURLContext] = [], userActivities: Set<NSUserActivity> = []) {
            self.init(contexts, UISystem.OpeningRequest(userActivities: userActivities))
        }
    }

    /// Options for opening a URL.
    @preconcurrency @MainActor open class OpenURLOptions: NSObject {
        /// The bundle identifier of the app that requests it; `nil` if it is unknown.
        public let sourceApplication: String?
        /// Whether the file is to be opened where it is, without a copy.
        public let openInPlace: Bool

        init(sourceApplication: String?, openInPlace: Bool) {
            self.sourceApplication = sourceApplication
            self.openInPlace = openInPlace
            super.init()
        }
    }
}

/// A URL that a scene is to open.
@preconcurrency @MainActor open class UIOpenURLContext: NSObject {
    /// The URL to open.
    public let url: URL
    /// Who requests it, and how it is to be opened.
    public let options: UIScene.OpenURLOptions

    init(_ url: URL, sourceApplication: String? = nil, openInPlace: Bool = false) {
        self.url = url
        options = UIScene.OpenURLOptions(sourceApplication: sourceApplication, openInPlace: openInPlace)
        super.init()
    }
}
