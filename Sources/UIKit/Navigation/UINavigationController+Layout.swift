internal import Settle

/// What may be on the stack, and where the bar and the content are.
extension UINavigationController {
    /// Why the view controllers cannot be the stack; `nil` if they can.
    func fault(in controllers: [UIViewController]) -> String? {
        var known = Set<ObjectIdentifier>()
        for controller in controllers {
            if let fault = fault(of: controller, isRoot: known.isEmpty) { return fault }
            guard known.insert(ObjectIdentifier(controller)).inserted else {
                return "a \(type(of: controller)) is on the stack of the \(type(of: self)) twice"
            }
        }
        return nil
    }

    func fault(of controller: UIViewController, isRoot: Bool) -> String? {
        if controller is UINavigationController {
            return "a \(type(of: controller)) cannot be on the stack of a \(type(of: self))"
        }
        if controller is UISplitViewController, !isRoot {
            return "a \(type(of: controller)), a split view controller, cannot be pushed onto a \(type(of: self))"
        }
        return nil
    }

    // MARK: Frames

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
            x: 0, y: view.safeAreaInLayout.top - (row ?? 0), width: bounds.width, height: row ?? height)
        guard let shown else { return }
        shown.fill(bounds)
        let covers = isVisible && row == nil
        shown.coveredInsets = UIEdgeInsets(top: covers ? height : 0, left: 0, bottom: 0, right: 0)
    }
}

final class NavigationView: UIView {
    /// Unlike a weak reference it leaves the controller's reference count fast.
    var handle: ItemHandle?

    override func layoutSubviews() {
        super.layoutSubviews()
        handle?.navigationController?.layOutContent()
    }

    override func safeAreaInsetsDidChange() {
        super.safeAreaInsetsDidChange()
        setNeedsLayout()
    }
}
