extension UIView: UITraitEnvironment, UITraitChangeObservable, TraitEnvironment {
    /// Traits that the app sets for the view and the views in it. They take effect in the
    /// present turn of the system or, outside of one, in the next; `traitCollection` has them
    /// at once.
    public final var traitOverrides: UITraitOverrides {
        get { overridesForApp }
        set { overridesForApp = newValue }
    }

    /// Applies changes of traits to the view, and to what is above it, at once, with their
    /// callbacks. It does nothing outside of a window.
    public final func updateTraitsIfNeeded() {
        guard let scene = window?.windowScene, let system = UISystem.current else { return }
        system.turn.perform { system.turn.updateTraits(of: scene) }
    }

    var traitsAbove: UITraitCollection {
        if let controller { return controller.presentTraits }
        if let window = self as? UIWindow, let scene = window.windowScene { return scene.presentTraits }
        return superview?.presentTraits ?? UISystem.detachedTraits
    }

    /// Marks the view, and the way to it from its window.
    func markTraits() {
        traits.isMarked = true
        var view = self
        while let above = view.superview {
            above.waitingForTraits.add(.passUnretained(view))
            if above.traits.containsMarked { break }
            above.traits.containsMarked = true
            view = above
        }
        window?.setNeedsTraits()
    }

    /// Whether the traits of this view, or of one in it, may have changed.
    func needsTraitUpdate(below above: UITraitCollection) -> Bool {
        // A callback of the controller may have marked it after its view was updated.
        traits.containsMarked || !traits.isCurrent(below: above) || controller?.traits.isMarked == true
    }

    /// Notifies the view controllers within the view of the traits that they will have, and collects them.
    func announceTraits(below above: UITraitCollection, _ announced: inout [UIViewController]) {
        guard needsTraitUpdate(below: above) else { return }
        var next = above
        if let controller {
            next = controller.traits.collection(below: controller.traits(from: above))
            if let known = controller.traits.collection, known != next {
                UISystem.current?.turn.notifyTransition(of: controller, to: next)
                controller.announcedTraits = next
                announced.append(controller)
            }
        }
        next = traits.collection(below: next)
        for view in subviews { view.announceTraits(below: next, &announced) }
    }

    /// Updates the traits of the view, of its controller before, and of those in it that need
    /// it.
    ///
    /// - Parameter above: The traits of the superview or, for a window, of the scene.
    func updateTraitsWithin(below above: UITraitCollection) {
        var own = above
        let known = traits.updated
        if let controller {
            controller.updateTraits(below: controller.traits(from: above)) { [unowned controller] traits in
                UISystem.current?.turn.notifyTransition(of: controller, to: traits)
            }
            own = controller.traits.collection ?? above
        }
        updateTraits(below: own)
        traits.containsMarked = false
        if let cell = self as? UICollectionViewCell { cell.traitsWereUpdated() }
        let present = traits.collection ?? own
        let waiting = waitingForTraits.take()
        func update(_ view: UIView) {
            if view.needsTraitUpdate(below: present) { view.updateTraitsWithin(below: present) }
        }
        if known === present {
            waiting.visit(in: self, while: traits.containsMarked, update)
        } else {
            for view in subviews { update(view) }
        }
    }
}

extension UIViewController: UITraitEnvironment, UITraitChangeObservable, TraitEnvironment {
    /// Traits that the app sets for the view controller, its view and what is in it; see
    /// `UIView.traitOverrides`.
    public final var traitOverrides: UITraitOverrides {
        get { overridesForApp }
        set { overridesForApp = newValue }
    }

    /// Applies changes of traits at once; see `UIView.updateTraitsIfNeeded()`.
    public final func updateTraitsIfNeeded() { viewIfLoaded?.updateTraitsIfNeeded() }

    var traitsAbove: UITraitCollection {
        // A root view's superview knows them, a child's without one its container.
        let above = viewIfLoaded?.superview?.presentTraits ?? parent?.presentTraits ?? UISystem.detachedTraits
        return traits(from: above)
    }

    /// What a container makes of the traits above for this view controller.
    func traits(from above: UITraitCollection) -> UITraitCollection {
        let given =
            columnParent?.childTraits(self, from: above) ?? linksIfAny?.presenting?.traits(from: above) ?? above
        guard let overrides = traits.overridesOfParent else { return given }
        return given.shared { $0 = $0.overridden(by: overrides.values) }
    }

    func markTraits() {
        traits.isMarked = true
        viewIfLoaded?.markTraits()
    }

    /// Makes the system ask `childTraits(_:from:)` again, and compute the traits of this view
    /// controller and its children.
    func setNeedsTraitUpdate() {
        markTraits()
        for child in children { child.markTraits() }
    }
}

extension UIWindowScene: UITraitEnvironment, UITraitChangeObservable, TraitEnvironment {
    /// Traits that the app sets for the scene's windows; see `UIView.traitOverrides`.
    public final var traitOverrides: UITraitOverrides {
        get { overridesForApp }
        set { overridesForApp = newValue }
    }

    var traitsAbove: UITraitCollection { systemTraits }

    func markTraits() {
        traits.isMarked = true
        needsTraits = true
        for window in windows { window.markTraits() }
    }
}

extension UIScreen: UITraitEnvironment {
    /// The traits of a scene that covers the screen.
    public var traitCollection: UITraitCollection {
        UISystem.current?.displays.traits(of: self) ?? UITraitCollection()
    }

    /// Never called: a screen's traits are computed when they are read.
    public func traitCollectionDidChange(_ previousTraitCollection: UITraitCollection?) {}
}
