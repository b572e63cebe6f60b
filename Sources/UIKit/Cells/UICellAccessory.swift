/// Something at the edge of a list cell that shows what the cell does. Nothing is drawn.
public struct UICellAccessory {
    /// The kinds of accessory.
    public enum AccessoryType: Hashable, Sendable {
        /// An arrow: selecting the cell shows more.
        case disclosureIndicator
        /// A button with details.
        case detail
        case checkmark
        /// A button that deletes the cell.
        case delete
        /// A button that inserts a cell.
        case insert
        /// A handle to move the cell.
        case reorder
        /// A circle that shows whether the cell is selected.
        case multiselect
        /// An arrow that shows or hides what the cell contains.
        case outlineDisclosure
        case label
    }

    /// When an accessory is shown.
    public enum DisplayedState: Hashable, Sendable {
        case always
        /// While the list is being edited.
        case whenEditing
        /// While the list is not being edited.
        case whenNotEditing
    }

    /// How much space an accessory takes.
    public enum LayoutDimension: Hashable, Sendable {
        /// What it needs.
        case actual
        /// The same as other accessories.
        case standard
        /// A length in points.
        case custom(CGFloat)
    }

    public let accessoryType: AccessoryType
    /// When the accessory is shown.
    public let displayedState: DisplayedState
    /// The space it takes.
    public let reservedLayoutWidth: LayoutDimension?
    public let isHidden: Bool
    /// The text of a label; `nil` for other accessories.
    let text: String?
    /// What a person's tap runs; `nil` for an accessory that is no button.
    let actionHandler: (() -> Void)?

    private init(
        _ type: AccessoryType, _ displayed: DisplayedState, isHidden: Bool, width: LayoutDimension?,
        text: String? = nil, actionHandler: (() -> Void)? = nil
    ) {
        accessoryType = type
        displayedState = displayed
        self.isHidden = isHidden
        reservedLayoutWidth = width
        self.text = text
        self.actionHandler = actionHandler
    }

    // MARK: Kinds

    /// An arrow that shows that selecting the cell shows more.
    public static func disclosureIndicator(
        displayed: DisplayedState = .always, options: DisclosureIndicatorOptions = .init()
    ) -> UICellAccessory {
        UICellAccessory(
            .disclosureIndicator, displayed, isHidden: options.isHidden, width: options.reservedLayoutWidth)
    }

    public static func checkmark(
        displayed: DisplayedState = .always, options: CheckmarkOptions = .init()
    ) -> UICellAccessory {
        UICellAccessory(.checkmark, displayed, isHidden: options.isHidden, width: options.reservedLayoutWidth)
    }

    /// A button with details.
    public static func detail(
        displayed: DisplayedState = .always, options: DetailOptions = .init(), actionHandler: (() -> Void)? = nil
    ) -> UICellAccessory {
        UICellAccessory(
            .detail, displayed, isHidden: options.isHidden, width: options.reservedLayoutWidth,
            actionHandler: actionHandler)
    }

    /// A button that deletes the cell.
    public static func delete(
        displayed: DisplayedState = .whenEditing, options: DeleteOptions = .init(), actionHandler: (() -> Void)? = nil
    ) -> UICellAccessory {
        UICellAccessory(
            .delete, displayed, isHidden: options.isHidden, width: options.reservedLayoutWidth,
            actionHandler: actionHandler)
    }

    /// A handle to move the cell.
    public static func reorder(
        displayed: DisplayedState = .whenEditing, options: ReorderOptions = .init()
    ) -> UICellAccessory {
        UICellAccessory(.reorder, displayed, isHidden: options.isHidden, width: options.reservedLayoutWidth)
    }

    public static func label(
        text: String, displayed: DisplayedState = .always, options: LabelOptions = .init()
    ) -> UICellAccessory {
        UICellAccessory(
            .label, displayed, isHidden: options.isHidden, width: options.reservedLayoutWidth, text: text)
    }

    // MARK: Options

    public struct DisclosureIndicatorOptions: Hashable, Sendable {
        public var isHidden: Bool
        /// The space it takes; `nil` for the system's choice.
        public var reservedLayoutWidth: LayoutDimension?

        public init(isHidden: Bool = false, reservedLayoutWidth: LayoutDimension? = nil) {
            self.isHidden = isHidden
            self.reservedLayoutWidth = reservedLayoutWidth
        }
    }

    /// Options of a check mark.
    public typealias CheckmarkOptions = DisclosureIndicatorOptions
    /// Options of a button with details.
    public typealias DetailOptions = DisclosureIndicatorOptions
    /// Options of a button that deletes.
    public typealias DeleteOptions = DisclosureIndicatorOptions
    /// Options of a handle.
    public typealias ReorderOptions = DisclosureIndicatorOptions
    /// Options of a text.
    public typealias LabelOptions = DisclosureIndicatorOptions
}
