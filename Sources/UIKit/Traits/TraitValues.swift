/// The values of a trait collection, and which of them it specifies. A value that is not
/// specified is its trait's default.
struct TraitValues: Hashable, Sendable {
    struct Names: OptionSet, Hashable {
        let rawValue: UInt8

        static let userInterfaceIdiom = Names(rawValue: 1 << 0)
        static let horizontalSizeClass = Names(rawValue: 1 << 1)
        static let verticalSizeClass = Names(rawValue: 1 << 2)
        static let layoutDirection = Names(rawValue: 1 << 3)
        static let displayScale = Names(rawValue: 1 << 4)
        static let userInterfaceStyle = Names(rawValue: 1 << 5)
        static let splitViewControllerLayoutEnvironment = Names(rawValue: 1 << 6)
    }

    private(set) var specified: Names = []
    var userInterfaceIdiom = UIUserInterfaceIdiom.unspecified {
        didSet { specify(.userInterfaceIdiom, userInterfaceIdiom != .unspecified) }
    }
    var horizontalSizeClass = UIUserInterfaceSizeClass.unspecified {
        didSet { specify(.horizontalSizeClass, horizontalSizeClass != .unspecified) }
    }
    var verticalSizeClass = UIUserInterfaceSizeClass.unspecified {
        didSet { specify(.verticalSizeClass, verticalSizeClass != .unspecified) }
    }
    var layoutDirection = UITraitEnvironmentLayoutDirection.unspecified {
        didSet { specify(.layoutDirection, layoutDirection != .unspecified) }
    }
    /// 0 where it is not specified.
    var displayScale: CGFloat = 0 {
        didSet {
            // A NaN would make the collection differ from itself.
            if !(displayScale > 0) { displayScale = 0 }
            specify(.displayScale, displayScale > 0)
        }
    }
    var userInterfaceStyle = UIUserInterfaceStyle.unspecified {
        didSet { specify(.userInterfaceStyle, userInterfaceStyle != .unspecified) }
    }
    var splitViewControllerLayoutEnvironment = UISplitViewController.LayoutEnvironment.none {
        didSet { specify(.splitViewControllerLayoutEnvironment, true) }
    }
    /// The app's own traits; `nil` for none, as most collections have none.
    private(set) var custom: [ObjectIdentifier: CustomTraitValue]?

    private mutating func specify(_ name: Names, _ isSpecified: Bool) {
        if isSpecified { specified.insert(name) } else { specified.remove(name) }
    }

    var isEmpty: Bool { specified.isEmpty && custom == nil }

    // MARK: By the trait's type

    subscript<Trait: UITraitDefinition>(_ trait: Trait.Type) -> Trait.Value {
        get {
            // The known trait is this one.
            if let known = trait as? any KnownTrait.Type { return known.boxedValue(in: self) as! Trait.Value }
            return custom?[ObjectIdentifier(trait)]?.value as? Trait.Value ?? trait.defaultValue
        }
        set {
            if let known = trait as? any KnownTrait.Type { return known.setBoxed(newValue, in: &self) }
            custom = custom ?? [:]
            custom?[ObjectIdentifier(trait)] = CustomTraitValue(newValue, defaultValue: trait.defaultValue)
        }
    }

    func specifies(_ trait: UITrait) -> Bool {
        if let known = trait as? any KnownTrait.Type { return specified.contains(known.flag) }
        return custom?[ObjectIdentifier(trait)] != nil
    }

    /// Makes a trait's value its default, not specified.
    mutating func remove(_ trait: UITrait) {
        guard let known = trait as? any KnownTrait.Type else {
            custom?[ObjectIdentifier(trait)] = nil
            if custom?.isEmpty == true { custom = nil }
            return
        }
        known.reset(in: &self)
        specified.remove(known.flag)
    }

    func agrees(with other: TraitValues, on trait: UITrait) -> Bool {
        if let known = trait as? any KnownTrait.Type { return known.isEqual(self, other) }
        let key = ObjectIdentifier(trait)
        return custom?[key] == other.custom?[key]
    }

    // MARK: Together

    func overridden(by other: TraitValues) -> TraitValues {
        guard !other.isEmpty else { return self }
        var result = self
        let names = other.specified
        if names.contains(.userInterfaceIdiom) { result.userInterfaceIdiom = other.userInterfaceIdiom }
        if names.contains(.horizontalSizeClass) { result.horizontalSizeClass = other.horizontalSizeClass }
        if names.contains(.verticalSizeClass) { result.verticalSizeClass = other.verticalSizeClass }
        if names.contains(.layoutDirection) { result.layoutDirection = other.layoutDirection }
        if names.contains(.displayScale) { result.displayScale = other.displayScale }
        if names.contains(.userInterfaceStyle) { result.userInterfaceStyle = other.userInterfaceStyle }
        if names.contains(.splitViewControllerLayoutEnvironment) {
            result.splitViewControllerLayoutEnvironment = other.splitViewControllerLayoutEnvironment
        }
        if let own = other.custom { result.custom = (custom ?? [:]).merging(own) { _, new in new } }
        return result
    }

    /// The values as an environment has them: to specify a trait's default is not to specify it.
    var resolved: TraitValues {
        var result = self
        if splitViewControllerLayoutEnvironment == .none {
            result.specified.remove(.splitViewControllerLayoutEnvironment)
        }
        if let custom, custom.values.contains(where: \.isDefault) {
            let others = custom.filter { !$1.isDefault }
            result.custom = others.isEmpty ? nil : others
        }
        return result
    }

    /// Whether every value that the other ones specify is specified here, and equal.
    func contains(_ other: TraitValues) -> Bool { overridden(by: other) == self }
}

/// The value of an app's own trait. Values that are `Equatable` are compared; any other is
/// equal only to itself. It may be of any type, as Apple's are; nobody changes it here.
struct CustomTraitValue: Hashable, @unchecked Sendable {
    private final class Box {
        let value: Any
        init(_ value: Any) { self.value = value }
    }

    private let box: Box
    let isDefault: Bool

    var value: Any { box.value }

    init(_ value: Any, defaultValue: Any) {
        box = Box(value)
        isDefault = (value as? any Equatable).map { Self.isEqual($0, defaultValue) } ?? false
    }

    static func == (a: CustomTraitValue, b: CustomTraitValue) -> Bool {
        if a.box === b.box { return true }
        guard let value = a.value as? any Equatable else { return false }
        return isEqual(value, b.value)
    }

    private static func isEqual<Value: Equatable>(_ a: Value, _ b: Any) -> Bool { b as? Value == a }

    /// The value may not be `Hashable`. The trait itself is hashed as the dictionary's key.
    func hash(into hasher: inout Hasher) {}
}
