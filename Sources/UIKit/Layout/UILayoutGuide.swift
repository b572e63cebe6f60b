/// A rectangle within a view, to which constraints refer. It has no views and is not drawn.
@preconcurrency @MainActor open class UILayoutGuide: NSObject {
    /// The view that the guide belongs to: see `UIView.addLayoutGuide(_:)`.
    open internal(set) var owningView: UIView? {
        get { owner?.view }
        set { owner = newValue?.ensureConstraintState().handle }
    }

    /// A name for messages; empty by default.
    open var identifier = ""

    /// What the last layout made of the constraints, in the owning view's coordinates, in
    /// points.
    open var layoutFrame: CGRect { region.map(frame) ?? frameOfConstraints }

    /// Whether the constraints leave the guide more than one place or size.
    public var hasAmbiguousLayout: Bool {
        // A guide of the system has its frame at any time.
        if region != nil { return false }
        owningView?.constraintRoot.findAmbiguity(of: self)
        return isAmbiguous
    }

    /// What the system makes it the guide of; `nil` for a guide of the app.
    final let region: UIView.LayoutRegion?
    /// The insets of the region with which a plan was run last; `nil` if none uses the guide.
    final var plannedInsets: UIEdgeInsets?
    nonisolated final let handle = ItemHandle()
    private final var owner: ItemHandle?
    final var frameOfConstraints = CGRect.zero
    final var isAmbiguous = true
    /// The plan that computes the frame, if the owning view is that plan's root.
    final var partOfTop: ItemHandle?
    final var planItem = -1

    public override init() {
        region = nil
        super.init()
        handle.item = self
    }

    /// A guide of the system, whose frame is always the present one.
    init(_ region: UIView.LayoutRegion, of view: UIView) {
        self.region = region
        super.init()
        handle.item = self
        owningView = view
        guard region.followsWindow else { return }
        view.markAdaptive()
        view.window?.addAdaptiveView(view)
    }

    private func frame(of region: UIView.LayoutRegion) -> CGRect {
        guard let view = owningView else { return .zero }
        var frame = view.bounds.inset(by: view.edgeInsets(for: region))
        frame.size = CGSize(width: max(0, frame.size.width), height: max(0, frame.size.height))
        return frame
    }

    deinit { handle.item = nil }
}

extension UIView {
    /// The layout guides that were added to the view, the oldest first.
    public var layoutGuides: [UILayoutGuide] { constraintState?.guides ?? [] }

    /// Adds a layout guide, which is removed from its view before.
    public func addLayoutGuide(_ layoutGuide: UILayoutGuide) {
        guard layoutGuide.region == nil else {
            fatalError(
                "A view of class \(type(of: self)) cannot own a layout guide of class \(type(of: layoutGuide)), which "
                    + "the system made for a view.")
        }
        layoutGuide.owningView?.removeLayoutGuide(layoutGuide)
        layoutGuide.owningView = self
        ensureConstraintState().guides.append(layoutGuide)
    }

    /// Removes a layout guide, and deactivates its constraints.
    public func removeLayoutGuide(_ layoutGuide: UILayoutGuide) {
        guard let state = constraintState, let index = state.guides.firstIndex(where: { $0 === layoutGuide }) else {
            return
        }
        state.guides.remove(at: index)
        for constraint in state.attached.values
        where constraint.firstItem === layoutGuide || constraint.secondItem === layoutGuide {
            constraint.deactivate()
        }
        layoutGuide.owningView = nil
        layoutGuide.isAmbiguous = true
    }
}
