/// A message with actions, presented above all. Nothing is drawn: a host performs an action by
/// `UISystem.perform(_:of:)`.
@preconcurrency @MainActor open class UIAlertController: UIViewController {
    /// How the message is shown. The raw values are Apple's.
    public enum Style: Int, Sendable {
        /// From where it was asked for.
        case actionSheet = 0
        /// In the middle.
        case alert = 1
    }

    /// The message below the title; `nil` for none.
    open var message: String?
    /// How the message is shown.
    public private(set) var preferredStyle = Style.alert
    /// What a person can choose, in the order of their adding.
    public private(set) var actions: [UIAlertAction] = []
    /// The action of the return key; `nil` for none.
    open var preferredAction: UIAlertAction?

    /// A message without actions.
    public convenience init(title: String?, message: String?, preferredStyle: Style) {
        self.init(nibName: nil, bundle: nil)
        self.title = title
        self.message = message
        self.preferredStyle = preferredStyle
        // It covers nothing of the interface's life, and nobody swipes it away.
        modalPresentationStyle = preferredStyle == .actionSheet ? .popover : .overFullScreen
    }

    /// Adds something that a person can choose.
    open func addAction(_ action: UIAlertAction) { actions.append(action) }

    /// What a person can type, in the order of their adding; `nil` for nothing. A host sets their texts.
    public private(set) var textFields: [UITextField]?

    /// Adds a text field to an alert. An action sheet has none, which is logged.
    ///
    /// - Parameter configurationHandler: Gets the text field, at once.
    open func addTextField(configurationHandler: ((UITextField) -> Void)? = nil) {
        guard preferredStyle == .alert else {
            UISystem.current?.log("An action sheet has no text fields; use the style alert.")
            return
        }
        let field = UITextField(frame: .zero)
        textFields = (textFields ?? []) + [field]
        configurationHandler?(field)
    }
}

/// What a person types in an alert. Nothing is drawn, and it takes no space.
@preconcurrency @MainActor open class UITextField: UIView {
    /// What was typed; empty at first.
    open var text: String? = ""
    /// What people read while it is empty; `nil` for nothing.
    open var placeholder: String?
    /// Whether what is typed is hidden.
    open var isSecureTextEntry = false
    open override var canBecomeFirstResponder: Bool { true }
}

/// What a person can choose in an alert.
@preconcurrency @MainActor open class UIAlertAction: NSObject {
    /// What the action does. The raw values are Apple's.
    public enum Style: Int, Sendable {
        case `default` = 0
        /// Changes nothing.
        case cancel = 1
        /// Loses something.
        case destructive = 2
    }

    /// What people read; `nil` for none.
    public private(set) var title: String?
    /// What the action does.
    public private(set) var style = Style.default
    /// Whether people can choose it.
    open var isEnabled = true
    var handler: ((UIAlertAction) -> Void)?

    /// An action.
    ///
    /// - Parameters:
    ///   - title: What people read.
    ///   - style: What the action does.
    ///   - handler: Called once the alert is dismissed.
    public convenience init(title: String?, style: Style, handler: ((UIAlertAction) -> Void)? = nil) {
        self.init()
        self.title = title
        self.style = style
        self.handler = handler
    }
}

extension UISystem {
    /// A person chooses an action of an alert: it is dismissed, then the action's handler is called.
    ///
    /// - Throws: `nothingPresented` if the alert is not presented; `notDismissible` if the action is not
    ///   one of its own, or disabled.
    public func perform(_ action: UIAlertAction, of alert: UIAlertController) throws {
        guard alert.linksIfAny?.presenting != nil else { throw UISystem.Error.nothingPresented }
        guard action.isEnabled, alert.actions.contains(where: { $0 === action }) else {
            throw UISystem.Error.notDismissible
        }
        turn.hostCall {
            alert.linksIfAny?.presenting?.end()
            turn.afterLayout { action.handler?(action) }
        }
    }
}
