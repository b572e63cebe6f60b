extension UIApplication {
    /// A key of the options for opening a URL in another app.
    public struct OpenExternalURLOptionsKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        /// The key of that name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Opens the URL only in an app that is registered for its web site, a `Bool`. There is
        /// none here, so nothing is opened.
        public static let universalLinksOnly = OpenExternalURLOptionsKey(
            rawValue: "UIApplicationOpenURLOptionUniversalLinksOnly")
    }

    /// The URL of the app's settings, for `open(_:options:completionHandler:)`.
    public nonisolated static let openSettingsURLString = "app-settings:"

    /// Opens a URL in another app, as `UISystem.canOpenURL` and `UISystem.onOpenURL` decide.
    ///
    /// - Parameters:
    ///   - url: What to open.
    ///   - options: See `OpenExternalURLOptionsKey`.
    ///   - completion: Gets whether it was opened, after this call has returned.
    public func open(
        _ url: URL, options: [OpenExternalURLOptionsKey: Any] = [:],
        completionHandler completion: ((Bool) -> Void)? = nil
    ) {
        let isLink = options[.universalLinksOnly] as? Bool == true
        UISystem.running.openOutside(url, isLink: isLink, completion)
    }

    /// Opens a URL in another app.
    ///
    /// - Returns: Whether it was opened.
    @discardableResult
    public func open(_ url: URL, options: [OpenExternalURLOptionsKey: Any] = [:]) async -> Bool {
        await withCheckedContinuation { continuation in
            open(url, options: options) { continuation.resume(returning: $0) }
        }
    }

    /// Whether an app can open the URL; see `UISystem.canOpenURL`.
    public func canOpenURL(_ url: URL) -> Bool { UISystem.running.canOpenURL(url) }

    /// Requests a scene; see `activateSceneSession(for:errorHandler:)`, which replaces this
    /// method on Apple's platforms.
    ///
    /// - Parameters:
    ///   - sceneSession: The session to activate; `nil` for a new one.
    ///   - userActivity: What the scene is to continue.
    ///   - options: Who makes the request.
    ///   - errorHandler: Gets a `UISceneError` if the request is denied.
    public func requestSceneSessionActivation(
        _ sceneSession: UISceneSession?, userActivity: NSUserActivity?, options: UIScene.ActivationRequestOptions?,
        errorHandler: ((any Error) -> Void)? = nil
    ) {
        let request =
            sceneSession.map {
                UISceneSessionActivationRequest(session: $0, userActivity: userActivity, options: options)
            } ?? UISceneSessionActivationRequest(userActivity: userActivity, options: options)
        activateSceneSession(for: request, errorHandler: errorHandler)
    }

    /// Requests that what the system shows of a session is up to date. A session without a
    /// scene connects in the background, where the app can update it; nothing is drawn, so
    /// there is nothing to do for a connected one. A session that is not open is ignored.
    public func requestSceneSessionRefresh(_ sceneSession: UISceneSession) {
        let system = UISystem.running
        guard sceneSession.isOpen, system.turn.allowsStateChange() else { return }
        system.turn.afterCallbacks {
            guard sceneSession.isOpen, sceneSession.scene == nil, !system.hasEnded else { return }
            do { try system.connect(sceneSession, state: .background) } catch {
                system.log(
                    "Scene session \(sceneSession.persistentIdentifier) cannot be refreshed: \(error).")
            }
        }
    }

    /// The windows of all scenes. Deprecated on Apple's platforms: use `UIWindowScene.windows`.
    public var windows: [UIWindow] { UISystem.running.windowScenes.flatMap(\.windows) }

    /// The key window of the scene in front. Deprecated on Apple's platforms: use
    /// `UIWindowScene.keyWindow`.
    public var keyWindow: UIWindow? {
        let scenes = UISystem.running.windowScenes.filter { $0.activationState.isInForeground }
        return scenes.max { $0.session.activationOrder < $1.session.activationOrder }?.keyWindow
    }
}

extension UIScene {
    /// Options for opening a URL in another app.
    @preconcurrency @MainActor open class OpenExternalURLOptions: NSObject {
        /// Opens the URL only in an app that is registered for its web site. There is none
        /// here, so nothing is opened.
        open var universalLinksOnly = false

        /// The options.
        public override init() { super.init() }
    }

    /// Opens a URL in another app; see `UIApplication.open`.
    public final func open(
        _ url: URL, options: OpenExternalURLOptions?, completionHandler completion: ((Bool) -> Void)? = nil
    ) {
        UISystem.running.openOutside(url, isLink: options?.universalLinksOnly == true, completion)
    }
}

extension UISystem {
    fileprivate func openOutside(_ url: URL, isLink: Bool, _ completion: ((Bool) -> Void)?) {
        let isOpened = !hasEnded && !isLink && canOpenURL(url)
        if isOpened { onOpenURL?(url) }
        if let completion { turn.onNextTurn { completion(isOpened) } }
    }
}
