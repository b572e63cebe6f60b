internal import Settle

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
    /// The children that are or were on the stack, and what they were notified of.
    private var members: [ObjectIdentifier: Membership] = [:]
    private enum Membership { case entering, entered, leaving }
    /// The notifications that are left until the members are the stack; `nil` if one of these has changed
    /// since it was made.
    private var notifications: Notifications?
    private var needsItems = false
    /// So many of the stack, from the root, are in the order of the children and of the bar's items.
    private var orderedCount = 0
    private var isStackNews = false
    private let loop = ContentLoop()
    /// The controller whose view is in this one's.
    private(set) var shown: UIViewController?
    /// The same while the delegate is not notified of it.
    private weak var unreported: UIViewController?
    private(set) var isBarHidden = false
    /// Whether the app's present change of the stack is to be animated; `nil` outside of one.
    private var isChangeAnimated: Bool?
    /// Leads the view to this controller.
    private nonisolated let handle = ItemHandle()
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

    deinit { handle.item = nil }

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
    /// `animated` is what the appearance calls pass.
    open func setViewControllers(_ viewControllers: [UIViewController], animated: Bool) {
        turn { changing(animated) { setStack(viewControllers) } }
    }

    /// Puts a view controller on top. One that is on the stack already, or is a navigation or split
    /// view controller, stops the program. `animated` is what the appearance calls pass.
    open func pushViewController(_ viewController: UIViewController, animated: Bool) {
        guard !isOnStack(viewController) else {
            fatalError("a \(type(of: viewController)) is on the stack of the \(type(of: self)) already")
        }
        turn { changing(animated) { push(viewController) } }
    }

    /// Removes the view controller on top, unless it is the root.
    ///
    /// - Returns: The removed one.
    @discardableResult open func popViewController(animated: Bool) -> UIViewController? {
        guard stack.count > 1 else { return nil }
        return pop(to: stack.count - 1, animated).first
    }

    /// Removes all above the root.
    ///
    /// - Returns: The removed ones, the lowest first; `nil` if there was none.
    @discardableResult open func popToRootViewController(animated: Bool) -> [UIViewController]? {
        stack.count > 1 ? pop(to: 1, animated) : nil
    }

    /// Removes all above a view controller, which stops the program if it is not on the
    /// stack.
    ///
    /// - Returns: The removed ones, the lowest first; `nil` if there was none.
    @discardableResult open func popToViewController(
        _ viewController: UIViewController, animated: Bool
    ) -> [UIViewController]? {
        guard let index = stack.lastIndex(where: { $0 === viewController }) else {
            fatalError("a \(type(of: viewController)) is not on the stack of the \(type(of: self))")
        }
        return index + 1 < stack.count ? pop(to: index + 1, animated) : nil
    }

    // A push and a pop are no replacement of the stack, as what they cost must not depend on its depth.

    /// Changes the stack for the app: what is shown then says whether it was to be animated.
    private func changing(_ isAnimated: Bool, _ body: () -> Void) {
        isChangeAnimated = isAnimated
        body()
        // In a callback of another change the loop of that goes on with this one.
        if !loop.isRunning { isChangeAnimated = nil }
    }

    private func push(_ controller: UIViewController) {
        if let fault = fault(of: controller, isRoot: stack.isEmpty) { fatalError(fault) }
        stack.append(controller)
        stackHasChanged(isSettled ? Notifications(willEnter: [controller], entered: [controller]) : nil)
    }

    private func pop(to count: Int, _ isAnimated: Bool) -> [UIViewController] {
        let removed = Array(stack[count...])
        turn {
            stack.removeSubrange(count...)
            orderedCount = min(orderedCount, count)
            changing(isAnimated) {
                stackHasChanged(isSettled ? Notifications(willLeave: removed, left: removed) : nil)
            }
        }
        return removed
    }

    private func setStack(_ new: [UIViewController]) {
        if let fault = fault(in: new) { fatalError(fault) }
        guard !new.elementsEqual(stack, by: ===) else { return }
        stack = new
        orderedCount = 0
        stackHasChanged()
    }

    /// - Parameter notifications: Those that are left, if they are known.
    private func stackHasChanged(_ notifications: Notifications? = nil) {
        needsItems = true
        isStackNews = true
        self.notifications = notifications
        settle()
    }

    private func isOnStack(_ controller: UIViewController) -> Bool {
        if isSettled { return members[ObjectIdentifier(controller)] != nil }
        return stack.contains { $0 === controller }
    }

    // MARK: What follows the stack

    /// Those to notify, the next one last.
    private struct Notifications {
        var willLeave: [UIViewController] = []
        var willEnter: [UIViewController] = []
        var entered: [UIViewController] = []
        var left: [UIViewController] = []

        var isEmpty: Bool { willLeave.isEmpty && willEnter.isEmpty && entered.isEmpty && left.isEmpty }
    }

    /// The members are the stack, and were notified of it.
    private var isSettled: Bool { notifications?.isEmpty == true }

    /// Makes children, bar and view follow the stack.
    func settle() { loop.run(of: self) { settleStep() } }

    /// Does the first of what is left to do until children, bar and view follow the stack. Each
    /// step is noted before it calls anything, as that may change the stack again.
    private func settleStep() -> Bool {
        if notifications == nil { notifications = findNotifications() }
        if let controller = notifications?.willLeave.popLast() {
            members[ObjectIdentifier(controller)] = .leaving
            controller.parentMove = .leaving
            controller.willMove(toParent: nil)
        } else if let controller = notifications?.willEnter.popLast() {
            members[ObjectIdentifier(controller)] = .entering
            addChild(controller)
        } else if needsItems {
            needsItems = false
            orderItems()
        } else if isPrepared, shown !== topViewController, !waitsForFrame {
            UISystem.animating(isChangeAnimated ?? UISystem.current?.turn.isAnimated ?? false) { showTop() }
        } else if waitsForFrame, let shown, shown !== topViewController {
            hide(shown)
        } else if let controller = notifications?.entered.popLast() {
            members[ObjectIdentifier(controller)] = .entered
            if controller.parentMove == .leaving { controller.parentMove = .none }
            controller.didMove(toParent: self)
        } else if let controller = notifications?.left.popLast() {
            members[ObjectIdentifier(controller)] = nil
            if controller.parent === self { controller.removeFromParent() }
        } else if isStackNews {
            isStackNews = false
            stackDidChange?()
        } else {
            return false
        }
        return true
    }

    private func orderItems() {
        let (count, changed) = (orderedCount, stack[orderedCount...])
        orderedCount = stack.count
        if !childList.elements.dropFirst(count).starts(with: changed, by: ===) { orderChildren(stack) }
        let items = changed.map(\.navigationItem)
        if navigationBar.items == nil { navigationBar.items = [] }
        navigationBar.items?.replaceSubrange(count..., with: items)
    }

    private func findNotifications() -> Notifications {
        let onStack = Set(stack.map(ObjectIdentifier.init))
        var found = Notifications()
        for controller in stack.reversed() {
            let key = ObjectIdentifier(controller)
            let membership = members[key]
            if membership == nil { found.willEnter.append(controller) }
            // One that is pushed again while it leaves is still a child.
            if membership == .leaving { members[key] = .entering }
            if membership != .entered { found.entered.append(controller) }
        }
        // The highest leaves first.
        for controller in children where !onStack.contains(ObjectIdentifier(controller)) {
            guard let membership = members[ObjectIdentifier(controller)] else { continue }
            if membership != .leaving { found.willLeave.append(controller) }
            found.left.append(controller)
        }
        return found
    }

    /// A child that moves to another container leaves the stack.
    override func didRemoveChild(_ child: UIViewController) {
        if shown === child { hide(child) }
        // What `settle` removes has left before.
        guard members.removeValue(forKey: ObjectIdentifier(child)) != nil else { return }
        notifications = nil
        guard let index = stack.firstIndex(where: { $0 === child }) else { return }
        stack.remove(at: index)
        orderedCount = min(orderedCount, index)
        stackHasChanged()
    }

    // MARK: The content

    private var isPrepared = false

    open override func loadView() {
        let view = NavigationView(frame: .zero).likeScreen()
        // Its layout places what is shown.
        view.autoresizesSubviews = false
        handle.item = self
        view.handle = handle
        view.addSubview(navigationBar)
        self.view = view
    }

    /// Shows the top once the navigation controller is shown itself.
    override func prepareContent() {
        guard !isPrepared || shown !== topViewController else { return }
        isPrepared = true
        settle()
    }

    /// Replaces the shown view by that of the stack's top. What it calls may change the stack: then
    /// the loop goes on with the new top.
    private func showTop() {
        guard let new = topViewController else {
            if let shown { hide(shown) }
            return
        }
        delegate?.navigationController(self, willShow: new, animated: UISystem.current?.turn.isAnimated ?? false)
        guard topViewController === new else { return }
        new.loadViewIfNeeded()
        guard topViewController === new else { return }
        if let shown { hide(shown) }
        guard topViewController === new else { return }
        guard prepare(new, size: view.bounds.size, while: { topViewController === new }) else { return }
        shown = new
        view.addSubview(new.view)
        view.bringSubviewToFront(navigationBar)
        view.setNeedsLayout()
        guard shown === new, topViewController === new else { return }
        unreported = new
        preferredSizeDidChange()
        visibleControllerDidChange()
    }

    override func childDidAppear(_ child: UIViewController) {
        guard child === shown, child === unreported else { return }
        unreported = nil
        delegate?.navigationController(self, didShow: child, animated: child.appearanceChange.isAnimated)
    }

    /// The container gives this one its frame after it has moved view controllers to its stack, or once
    /// it shows the column.
    private var waitsForFrame: Bool {
        guard let split = parent as? UISplitViewController else { return false }
        return split.isArranging || viewIfLoaded?.superview == nil
    }

    private func hide(_ controller: UIViewController) {
        if shown === controller { shown = nil }
        takeOut(controller)
    }

    override func keeps(_ child: UIViewController, at size: CGSize) -> Bool {
        child === topViewController || members[ObjectIdentifier(child)] == nil
    }

    open override var childForInterfaceOrientationLock: UIViewController? { topViewController }

    // MARK: The preferred size

    /// What was set or, without that, what the view controller on top prefers.
    open override var preferredContentSize: CGSize {
        get {
            let own = super.preferredContentSize
            return own == .zero ? topViewController?.preferredContentSize ?? .zero : own
        }
        set { super.preferredContentSize = newValue }
    }

    open override func preferredContentSizeDidChange(forChildContentContainer container: any UIContentContainer) {
        super.preferredContentSizeDidChange(forChildContentContainer: container)
        if topViewController === container, super.preferredContentSize == .zero { preferredSizeDidChange() }
    }

    override func showsContent(_ vc: UIViewController, sender: Any?) -> Bool {
        pushViewController(vc, animated: false)
        return true
    }

    // MARK: The bar

    /// Whether the bar is hidden. A hidden bar covers nothing.
    open var isNavigationBarHidden: Bool {
        get { isBarHidden }
        set { setNavigationBarHidden(newValue, animated: false) }
    }

    /// The gesture by which a person goes back. A host pops instead.
    public private(set) lazy var interactivePopGestureRecognizer: UIGestureRecognizer? = UIGestureRecognizer()

    /// Whether the toolbar is hidden. Nothing is drawn, and a toolbar covers nothing.
    open var isToolbarHidden = true
    /// Hides or shows the toolbar. `animated` changes nothing.
    open func setToolbarHidden(_ hidden: Bool, animated: Bool) { isToolbarHidden = hidden }

    /// Hides or shows the bar. `animated` changes nothing.
    open func setNavigationBarHidden(_ hidden: Bool, animated: Bool) {
        guard hidden != isBarHidden else { return }
        isBarHidden = hidden
        turn { viewIfLoaded?.setNeedsLayout() }
    }
}
