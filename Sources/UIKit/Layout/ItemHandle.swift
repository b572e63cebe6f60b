/// Leads to a view, layout guide, plan or container until that is deallocated, which
/// then clears it. Unlike a weak reference it leaves the object's reference count fast, which each
/// layout uses. The main thread's alone; sendable for the objects' deinits, which are of no actor.
final class ItemHandle: @unchecked Sendable {
    // `@exclusivity(unchecked)`: see UISystem.swift.
    @exclusivity(unchecked) unowned(unsafe) var item: AnyObject?

    var view: UIView? { item.map { unsafeDowncast($0, to: UIView.self) } }
    var plan: LayoutPlan? { item.map { unsafeDowncast($0, to: LayoutPlan.self) } }
    var navigationController: UINavigationController? {
        item.map { unsafeDowncast($0, to: UINavigationController.self) }
    }
    var split: UISplitViewController? { item.map { unsafeDowncast($0, to: UISplitViewController.self) } }
}
