/// A rectangle within a window.
@preconcurrency @MainActor open class UIView: UIResponder {
    /// In the superview's coordinates, in points.
    open var frame: CGRect
    open var isHidden = false
    open var tag = 0
    public private(set) weak var superview: UIView?
    public private(set) var subviews: [UIView] = []

    /// The controller whose view this is.
    weak var controller: UIViewController?

    public init(frame: CGRect) {
        self.frame = frame
        super.init()
    }

    public required init?(coder: NSCoder) {
        frame = .zero
        super.init()
    }

    public convenience override init() { self.init(frame: .zero) }

    /// The view in its own coordinates.
    open var bounds: CGRect {
        get { CGRect(origin: .zero, size: frame.size) }
        set { frame.size = newValue.size }
    }

    /// The window in which the view is.
    open var window: UIWindow? { superview?.window }

    open override var next: UIResponder? { controller ?? superview }

    open func addSubview(_ view: UIView) {
        view.detach()
        view.superview = self
        subviews.append(view)
        view.appear(as: appearanceWithin)
    }

    open func removeFromSuperview() {
        guard superview != nil else { return }
        detach()
        appear(as: .disappeared)
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
