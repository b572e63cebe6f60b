/// The key of an app's own state of a view.
public struct UIConfigurationStateCustomKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    /// A key of that name.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    public init(rawValue: String) { self.rawValue = rawValue }
}

/// The state that a view's configuration depends on.
public protocol UIConfigurationState {
    /// A state with those traits, and nothing else.
    init(traitCollection: UITraitCollection)

    /// The traits of the view.
    var traitCollection: UITraitCollection { get set }

    /// The app's own states.
    subscript(key: UIConfigurationStateCustomKey) -> AnyHashable? { get set }
}

/// The state that a cell's content and look depend on.
public struct UICellConfigurationState: UIConfigurationState, Hashable {
    /// The traits of the cell.
    public var traitCollection: UITraitCollection
    /// Whether a person has selected the cell.
    public var isSelected = false
    /// Whether a person is touching the cell.
    public var isHighlighted = false
    /// Whether the cell has the focus.
    public var isFocused = false
    /// Whether the cell does not react.
    public var isDisabled = false
    /// Whether the list of the cell is being edited.
    public var isEditing = false
    /// Whether the cell shows what it contains.
    public var isExpanded = false
    private var custom: [UIConfigurationStateCustomKey: AnyHashable] = [:]

    /// A state with those traits, of a cell in no other state.
    public init(traitCollection: UITraitCollection) { self.traitCollection = traitCollection }

    public subscript(key: UIConfigurationStateCustomKey) -> AnyHashable? {
        get { custom[key] }
        set { custom[key] = newValue }
    }
}
