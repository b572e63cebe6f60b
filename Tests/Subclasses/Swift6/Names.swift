import UIKit

/// Code around scenes as apps write it, a function for each kind of name: most of the test is that it compiles, in the
/// language modes of Swift 5 and 6. Nothing here is called but `all`, by the tests.
@MainActor public enum Names {
    /// Uses each of them.
    public static func all() -> [AnyObject] {
        let controller = Bars(nibName: nil, bundle: nil)
        let navigation = UINavigationController(rootViewController: controller)
        values(controller, navigation)
        return [controller, navigation, alert(), split()] + layout(controller.view)
    }

    static func values(_ controller: UIViewController, _ navigation: UINavigationController) {
        controller.navigationItem.searchController = UISearchController(searchResultsController: nil)
        controller.toolbarItems = [UIBarButtonItem()]
        navigation.interactivePopGestureRecognizer?.isEnabled = false
        controller.becomeFirstResponder()
        controller.setNeedsStatusBarAppearanceUpdate()
        controller.setNeedsUpdateOfHomeIndicatorAutoHidden()
        let popover = UIViewController()
        popover.modalPresentationStyle = .popover
        popover.popoverPresentationController?.sourceView = controller.view
        popover.popoverPresentationController?.barButtonItem = controller.toolbarItems?.first
        _ = controller.transitionCoordinator?.viewController(forKey: .from)
        controller.addKeyCommand(
            UIKeyCommand(input: "w", modifierFlags: [.command, .shift], action: Selector("close:")))
    }

    static func alert() -> UIAlertController {
        let alert = UIAlertController(title: "Name", message: nil, preferredStyle: .alert)
        alert.addTextField { $0.placeholder = "Name" }
        alert.addAction(UIAlertAction(title: "OK", style: .default) { _ in _ = alert.textFields?.first?.text })
        return alert
    }

    static func split() -> UISplitViewController {
        let split = UISplitViewController(style: .doubleColumn)
        split.preferredDisplayMode = .allVisible
        split.maximumPrimaryColumnWidth = .infinity
        return split
    }

    static func layout(_ view: UIView) -> [AnyObject] {
        let field = UITextField(frame: .zero)
        let stack = UIStackView(arrangedSubviews: [field])
        view.addSubview(stack)
        view.tintColor = .systemBlue
        view.alpha = 0.5
        view.transform = .identity
        view.layer.cornerRadius = 4
        view.keyboardLayoutGuide.followsUndockedKeyboard = true
        NSLayoutConstraint.activate([
            view.keyboardLayoutGuide.topAnchor.constraint(
                equalToSystemSpacingBelow: stack.bottomAnchor, multiplier: 1),
            stack.leadingAnchor.constraint(equalToSystemSpacingAfter: view.leadingAnchor, multiplier: 1),
        ])
        UIView.transition(with: view, duration: 0.2, options: .transitionCrossDissolve) { view.alpha = 1 }
        return [stack, view.keyboardLayoutGuide]
    }
}

private final class Bars: UIViewController {
    override var preferredStatusBarStyle: UIStatusBarStyle { .lightContent }
    override var prefersStatusBarHidden: Bool { true }
    override var childForStatusBarStyle: UIViewController? { nil }
    override var prefersHomeIndicatorAutoHidden: Bool { true }
    override var preferredScreenEdgesDeferringSystemGestures: UIRectEdge { .all }
    override var canBecomeFirstResponder: Bool { true }
    override var keyCommands: [UIKeyCommand]? {
        let up = UIKeyCommand(title: "Up", action: Selector("up:"), input: UIKeyCommand.inputUpArrow)
        up.discoverabilityTitle = "Goes up"
        return (super.keyCommands ?? []) + [up]
    }
}

private final class RestoringScene: UIWindowScene {
    override func extendStateRestoration() { super.extendStateRestoration() }
    override func completeStateRestoration() { super.completeStateRestoration() }
}
