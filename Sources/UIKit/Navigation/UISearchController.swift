/// Shows the results of a search, for the app's own use: there is no search bar, and the system presents
/// nothing.
@preconcurrency @MainActor open class UISearchController: UIViewController {
    /// What shows the results; `nil` for what is searched.
    public private(set) var searchResultsController: UIViewController?
    /// Whether a person is searching.
    open var isActive = false
    /// Whether what is searched is dimmed meanwhile.
    open var obscuresBackgroundDuringPresentation = true
    /// Whether the navigation bar is hidden meanwhile.
    open var hidesNavigationBarDuringPresentation = true

    /// A search whose results another view controller shows, or the searched one.
    public convenience init(searchResultsController: UIViewController?) {
        self.init(nibName: nil, bundle: nil)
        self.searchResultsController = searchResultsController
    }
}

/// What recognises a gesture. There are no touches, so it recognises none.
@preconcurrency @MainActor open class UIGestureRecognizer: NSObject {
    /// Whether the gesture counts.
    open var isEnabled = true
    /// Decides about the gesture.
    open weak var delegate: (any UIGestureRecognizerDelegate)?
}

/// What an app decides about gestures. There are none, so nothing is asked.
@preconcurrency @MainActor public protocol UIGestureRecognizerDelegate: NSObjectProtocol {}
