internal import Settle

/// What a person and the window system do to the place and size of scenes.
extension UISystem {
    /// A person takes hold of the window's edge.
    ///
    /// - Throws: `windowsCannotVary` where there is none; `notConnected`.
    public func beginResize(_ scene: UIWindowScene) throws {
        try resizable(scene)
        act { apply(.geometry(scene.identity, at: now, isInteractivelyResizing: true), to: scene) }
    }

    /// The edge moves; without `beginResize`, the window layout changes at once. A side
    /// of zero keeps the size, and a size that is not finite or is negative is rejected.
    public func resize(_ scene: UIWindowScene, to size: CGSize) throws {
        try resizable(scene)
        act { apply(.geometry(scene.identity, at: now, size: Size(size)), to: scene) }
    }

    /// The person lets go, of a window of its present size or of a last one.
    public func endResize(_ scene: UIWindowScene, at size: CGSize? = nil) throws {
        try resizable(scene)
        let size = size.map { Size($0) }
        act { apply(.geometry(scene.identity, at: now, size: size, isInteractivelyResizing: false), to: scene) }
    }

    /// A window is moved on its screen, and resized at once if the frame says so. A frame
    /// that is not finite or has a negative side changes nothing.
    public func place(_ scene: UIWindowScene, in frame: CGRect) throws {
        try resizable(scene)
        act { put(scene, in: frame) }
    }

    /// The window is to cover its screen.
    ///
    /// - Throws: `fullScreenNotAllowed` when the scene's size restrictions say so.
    public func enterFullScreen(_ scene: UIWindowScene) throws {
        if scene.sizeRestrictions?.allowsFullScreen == false { throw UISystem.Error.fullScreenNotAllowed }
        try place(scene, in: scene.screen.bounds)
    }

    /// A scene is moved to another screen; its delegate is told even if nothing else
    /// changes.
    ///
    /// - Parameter frame: Where a window is put there; `nil` for the whole screen if it
    ///   covered the one before, and for the same frame otherwise, moved and made smaller
    ///   as it must be to lie within the screen.
    /// - Throws: `screenNotAttached` unless it is one of `screens`; `notConnected`.
    public func move(_ scene: UIWindowScene, to screen: UIScreen, frame: CGRect? = nil) throws {
        try connectedScene(scene)
        guard screens.contains(where: { $0 === screen }) else { throw UISystem.Error.screenNotAttached }
        guard screen !== scene.screen else { return }
        act {
            let before = scene.screen.bounds
            scene.screen = screen
            scene.hasMovedScreen = true
            if let frame, frame.isSound {
                scene.state.orientation = screen.orientation
                put(scene, in: frame)
            } else {
                fit(scene, after: before, turned: screen.orientation)
            }
            locksMayChange()
        }
    }

    /// Something lies over the scene, or no longer.
    public func setOccluded(_ scene: UIWindowScene, _ isOccluded: Bool) throws {
        try connectedScene(scene)
        act {
            scene.lock.isOccluded = isOccluded
            updateLock(of: scene)
        }
    }

    /// The device is turned. The interface follows on platforms that rotate, unless a
    /// scene in the foreground has it locked; then it follows once none has.
    public func rotate(to orientation: UIInterfaceOrientation) {
        guard phase != .ended, platform.orientation != .unknown, orientation != .unknown else { return }
        device.orientation = UIDeviceOrientation(orientation)
        act { followDevice() }
    }

    /// Turns the interface as the device is turned, unless a scene on its screen has it
    /// locked. What a scene in the background was told of a lock does not count.
    func followDevice() {
        let screen = mainScreen
        let orientation = deviceOrientation
        guard orientation != .unknown, orientation != screen.orientation else { return }
        let onScreen = windowScenes.filter { $0.screen === screen }
        guard !onScreen.contains(where: { $0.state.isInterfaceOrientationLocked && !$0.isHeld }) else { return }
        let before = screen.bounds
        screen.orientation = orientation
        screen.bounds.size = platform.sceneScreenSize.turned(orientation)
        for scene in onScreen { fit(scene, after: before, turned: orientation) }
        locksMayChange()
    }

    /// How the interface is turned that stands upright as the device is held.
    var deviceOrientation: UIInterfaceOrientation {
        UIInterfaceOrientation(rawValue: device.orientation.rawValue) ?? .unknown
    }

    private func resizable(_ scene: UIWindowScene) throws {
        try connectedScene(scene)
        guard scene.sizing != .screen else { throw UISystem.Error.windowsCannotVary }
    }

    private func connectedScene(_ scene: UIWindowScene) throws {
        guard windowScene(scene.identity) === scene else { throw UISystem.Error.notConnected }
    }
}
