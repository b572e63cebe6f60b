/// What is known about a presentation, for its delegate.
@preconcurrency @MainActor open class UIPresentationController: NSObject {
    /// What is presented.
    public let presentedViewController: UIViewController
    /// Is asked about a person's dismissal, and notified of it.
    open var delegate: (any UIAdaptivePresentationControllerDelegate)? {
        // The view controller has it, so that this object can be made anew and keep that one alive.
        get { presentedViewController.linksIfAny?.presentationDelegate }
        set { presentedViewController.links.presentationDelegate = newValue }
    }

    private weak var presenting: UIViewController?

    /// What manages the presentation of a view controller. The system makes it.
    public required init(
        presentedViewController: UIViewController, presenting presentingViewController: UIViewController?
    ) {
        self.presentedViewController = presentedViewController
        presenting = presentingViewController
        super.init()
    }

    /// What presents it; itself before.
    open var presentingViewController: UIViewController {
        presentedViewController.presentingViewController ?? presenting ?? presentedViewController
    }

    /// How it is presented.
    open var presentationStyle: UIModalPresentationStyle { presentedViewController.modalPresentationStyle }
}

/// What an app decides about a presentation, and about a person's dismissal of a sheet. Every
/// method has a default body; of those about dismissals none is called for the app's own `dismiss`.
@preconcurrency @MainActor public protocol UIAdaptivePresentationControllerDelegate: NSObjectProtocol {
    /// How to present for some traits, those of what presents it: asked when it is presented, and
    /// with other traits when the window's size changes. `none` keeps the style that the app set also
    /// in compact width, and `automatic` leaves it to the system. By default asks
    /// `adaptivePresentationStyle(for:)` in compact width.
    func adaptivePresentationStyle(
        for controller: UIPresentationController, traitCollection: UITraitCollection
    ) -> UIModalPresentationStyle
    /// The same for compact width. The default is `automatic`.
    func adaptivePresentationStyle(for controller: UIPresentationController) -> UIModalPresentationStyle
    /// Whether the person may dismiss it.
    func presentationControllerShouldDismiss(_ presentationController: UIPresentationController) -> Bool
    /// It is about to be dismissed by a person.
    func presentationControllerWillDismiss(_ presentationController: UIPresentationController)
    /// It was dismissed by a person.
    func presentationControllerDidDismiss(_ presentationController: UIPresentationController)
    /// A person has tried to dismiss it, which was not allowed.
    func presentationControllerDidAttemptToDismiss(_ presentationController: UIPresentationController)
}

extension UIAdaptivePresentationControllerDelegate {
    public func adaptivePresentationStyle(
        for controller: UIPresentationController, traitCollection: UITraitCollection
    ) -> UIModalPresentationStyle {
        traitCollection.horizontalSizeClass == .compact ? adaptivePresentationStyle(for: controller) : .automatic
    }
    public func adaptivePresentationStyle(for controller: UIPresentationController) -> UIModalPresentationStyle {
        .automatic
    }
    public func presentationControllerShouldDismiss(
        _ presentationController: UIPresentationController
    ) -> Bool { true }
    public func presentationControllerWillDismiss(_ presentationController: UIPresentationController) {}
    public func presentationControllerDidDismiss(_ presentationController: UIPresentationController) {}
    public func presentationControllerDidAttemptToDismiss(_ presentationController: UIPresentationController) {}
}
