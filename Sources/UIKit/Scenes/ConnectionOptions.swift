extension UIScene {
    /// Why a scene connects, and what it is to show.
    @preconcurrency @MainActor open class ConnectionOptions: NSObject {
        /// URLs that the app was launched with, or the scene was asked for.
        public let urlContexts: Set<UIOpenURLContext>
        /// What the person was doing elsewhere, or what the scene was asked to show.
        public let userActivities: Set<NSUserActivity>

        /// `urlContexts` in their order.
        let contexts: [UIOpenURLContext]

        init(_ contexts: [UIOpenURLContext] = [], userActivities: Set<NSUserActivity> = []) {
            self.contexts = contexts
            urlContexts = Set(contexts)
            self.userActivities = userActivities
            super.init()
        }
    }

    /// How a URL is to be opened.
    @preconcurrency @MainActor open class OpenURLOptions: NSObject {
        /// Who asks, a bundle identifier; `nil` when nobody says.
        public let sourceApplication: String?
        /// Whether the file must not be copied first.
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
    public let url: URL
    public let options: UIScene.OpenURLOptions

    init(_ url: URL, sourceApplication: String? = nil, openInPlace: Bool = false) {
        self.url = url
        options = UIScene.OpenURLOptions(sourceApplication: sourceApplication, openInPlace: openInPlace)
        super.init()
    }
}
