internal import Settle

/// What a person and the window system do to the place and size of scenes.
extension UISystem {
    /// A person takes hold of the window's edge.
    ///
    /// - Throws: `windowsCannotVary` where there is none; `notConnected`.
    public func beginResize(_ scene: UIWindowScene) throws {
        try resizable(scene)
        act { apply(.geometry(scene.identity, at: now, isInteractivelyResizing: !isScaled(scene)), to: scene) }
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

    /// A window is moved on its screen, and resized at once if the frame says so.
    public func place(_ scene: UIWindowScene, in frame: CGRect) throws {
        try resizable(scene)
        act {
            if isScaled(scene) || requiresFullScreen {
                scene.presentation = frame == scene.screen.bounds ? .none : .window(frame)
            } else {
                scene.state.origin = frame.origin
                apply(.geometry(scene.identity, at: now, size: Size(frame.size)), to: scene)
            }
            updateLock(of: scene)
        }
    }

    /// The window is to cover its screen.
    ///
    /// - Throws: `fullScreenNotAllowed` when the scene's size restrictions say so.
    public func enterFullScreen(_ scene: UIWindowScene) throws {
        if scene.sizeRestrictions?.allowsFullScreen == false { throw UISystemError.fullScreenNotAllowed }
        try place(scene, in: scene.screen.bounds)
    }

    /// A scene is moved to another screen; its delegate is told even if nothing else
    /// changes.
    public func move(_ scene: UIWindowScene, to screen: UIScreen, frame: CGRect? = nil) throws {
        try connectedScene(scene)
        guard screen !== scene.screen else { return }
        act {
            scene.screen = screen
            scene.hasMovedScreen = true
            scene.state.orientation = screen.orientation
            if let frame {
                scene.state.origin = frame.origin
                apply(.geometry(scene.identity, at: now, size: Size(frame.size)), to: scene)
            }
            touch(scene)
            updateLock(of: scene)
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
    /// scene on the whole screen has it locked; then it follows when the lock goes.
    public func rotate(to orientation: UIInterfaceOrientation) {
        guard platform.orientation != .unknown, orientation != .unknown else { return }
        device.orientation = UIDeviceOrientation(orientation)
        act { followDevice() }
    }

    /// A lock has gone: the interface turns as the device was turned meanwhile.
    func unlocked(_ scene: UIWindowScene) {
        if !scene.screen.isExternal { afterCallbacks { [unowned self] in followDevice() } }
    }

    private func followDevice() {
        let screen = mainScreen
        let orientation = UIInterfaceOrientation(rawValue: device.orientation.rawValue) ?? .unknown
        let onScreen = windowScenes.filter { $0.screen === screen }
        let isLocked = onScreen.contains { $0.state.isInterfaceOrientationLocked && !$0.isHeld }
        guard orientation != .unknown, orientation != screen.orientation, !isLocked else { return }
        let before = screen.bounds
        screen.orientation = orientation
        screen.bounds.size = platform.sceneScreenSize.turned(orientation)
        for scene in onScreen {
            // No lock forbids it; what a scene off the screen was told of one may still stand.
            scene.state.orientation = orientation
            let isWhole = CGRect(origin: scene.state.origin, size: scene.state.size) == before
            impose(
                .geometry(
                    scene.identity, at: now, size: isWhole ? Size(screen.bounds.size) : nil,
                    orientation: orientation.settled), on: scene)
            // Never blocks the rotation, and holds again after it.
            restrictionsDidChange(scene)
            updateLock(of: scene)
        }
    }

    private func resizable(_ scene: UIWindowScene) throws {
        try connectedScene(scene)
        let mayBeScaled = scene.presentation != .letterbox && !scene.screen.isExternal
        let isWindow =
            scene.sizeRestrictions != nil || isScaled(scene)
            || (requiresFullScreen && platform.isWindowed && mayBeScaled)
        guard isWindow else { throw UISystemError.windowsCannotVary }
        if requiresFullScreen, scene.presentation == .none { scene.presentation = .window(scene.screen.bounds) }
    }

    private func isScaled(_ scene: UIWindowScene) -> Bool {
        if case .window = scene.presentation { return true }
        return false
    }

    private func connectedScene(_ scene: UIWindowScene) throws {
        guard windowScene(scene.identity) === scene else { throw UISystemError.notConnected }
    }
}
