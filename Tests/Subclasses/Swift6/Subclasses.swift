import UIKit

/// Subclasses as apps write them: with a `deinit`, `init(coder:)`, and overridden properties that are
/// computed, observed, or get-only. They compile in the language modes of Swift 5 and 6.
@MainActor public enum Subclasses {
    /// Makes objects of most.
    public static func makeAll() -> [AnyObject] {
        let coder = NSCoder()
        let controllers: [UIViewController?] = [
            Controller(nibName: nil, bundle: nil), Controller(coder: coder), Split(style: .doubleColumn),
            Split(coder: coder),
            Navigation(rootViewController: UIViewController()), Navigation(coder: coder), Tabs(tabs: []),
            Tabs(coder: coder),
        ]
        let views: [UIView?] = [View(frame: .zero), View(coder: coder), Cell(frame: .zero), Window(frame: .zero)]
        let others: [AnyObject] = [
            Tab(title: "", image: nil, identifier: "t"), Group(title: "", image: nil, identifier: "g"),
            Bar(frame: .zero),
            BarItem(), Item(title: ""), Action { _ in }, Guide(), Color(white: 0, alpha: 1), Responder(),
            SceneDelegate(),
        ]
        return controllers.compactMap { $0 as AnyObject? } + views.compactMap { $0 as AnyObject? } + others
    }

    /// The number of objects of this file that were deallocated.
    public nonisolated static var deallocations: Int { gone.value }
}

/// A `deinit` is of no actor.
private final class Count: @unchecked Sendable {
    private let lock = NSLock()
    private var count = 0
    var value: Int { lock.withLock { count } }
    func add() { lock.withLock { count += 1 } }
}

private let gone = Count()

class Controller: UIViewController {
    override init(nibName: String?, bundle: Bundle?) { super.init(nibName: nibName, bundle: bundle) }
    required init?(coder: NSCoder) { super.init(coder: coder) }
    deinit { gone.add() }
    override var title: String? { didSet {} }
    override var preferredContentSize: CGSize {
        get { CGSize(width: 1, height: 1) }
        set { super.preferredContentSize = newValue }
    }
    override var modalPresentationStyle: UIModalPresentationStyle {
        get { .fullScreen }
        set { super.modalPresentationStyle = newValue }
    }
    override var navigationItem: UINavigationItem { super.navigationItem }
    override var supportedInterfaceOrientations: UIInterfaceOrientationMask { .all }
    override var shouldAutorotate: Bool { true }
    override var prefersInterfaceOrientationLocked: Bool { true }
    override var traitCollection: UITraitCollection { super.traitCollection }
    override var additionalSafeAreaInsets: UIEdgeInsets { didSet {} }
    override var isModalInPresentation: Bool { didSet {} }
    override var next: UIResponder? { super.next }
}

class Split: UISplitViewController {
    var timer = 0
    override init(style: Style) { super.init(style: style) }
    required init?(coder: NSCoder) { super.init(coder: coder) }
    deinit { gone.add() }
    override var delegate: (any UISplitViewControllerDelegate)? { didSet {} }
    override var viewControllers: [UIViewController] { didSet {} }
    override var preferredDisplayMode: DisplayMode { didSet {} }
    override var displayMode: DisplayMode { super.displayMode }
    override var presentsWithGesture: Bool {
        get { false }
        set { super.presentsWithGesture = newValue }
    }
    override var childForInterfaceOrientationLock: UIViewController? { nil }
}

class Navigation: UINavigationController {
    override init(rootViewController: UIViewController) { super.init(rootViewController: rootViewController) }
    required init?(coder: NSCoder) { super.init(coder: coder) }
    deinit { gone.add() }
    override var viewControllers: [UIViewController] { didSet {} }
    override var topViewController: UIViewController? { super.topViewController }
    override var delegate: (any UINavigationControllerDelegate)? { didSet {} }
    override var isNavigationBarHidden: Bool { didSet {} }
}

class Tabs: UITabBarController {
    override init(tabs: [UITab]) { super.init(tabs: tabs) }
    required init?(coder: NSCoder) { super.init(coder: coder) }
    deinit { gone.add() }
    override var selectedIndex: Int { didSet {} }
    override var selectedTab: UITab? { didSet {} }
    override var selectedViewController: UIViewController? { didSet {} }
    override var viewControllers: [UIViewController]? {
        get { super.viewControllers }
        set { super.viewControllers = newValue }
    }
    override var tabs: [UITab] { didSet {} }
}

class View: UIView {
    override init(frame: CGRect) { super.init(frame: frame) }
    required init?(coder: NSCoder) { super.init(coder: coder) }
    deinit { gone.add() }
    override var frame: CGRect { didSet {} }
    override var bounds: CGRect { didSet {} }
    override var isHidden: Bool {
        get { super.isHidden }
        set { super.isHidden = newValue }
    }
    override var intrinsicContentSize: CGSize { CGSize(width: 1, height: 1) }
    override var safeAreaInsets: UIEdgeInsets { super.safeAreaInsets }
    override var backgroundColor: UIColor? { didSet {} }
    override var alpha: CGFloat { didSet {} }
    override var tag: Int { didSet {} }
}

class Cell: UICollectionViewListCell {
    override init(frame: CGRect) { super.init(frame: frame) }
    required init?(coder: NSCoder) { super.init(coder: coder) }
    deinit { gone.add() }
    override var isSelected: Bool { didSet {} }
}

class Window: UIWindow {
    override init(frame: CGRect) { super.init(frame: frame) }
    required init?(coder: NSCoder) { super.init(coder: coder) }
    deinit { gone.add() }
    override var rootViewController: UIViewController? { didSet {} }
    override var windowScene: UIWindowScene? { didSet {} }
    override var canBecomeKey: Bool { true }
}

class Tab: UITab {
    deinit { gone.add() }
    override var title: String { didSet {} }
    override var isHidden: Bool { didSet {} }
}

class Group: UITabGroup {
    deinit { gone.add() }
    override var children: [UITab] { didSet {} }
    override var selectedChild: UITab? { didSet {} }
}

class Bar: UINavigationBar {
    deinit { gone.add() }
}

class BarItem: UIBarButtonItem {
    deinit { gone.add() }
    override var title: String? { didSet {} }
}

class Item: UINavigationItem {
    deinit { gone.add() }
}

class Action: UIAction {
    deinit { gone.add() }
}

class Guide: UILayoutGuide {
    deinit { gone.add() }
    override var identifier: String { didSet {} }
}

class Constraint: NSLayoutConstraint {
    deinit { gone.add() }
    override var constant: CGFloat { didSet {} }
}

class Color: UIColor {
    deinit { gone.add() }
}

class Responder: UIResponder {
    deinit { gone.add() }
    override var userActivity: NSUserActivity? { didSet {} }
}

class SceneDelegate: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?
    deinit { gone.add() }
    func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions) {}
}

class Scene: UIWindowScene {
    deinit { gone.add() }
    override var title: String! { didSet {} }
}

class Presentation: UISheetPresentationController {
    deinit { gone.add() }
    override var detents: [Detent] { didSet {} }
    override var presentationStyle: UIModalPresentationStyle { super.presentationStyle }
}
