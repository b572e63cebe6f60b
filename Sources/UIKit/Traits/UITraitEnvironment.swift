internal import Settle

/// What has traits: a screen, a window scene, a view, a view controller.
@preconcurrency @MainActor public protocol UITraitEnvironment: NSObjectProtocol {
    /// The present traits.
    var traitCollection: UITraitCollection { get }

    /// The traits have changed from the previous ones.
    func traitCollectionDidChange(_ previousTraitCollection: UITraitCollection?)
}

/// What notifies of changes of its traits: a window scene, a view, a view controller.
@preconcurrency @MainActor public protocol UITraitChangeObservable {}

/// Names a registration, to end it by `unregisterForTraitChanges(_:)`.
public protocol UITraitChangeRegistration: NSObjectProtocol, NSCopying {}

extension UITraitChangeObservable {
    /// Calls a closure whenever one of the traits has changed: once a turn, with the object
    /// and its previous traits. The object keeps the closure until it is unregistered.
    ///
    /// - Parameters:
    ///   - traits: The traits to watch.
    ///   - handler: Its first parameter has the type of the object or of a superclass.
    /// - Returns: What ends the registration.
    @discardableResult
    public func registerForTraitChanges<Environment: UITraitEnvironment>(
        _ traits: [UITrait], handler: @escaping (Environment, UITraitCollection) -> Void
    ) -> any UITraitChangeRegistration {
        let registration = TraitRegistration(traits) { environment, previous in
            guard let environment = environment as? Environment else {
                fatalError(
                    "a trait handler of \(type(of: environment)) takes \(Environment.self), which it is not")
            }
            handler(environment, previous)
        }
        (self as? any TraitEnvironment)?.add(registration)
        return registration
    }

    /// Ends a registration of this object. Any other is ignored.
    public func unregisterForTraitChanges(_ registration: any UITraitChangeRegistration) {
        guard let registration = registration as? TraitRegistration else { return }
        (self as? any TraitEnvironment)?.remove(registration)
    }
}

/// What an app wants to know of the traits of an object.
@MainActor final class TraitRegistration: NSObject, UITraitChangeRegistration {
    private let traits: [UITrait]
    private let handler: (any UITraitEnvironment, UITraitCollection) -> Void
    fileprivate(set) var isActive = true
    fileprivate var number = 0

    init(_ traits: [UITrait], _ handler: @escaping (any UITraitEnvironment, UITraitCollection) -> Void) {
        self.traits = traits
        self.handler = handler
        super.init()
    }

    nonisolated func copy(with zone: NSZone? = nil) -> Any { self }

    func notify(_ environment: any UITraitEnvironment, _ present: UITraitCollection, _ previous: UITraitCollection) {
        guard isActive, traits.contains(where: { !present.values.agrees(with: previous.values, on: $0) })
        else { return }
        handler(environment, previous)
    }
}

/// What a trait environment keeps of its traits. It holds no memory of its own until the app
/// sets overrides or registers handlers.
@MainActor struct TraitState {
    /// What the environment above had when `collection` was made.
    private(set) var inherited: UITraitCollection?
    /// What the app was notified of last, or has read; `nil` before.
    private(set) var collection: UITraitCollection?
    /// Its overrides have changed, or it has another environment above.
    var isMarked = false
    /// The app is notified that the traits are about to change: it still reads the old ones.
    var isAboutToChange = false
    var containsMarked = false
    fileprivate var extras: TraitExtras?

    /// Whether `collection` is what the environment has below `inherited`.
    func isCurrent(below inherited: UITraitCollection) -> Bool {
        guard !isMarked, collection != nil, let known = self.inherited else { return false }
        return known === inherited || known == inherited
    }

    /// What the last update set, which a layout reads without a walk upwards; `nil` if the
    /// environment was not updated yet, or waits for an update.
    var updated: UITraitCollection? { isMarked || inherited == nil ? nil : collection }

    /// The environment's collection below `inherited`.
    func collection(below inherited: UITraitCollection) -> UITraitCollection {
        if isCurrent(below: inherited), let collection { return collection }
        guard let overrides = extras?.overrides, !overrides.isEmpty else { return inherited }
        return TraitTable.collection(inherited.values.overridden(by: overrides).resolved)
    }

