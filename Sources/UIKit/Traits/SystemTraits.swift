internal import Settle

/// The size classes of a scene.
struct SizeClasses: Equatable {
    let horizontal: UIUserInterfaceSizeClass
    let vertical: UIUserInterfaceSizeClass

    init(_ horizontal: UIUserInterfaceSizeClass, _ vertical: UIUserInterfaceSizeClass) {
        self.horizontal = horizontal
        self.vertical = vertical
    }

    init(_ values: TraitValues) { self.init(values.horizontalSizeClass, values.verticalSizeClass) }
}

extension UISystem {
    /// The number of times that the traits of a scene's windows are computed within one turn because
    /// callbacks change them again.
    static let traitUpdatesMax = 100

    /// Where a window's width makes its horizontal size class compact or regular, in points.
    /// Between the two the class stays what it was, so that a drag along one width does not
    /// collapse and expand a split view again and again.
    public struct SizeClassWidths: Hashable, Sendable {
        /// A narrower window is compact.
        public var compactBelow: CGFloat
        /// A window of this width or wider is regular.
        public var regularFrom: CGFloat

        /// The widths. `compactBelow` counts as at most `regularFrom`.
        public init(compactBelow: CGFloat = 600, regularFrom: CGFloat = 640) {
            self.compactBelow = compactBelow
            self.regularFrom = regularFrom
        }

        /// The class of a width: between the two the previous one, at first regular.
        func sizeClass(
            _ width: CGFloat, previous: UIUserInterfaceSizeClass
        ) -> UIUserInterfaceSizeClass {
            if width >= regularFrom { return .regular }
            // A width that is not a number counts as 0.
            guard width >= compactBelow else { return .compact }
            return previous == .compact ? .compact : .regular
        }
    }

    /// The smallest length, in points, of the longer side of a phone that has regular width
    /// in landscape.
    nonisolated static let largePhoneLength: CGFloat = 896

    /// The traits of what is in no window.
    static var detachedTraits: UITraitCollection {
        current?.displays.screenTraits ?? TraitTable.collection(TraitValues())
    }
}

extension UISystem.Platform {
    // MARK: What the system sets

    /// The traits of a scene of that size.
    ///
    /// - Parameter previous: The scene's present horizontal size class.
    func traitValues(_ size: CGSize, scale: CGFloat, previous: UIUserInterfaceSizeClass) -> TraitValues {
        var values = traits
        values.displayScale = scale
        let classes = sizeClasses(size, previous: previous)
        values.horizontalSizeClass = classes.horizontal
        values.verticalSizeClass = classes.vertical
        return values
    }

    func sizeClasses(_ size: CGSize, previous: UIUserInterfaceSizeClass) -> SizeClasses {
        guard kind == .phone else {
            return SizeClasses(sizeClassWidths.sizeClass(size.width, previous: previous), .regular)
        }
        guard size.width > size.height else { return SizeClasses(.compact, .regular) }
        return SizeClasses(size.width >= UISystem.largePhoneLength ? .regular : .compact, .compact)
    }

    private var traits: TraitValues {
        var values = TraitValues()
        values.userInterfaceIdiom = kind.userInterfaceIdiom
        values.layoutDirection = layoutDirection
        values.userInterfaceStyle = userInterfaceStyle
        return values
    }
}

extension Displays {
    /// The traits of a scene that covers a screen.
    func traits(of screen: UIScreen) -> UITraitCollection {
        TraitTable.collection(platform.traitValues(screen.bounds.size, scale: screen.scale, previous: .unspecified))
    }

    /// The traits of a scene that covers the main screen.
    var screenTraits: UITraitCollection { traits(of: mainScreen) }
}

extension Turn {
    // MARK: One turn

    /// Updates the traits that follow from a scene's pending geometry, and what is marked in
    /// its windows, parents before children. Callbacks may mark more, which is updated too.
    func updateTraits(of scene: UIWindowScene) {
        var announced: [UIViewController] = []
        if let next = scene.nextSystemTraits(on: platform) {
            announce(next, to: scene, &announced)
            scene.systemTraitCollection = next
        }
        defer { for controller in announced { controller.announcedTraits = nil } }
        scene.needsTraits = false
        if scene.needsTraitUpdate { updateMarkedTraits(of: scene) }
    }

    /// Notifies the view controllers of a scene of their next traits and, if the scene has another size, of
    /// that: both before either changes. Collects those that were notified.
    private func announce(
        _ systemTraits: UITraitCollection, to scene: UIWindowScene, _ announced: inout [UIViewController]
    ) {
        let next = scene.traits.collection(below: systemTraits)
        // A hidden window's traits wait until it is shown.
        let windows = scene.windows.filter(\.isOnScreen)
        for window in windows { window.announceTraits(below: next, &announced) }
        for window in windows where window.storedFrame.size != scene.pending.size {
            window.sizeWillChange(to: scene.pending.size)
        }
    }

    /// The same after a change of geometry. One that changes no trait costs a few comparisons.
    func updateTraits(following scene: UIWindowScene, _ hasMovedScreen: Bool) {
        if !hasMovedScreen, !scene.needsTraits, let known = scene.systemSizeClasses {
            let present = platform.sizeClasses(scene.pending.size, previous: known.horizontal)
            if present == known { return }
        }
        updateTraits(of: scene)
    }

