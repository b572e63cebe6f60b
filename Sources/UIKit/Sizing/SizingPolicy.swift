internal import Settle

/// What the system makes of a size before the engine hears of it.
extension UISystem {
    /// The event with the size that the scene may have: none for an app that requires the
    /// full screen, and one within the scene's restrictions for all others.
    func sized(_ event: Event, for scene: UIWindowScene) -> Event {
        guard let size = event.size, event.isValid else { return event }
        if case .window(let frame) = scene.presentation {
            scene.presentation = .window(CGRect(origin: frame.origin, size: CGSize(size, keeping: frame.size)))
            return event.resized(nil)
        }
        guard let restrictions = scene.sizeRestrictions, restrictions.isLimiting else { return event }
        return event.resized(Size(restrictions.clamp(CGSize(width: size.width, height: size.height))))
    }

    /// Gives the scene's present size its new bounds.
    func restrictionsDidChange(_ scene: UIWindowScene) {
        guard let restrictions = scene.sizeRestrictions else { return }
        let size = restrictions.clamp(scene.state.size)
        guard size != scene.state.size else { return }
        act { apply(.geometry(scene.identity, at: now, size: Size(size)), to: scene) }
    }

    /// Whether the app's windows keep the screen's size, however large they are shown.
    var requiresFullScreen: Bool {
        let version = OperatingSystemVersion(
            majorVersion: platform.osVersion.major, minorVersion: platform.osVersion.minor, patchVersion: 0)
        return platform.kind == .pad && infoPlist.fullScreen.applies(on: version)
    }
}

extension Event {
    /// A geometry event with another size, or none; without one it tells nothing of an
    /// interaction either.
    fileprivate func resized(_ size: Size?) -> Event {
        .geometry(
            scene, at: at, size: size, isInteractivelyResizing: size == nil ? nil : isInteractivelyResizing,
            isInterfaceOrientationLocked: isInterfaceOrientationLocked, orientation: orientation)
    }
}

extension Size {
    init(_ size: CGSize) { self.init(width: size.width, height: size.height) }
}

extension CGSize {
    /// The size, unless a side of zero keeps the present one.
    fileprivate init(_ size: Size, keeping present: CGSize) {
        let isUsable = size.width > 0 && size.height > 0
        self = isUsable ? CGSize(width: size.width, height: size.height) : present
    }
}
