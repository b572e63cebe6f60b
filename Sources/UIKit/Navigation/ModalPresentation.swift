@_spi(Faults) internal import Settle

/// A view controller that another one presents: in the same window, in front of it.
@MainActor final class ModalPresentation {
    /// The outermost container of the one that `present` was called on.
    private(set) weak var presenter: UIViewController?
    let controller: UIViewController
    let style: UIModalPresentationStyle
    private weak var window: UIWindow?
    private(set) var phase = Phase.beginning
    /// Whether it is to end.
    private(set) var isDismissed = false

    enum Phase { case beginning, presented, ending, ended }

    init(_ controller: UIViewController, by presenter: UIViewController, in window: UIWindow) {
        self.controller = controller
        self.presenter = presenter
        self.window = window
        style = controller.modalPresentationStyle
    }

    /// Whether what is below is to be out of the window.
    var covers: Bool { style.coversWindow && !isDismissed }

    /// Ends it and all above it, the topmost first. While the presentations of the window change,
    /// that comes with their next step.
    func end() {
        var next: ModalPresentation? = self
        while let presentation = next {
            presentation.isDismissed = true
            next = presentation.controller.linksIfAny?.presented
        }
        presenter?.bottomPresenter.settlePresentations()
    }

    // MARK: Steps, see PresentationSteps

    /// Loads the view, which may set the preferred size, and gives it its frame.
    func load() {
        controller.loadViewIfNeeded()
        guard let window else { return }
        controller.view.frame = frame(in: window.bounds)
    }

    func enterWindow() {
        guard let window else {
            isDismissed = true
            return
        }
        window.addSubview(controller.view)
        phase = .presented
    }

    /// Returns to the window, once nothing covers it any more.
    func returnToWindow(_ window: UIWindow) {
        window.updateTraits()
        let frame = frame(in: window.bounds)
        controller.transition(to: frame.size)
        controller.view.frame = frame
        window.addSubview(controller.view)
    }

    func leaveWindow() {
        phase = .ending
        // A split view controller may have made its inspector a column again.
        if let view = controller.viewIfLoaded, view.superview is UIWindow || controller.parent == nil {
            view.removeFromSuperview()
        }
        phase = .ended
        let links = controller.links
        links.presenting = nil
        links.coveredIn = nil
        links.presentationController = nil
        links.presentationDelegate = nil
        presenter?.linksIfAny?.presented = nil
        links.inspectorOwner?.inspectorSheetDidEnd(controller)
    }

    /// `end` by a person.
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