    mutating func set(_ collection: UITraitCollection, below inherited: UITraitCollection) {
        self.inherited = inherited
        self.collection = collection
        isMarked = false
    }

    /// Keeps what the app reads before the environment is in a window, so that it is notified
    /// if it gets other traits there.
    mutating func note(_ collection: UITraitCollection) {
        if self.collection == nil { self.collection = collection }
    }

    var overrides: TraitValues {
        get { extras?.overrides ?? TraitValues() }
        set {
            if extras == nil, newValue.isEmpty { return }
            extras = extras ?? TraitExtras()
            extras?.overrides = newValue
        }
    }

    /// What a parent sets for a child by `setOverrideTraitCollection(_:forChild:)`.
    var overridesOfParent: UITraitCollection? {
        get { extras?.overridesOfParent }
        set {
            if extras == nil, newValue == nil { return }
            extras = extras ?? TraitExtras()
            extras?.overridesOfParent = newValue
        }
    }
}

/// The rare part of a `TraitState`.
@MainActor private final class TraitExtras {
    var overrides = TraitValues()
    var overridesOfParent: UITraitCollection?
    private var registrations: [ObjectIdentifier: TraitRegistration] = [:]
    private var number = 0

    func add(_ registration: TraitRegistration) {
        number += 1
        registration.number = number
        registrations[ObjectIdentifier(registration)] = registration
    }

    /// - Returns: Whether it was one of these.
    func remove(_ registration: TraitRegistration) -> Bool {
        registrations.removeValue(forKey: ObjectIdentifier(registration)) != nil
    }

    var inOrder: [TraitRegistration] { registrations.values.sorted { $0.number < $1.number } }
}

/// The environments that get their traits from one above.
@MainActor protocol TraitEnvironment: UITraitEnvironment, UITraitChangeObservable {
    var traits: TraitState { get set }
    /// The traits of the environment above, with a container's changes.
    var traitsAbove: UITraitCollection { get }
    /// Makes the system compute the traits of this and what is in it again.
    func markTraits()
}

extension TraitEnvironment {
    /// The present traits, computed if something above has changed in this turn.
    var presentTraits: UITraitCollection {
        if traits.isAboutToChange, let known = traits.collection { return known }
        let above = traitsAbove
        if traits.isCurrent(below: above), let known = traits.collection { return known }
        let present = traits.collection(below: above)
        traits.note(present)
        return present
    }

    /// The overrides, as an app sees them.
    var overridesForApp: UITraitOverrides {
        get { UITraitOverrides(traits.overrides) }
        set {
            guard newValue.values != traits.overrides else { return }
            // What the app may have seen is what it gets as the previous traits.
            traits.note(presentTraits)
            traits.overrides = newValue.values
            markTraits()
        }
    }

    fileprivate func add(_ registration: TraitRegistration) {
        traits.note(presentTraits)
        traits.extras = traits.extras ?? TraitExtras()
        traits.extras?.add(registration)
    }

    fileprivate func remove(_ registration: TraitRegistration) {
        if traits.extras?.remove(registration) == true { registration.isActive = false }
    }

    /// Sets the traits below those of the environment above, and notifies the app if they differ
    /// from those that it knows.
    ///
    /// - Parameter willChange: Runs before a change of which the app is notified.
    func updateTraits(
        below above: UITraitCollection, willChange: (UITraitCollection) -> Void = { _ in }
    ) {
        let present = traits.collection(below: above)
        guard let previous = traits.collection, previous !== present, previous != present else {
            return traits.set(traits.collection ?? present, below: above)
        }
        UISystem.current?.turn.traitNotifications &+= 1
        traits.isAboutToChange = true
        willChange(present)
        traits.isAboutToChange = false
        traits.set(present, below: above)
        present.performAsCurrent {
            if let view = self as? UIView { view.systemTraitsDidChange(from: previous) }
            traitCollectionDidChange(previous)
            // A handler may register another one, or end one.
            let registrations = traits.extras?.inOrder ?? []
            for registration in registrations {
                registration.notify(self, present, previous)
            }
        }
    }
}
