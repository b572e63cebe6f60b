/// A view's geometry under its layer's name, and values for drawing, for the app's own use. Nothing is drawn.
@preconcurrency @MainActor open class CALayer: NSObject {
    private weak var view: UIView?

    /// How round the corners are, in points.
    open var cornerRadius: CGFloat = 0
    /// Whether what is within is cut off at the bounds.
    open var masksToBounds = false
    /// How wide the border is, in points.
    open var borderWidth: CGFloat = 0
    /// The opacity, from 0 to 1.
    open var opacity: Float = 1
    /// Where the layer is, back to front, among those beside it.
    open var zPosition: CGFloat = 0

    init(of view: UIView) { self.view = view }

    /// The view's frame, in points.
    open var frame: CGRect {
        get { view?.frame ?? .zero }
        set { view?.frame = newValue }
    }

    /// The view's bounds, in points.
    open var bounds: CGRect {
        get { view?.bounds ?? .zero }
        set { view?.bounds = newValue }
    }

    /// The view's centre, in points.
    open var position: CGPoint {
        get { view?.center ?? .zero }
        set { view?.center = newValue }
    }
}
