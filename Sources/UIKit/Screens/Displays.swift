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
        connections.offer(screen)
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
            connections.stopOffering(screen)
            displays.remove(screen)
        }
    }

    /// What the display shows: `custom` while a window is attached to its scene.
    public func displayMode(of screen: UIScreen) -> DisplayMode {
        displays.displayMode(of: screen)
    }
}

/// The screens, and what they determine: the interface's orientation, and the places and sizes of scenes.
@MainActor final class Displays {
    /// The attached screens, the device's own first.
    private(set) var screens: [UIScreen]
    /// The number of scenes that prefer an orientation lock, granted or not.
    var lockPreferences = 0
    /// The orientation that the app requested last; `nil` once the device was rotated.
    var orientationRequest: UIInterfaceOrientation?

    let device: UIDevice
    let platform: UISystem.Platform
    let app: RunningApp
    let engine: SceneEngine
    let turn: Turn

    init(_ platform: UISystem.Platform, _ device: UIDevice, _ app: RunningApp, _ engine: SceneEngine, _ turn: Turn) {
        self.device = device
        self.platform = platform
        self.app = app
        self.engine = engine
        self.turn = turn
        let main = UIScreen(
            size: platform.sceneScreenSize.turned(platform.orientation), scale: platform.screenScale,
            isExternal: false, orientation: platform.orientation)
        screens = [main]
        engine.onUnlock = { [unowned self] in followDevice() }
    }

    /// The device's own screen.
    var mainScreen: UIScreen { screens[0] }

    fileprivate func attach(_ screen: UIScreen) {
        screens.append(screen)
        updateMirroring(of: screen)
        NotificationCenter.default.post(name: UIScreen.didConnectNotification, object: screen)
    }

    fileprivate func remove(_ screen: UIScreen) {
        screens.removeAll { $0 === screen }
        NotificationCenter.default.post(name: UIScreen.didDisconnectNotification, object: screen)
    }

    func isFree(_ screen: UIScreen) -> Bool {
        screen.isExternal
            && !app.windowScenes.contains { scene in
                scene.screen === screen && scene.session.role == .windowExternalDisplayNonInteractive
            }
    }

    func displayMode(of screen: UIScreen) -> UISystem.DisplayMode {
        let isCustom = app.windowScenes.contains { scene in
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
