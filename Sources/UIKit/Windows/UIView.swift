/// A rectangle within a window. Nothing is drawn.
@preconcurrency @MainActor open class UIView: UIResponder {
    /// In the superview's coordinates, in points.
    open var frame: CGRect
    /// Whether the view is hidden. The system uses it for windows only.
    open var isHidden = false
    /// A number for the app's own use.
    open var tag = 0
    /// The view that contains this one.
    public private(set) weak var superview: UIView?
    /// The views within this one, the last in front.
    public private(set) var subviews: [UIView] = []

    /// The view controller whose root view this is.
    weak var controller: UIViewController?

    /// A view without a superview.
    public init(frame: CGRect) {
        self.frame = frame
        super.init()
    }

    /// An empty view. There is nothing to decode on Linux.
    public required init?(coder: NSCoder) {
        frame = .zero
        super.init()
    }

    public convenience override init() { self.init(frame: .zero) }

    /// The view in its own coordinates, in points. The origin is zero.
    open var bounds: CGRect {
        get { CGRect(origin: .zero, size: frame.size) }
        set { frame.size = newValue.size }
    }

    /// The window that contains the view; `nil` if none does.
    open var window: UIWindow? { superview?.window }

    open override var next: UIResponder? { controller ?? superview }

    /// Adds a view in front of the others. It is removed from its superview before.
    open func addSubview(_ view: UIView) {
        view.detach()
        view.superview = self
        subviews.append(view)
        view.updateAppearance(to: appearanceOfContent)
    }

    /// Removes the view, and the view controllers within it disappear.
    open func removeFromSuperview() {
        guard superview != nil else { return }
        detach()
        updateAppearance(to: .disappeared)
    }

    private func detach() {
        superview?.subviews.removeAll { $0 === self }
        superview = nil
    }
}

extension UIView: PlacedSpace {
    var originOnScreen: CGPoint {
        let parent = superview?.originOnScreen ?? (self as? UIWindow)?.windowScene?.pending.origin ?? .zero
        return CGPoint(x: parent.x + frame.origin.x, y: parent.y + frame.origin.y)
    }
}
