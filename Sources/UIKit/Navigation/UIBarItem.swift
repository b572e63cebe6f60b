/// Something that a bar shows. Nothing is drawn.
@preconcurrency @MainActor open class UIBarItem: NSObject {
    /// What people read; `nil` for none.
    open var title: String?
    /// What people see; `nil` for none.
    open var image: UIImage?
    /// Whether people can use the item.
    open var isEnabled = true
    /// A number for the app's own use.
    open var tag = 0

    /// An item with neither title nor image.
    public override init() { super.init() }
}

/// A button in a navigation bar.
@preconcurrency @MainActor open class UIBarButtonItem: UIBarItem {
    /// What the button does; `nil` for nothing.
    open var primaryAction: UIAction?

    /// A button without an action.
    public override init() { super.init() }

    /// A button that performs an action, with the action's title and image.
    public convenience init(primaryAction: UIAction) {
        self.init()
        title = primaryAction.title
        image = primaryAction.image
        self.primaryAction = primaryAction
    }

    /// A button with a title, which performs an action.
    public convenience init(title: String? = nil, image: UIImage? = nil, primaryAction: UIAction? = nil) {
        self.init()
        self.title = title ?? primaryAction?.title
        self.image = image ?? primaryAction?.image
        self.primaryAction = primaryAction
    }
}

/// Something that a person can do: a name and a closure.
@preconcurrency @MainActor open class UIAction: NSObject {
    /// What people read.
    open var title: String
    /// What people see; `nil` for none.
    open var image: UIImage?

    /// Does what the action is for.
    let handler: (UIAction) -> Void

    /// An action.
    ///
    /// - Parameters:
    ///   - title: What people read.
    ///   - image: What people see; `nil` for none.
    ///   - handler: Called when a person performs the action.
    public init(title: String = "", image: UIImage? = nil, handler: @escaping (UIAction) -> Void) {
        self.title = title
        self.image = image
        self.handler = handler
        super.init()
    }
}
