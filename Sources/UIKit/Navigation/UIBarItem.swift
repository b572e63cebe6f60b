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

    /// A button with an image or a name that the system chooses, which performs an action. Nothing is
    /// drawn.
    public convenience init(systemItem: SystemItem, primaryAction: UIAction? = nil) {
        self.init()
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

extension UIBarButtonItem {
    /// The buttons of the system. The raw values are Apple's.
    public enum SystemItem: Int, Sendable {
        /// Ends an edit, and keeps it.
        case done = 0
        /// Ends an edit, and drops it.
        case cancel = 1
        /// Begins an edit.
        case edit = 2
        case save = 3
        /// Adds something.
        case add = 4
        /// Space between items, which shares what is left.
        case flexibleSpace = 5
        /// Space of a width.
        case fixedSpace = 6
        case compose = 7
        case reply = 8
        /// Shares.
        case action = 9
        /// Moves to a folder.
        case organize = 10
        case bookmarks = 11
        case search = 12
        case refresh = 13
        case stop = 14
        case camera = 15
        case trash = 16
        case play = 17
        case pause = 18
        /// Plays backwards.
        case rewind = 19
        /// Plays faster.
        case fastForward = 20
        case undo = 21
        case redo = 22
        case close = 24
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
