internal import Settle

/// What an external display shows.
public enum UIDisplayMode: Hashable, Sendable {
    /// The device's own screen again.
    case mirrored
    /// More room for the app's windows.
    case extended
    /// What the app attached a window for, on the whole display.
    case custom
}

extension UISystem {
    /// Connects a display that only shows, and offers the app a scene on it: at once, or
    /// after its first scene has connected.
    ///
    /// An app that says nothing for such scenes, or makes no window for one, keeps the
    /// system's default.
    @discardableResult
    public func attachDisplay(
        size: CGSize = CGSize(width: 1920, height: 1080), scale: CGFloat = 1
    ) -> UIScreen {
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
        let options = UIScene.ConnectionOptions()
        _ = try make(session, options, on: screen, frame: screen.bounds, state: .foregroundActive) { scene in
            impose(
                .geometry(scene.identity, at: now, size: Size(scene.state.size), isInteractivelyResizing: false),
                on: scene)
        }
        updateMirroring(of: screen)
    }

    /// Disconnects a display and the scene on it.
    public func detachDisplay(_ screen: UIScreen) throws {
        guard screen.isExternal, screens.contains(screen) else { throw UISystemError.notAnExternalDisplay }
        try act {
            for scene in windowScenes where scene.screen === screen {
                if scene.session.role == .windowExternalDisplayNonInteractive {
                    try disconnect(scene)
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
    public func displayMode(of screen: UIScreen) -> UIDisplayMode {
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
