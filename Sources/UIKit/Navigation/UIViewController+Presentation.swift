@_spi(Faults) internal import Settle

extension UIViewController {
    /// What this view controller, or a container around it, presents; `nil` for nothing.
    public var presentedViewController: UIViewController? { outermost.linksIfAny?.presented?.controller }

    /// What presents this view controller, or a container around it; `nil` for nothing.
    public var presentingViewController: UIViewController? { outermost.linksIfAny?.presenting?.presenter }

    /// Whether the view controller is becoming a presented one: true in `viewWillAppear`.
    public var isBeingPresented: Bool { linksIfAny?.presenting?.phase == .beginning }

    /// Whether the view controller stops being a presented one: true in `viewWillDisappear`.
    public var isBeingDismissed: Bool { linksIfAny?.presenting?.phase == .ending }

    /// What manages the presentation of this view controller, or of a container around it;
    /// before, what will manage its own.
    public var presentationController: UIPresentationController? {
        let controller = outermost.linksIfAny?.presenting == nil ? self : outermost
        if let known = controller.links.presentationController { return known }
        let new = UIPresentationController(
            presentedViewController: controller, presenting: controller.presentingViewController)
        controller.links.presentationController = new
        return new
    }

    /// The container around all others that contain this view controller.
    private var outermost: UIViewController {
        var controller = self
        while let parent = controller.parent { controller = parent }
        return controller
    }

    /// Whether what this one presents has taken its place in the window.
    var isCovered: Bool { linksIfAny?.presented?.covers ?? false }

    /// What this one presents, if it covers it.
    var coveringController: UIViewController? { isCovered ? linksIfAny?.presented?.controller : nil }

    func presentNow(_ controller: UIViewController, _ completion: (() -> Void)?) {
        let presenter = outermost
        guard controller !== presenter, controller.parent == nil, controller.linksIfAny?.presenting == nil else {
            fatalError(
                "a \(type(of: controller)) that is presented, or is in a container, cannot be presented by a "
                    + "\(type(of: self))")
        }
        guard presenter.linksIfAny?.presented == nil else {
            UISystem.current?.log(
                "A \(type(of: controller)) is not presented, as a \(type(of: presenter)) presents another view "
                    + "controller; dismiss that first.")
            return
        }
        guard let window = presenter.viewIfLoaded?.window else {
            UISystem.current?.log(
                "A \(type(of: controller)) is not presented, as the view of \(type(of: presenter)) is in no window; "
                    + "present it from viewDidAppear on.")
            return
        }
        let presentation = ModalPresentation(controller, by: presenter)
        presentation.begin(in: window)
        // It may have ended while it appeared.
        (presentation.phase == .presented ? controller : presenter).visibleControllerDidChange()
        runAfterLayout(completion)
    }

    func dismissNow(_ completion: (() -> Void)?) {
        let links = outermost.linksIfAny
        let presentation = links?.presented ?? links?.presenting
        let presenter = presentation?.presenter
        presentation?.end()
        presenter?.visibleControllerDidChange()
        runAfterLayout(completion)
    }

    /// Returns to the window once nothing covers this view controller. Its frame has followed
    /// the window's meanwhile.
    func uncover(in window: UIWindow) {
        guard let view else { return }
        let isRoot = window.rootViewController === self
        window.insertSubview(view, at: isRoot ? 0 : window.subviews.count)
    }

    private func runAfterLayout(_ completion: (() -> Void)?) {
        guard let completion else { return }
        guard let system = UISystem.current, !Planted.completionEarly else { return completion() }
        system.afterLayout(completion)
    }
}
