/// A piece of data that flows from a window scene to the views in it. An app declares its
/// own traits with types that adopt this:
///
/// ```swift
/// enum ReadingTrait: UITraitDefinition {
///     static let defaultValue = false
/// }
/// ```
public protocol UITraitDefinition {
    /// The type of the trait's values. Values that are `Equatable` change only when they
    /// differ; any other counts as changed whenever it is set.
    associatedtype Value

    /// The value where nothing else is set.
    static var defaultValue: Value { get }
    /// A reverse-DNS name of the trait. The default is the type's name.
    static var identifier: String { get }
    /// The trait's name for people. The default is the type's name.
    static var name: String { get }
    /// Whether the trait changes how colours look. The default is false.
    static var affectsColorAppearance: Bool { get }
}

extension UITraitDefinition {
    public static var identifier: String { String(reflecting: Self.self) }
    public static var name: String { String(describing: Self.self) }
    public static var affectsColorAppearance: Bool { false }
}

/// The type of a trait, which names it.
public typealias UITrait = any UITraitDefinition.Type

/// The kind of device.
public enum UITraitUserInterfaceIdiom: UITraitDefinition {
    public static var defaultValue: UIUserInterfaceIdiom { .unspecified }
}

/// The space along the horizontal axis.
public enum UITraitHorizontalSizeClass: UITraitDefinition {
    public static var defaultValue: UIUserInterfaceSizeClass { .unspecified }
}

/// The space along the vertical axis.
public enum UITraitVerticalSizeClass: UITraitDefinition {
    public static var defaultValue: UIUserInterfaceSizeClass { .unspecified }
}

/// The direction of text and layout.
public enum UITraitLayoutDirection: UITraitDefinition {
    public static var defaultValue: UITraitEnvironmentLayoutDirection { .unspecified }
}

/// Pixels per point.
public enum UITraitDisplayScale: UITraitDefinition {
    public static var defaultValue: CGFloat { 0 }
}

/// Whether the interface is light or dark.
public enum UITraitUserInterfaceStyle: UITraitDefinition {
    public static var defaultValue: UIUserInterfaceStyle { .unspecified }
    public static var affectsColorAppearance: Bool { true }
}

/// Whether the nearest split view controller above is expanded or collapsed.
public enum UITraitSplitViewControllerLayoutEnvironment: UITraitDefinition {
    /// `.none`: there is none above.
    public static var defaultValue: UISplitViewController.LayoutEnvironment { .none }
}

/// A trait that `TraitValues` has a property for.
protocol KnownTrait: UITraitDefinition where Value: Equatable {
    static var flag: TraitValues.Names { get }
    static var property: WritableKeyPath<TraitValues, Value> { get }
}

extension KnownTrait {
    static func boxedValue(in values: TraitValues) -> Any { values[keyPath: property] }

    static func setBoxed(_ value: Any, in values: inout TraitValues) {
        // `TraitValues` passes the value of this very trait.
        values[keyPath: property] = value as! Value
    }

    static func reset(in values: inout TraitValues) { values[keyPath: property] = defaultValue }

    static func isEqual(_ a: TraitValues, _ b: TraitValues) -> Bool { a[keyPath: property] == b[keyPath: property] }
}

extension UITraitUserInterfaceIdiom: KnownTrait {
    static var flag: TraitValues.Names { .userInterfaceIdiom }
    static var property: WritableKeyPath<TraitValues, UIUserInterfaceIdiom> { \.userInterfaceIdiom }
}

extension UITraitHorizontalSizeClass: KnownTrait {
    static var flag: TraitValues.Names { .horizontalSizeClass }
    static var property: WritableKeyPath<TraitValues, UIUserInterfaceSizeClass> { \.horizontalSizeClass }
}

extension UITraitVerticalSizeClass: KnownTrait {
    static var flag: TraitValues.Names { .verticalSizeClass }
    static var property: WritableKeyPath<TraitValues, UIUserInterfaceSizeClass> { \.verticalSizeClass }
}

extension UITraitLayoutDirection: KnownTrait {
    static var flag: TraitValues.Names { .layoutDirection }
    static var property: WritableKeyPath<TraitValues, UITraitEnvironmentLayoutDirection> { \.layoutDirection }
}

extension UITraitDisplayScale: KnownTrait {
    static var flag: TraitValues.Names { .displayScale }
    static var property: WritableKeyPath<TraitValues, CGFloat> { \.displayScale }
}

extension UITraitUserInterfaceStyle: KnownTrait {
    static var flag: TraitValues.Names { .userInterfaceStyle }
    static var property: WritableKeyPath<TraitValues, UIUserInterfaceStyle> { \.userInterfaceStyle }
}

extension UITraitSplitViewControllerLayoutEnvironment: KnownTrait {
    static var flag: TraitValues.Names { .splitViewControllerLayoutEnvironment }
    static var property: WritableKeyPath<TraitValues, UISplitViewController.LayoutEnvironment> {
        \.splitViewControllerLayoutEnvironment
    }
}
