internal import Settle

enum Sizing {
    /// A person, within the scene's size restrictions.
    case window
    /// The screen, as the app requires the full screen. A person sizes only the window into
    /// which the scene is scaled.
    case scaled
    /// The screen alone: on phones, on an older screen's size, on non-interactive displays.
    case screen
}

/// How the system changes a geometry event before the engine gets it. Every event passes
/// here, whether it comes from the host, `submit`, `post`, a log or a script.
extension Displays {
    /// Applies a geometry event of a scene, as the sizing policy allows.
    func apply(_ event: Event, to scene: UIWindowScene) { update(scene, by: sized(event, for: scene)) }

    /// Changes a scene's place, size and orientation for the system itself, past the sizing
    /// policy. Lengths are in points.
    ///
    /// - Parameter orientation: `nil` keeps the present one.
    func setGeometry(of scene: UIWindowScene, _ frame: CGRect, orientation: UIInterfaceOrientation? = nil) {
        scene.pending.origin = frame.origin
        if let orientation { scene.pending.orientation = orientation }
        update(
            scene,
            by: .geometry(
                scene.identity, at: engine.now, size: Size(frame.size),
                orientation: orientation.flatMap { InterfaceOrientation($0) }))
    }

    /// Submits an event that the sizing policy has seen, and updates what depends on the
    /// scene's geometry.
    func update(_ scene: UIWindowScene, by event: Event) {
        if scene.sizing != .window { engine.ignoreButtons(for: scene) }
        let rejection = engine.submit(event)
        if let orientation = event.orientation, rejection == nil, !scene.pending.isInterfaceOrientationLocked {
            scene.pending.orientation = UIInterfaceOrientation(orientation)
        }
        engine.updatePending(scene)
        updateCoverage(of: scene)
        if scene.lock.isPreferred { updateLock(of: scene) }
    }

    /// The event with a size and flag that the scene may have.
    private func sized(_ event: Event, for scene: UIWindowScene) -> Event {
        switch scene.sizing {
        case .window:
            guard let size = event.size, let restrictions = scene.sizeRestrictions, restrictions.isLimiting,
                event.isValid
            else { return event }
            return event.resized(
                Size(restrictions.clamp(CGSize(size), on: scene.screen.bounds.size)), event.isInteractivelyResizing)
        case .scaled:
            guard event.isValid else { return event }
            if let size = event.size {
                let visible = scene.visibleFrame
                scene.scale(into: CGRect(origin: visible.origin, size: CGSize(size, orIfZero: visible.size)))
            }
            return event.resized(Size(scene.screen.bounds.size), false)
        case .screen:
            return event.isValid ? event.resized(Size(scene.screen.bounds.size), false) : event
        }
    }

    /// Clamps the scene's present size to its changed restrictions, and keeps the window
    /// within its screen.
    func applyRestrictions(of scene: UIWindowScene) {
        guard let restrictions = scene.sizeRestrictions else { return }
        let size = restrictions.clamp(scene.pending.size, on: scene.screen.bounds.size)
        guard size != scene.pending.size else { return }
        let frame = CGRect(origin: scene.pending.origin, size: size).moved(into: scene.screen.bounds)
        turn.perform { setGeometry(of: scene, frame) }
    }

    /// What determines the size of a scene that connects on the screen.
    func sizing(on screen: UIScreen) -> Sizing {
        if screen.isExternal || platform.isLetterboxed || !platform.isWindowed { return .screen }
        return requiresFullScreen ? .scaled : .window
    }

    /// Whether the app's scenes keep the screen's size, however large their windows are.
    private var requiresFullScreen: Bool {
        let version = OperatingSystemVersion(
            majorVersion: platform.osVersion.major, minorVersion: platform.osVersion.minor,
            patchVersion: 0)
        return platform.kind == .pad && app.infoPlist.fullScreen.applies(on: version)
    }
}

extension Event {
    fileprivate func resized(_ size: Size, _ isInteractivelyResizing: Bool?) -> Event {
        .geometry(
            scene, at: at, size: size, isInteractivelyResizing: isInteractivelyResizing,
            isInterfaceOrientationLocked: isInterfaceOrientationLocked, orientation: orientation)
    }
}

extension Size {
    init(_ size: CGSize) { self.init(width: size.width, height: size.height) }
}

extension CGSize {
    init(_ size: Size) { self.init(width: size.width, height: size.height) }

    fileprivate init(_ size: Size, orIfZero present: CGSize) {
        self = size.width > 0 && size.height > 0 ? CGSize(size) : present
    }
}
