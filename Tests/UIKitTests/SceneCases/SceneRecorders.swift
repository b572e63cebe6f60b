import XCTest

@testable import UIKit

/// A view controller that records all of its calls.
final class CaseController: NamedController {
    private(set) var isVisible = false
    /// How often its view was about to appear, less how often it was about to disappear.
    private(set) var appearances = 0
    /// What it returns, for orientations.
    var mask: UIInterfaceOrientationMask? { didSet { setNeedsUpdateOfSupportedInterfaceOrientations() } }
    var locks = false { didSet { setNeedsUpdateOfPrefersInterfaceOrientationLocked() } }

    override init(_ name: String) {
        super.init(name)
        SceneWorld.current?.controllers.append(self)
    }

    required init?(coder: NSCoder) { nil }

    override func record(_ call: String) {
        switch call {
        case "will appear": appearances += 1
        case "will disappear": appearances -= 1
        case "appeared": isVisible = true
        case "disappeared": isVisible = false
        default: break
        }
        SceneWorld.current?.note("\(name) \(call)")
    }

    override var supportedInterfaceOrientations: UIInterfaceOrientationMask {
        mask ?? super.supportedInterfaceOrientations
    }
    /// The child whose preference for a lock counts.
    var locking: UIViewController?

    var forwards = true

    override var shouldAutomaticallyForwardAppearanceMethods: Bool { forwards }
    override var prefersInterfaceOrientationLocked: Bool { locks }
    override var childForInterfaceOrientationLock: UIViewController? { locking }
    override func viewIsAppearing(_ animated: Bool) { record("is appearing \(view.bounds.size.plain)") }
    override func viewDidLayoutSubviews() {
        super.viewDidLayoutSubviews()
        record("layout \(view.bounds.size.plain)")
    }
    override func viewWillTransition(to size: CGSize, with coordinator: any UIViewControllerTransitionCoordinator) {
        super.viewWillTransition(to: size, with: coordinator)
        record("size \(size.plain)")
    }
    override func viewSizeDidSettle(_ size: CGSize) { record("settled \(size.plain)") }
    override func viewSafeAreaInsetsDidChange() { record("safe area") }
    override func viewLayoutMarginsDidChange() { record("margins") }
    override func willTransition(
        to traits: UITraitCollection, with coordinator: any UIViewControllerTransitionCoordinator
    ) {
        super.willTransition(to: traits, with: coordinator)
        record("will traits \(traitCollection.horizontalSizeClass) to \(traits.horizontalSizeClass)")
    }
    override func traitCollectionDidChange(_ previous: UITraitCollection?) {
        record("traits \(traitCollection.horizontalSizeClass)")
    }
}

/// A view that records its calls, and may have a size of its own.
final class CaseView: UIView {
    let name: String
    private(set) var layouts = 0
    var ownSize: CGSize? { didSet { invalidateIntrinsicContentSize() } }

    init(_ name: String) {
        self.name = name
        super.init(frame: .zero)
    }

    required init?(coder: NSCoder) { nil }

    private func record(_ call: String) { SceneWorld.current?.note("\(name) \(call)") }

    override var intrinsicContentSize: CGSize { ownSize ?? super.intrinsicContentSize }
    override func layoutSubviews() {
        layouts += 1
        record("layout \(bounds.size.plain)")
    }
    override func updateConstraints() {
        record("constraints")
        super.updateConstraints()
    }
    override func safeAreaInsetsDidChange() { record("safe area") }
    override func layoutMarginsDidChange() { record("margins") }
}

/// A window that records whether it is key.
final class CaseWindow: UIWindow {
    var name = ""
    var mayBecomeKey = true

    override var canBecomeKey: Bool { mayBecomeKey }
    override func becomeKey() {
        super.becomeKey()
        SceneWorld.current?.note("\(name) became key")
    }
    override func resignKey() {
        super.resignKey()
        SceneWorld.current?.note("\(name) resigned key")
    }
}

/// Records the calls of containers and presentations, and returns what a case wants.
final class CaseDelegate: NSObject, UINavigationControllerDelegate, UIAdaptivePresentationControllerDelegate,
    UITabBarController.Sidebar.Delegate, UITabBarControllerDelegate
{
    var allows = true
    /// The style of a presentation in compact width.
    var compactStyle = UIModalPresentationStyle.automatic

    private func note(_ call: String) { SceneWorld.current?.note(call) }

    func tabBarController(_ tabBarController: UITabBarController, shouldSelectTab tab: UITab) -> Bool {
        note("should select \(tab.identifier)")
        return allows
    }
    func tabBarController(_ tabBarController: UITabBarController, didSelectTab tab: UITab, previousTab: UITab?) {
        note("did select \(tab.identifier) after \(previousTab?.identifier ?? "none")")
    }
    func tabBarController(
        _ tabBarController: UITabBarController, displayedViewControllersFor tab: UITab,
        proposedViewControllers: [UIViewController]
    ) -> [UIViewController] {
        note("\(tab.identifier): \(proposedViewControllers.titles)")
        return proposedViewControllers
    }
    func tabBarController(_ tabBarController: UITabBarController, shouldSelect pane: UIViewController) -> Bool {
        note("should select controller \(pane.title ?? "")")
        return allows
    }
    func tabBarController(_ tabBarController: UITabBarController, didSelect pane: UIViewController) {
        note("did select controller \(pane.title ?? "")")
    }
    func navigationController(_ navigation: UINavigationController, willShow next: UIViewController, animated: Bool) {
        note("will show \(next.title ?? "")")
    }
    func navigationController(_ navigation: UINavigationController, didShow next: UIViewController, animated: Bool) {
        note("did show \(next.title ?? "")")
    }
    func presentationControllerShouldDismiss(_ presentationController: UIPresentationController) -> Bool {
        note("should dismiss")
        return allows
    }
    func presentationControllerWillDismiss(_ presentationController: UIPresentationController) { note("will dismiss") }
    func presentationControllerDidDismiss(_ presentationController: UIPresentationController) { note("did dismiss") }
    func presentationControllerDidAttemptToDismiss(_ presentationController: UIPresentationController) {
        note("attempt")
    }
    func adaptivePresentationStyle(
        for controller: UIPresentationController, traitCollection: UITraitCollection
    ) -> UIModalPresentationStyle {
        note("style for \(traitCollection.horizontalSizeClass)")
        return traitCollection.horizontalSizeClass == .compact ? compactStyle : .automatic
    }
    func tabBarController(
        _ tabBarController: UITabBarController, sidebarVisibilityWillChange sidebar: UITabBarController.Sidebar,
        animator: any UITabBarController.Sidebar.Animating
    ) {
        note(sidebar.isHidden ? "will hide" : "will show")
        animator.addAnimations { [self] in note("alongside") }
        animator.addCompletion { [self] in note("done") }
    }
}

extension CGSize {
    fileprivate var plain: String { "\(Int(min(width, 1e9)))x\(Int(min(height, 1e9)))" }
}
