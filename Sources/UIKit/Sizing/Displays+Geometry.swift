internal import Settle

extension UISystem {
    /// A person starts to drag the window's edge.
    ///
    /// - Throws: `windowsCannotVary` if the scene has a fixed size; `notConnected`.
    public func beginResize(_ scene: UIWindowScene) throws {
        try resizable(scene)
        turn.hostCall { displays.apply(.geometry(scene.identity, at: now, isInteractivelyResizing: true), to: scene) }
    }

    /// The window gets another size: by a drag after `beginResize`, else at once, as when
    /// the window layout changes. A size with a side of 0 is ignored; one that is not finite
    /// or negative is rejected.
    ///
    /// - Throws: `windowsCannotVary` if the scene has a fixed size; `notConnected`.
    public func resize(_ scene: UIWindowScene, to size: CGSize) throws {
        try resizable(scene)
        turn.hostCall { displays.apply(.geometry(scene.identity, at: now, size: Size(size)), to: scene) }
    }

    /// The person ends the drag.
    ///
    /// - Parameters:
    ///   - scene: The window's scene.
    ///   - size: The final size; `nil` for the present one.
    /// - Throws: `windowsCannotVary` if the scene has a fixed size; `notConnected`.
    public func endResize(_ scene: UIWindowScene, at size: CGSize? = nil) throws {
        try resizable(scene)
        let size = size.map { Size($0) }
        turn.hostCall {
            displays.apply(.geometry(scene.identity, at: now, size: size, isInteractivelyResizing: false), to: scene)
        }
    }

    /// The window moves on its screen and gets the frame's size. A frame that is not finite
    /// or has a negative side is ignored.
    ///
    /// - Throws: `windowsCannotVary` if the scene has a fixed size; `notConnected`.
    public func place(_ scene: UIWindowScene, in frame: CGRect) throws {
        try resizable(scene)
        turn.hostCall { displays.setFrame(frame, of: scene) }
    }

    /// The window covers its screen.
    ///
    /// - Throws: `fullScreenNotAllowed` if the scene's size restrictions forbid it;
    ///   `windowsCannotVary` if the scene has a fixed size; `notConnected`.
    public func enterFullScreen(_ scene: UIWindowScene) throws {
        if scene.sizeRestrictions?.allowsFullScreen == false { throw UISystem.Error.fullScreenNotAllowed }
        try place(scene, in: scene.screen.bounds)
    }

    /// The scene moves to another screen. Its delegate gets a geometry callback even if
    /// nothing else changes.
    ///
    /// - Parameters:
    ///   - scene: The scene to move.
    ///   - screen: One of `screens`.
    ///   - frame: The window's frame there; `nil` for the whole screen if the scene covered the
    ///     one before, else for the same frame, moved and made smaller so that it lies within
    ///     the screen.
    /// - Throws: `screenNotAttached` unless it is one of `screens`; `notConnected`.
    public func move(_ scene: UIWindowScene, to screen: UIScreen, frame: CGRect? = nil) throws {
        try connected(scene)
        guard screens.contains(where: { $0 === screen }) else { throw UISystem.Error.screenNotAttached }
        guard screen !== scene.screen else { return }
        turn.hostCall {
            let oldBounds = scene.screen.bounds
            scene.screen = screen
            scene.hasMovedScreen = true
            if let frame, frame.isUsable {
                scene.pending.orientation = screen.orientation
                displays.setFrame(frame, of: scene)
            } else {
                displays.refit(scene, from: oldBounds, orientation: screen.orientation)
            }
            displays.updateLocks()
        }
    }

    /// Something starts or stops covering the scene.
    ///
    /// - Throws: `notConnected`.
    public func setOccluded(_ scene: UIWindowScene, _ isOccluded: Bool) throws {
        try connected(scene)
        turn.hostCall {
            scene.lock.isOccluded = isOccluded
            displays.updateLock(of: scene)
        }
    }

    /// The device is rotated. On platforms that rotate, the interface follows, unless a
    /// scene in the foreground has it locked; then it follows once none has. `.unknown` is
    /// ignored.
    public func rotate(to orientation: UIInterfaceOrientation) {
        guard app.phase != .ended, platform.orientation != .unknown, orientation != .unknown else { return }
        device.orientation = UIDeviceOrientation(orientation)
        displays.orientationRequest = nil
        turn.hostCall { displays.followDevice() }
    }

    private func resizable(_ scene: UIWindowScene) throws {
        try connected(scene)
        guard scene.sizing != .screen else { throw UISystem.Error.windowsCannotVary }
    }

    private func connected(_ scene: UIWindowScene) throws {
        guard engine.isBound(scene) else { throw UISystem.Error.notConnected }
    }
}

/// What a person and the window system do to the place and size of scenes. Lengths are in
/// points.
extension Displays {
    /// Rotates the interface to the device's orientation, or to what the app requests and
    /// supports instead, unless a scene on its screen has it locked. The lock of a scene in the
    /// background does not count.
    func followDevice() {
        let screen = mainScreen
        let orientation = nextOrientation
        guard orientation != .unknown, orientation != screen.orientation else { return }
        let onScreen = app.windowScenes.filter { $0.screen === screen }
        guard
            !onScreen.contains(where: { $0.pending.isInterfaceOrientationLocked && $0.activationState.isInForeground })
        else { return }
        let oldBounds = screen.bounds
        screen.orientation = orientation
        screen.bounds.size = platform.sceneScreenSize.turned(orientation)
        if UISystem.current?.displays === self { CurrentTraits.ofScreen = screenTraits }
        for scene in onScreen { refit(scene, from: oldBounds, orientation: orientation) }
        updateLocks()
    }

    /// The orientation of an interface that is upright as the device is held.
    var deviceOrientation: UIInterfaceOrientation {
        UIInterfaceOrientation(rawValue: device.orientation.rawValue) ?? .unknown
    }
}
