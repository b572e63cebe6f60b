internal import Settle

/// A view controller that another one presents: in the same window, in front of it.
@MainActor final class ModalPresentation {
    /// The outermost container of the one that `present` was called on.
    private(set) weak var presenter: UIViewController?
    let controller: UIViewController
    /// How it is shown: as the app asks, or as the delegate adapts that to the traits.
    private(set) var style: UIModalPresentationStyle
    private var isAdaptive = true
    private var askedTraits: UITraitCollection?
    /// What is below is to leave the window, or to return.
    private var hasOtherCoverage = false
    private weak var window: UIWindow?
    private(set) var phase = Phase.beginning
    var isDismissed = false
    /// Where it is.
    weak var chain: PresentationChain?
    /// Its place there, 0 for the lowest one.
    var place = 0

    enum Phase { case beginning, presented, ending, ended }

    init(_ controller: UIViewController, by presenter: UIViewController, in window: UIWindow) {
        self.controller = controller
        self.presenter = presenter
        self.window = window
        style = controller.modalPresentationStyle
    }

    /// Whether what is below is to be out of the window.
    var covers: Bool { style.coversWindow && !isDismissed }

    /// Ends it and all above it.
    func end(isAnimated: Bool = false) { chain?.end(self, isAnimated: isAnimated) }

    // MARK: Steps, see PresentationChain

    /// Loads the view, which may set the preferred size, and gives it its frame.
    func load() {
        controller.loadViewIfNeeded()
        adapt()
        guard let window else { return }
        let frame = frame(in: window.bounds)
        controller.transition(to: frame.size)
        controller.view.frame = frame
    }

    func enterWindow() {
        guard let window else {
            isDismissed = true
            return
        }
        noting(.presented) { window.addSubview(controller.view) }
        phase = .presented
    }

    /// Makes a change that the controller knows of until its appearance has ended.
    private func noting(_ change: ControllerLinks.PresentationChange, _ body: () -> Void) {
        controller.links.presentationChange = change
        body()
        if !controller.appearance.isChanging { controller.links.presentationChange = nil }
    }

    /// Returns to the window, once nothing covers it any more.
    func returnToWindow(_ window: UIWindow) {
        window.updateTraits()
        adapt()
        let frame = frame(in: window.bounds)
        controller.transition(to: frame.size)
        controller.view.frame = frame
        window.addSubview(controller.view)
    }

    func leaveWindow() {
        phase = .ending
        // A split view controller may have made its inspector a column again.
        if let view = controller.viewIfLoaded, view.superview is UIWindow || controller.parent == nil {
            noting(.dismissed) { controller.giveWay(.after) }
        }
        phase = .ended
        chain?.removeLast()
        let links = controller.links
        links.presenting = nil
        links.coveredIn = nil
        links.presentationController = nil
        links.presentationDelegate = nil
        presenter?.linksIfAny?.presented = nil
        links.inspectorOwner?.inspectorSheetDidEnd(controller)
    }

    func endByPerson() {
        guard let owner = controller.linksIfAny?.inspectorOwner else { return end() }
        owner.personDismissesInspector { end() }
    }

    // MARK: The window's size

    func transition(to size: CGSize, isInteractive: Bool) {
        adapt()
        let own = frame(in: CGRect(origin: .zero, size: size)).size
        controller.transition(to: own, isInteractive: isInteractive)
        controller.linksIfAny?.presented?.transition(to: size, isInteractive: isInteractive)
    }

    func place(in bounds: CGRect) {
        // An override that the app has set since, as the size changed, may give it another size than it was
        // notified of.
        controller.transition(to: frame(in: bounds).size)
        controller.viewIfLoaded?.frame = frame(in: bounds)
        controller.linksIfAny?.presented?.place(in: bounds)
        guard hasOtherCoverage else { return }
        hasOtherCoverage = false
        chain?.settle()
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
        let traits = traits
        let isLow = isAdaptive && traits.verticalSizeClass == .compact
        // Only what asks for it is a sheet there.
        if isLow, style.isSheet, controller.linksIfAny?.sheet?.isEdgeAttachedInCompactHeight != true { return bounds }
        let isCompact = isLow || isAdaptive && traits.horizontalSizeClass == .compact
        var frame = style.frame(in: bounds, isCompact: isCompact, preferred: controller.preferredContentSize)
        guard isCompact, style.isSheet, let detents = controller.linksIfAny?.sheet else { return frame }
        let height = detents.height(atMost: frame.height, traits)
        frame.origin.y += frame.height - height
        frame.size.height = height
        return frame
    }

    /// A form sheet is narrow, also in a window that is not.
    func traits(from above: UITraitCollection) -> UITraitCollection {
        guard style == .formSheet || style == .popover, above.horizontalSizeClass == .regular,
            above.verticalSizeClass != .compact
        else { return above }
        return above.shared { $0.horizontalSizeClass = .compact }
    }

    /// Those of what presents it or, while that is covered, of the window.
    private var traits: UITraitCollection {
        if let presenter, presenter.viewIfLoaded?.window != nil { return presenter.nextTraits }
        return controller.announcedTraits ?? window?.traitCollection ?? controller.traitCollection
    }

    /// Asks the delegate how to show it, at first and when the traits have changed.
    private func adapt() {
        guard let delegate = controller.linksIfAny?.presentationDelegate,
            let manager = controller.presentationController
        else { return }
        let traits = traits
        guard traits != askedTraits else { return }
        askedTraits = traits
        let adapted = delegate.adaptivePresentationStyle(for: manager, traitCollection: traits)
        let covered = style.coversWindow
        isAdaptive = adapted != .none
        style = adapted == .none || adapted == .automatic ? controller.modalPresentationStyle : adapted
        guard style.coversWindow != covered else { return }
        chain?.coverageDidChange(of: self)
        hasOtherCoverage = phase == .presented
    }
}
