internal import SettlePlatform

/// The traits of a part of the interface: its device, space, direction, scale and style.
///
/// Immutable; two collections with equal values are equal. Views that have equal traits
/// share one collection. Use it on any thread.
open class UITraitCollection: NSObject, NSCopying, @unchecked Sendable {
    final let values: TraitValues

    init(_ values: TraitValues) {
        self.values = values
        super.init()
    }

    /// A collection that specifies nothing.
    public override convenience init() { self.init(TraitValues()) }

    /// A collection with the traits that a closure sets.
    public convenience init(mutations: (inout any UIMutableTraits) -> Void) {
        self.init(TraitValues().with(mutations))
    }

    /// A collection that specifies one trait.
    public convenience init(userInterfaceIdiom idiom: UIUserInterfaceIdiom) {
        self.init { $0.userInterfaceIdiom = idiom }
    }

    /// A collection that specifies one trait.
    public convenience init(horizontalSizeClass: UIUserInterfaceSizeClass) {
        self.init { $0.horizontalSizeClass = horizontalSizeClass }
    }

    /// A collection that specifies one trait.
    public convenience init(verticalSizeClass: UIUserInterfaceSizeClass) {
        self.init { $0.verticalSizeClass = verticalSizeClass }
    }

    /// A collection that specifies one trait.
    public convenience init(layoutDirection: UITraitEnvironmentLayoutDirection) {
        self.init { $0.layoutDirection = layoutDirection }
    }

    /// A collection that specifies one trait, pixels per point.
    public convenience init(displayScale scale: CGFloat) {
        self.init { $0.displayScale = scale }
    }

    /// A collection that specifies one trait.
    public convenience init(userInterfaceStyle: UIUserInterfaceStyle) {
        self.init { $0.userInterfaceStyle = userInterfaceStyle }
    }

    /// A collection with what all of these specify; of two values the later one.
    public convenience init(traitsFrom traitCollections: [UITraitCollection]) {
        self.init(traitCollections.reduce(TraitValues()) { $0.overridden(by: $1.values) })
    }

    /// A collection with these traits and with what a closure changes.
    open func modifyingTraits(_ mutations: (inout any UIMutableTraits) -> Void) -> UITraitCollection {
        UITraitCollection(values.with(mutations))
    }

    /// A collection with these traits and another value of one of them.
    open func replacing<Trait: UITraitDefinition>(
        _ trait: Trait.Type, value: Trait.Value
    ) -> UITraitCollection {
        var values = values
        values[trait] = value
        return UITraitCollection(values)
    }

    /// The value of a trait, which is its default where nothing is specified.
    public subscript<Trait: UITraitDefinition>(_ trait: Trait.Type) -> Trait.Value { values[trait] }

    /// The kind of device.
    public final var userInterfaceIdiom: UIUserInterfaceIdiom { values.userInterfaceIdiom }
    /// The space along the horizontal axis.
    public final var horizontalSizeClass: UIUserInterfaceSizeClass { values.horizontalSizeClass }
    /// The space along the vertical axis.
    public final var verticalSizeClass: UIUserInterfaceSizeClass { values.verticalSizeClass }
    /// The direction of text and layout.
    public final var layoutDirection: UITraitEnvironmentLayoutDirection { values.layoutDirection }
    /// Pixels per point; 0 where it is not specified.
    public final var displayScale: CGFloat { values.displayScale }
    /// Whether the interface is light or dark.
    public final var userInterfaceStyle: UIUserInterfaceStyle { values.userInterfaceStyle }
    /// Whether the nearest split view controller above is expanded or collapsed; `.none`
    /// if there is none above.
    public final var splitViewControllerLayoutEnvironment: UISplitViewController.LayoutEnvironment {
        values.splitViewControllerLayoutEnvironment
    }

    /// Whether every trait that the other collection specifies is specified here, with an
    /// equal value.
    open func containsTraits(in trait: UITraitCollection?) -> Bool {
        trait.map { values.contains($0.values) } ?? true
    }

    /// Whether colours look different with the other collection's traits.
    open func hasDifferentColorAppearance(comparedTo traitCollection: UITraitCollection?) -> Bool {
        userInterfaceStyle != traitCollection?.userInterfaceStyle ?? .unspecified
    }

    /// The collection itself, as it is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? UITraitCollection else { return false }
        return other === self || other.values == values
    }

    public override var hash: Int { values.hashValue }

    public override var description: String {
        var words = ["\(values.horizontalSizeClass) × \(values.verticalSizeClass)", "\(values.userInterfaceIdiom)"]
        if values.layoutDirection == .rightToLeft { words.append("rightToLeft") }
        if values.splitViewControllerLayoutEnvironment != .none {
            words.append("\(values.splitViewControllerLayoutEnvironment)")
        }
        return "<UITraitCollection \(words.joined(separator: " "))>"
    }
}

