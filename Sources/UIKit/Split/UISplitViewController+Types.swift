extension UISplitViewController {
    /// How many columns a split view controller has. The raw values are Apple's.
    public enum Style: Int, Sendable {
        /// The classic style: a primary and a secondary view controller, without columns.
        case unspecified = 0
        /// A primary and a secondary column.
        case doubleColumn = 1
        /// A primary, a supplementary and a secondary column.
        case tripleColumn = 2
    }

    /// A place for a view controller. The raw values are Apple's.
    public enum Column: Int, Sendable {
        /// The sidebar, at the primary edge.
        case primary = 0
        /// Between the sidebar and the content; in the triple style only.
        case supplementary = 1
        /// The content.
        case secondary = 2
        /// What a collapsed interface shows instead of a stack of the other columns.
        case compact = 3
        /// Details of the content, at the edge opposite of the primary one.
        case inspector = 4
    }

    /// Which columns are visible, and where. The raw values are Apple's.
    public enum DisplayMode: Int, Sendable {
        /// The split view controller chooses. `displayMode` never has this value.
        case automatic = 0
        /// Only the secondary column.
        case secondaryOnly = 1
        /// One column beside the secondary one.
        case oneBesideSecondary = 2
        /// One column over the secondary one.
        case oneOverSecondary = 3
        /// Two columns beside the secondary one.
        case twoBesideSecondary = 4
        /// Two columns over the secondary one.
        case twoOverSecondary = 5
        /// Two columns that move the secondary one.
        case twoDisplaceSecondary = 6
    }

    /// What other columns do to the secondary one. The raw values are Apple's.
    public enum SplitBehavior: Int, Sendable {
        /// The split view controller chooses. `splitBehavior` never has this value.
        case automatic = 0
        /// They make it narrower.
        case tile = 1
        /// They cover it.
        case overlay = 2
        /// They move it.
        case displace = 3
    }

    /// The edge of the primary column. The raw values are Apple's.
    public enum PrimaryEdge: Int, Sendable {
        /// The left edge in an interface from left to right.
        case leading = 0
        /// The right edge in an interface from left to right. The order of all columns is
        /// mirrored.
        case trailing = 1
    }

    /// Whether the display mode button is shown. The raw values are Apple's.
    public enum DisplayModeButtonVisibility: Int, Sendable {
        /// The split view controller chooses.
        case automatic = 0
        case never = 1
        case always = 2
    }

    /// The background of the primary column. The raw values are Apple's; nothing is drawn.
    public enum BackgroundStyle: Int, Sendable {
        /// No special background.
        case none = 0
        case sidebar = 1
    }

    /// Whether the nearest split view controller above is collapsed. The raw values are Apple's.
    public enum LayoutEnvironment: Int, Sendable {
        /// There is none.
        case none = 0
        /// It shows columns.
        case expanded = 1
        /// It shows one view controller.
        case collapsed = 2
    }

    /// Leaves a width or a fraction to the split view controller.
    public nonisolated static let automaticDimension: CGFloat = -CGFloat.greatestFiniteMagnitude
}

struct PerColumn<Value> {
    var primary: Value
    var supplementary: Value
    var secondary: Value
    var compact: Value
    var inspector: Value

    init(repeating value: Value) {
        (primary, supplementary, secondary, compact, inspector) = (value, value, value, value, value)
    }

    subscript(column: UISplitViewController.Column) -> Value {
        get {
            switch column {
            case .primary: primary
            case .supplementary: supplementary
            case .secondary: secondary
            case .compact: compact
            case .inspector: inspector
            }
        }
        _modify {
            switch column {
            case .primary: yield &primary
            case .supplementary: yield &supplementary
            case .secondary: yield &secondary
            case .compact: yield &compact
            case .inspector: yield &inspector
            }
        }
    }
}

extension PerColumn: Equatable where Value: Equatable {}
extension PerColumn: Sendable where Value: Sendable {}

extension UISplitViewController.Column {
    /// The columns that can be shown beside each other, the leading one first.
    static let expanded: [Self] = [.primary, .supplementary, .secondary, .inspector]
    /// The columns that a collapsed interface stacks, the lowest first.
    static let stacked: [Self] = [.primary, .supplementary, .secondary]
    static let all: [Self] = [.primary, .supplementary, .secondary, .compact, .inspector]
}

// The older names of display modes.
extension UISplitViewController.DisplayMode {
    /// `secondaryOnly`.
    public static var primaryHidden: Self { .secondaryOnly }
    /// `oneBesideSecondary`.
    public static var allVisible: Self { .oneBesideSecondary }
    /// `oneOverSecondary`.
    public static var primaryOverlay: Self { .oneOverSecondary }
}
