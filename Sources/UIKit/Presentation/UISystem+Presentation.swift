internal import Settle

extension UISystem {
    /// A person swipes the topmost sheet of a scene away. Its presentation controller's
    /// delegate is asked and notified.
    ///
    /// - Throws: `nothingPresented`; `notDismissible` if it covers the window, is modal, or
    ///   its delegate refuses; `notConnected`.
    public func dismiss(in scene: UIWindowScene) throws {
        guard connections.isConnected(scene) else { throw UISystem.Error.notConnected }
        guard let top = frontController(of: scene), let presentation = top.linksIfAny?.presenting else {
            throw UISystem.Error.nothingPresented
        }
        let controller = presentation.controller
        guard presentation.style.isSheet else { throw UISystem.Error.notDismissible }
        try turn.hostCall {
            guard let manager = controller.presentationController else { return }
            let delegate = manager.delegate
            guard !controller.isModalInPresentation,
                delegate?.presentationControllerShouldDismiss(manager) ?? true
            else {
                delegate?.presentationControllerDidAttemptToDismiss(manager)
                throw UISystem.Error.notDismissible
            }
            delegate?.presentationControllerWillDismiss(manager)
            presentation.endByPerson()
            // After the last callback of its appearance.
            turn.afterLayout { delegate?.presentationControllerDidDismiss(manager) }
        }
    }

    /// The topmost presented view controller of the window in front or, if it presents none,
    /// its root controller.
    func frontController(of scene: UIWindowScene) -> UIViewController? {
        let window = scene.keyWindow.flatMap { $0.isHidden ? nil : $0 } ?? scene.windows.last { !$0.isHidden }
        let root = window?.rootViewController
        return root?.presentationChain?.top ?? root
    }
}
