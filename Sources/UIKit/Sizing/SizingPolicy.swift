internal import Settle

/// What sets a scene's size.
enum Sizing {
    /// A person, within the scene's size restrictions.
    case window
    /// The screen, as the app requires it whole; a person sizes only the window into
    /// which the scene is scaled.
    case scaled
    /// The screen alone: on phones, on an older screen's size, on displays that only show.
    case screen
}

/// What the system makes of a geometry event before the engine gets it. Every event
/// passes here, whether it comes from the host, `submit`, `post`, a log or a script.
extension UISystem {
    /// The event with the size and flag that the scene may have.
    func sized(_ event: Event, for scene: UIWindowScene) -> Event {
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
                let shown = scene.shownFrame
                scene.show(in: CGRect(origin: shown.origin, size: CGSize(size, keeping: shown.size)))
            }
            return event.resized(Size(scene.screen.bounds.size), false)
        case .screen:
            return event.isValid ? event.resized(Size(scene.screen.bounds.size), false) : event
        }
    }

    /// Gives the scene's present size its new bounds, and the window its place.
    func restrictionsDidChange(_ scene: UIWindowScene) {
        guard let restrictions = scene.sizeRestrictions else { return }
        let size = restrictions.clamp(scene.state.size, on: scene.screen.bounds.size)
        guard size != scene.state.size else { return }
        let frame = CGRect(origin: scene.state.origin, size: size).moved(into: scene.screen.bounds)
        act {
            scene.state.origin = frame.origin
            impose(.geometry(scene.identity, at: now, size: Size(size)), on: scene)
        }
    }

    /// What sets the size of a scene that connects on the screen.
    func sizing(on screen: UIScreen) -> Sizing {
        if screen.isExternal || platform.isLetterboxed || !platform.isWindowed { return .screen }
        return requiresFullScreen ? .scaled : .window
    }

    /// Whether the app's windows keep the screen's size, however large they are shown.
    private var requiresFullScreen: Bool {
        let version = OperatingSystemVersion(
            majorVersion: platform.osVersion.major, minorVersion: platform.osVersion.minor, patchVersion: 0)
        return platform.kind == .pad && infoPlist.fullScreen.applies(on: version)
    }
}

extension Event {
    /// A geometry event with another size and flag.
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

    /// The size, unless a side of zero keeps the present one.
    fileprivate init(_ size: Size, keeping present: CGSize) {
        let isUsable = size.width > 0 && size.height > 0
        self = isUsable ? CGSize(size) : present
    }
}
