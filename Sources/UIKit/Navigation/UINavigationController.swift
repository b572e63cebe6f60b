/// A container that shows the top of a stack of view controllers, below a bar.
///
/// All view controllers of the stack are its children; only the view of the one on top is
/// loaded and shown. There are no animations: a call outside of callbacks has shown and
/// laid out the new top when it returns.
@preconcurrency @MainActor open class UINavigationController: UIViewController {
    /// Gets a call before and after another view controller is shown.
    open weak var delegate: (any UINavigationControllerDelegate)?
    /// The bar above the content.
    public let navigationBar = UINavigationBar(frame: .zero)

    private var stack: [UIViewController] = []
    /// The controller whose view is in this one's.
    private(set) weak var shown: UIViewController?
    private var isBarHidden = false
    /// Runs after the stack has changed in any way.
    var stackDidChange: (() -> Void)?

    /// A navigation controller with one view controller.
    public init(rootViewController: UIViewController) {
        super.init(nibName: nil, bundle: nil)
        setStack([rootViewController])
    }

    /// A navigation controller with an empty stack.
    public override init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) {
        super.init(nibName: nibNameOrNil, bundle: nibBundleOrNil)
    }

    /// A navigation controller with an empty stack. There is nothing to decode on Linux.
    public required init?(coder: NSCoder) { super.init(coder: coder) }

    // MARK: The stack

    /// The stack, the root first. Setting it shows the last one.
    open var viewControllers: [UIViewController] {
        get { stack }
        set { setViewControllers(newValue, animated: false) }
    }

    /// The view controller on top; `nil` if the stack is empty.
    open var topViewController: UIViewController? { stack.last }

    /// What the top presents, else the top.
    open var visibleViewController: UIViewController? {
        guard let top = topViewController else { return nil }
        return top.presentedViewController ?? top
    }

    /// Replaces the stack. A view controller that occurs twice, or is a navigation
    /// controller, stops the program, and so does a split view controller that is not the root.
    /// `animated` changes nothing.
    open func setViewControllers(_ viewControllers: [UIViewController], animated: Bool) {
        turn { setStack(viewControllers) }
    }

    /// Puts a view controller on top. One that is on the stack already, or is a navigation or split
    /// view controller, stops the program. `animated` changes nothing.
    open func pushViewController(_ viewController: UIViewController, animated: Bool) {
        guard !stack.contains(where: { $0 === viewController }) else {
            fatalError("a \(type(of: viewController)) is on the stack of the \(type(of: self)) already")
        }
        turn { setStack(stack + [viewController]) }
    }

    /// Removes the view controller on top, unless it is the root.
    ///
    /// - Returns: The removed one.
    @discardableResult open func popViewController(animated: Bool) -> UIViewController? {
        guard stack.count > 1 else { return nil }
        return pop(to: stack.count - 1).first
    }

    /// Removes all above the root.
    ///
    /// - Returns: The removed ones, the lowest first; `nil` if there was none.
    @discardableResult open func popToRootViewController(animated: Bool) -> [UIViewController]? {
        stack.count > 1 ? pop(to: 1) : nil
    }

    /// Removes all above a view controller, which stops the program if it is not on the
    /// stack.
    ///
    /// - Returns: The removed ones, the lowest first; `nil` if there was none.
    @discardableResult open func popToViewController(
        _ viewController: UIViewController, animated: Bool
    ) -> [UIViewController]? {
        guard let index = stack.firstIndex(where: { $0 === viewController }) else {
            fatalError("a \(type(of: viewController)) is not on the stack of the \(type(of: self))")
        }
        return index + 1 < stack.count ? pop(to: index + 1) : nil
    }

    private func pop(to count: Int) -> [UIViewController] {
        let removed = Array(stack[count...])
        turn { setStack(Array(stack[..<count])) }
        return removed
    }

    private func setStack(_ new: [UIViewController]) {
        if let fault = fault(in: new) { fatalError(fault) }
        let old = stack
        guard !new.elementsEqual(old, by: ===) else { return }
        stack = new
        let removed = old.filter { controller in !new.contains { $0 === controller } }
        let added = new.filter { controller in !old.contains { $0 === controller } }
        for controller in removed { controller.willMove(toParent: nil) }
        // One that is pushed again while it disappears is still a child.
        for controller in added where controller.parent !== self { addChild(controller) }
        navigationBar.items = new.map(\.navigationItem)
        if shown != nil || isPrepared { showTop() }
        // Calls may have changed the stack once more.
        for controller in added where controller.parent === self { controller.didMove(toParent: self) }
        for controller in removed where controller.parent === self && !stack.contains(where: { $0 === controller }) {
            controller.removeFromParent()
        }
        stackDidChange?()
    }

    /// Why the view controllers cannot be the stack; `nil` if they can.
    func fault(in controllers: [UIViewController]) -> String? {
        var known = Set<ObjectIdentifier>()
        for controller in controllers {
            if controller is UINavigationController {
                return "a \(type(of: controller)) cannot be on the stack of a \(type(of: self))"
            }
            if controller is UISplitViewController, controller !== controllers.first {
                return "a \(type(of: controller)), a split view controller, cannot be pushed onto a \(type(of: self))"
            }
            guard known.insert(ObjectIdentifier(controller)).inserted else {
                return "a \(type(of: controller)) is on the stack of the \(type(of: self)) twice"
            }
        }
        return nil
    }

    /// A child that moves to another container leaves the stack.
    override func didRemoveChild(_ child: UIViewController) {
        guard let index = stack.firstIndex(where: { $0 === child }) else { return }
        stack.remove(at: index)
        navigationBar.items = stack.map(\.navigationItem)
        if shown === child { showTop() }
        stackDidChange?()
    }

    // MARK: The content

    private var isPrepared = false

    open override func loadView() {
        let view = NavigationView(frame: .zero)
        view.navigationController = self
        view.addSubview(navigationBar)
        self.view = view
    }

    /// Shows the top once the navigation controller is shown itself.
    override func prepareContent() {
        guard !isPrepared else { return }
        isPrepared = true
        showTop()
    }

    /// Replaces the shown view by that of the stack's top.
    ///
    /// What it calls may change the stack, and so show another top within this call. Then the
    /// rest of it is left out.
    private func showTop() {
        guard let new = topViewController else {
            if let shown { hide(shown) }
            return
        }
        guard new !== shown else { return }
        delegate?.navigationController(self, willShow: new, animated: false)
        guard topViewController === new, shown !== new else { return }
        let old = shown
        shown = new
        if let old { hide(old) }
        guard topViewController === new else {
            // The new top may be the view controller that has just been hidden.
            if let shown, shown.viewIfLoaded?.superview !== view {
                self.shown = nil
                showTop()
            }
            return
        }
        guard new.viewIfLoaded?.superview !== view else { return }
        embed(new, in: view, size: view.bounds.size)
        view.bringSubviewToFront(navigationBar)
        view.setNeedsLayout()
        guard shown === new else { return }
        delegate?.navigationController(self, didShow: new, animated: false)
        visibleControllerDidChange()
    }

    private func hide(_ controller: UIViewController) {
        if shown === controller { shown = nil }
        controller.viewIfLoaded?.removeFromSuperview()
    }

    /// Places the bar and the content. The content fills the view, and the bar covers its
    /// top.
    fileprivate func layOutContent() {
        prepareContent()
        let bounds = view.bounds
        let height = barHeight
        let row = rowOfTabBar
        let isVisible = !isBarHidden
        navigationBar.isHidden = !isVisible
        navigationBar.frame = CGRect(
            x: 0, y: view.safeAreaInsets.top - (row ?? 0), width: bounds.width, height: row ?? height)
        guard let shown else { return }
        shown.fill(bounds)
        shown.coveredInsets = UIEdgeInsets(top: isVisible && row == nil ? height : 0, left: 0, bottom: 0, right: 0)
    }

    open override func size(
        forChildContentContainer container: any UIContentContainer, withParentContainerSize parentSize: CGSize
    ) -> CGSize { parentSize }

    open override var childForInterfaceOrientationLock: UIViewController? { topViewController }

    override func showsContent(_ vc: UIViewController, sender: Any?) -> Bool {
        pushViewController(vc, animated: false)
        return true
    }

    // MARK: The bar

    static let barHeight = (phone: CGFloat(44), other: CGFloat(50))

    private var barHeight: CGFloat {
        UISystem.current?.platform.kind == .phone ? Self.barHeight.phone : Self.barHeight.other
    }

    /// The height of the tab bar in whose row the navigation bar is, on a pad; `nil` if
    /// there is none, and the navigation bar covers the content itself.
    private var rowOfTabBar: CGFloat? {
        guard let tabs = tabBarController, tabs.arrangement.placement == .top else { return nil }
        return TabArrangement.topBarHeight
    }

    /// Whether the bar is hidden. A hidden bar covers nothing.
    open var isNavigationBarHidden: Bool {
        get { isBarHidden }
        set { setNavigationBarHidden(newValue, animated: false) }
    }

    /// Hides or shows the bar. `animated` changes nothing.
    open func setNavigationBarHidden(_ hidden: Bool, animated: Bool) {
        guard hidden != isBarHidden else { return }
        isBarHidden = hidden
        turn { viewIfLoaded?.setNeedsLayout() }
    }
}

/// What an app customises of a navigation controller. Every method has a default body.
@preconcurrency @MainActor public protocol UINavigationControllerDelegate: NSObjectProtocol {
    /// Another view controller is about to be shown. `animated` is always false.
    func navigationController(
        _ navigationController: UINavigationController, willShow viewController: UIViewController, animated: Bool)
    /// Another view controller is shown. `animated` is always false.
    func navigationController(
        _ navigationController: UINavigationController, didShow viewController: UIViewController, animated: Bool)
}

extension UINavigationControllerDelegate {
    public func navigationController(
        _ navigationController: UINavigationController, willShow viewController: UIViewController, animated: Bool
    ) {}
    public func navigationController(
        _ navigationController: UINavigationController, didShow viewController: UIViewController, animated: Bool
    ) {}
}

/// The view of a navigation controller.
private final class NavigationView: UIView {
    weak var navigationController: UINavigationController?

    override func layoutSubviews() {
        super.layoutSubviews()
        navigationController?.layOutContent()
    }

    override func safeAreaInsetsDidChange() {
        super.safeAreaInsetsDidChange()
        setNeedsLayout()
    }
}
