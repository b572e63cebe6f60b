/// Manages a popover: what it would point to. Nothing is drawn, and a popover has the place of a form
/// sheet. Its values are kept with what is presented, also before that.
@preconcurrency @MainActor open class UIPopoverPresentationController: UIPresentationController {
    /// The view that the popover points to; `nil` for none.
    open var sourceView: UIView? {
        get { source.view }
        set { source.view = newValue }
    }

    /// The part of `sourceView` that the popover points to, in its coordinates, in points.
    open var sourceRect: CGRect {
        get { source.rect }
        set { source.rect = newValue }
    }

    /// The button that the popover points to; `nil` for none.
    open var barButtonItem: UIBarButtonItem? {
        get { source.barButtonItem }
        set { source.barButtonItem = newValue }
    }

    /// The directions in which the popover's arrow may point.
    open var permittedArrowDirections: UIPopoverArrowDirection {
        get { source.arrowDirections }
        set { source.arrowDirections = newValue }
    }

    private var source: PopoverSource {
        get { presentedViewController.links.popover }
        set { presentedViewController.links.popover = newValue }
    }
}

/// Where a popover's arrow points. The raw values are Apple's.
public struct UIPopoverArrowDirection: OptionSet, Sendable {
    public let rawValue: UInt

    /// The directions with these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    public static let up = UIPopoverArrowDirection(rawValue: 1 << 0)
    public static let down = UIPopoverArrowDirection(rawValue: 1 << 1)
    public static let left = UIPopoverArrowDirection(rawValue: 1 << 2)
    public static let right = UIPopoverArrowDirection(rawValue: 1 << 3)
    public static let any: UIPopoverArrowDirection = [.up, .down, .left, .right]
    public static let unknown = UIPopoverArrowDirection(rawValue: UInt(Int.max))
}

/// What was set for a view controller's popover.
@MainActor struct PopoverSource {
    weak var view: UIView?
    var rect = CGRect.null
    var barButtonItem: UIBarButtonItem?
    var arrowDirections = UIPopoverArrowDirection.any
}

extension UIViewController {
    /// The presentation controller, if this view controller is presented as a popover, or would be; else
    /// `nil`.
    public var popoverPresentationController: UIPopoverPresentationController? {
        presentationController as? UIPopoverPresentationController
    }
}
