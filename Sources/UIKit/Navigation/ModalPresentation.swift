@_spi(Faults) internal import Settle

/// A view controller that another one presents: in the same window, in front of it.
@MainActor final class ModalPresentation {
    /// The outermost container of the one that `present` was called on.
    private(set) weak var presenter: UIViewController?
    let controller: UIViewController
    let style: UIModalPresentationStyle
    private(set) var phase = Phase.beginning
    /// What `end` was called with while the view controller appeared; `nil` if it was not.
    private var presenterLeavesSoon: Bool?

    enum Phase { case beginning, presented, ending, ended }

    init(_ controller: UIViewController, by presenter: UIViewController) {
        self.controller = controller
        self.presenter = presenter
        style = controller.modalPresentationStyle
    }

    /// Whether the presenter's view is out of the window.
    var covers: Bool { style.coversWindow && phase != .ended }

    func begin(in window: UIWindow) {
        guard let presenter else { return }
        presenter.links.presented = self
        controller.links.presenting = self
        // Loading the view may set the preferred size.
        controller.loadViewIfNeeded()
        controller.view.frame = frame(in: window.bounds)
        if style.coversWindow { presenter.viewIfLoaded?.removeFromSuperview() }
        window.addSubview(controller.view)
        phase = .presented
        if let presenterLeavesSoon { end(presenterLeaves: presenterLeavesSoon) }
    }

    /// Removes what is presented, and all that it presents, the topmost first. While the view
    /// controller is appearing, it ends once that is done.
    ///
    /// - Parameter presenterLeaves: The presenter is leaving the window, too.
    func end(presenterLeaves: Bool = false) {
        if phase == .beginning {
            presenterLeavesSoon = presenterLeaves || presenterLeavesSoon == true
            return
        }
        guard phase == .presented else { return }
        controller.linksIfAny?.presented?.end()
        phase = .ending
        let window = controller.viewIfLoaded?.window
        controller.viewIfLoaded?.removeFromSuperview()
        phase = .ended
        controller.links.presenting = nil
        controller.links.presentationController = nil
        controller.links.presentationDelegate = nil
        presenter?.linksIfAny?.presented = nil
        if style.coversWindow, !presenterLeaves, let window { presenter?.uncover(in: window) }
        controller.linksIfAny?.inspectorOwner?.inspectorSheetDidEnd(controller)
    }

    /// The same by a person.
    func endByPerson() {
        guard let owner = controller.linksIfAny?.inspectorOwner else { return end() }
        owner.personDismissesInspector { end() }
    }

    // MARK: The window's size

    /// The window is about to have another size.
    func transition(to size: CGSize, isInteractive: Bool) {
        let own = frame(in: CGRect(origin: .zero, size: size)).size
        controller.transition(to: own, isInteractive: isInteractive)
        controller.linksIfAny?.presented?.transition(to: size, isInteractive: isInteractive)
    }

    func place(in bounds: CGRect) {
        if Planted.sheetKeepsFrame { return }
        controller.viewIfLoaded?.frame = frame(in: bounds)
        controller.linksIfAny?.presented?.place(in: bounds)
    }

    /// The controller wants another size, which a form sheet gets.
    func preferredSizeDidChange() {
        guard phase == .beginning || phase == .presented, let window = controller.viewIfLoaded?.window else { return }
        controller.turn {
            controller.transition(to: frame(in: window.bounds).size)
            controller.viewIfLoaded?.frame = frame(in: window.bounds)
        }
    }

    private func frame(in bounds: CGRect) -> CGRect {
        let traits = (presenter ?? controller).traitCollection
        return style.frame(
            in: bounds, isCompact: traits.horizontalSizeClass == .compact, preferred: controller.preferredContentSize)
    }
}