    private func updateMarkedTraits(of scene: UIWindowScene) {
        let isWithin = isUpdatingTraits
        isUpdatingTraits = true
        defer { isUpdatingTraits = isWithin }
        // What the app asks for outside of callbacks is no answer to them.
        let isOutside = !phase.isInTurn && !isWithin
        if isOutside || scene.traitUpdates.turn != ended { scene.traitUpdates = (ended, 0) }
        let (isAnswer, notified) = (isWithin || phase.isEnding, traitNotifications)
        var isFirst = true
        while scene.traitUpdates.count < UISystem.traitUpdatesMax {
            // Before the callbacks, which may ask for the update at once.
            if isAnswer || !isFirst { scene.traitUpdates.count += 1 }
            let isOther = !scene.traits.isCurrent(below: scene.systemTraits)
            if isOther {
                let previous = scene.traits.collection
                scene.updateTraits(below: scene.systemTraits) { _ in
                    scene.previousTraits = scene.previousTraits ?? previous
                }
            }
            let present = scene.traits.collection ?? scene.systemTraits
            // A hidden window's traits wait until it is shown.
            for window in scene.takeWindowsToUpdate(all: isOther) where window.isOnScreen {
                window.needsTraitUpdate = false
                if window.needsTraitUpdate(below: present) { window.updateTraitsWithin(below: present) }
            }
            if isAnswer, isFirst, traitNotifications == notified { scene.traitUpdates.count -= 1 }
            isFirst = false
            if !scene.needsTraitUpdate { return }
        }
        // What is left is found by the next change.
        scene.needsTraits = true
        guard scene.traitUpdates.count == UISystem.traitUpdatesMax else { return }
        scene.traitUpdates.count += 1
        reports.log(
            "The traits of scene \(scene.session.persistentIdentifier) were changed by their own callbacks "
                + "\(UISystem.traitUpdatesMax) times in a turn; the last change is left for the next one that marks them. "
                + "Change traits only where they differ from the wanted ones.")
    }
}

extension Turn {
    /// Notifies a controller that its traits are about to change, if it was visible before.
    func notifyTransition(of controller: UIViewController, to traits: UITraitCollection) {
        guard controller.hasAppeared, controller.announcedTraits != traits else { return }
        let window = controller.containingWindow
        let isInteractive = window?.windowScene?.pending.isInteractivelyResizing ?? false
        controller.willTransition(to: traits, with: coordinator(isInteractive: isInteractive, in: window))
    }

    /// Calls the delegate's older method for changes, if it has that: after a geometry was made
    /// current, or for traits alone.
    func notifyUpdate(of scene: UIWindowScene, previous: GeometrySnapshot) {
        let traits = scene.previousTraits
        if traits != nil { scene.previousTraits = nil }
        guard !scene.lacksUpdateMethod, previous !== GeometrySnapshot.empty, let delegate = scene.windowDelegate else {
            return
        }
        let (old, new) = (previous.state, scene.current.state)
        guard traits != nil || old.size != new.size || old.orientation != new.orientation else { return }
        delegate.windowScene(
            scene, didUpdate: previous, interfaceOrientation: old.orientation,
            traitCollection: traits ?? scene.presentTraits)
    }
}

extension UIWindowScene {
    /// The scene's traits before the app's overrides.
    var systemTraits: UITraitCollection {
        if let known = systemTraitCollection { return known }
        guard let system = UISystem.current else { return UISystem.detachedTraits }
        let first = TraitTable.collection(
            system.platform.traitValues(pending.size, scale: screen.scale, previous: .unspecified))
        systemTraitCollection = first
        return first
    }

    /// Whether the traits of the scene or of what can be seen in it may have changed.
    fileprivate var needsTraitUpdate: Bool {
        let above = systemTraits
        guard traits.isCurrent(below: above), let present = traits.collection else { return true }
        return markedWindows.contains { $0.isOnScreen && $0.needsTraitUpdate(below: present) }
    }

    /// The windows whose traits are to be updated, from the back to the front: those that were marked or, once
    /// the scene has other traits, all.
    fileprivate func takeWindowsToUpdate(all: Bool) -> [UIWindow] {
        let marked = markedWindows
        markedWindows = []
        for window in marked { window.isTraitMarked = false }
        if all { return windows }
        if marked.count <= 1 { return marked.filter { $0.windowScene === self } }
        let keys = Set(marked.map(ObjectIdentifier.init))
        return windows.filter { keys.contains(ObjectIdentifier($0)) }
    }

    /// What `systemTraits` are for the pending geometry and the screen; `nil` if they are that.
    fileprivate func nextSystemTraits(on platform: UISystem.Platform) -> UITraitCollection? {
        guard let known = systemTraitCollection else { return nil }
        let classes = platform.sizeClasses(pending.size, previous: known.values.horizontalSizeClass)
        if classes == SizeClasses(known.values), screen.scale == known.values.displayScale { return nil }
        return TraitTable.collection(
            platform.traitValues(pending.size, scale: screen.scale, previous: known.values.horizontalSizeClass))
    }
}