extension UITraitCollection {
    /// The traits that code without an environment of its own should use: those of the view whose
    /// layout is running, or of the view, view controller or scene whose trait callback or
    /// configuration update is, else of the main screen. Each thread has its own, which an app may
    /// set; what is set in a layout counts until that ends. Use it on any thread.
    public static var current: UITraitCollection {
        get { CurrentTraits.known ?? CurrentTraits.ofScreen ?? UITraitCollection() }
        set { CurrentTraits.chosen = newValue }
    }

    /// Runs a closure with this collection as the current one of the thread.
    public func performAsCurrent(_ actions: () -> Void) {
        let outer = CurrentTraits.chosen
        CurrentTraits.chosen = self
        actions()
        CurrentTraits.chosen = outer
    }
}

/// What `UITraitCollection.current` is on each thread. The main thread's is apart, as each layout
/// changes it.
enum CurrentTraits {
    // Only the main thread uses these two.
    nonisolated(unsafe) private static var chosenOnMain: UITraitCollection?
    /// The view whose layout is running, unless something was chosen in it. Its traits are read when
    /// they are asked for, as few layouts do.
    nonisolated(unsafe) private static var laidOut: Unmanaged<UIView>?
    private static let key = "UITraitCollection.current"
    /// The traits of the main screen of the system that was made last.
    private static let screen = LockedValueBox<UITraitCollection?>(nil)

    static var ofScreen: UITraitCollection? {
        get { screen.withLock { $0 } }
        set { screen.withLock { $0 = newValue } }
    }

    static var chosen: UITraitCollection? {
        get {
            if Thread.isMainThread { return chosenOnMain }
            return Thread.current.threadDictionary[key] as? UITraitCollection
        }
        set {
            guard Thread.isMainThread else {
                Thread.current.threadDictionary[key] = newValue
                return
            }
            chosenOnMain = newValue
        }
    }

    static var known: UITraitCollection? {
        if let chosen { return chosen }
        guard Thread.isMainThread, let view = laidOut else { return nil }
        return MainActor.assumeIsolated { view.takeUnretainedValue().traitCollection }
    }

    /// What there was before a view's layout.
    struct Outer {
        fileprivate let chosen: UITraitCollection?
        fileprivate let laidOut: Unmanaged<UIView>?
    }

    @MainActor static func begin(_ view: UIView) -> Outer {
        let outer = Outer(chosen: chosenOnMain, laidOut: laidOut)
        if chosenOnMain != nil { chosenOnMain = nil }
        laidOut = .passUnretained(view)
        return outer
    }

    @MainActor static func end(_ outer: Outer) {
        chosenOnMain = outer.chosen
        laidOut = outer.laidOut
    }
}

extension TraitValues {
    fileprivate func with(_ mutations: (inout any UIMutableTraits) -> Void) -> TraitValues {
        var traits: any UIMutableTraits = CollectedTraits(values: self)
        mutations(&traits)
        return (traits as? CollectedTraits)?.values ?? self
    }
}

/// The collections in use, one for equal values, so that a view whose traits do not change
/// allocates none, and two collections are mostly compared by identity.
@MainActor enum TraitTable {
    private static var collections: [TraitValues: UITraitCollection] = [:]
    /// Beyond this number the collections that nothing else uses are removed.
    private static var limit = 64

    static func collection(_ values: TraitValues) -> UITraitCollection {
        if let known = collections[values] { return known }
        if collections.count >= limit {
            for key in Array(collections.keys) { removeUnused(key) }
            limit = max(64, 2 * collections.count)
        }
        let collection = UITraitCollection(values)
        collections[values] = collection
        return collection
    }

    static func shared(_ collection: UITraitCollection) -> UITraitCollection {
        Self.collection(collection.values)
    }

    private static func removeUnused(_ key: TraitValues) {
        guard let index = collections.index(forKey: key) else { return }
        if isKnownUniquelyReferenced(&collections.values[index]) { collections.remove(at: index) }
    }

    /// For tests.
    static var count: Int { collections.count }
}

extension UITraitCollection {
    /// These traits with changes: the shared collection of the result, for containers that
    /// change the traits of their children.
    @MainActor func shared(_ change: (inout TraitValues) -> Void) -> UITraitCollection {
        var values = values
        change(&values)
        values = values.resolved
        return values == self.values ? self : TraitTable.collection(values)
    }
}
