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

    /// Attaches a non-interactive display, and offers the app a scene on it: at once, or
    /// after the app's first scene has connected.
    ///
    /// If the app does not configure such scenes, or makes no window for this one, the
    /// display stays in the platform's mode.
    ///
    /// - Parameters:
    ///   - size: In points. One that is not finite and above 0 is logged and replaced by
    ///     the default.
    ///   - scale: Pixels per point; the same holds.
    /// - Returns: The display's screen.
    @discardableResult
    public func attachDisplay(
        size: CGSize = CGSize(width: 1920, height: 1080), scale: CGFloat = 1
    ) -> UIScreen {
        var (size, scale) = (size, scale)
        if !size.width.isLength || !size.height.isLength {
            log(
                "An external display cannot have the size \(size.width)×\(size.height); it gets 1920×1080. Pass finite sides above 0."
            )
            size = CGSize(width: 1920, height: 1080)
        }
        if !scale.isLength {
            log("An external display cannot have the scale \(scale); it gets 1. Pass a finite scale above 0.")
            scale = 1
        }
        let screen = UIScreen(size: size, scale: scale, isExternal: true, orientation: .unknown)
        displays.attach(screen)
        return screen
    }

    /// Detaches a display. Its own scene disconnects; other scenes on it move to the main
    /// screen.
    ///
    /// - Throws: `notAnExternalDisplay` unless it is an attached external display; `ended`.
    public func detachDisplay(_ screen: UIScreen) throws {
        guard screen.isExternal, screens.contains(screen) else { throw UISystem.Error.notAnExternalDisplay }
        try turn.changeState { [unowned self] in
            for scene in windowScenes where scene.screen === screen {
                if scene.session.role == .windowExternalDisplayNonInteractive {
                    try connections.disconnectNow(scene, at: now)
                } else {
                    try move(scene, to: mainScreen)
                }
            }
            displays.remove(screen)
        }
    }

    /// What the display shows: `custom` while a window is attached to its scene.
    public func displayMode(of screen: UIScreen) -> DisplayMode {
        let isCustom = windowScenes.contains { scene in
            scene.screen === screen && scene.session.role == .windowExternalDisplayNonInteractive
                && !scene.windows.isEmpty
        }
        if isCustom { return .custom }
        return platform.extendsDisplays ? .extended : .mirrored
    }
}

/// The screens, and what they determine: the interface's orientation, and the places and sizes of scenes.
@MainActor final class Displays: SystemPart {
    /// The attached screens, the device's own first.
    private(set) var screens: [UIScreen]
    /// External displays on which the app was not offered a scene yet.
    private var displaysToOffer: [UIScreen] = []
    /// The number of scenes that prefer an orientation lock, granted or not.
    var lockPreferences = 0
    /// The orientation that the app requested last; `nil` once the device was rotated.
    var orientationRequest: UIInterfaceOrientation?

    let platform: UISystem.Platform

    init(_ platform: UISystem.Platform) {
        self.platform = platform
        let main = UIScreen(
            size: platform.sceneScreenSize.turned(platform.orientation), scale: platform.screenScale,
            isExternal: false, orientation: platform.orientation)
        screens = [main]
        super.init()
    }

    fileprivate func attach(_ screen: UIScreen) {
        screens.append(screen)
        updateMirroring(of: screen)
        system.post(UIScreen.didConnectNotification, screen)
        displaysToOffer.append(screen)
        offerDisplays()
    }

    fileprivate func remove(_ screen: UIScreen) {
        screens.removeAll { $0 === screen }
        displaysToOffer.removeAll { $0 === screen }
        system.post(UIScreen.didDisconnectNotification, screen)
    }

    /// Connects scenes on the displays that do not have one, once the app has a scene.
    func offerDisplays() {
        guard system.connections.phase == .scenes, !displaysToOffer.isEmpty else { return }
        system.turn.afterCallbacks { [unowned self] in
            let screens = displaysToOffer
            displaysToOffer = []
            for screen in screens {
                do { try offerScene(on: screen) } catch {
                    system.log("The external display stays \(system.displayMode(of: screen)): \(error).")
                }
            }
        }
    }

    private func offerScene(on screen: UIScreen) throws {
        let role = UISceneSession.Role.windowExternalDisplayNonInteractive
        let session =
            system.connections.sessions.first { $0.role == role && $0.scene == nil } ?? UISceneSession(role: role)
        _ = try connect(session, UIScene.ConnectionOptions(), onDisplay: screen, state: .foregroundActive)
    }

    func connect(
        _ session: UISceneSession, _ options: UIScene.ConnectionOptions, onDisplay screen: UIScreen,
        state: UIScene.ActivationState
    ) throws -> UIScene {
        defer { updateMirroring(of: screen) }
        return try system.connections.connectScene(
            of: session, options, on: screen, frame: screen.bounds, state: state,
            firstEvent: system.connections.submitInitialSize(of:))
    }

    func isFree(_ screen: UIScreen) -> Bool {
        screen.isExternal
            && !system.windowScenes.contains { scene in
                scene.screen === screen && scene.session.role == .windowExternalDisplayNonInteractive
            }
    }

    func updateMirroring(of screen: UIScreen) {
        screen.mirrored = system.displayMode(of: screen) == .mirrored ? system.mainScreen : nil
    }
}
