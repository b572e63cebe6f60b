internal import Settle

extension UIViewController {
    /// What this view controller, or a container around it, presents; `nil` for nothing.
    public var presentedViewController: UIViewController? { outermost.linksIfAny?.presented?.controller }

    /// What presents this view controller, or a container around it; `nil` for nothing.
    public var presentingViewController: UIViewController? { outermost.linksIfAny?.presenting?.presenter }

    /// What manages the presentation of this view controller, or of a container around it;
    /// before, what will manage its own.
    public var presentationController: UIPresentationController? {
        let controller = outermost.linksIfAny?.presenting == nil ? self : outermost
        let style = controller.modalPresentationStyle
        let kind: UIPresentationController.Type =
            if style == .popover { UIPopoverPresentationController.self } else if style.isSheet {
                UISheetPresentationController.self
            } else { UIPresentationController.self }
        if let known = controller.links.presentationController, type(of: known) == kind { return known }
        let new = kind.init(presentedViewController: controller, presenting: controller.presentingViewController)
        controller.links.presentationController = new
        return new
    }

    /// The presentation controller, if this view controller is presented as a sheet, or would be;
    /// else `nil`.
    public var sheetPresentationController: UISheetPresentationController? {
        presentationController as? UISheetPresentationController
    }

    /// The container around all others that contain this view controller.
    private var outermost: UIViewController {
        var controller = self
        while let parent = controller.parent { controller = parent }
        return controller
    }

    /// Whether it is what another view controller presents, and not only in it.
    var isPresented: Bool { linksIfAny?.presenting != nil }

    func presentNow(_ controller: UIViewController, isAnimated: Bool, _ completion: (() -> Void)?) {
        let presenter = outermost
        func refuse(_ reason: String) {
            UISystem.current?.log("A \(type(of: controller)) is not presented, as \(reason).")
        }
        let (links, ofPresenter) = (controller.linksIfAny, presenter.linksIfAny)
        let isLeaving = [links?.presenting, links?.presented, ofPresenter?.presented].contains {
            $0?.isDismissed == true
        }
        if isLeaving {
            return refuse("a dismissal has not ended; present it in the completion of that")
        }
        guard controller !== presenter, controller.parent == nil, links?.presenting == nil else {
            fatalError(
                "a \(type(of: controller)) that is presented, or is in a container, cannot be presented by a "
                    + "\(type(of: self))")
        }
        guard links?.presented == nil else { return refuse("it presents another view controller itself") }
        guard ofPresenter?.presented == nil else {
            return refuse("a \(type(of: presenter)) presents another view controller; dismiss that first")
        }
        guard ofPresenter?.presenting?.isDismissed != true else {
            return refuse("the \(type(of: presenter)) is being dismissed itself")
        }
        guard let window = presenter.viewIfLoaded?.window else {
            return refuse(
                "the view of \(type(of: presenter)) is in no window; present it from viewDidAppear on")
        }
        let presentation = ModalPresentation(controller, by: presenter, in: window)
        presenter.links.presented = presentation
        controller.links.presenting = presentation
        let chain = presenter.makePresentationChain()
        chain.append(presentation)
        chain.isAnimated = isAnimated
        chain.settle()
        runAfterLayout(completion)
    }

    func dismissNow(isAnimated: Bool, _ completion: (() -> Void)?) {
        let links = outermost.linksIfAny
        (links?.presented ?? links?.presenting)?.end(isAnimated: isAnimated)
        runAfterLayout(completion)
    }

    private func runAfterLayout(_ completion: (() -> Void)?) {
        guard let completion else { return }
        guard let system = UISystem.current else { return completion() }
        system.turn.afterLayout(completion)
    }
}
