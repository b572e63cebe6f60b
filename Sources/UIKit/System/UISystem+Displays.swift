internal import Settle

extension UISystem {
    /// What an external display shows.
    public enum DisplayMode: Hashable, Sendable {
        /// The main screen's content.
        case mirrored
        /// More space for the app's windows.
        case extended
        /// The windows that the app attached to the display's scene, on the whole display.
        case custom
    }

    /// Connects a display that only shows, and offers the app a scene on it: at once, or
    /// after its first scene has connected.
    ///
    /// An app that says nothing for such scenes, or makes no window for one, keeps the
    /// system's default. A size or scale that is not finite and above 0 is logged, and the
    /// default one taken.
    @discardableResult
    public func attachDisplay(
        size: CGSize = CGSize(width: 1920, height: 1080), scale: CGFloat = 1
    ) -> UIScreen {
        var (size, scale) = (size, scale)
        if !size.width.isLength || !size.height.isLength {
            log("An external display cannot have the size \(size.width)×\(size.height); it gets 1920×1080.")
            size = CGSize(width: 1920, height: 1080)
        }
        if !scale.isLength {
            log("An external display cannot have the scale \(scale); it gets 1.")
            scale = 1
        }
        let screen = UIScreen(size: size, scale: scale, isExternal: true, orientation: .unknown)
        screens.append(screen)
        updateMirroring(of: screen)
        post(UIScreen.didConnectNotification, screen)
        displaysToOffer.append(screen)
        offerDisplays()
        return screen
    }

    /// Offers scenes on the displays that wait for it, once the app has a scene.
    func offerDisplays() {
        guard phase == .scenes, !displaysToOffer.isEmpty else { return }
        afterCallbacks { [unowned self] in
            let screens = displaysToOffer
            displaysToOffer = []
            for screen in screens {
                do { try offerScene(on: screen) } catch {
                    log("The external display stays \(displayMode(of: screen)): \(error).")
                }
            }
        }
    }

    private func offerScene(on screen: UIScreen) throws {
        let role = UISceneSession.Role.windowExternalDisplayNonInteractive
        let known = sessions.first { $0.role == role && $0.scene == nil }
        let session =
            known
            ?? UISceneSession(
                role: role, persistentIdentifier: UUID().uuidString,
                configuration: UISceneConfiguration(name: nil, sessionRole: role))
        _ = try connect(session, UIScene.ConnectionOptions(), onDisplay: screen, state: .foregroundActive)
    }

    /// Connects the scene that a display shows.
    func connect(
        _ session: UISceneSession, _ options: UIScene.ConnectionOptions, onDisplay screen: UIScreen,
        state: UIScene.ActivationState
    ) throws -> UIScene {
        defer { updateMirroring(of: screen) }
        return try make(
            session, options, on: screen, frame: screen.bounds, state: state, first: tellSize(of:))
    }

    /// Whether the screen is an external display without a scene of its own.
    func isFree(_ screen: UIScreen) -> Bool {
        screen.isExternal
            && !windowScenes.contains { scene in
                scene.screen === screen && scene.session.role == .windowExternalDisplayNonInteractive
            }
    }

    /// Disconnects a display and the scene on it.
    public func detachDisplay(_ screen: UIScreen) throws {
        guard screen.isExternal, screens.contains(screen) else { throw UISystem.Error.notAnExternalDisplay }
        try changeState { [unowned self] in
            for scene in windowScenes where scene.screen === screen {
                if scene.session.role == .windowExternalDisplayNonInteractive {
                    try endConnection(of: scene, at: now)
                } else {
                    try move(scene, to: mainScreen)
                }
            }
            screens.removeAll { $0 === screen }
            displaysToOffer.removeAll { $0 === screen }
            post(UIScreen.didDisconnectNotification, screen)
        }
    }

    /// What the display shows: custom while a window is attached to its scene.
    public func displayMode(of screen: UIScreen) -> DisplayMode {
        let isCustom = windowScenes.contains { scene in
            scene.screen === screen && scene.session.role == .windowExternalDisplayNonInteractive
                && !scene.windows.isEmpty
        }
        if isCustom { return .custom }
        return platform.extendsDisplays ? .extended : .mirrored
    }

    func updateMirroring(of screen: UIScreen) {
        screen.mirrored = displayMode(of: screen) == .mirrored ? mainScreen : nil
    }
}
