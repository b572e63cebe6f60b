/// The bar of a navigation controller, which sets its items and frame. Nothing is drawn.
@preconcurrency @MainActor open class UINavigationBar: UIView {
    /// The items of the controllers on the stack, the root's first.
    open internal(set) var items: [UINavigationItem]?

    /// The item of the controller on top.
    open var topItem: UINavigationItem? { items?.last }
    /// The item below the one on top; `nil` for the root.
    open var backItem: UINavigationItem? { items?.dropLast().last }

    /// Whether titles are large. Nothing is drawn, and the bar's height stays.
    open var prefersLargeTitles = false

    /// Where the bar's title and buttons are: clear of the window's own control.
    let content = UIView(frame: .zero)

    /// A bar without items.
    public override init(frame: CGRect) {
        super.init(frame: frame)
        prepare()
    }

    /// A bar without items. There is nothing to decode on Linux.
    public required init?(coder: NSCoder) {
        super.init(coder: coder)
        prepare()
    }

    private func prepare() {
        addSubview(content)
        // With the guide the system lays out the bar when it or the control has moved.
        _ = layoutGuide(for: Self.region)
    }

    private static let region = LayoutRegion.safeArea(cornerAdaptation: .horizontal)

    open override func layoutSubviews() {
        super.layoutSubviews()
        content.frame = bounds.inset(by: edgeInsetsInLayout(for: Self.region))
    }
}

/// What a navigation bar shows for a view controller.
@preconcurrency @MainActor open class UINavigationItem: NSObject {
    /// The title in the bar. It follows the view controller's title when that is set.
    open var title: String?
    /// A line above the title; `nil` for none.
    open var prompt: String?
    /// How large the title is.
    public enum LargeTitleDisplayMode: Int, Sendable {
        /// As the item below.
        case automatic = 0
        case always = 1
        case never = 2
    }

    /// How large the title is. Nothing is drawn, and the bar's height stays.
    open var largeTitleDisplayMode = LargeTitleDisplayMode.automatic
    /// A view in place of the title. Nothing is drawn, and the view is in no window.
    open var titleView: UIView?
    /// The title of the button that shows this controller again; `nil` for its own title.
    open var backButtonTitle: String?
    /// Whether the bar has no button that shows the controller below again.
    open var hidesBackButton = false
    /// What searches the content. Nothing is drawn.
    open var searchController: UISearchController?
    /// Whether a search bar is hidden while content scrolls. Nothing is drawn.
    open var hidesSearchBarWhenScrolling = true
    /// The buttons at the leading edge, the outermost first.
    open var leftBarButtonItems: [UIBarButtonItem]?
    /// The buttons at the trailing edge, the outermost first.
    open var rightBarButtonItems: [UIBarButtonItem]?

    /// An item with that title.
    public init(title: String) {
        self.title = title
        super.init()
    }

    /// The outermost of the buttons at the leading edge. Setting it replaces all.
    open var leftBarButtonItem: UIBarButtonItem? {
        get { leftBarButtonItems?.first }
        set { leftBarButtonItems = newValue.map { [$0] } }
    }

    /// The outermost of the buttons at the trailing edge. Setting it replaces all.
    open var rightBarButtonItem: UIBarButtonItem? {
        get { rightBarButtonItems?.first }
        set { rightBarButtonItems = newValue.map { [$0] } }
    }
}
