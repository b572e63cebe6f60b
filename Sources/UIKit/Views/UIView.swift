internal import Settle

/// A rectangle within a window. Nothing is drawn.
///
/// A view lays out the views within it in `layoutSubviews`, which the system calls once all
/// changes of a turn are known: see `setNeedsLayout`.
@preconcurrency @MainActor open class UIView: UIResponder, Sibling {
    // MARK: Geometry

    /// In the superview's coordinates, in points. A frame that is not finite is ignored, which
    /// is logged.
    open var frame: CGRect {
        get { storedFrame }
        set { setFrame(newValue) }
        // The compiler's own would allocate a copy for each change of a part of the frame.
        _modify {
            let copy = FrameCopies.push(storedFrame)
            defer { setFrame(FrameCopies.pop(copy)) }
            yield &copy.pointee
        }
    }

    /// The view in its own coordinates, in points. The size is the frame's; a new one keeps the
    /// center. Another origin moves all subviews. Bounds that are not finite are ignored, which
    /// is logged.
    open var bounds: CGRect {
        get { CGRect(origin: storedBoundsOrigin, size: storedFrame.size) }
        set { setBounds(newValue) }
    }

    /// The middle of the frame, in the superview's coordinates, in points.
    open var center: CGPoint {
        get {
            CGPoint(
                x: storedFrame.origin.x + storedFrame.size.width / 2,
                y: storedFrame.origin.y + storedFrame.size.height / 2)
        }
        set {
            let size = storedFrame.size
            setFrame(
                CGRect(
                    x: newValue.x - size.width / 2, y: newValue.y - size.height / 2, width: size.width,
                    height: size.height))
        }
    }

    // `@exclusivity(unchecked)`: see UISystem.swift.
    /// Which margins and sides of the frame change with the superview's size. Nothing by default.
    @exclusivity(unchecked) open var autoresizingMask: AutoresizingMask = [] {
        didSet { if autoresizingMask.isEmpty != oldValue.isEmpty { maskDidChange() } }
    }

    /// Whether the masks of the subviews count when the size changes. True by default.
    @exclusivity(unchecked) open var autoresizesSubviews = true

    /// Whether the frame is set by the app and by `autoresizingMask`, not by constraints.
    @exclusivity(unchecked) open var translatesAutoresizingMaskIntoConstraints = true {
        didSet { if translatesAutoresizingMaskIntoConstraints != oldValue { translatesDidChange() } }
    }

    /// Whether the content is mirrored in languages that are written from right to left. By default
    /// it follows the traits.
    @exclusivity(unchecked) open var semanticContentAttribute = UISemanticContentAttribute.unspecified {
        didSet {
            guard semanticContentAttribute != oldValue else { return }
            markAgain()
            mark(.constraints)
            constraintState?.plannedBy?.mark(.layout)
            directionDidChange()
        }
    }

    // MARK: Own size

    /// The size that the view would have by itself, in points, such as a text's. Where constraints leave
    /// a length open, it is this one, with the priorities of `contentHuggingPriority(for:)` and
    /// `contentCompressionResistancePriority(for:)`. By default there is none: `noIntrinsicMetric`.
    open var intrinsicContentSize: CGSize { CGSize(width: Self.noIntrinsicMetric, height: Self.noIntrinsicMetric) }

    open func invalidateIntrinsicContentSize() { intrinsicSizeDidChange() }

    /// The size with which the constraints within the view hold, as close to another one as they
    /// allow, in points. See `layoutFittingCompressedSize`.
    open func systemLayoutSizeFitting(_ targetSize: CGSize) -> CGSize {
        systemLayoutSizeFitting(
            targetSize, withHorizontalFittingPriority: .fittingSizeLevel, verticalFittingPriority: .fittingSizeLevel)
    }

    /// The size with which the constraints within the view hold, as close to another one as those allow
    /// that matter more than the priorities, in points.
    open func systemLayoutSizeFitting(
        _ targetSize: CGSize, withHorizontalFittingPriority horizontalFittingPriority: UILayoutPriority,
        verticalFittingPriority: UILayoutPriority
    ) -> CGSize {
        fittingSize(targetSize, [horizontalFittingPriority, verticalFittingPriority])
    }

    // MARK: Values for the app's own use

    /// A number for the app's own use.
    open var tag = 0
    /// The opacity, from 0 to 1. Nothing is drawn.
    open var alpha: CGFloat = 1
    /// The colour of what a person can act on. Nothing is drawn.
    open var tintColor: UIColor! = .systemBlue
    /// A transform about the centre, for the app's own use: nothing is drawn, and frames and layout do not
    /// follow it.
    open var transform = CGAffineTransform.identity
    /// Whether the view is hidden. The system uses it for windows, and for what a stack view arranges.
    @exclusivity(unchecked) open var isHidden = false {
        didSet { if isHidden != oldValue { parentView?.subviewWasHiddenOrShown() } }
    }
    /// The view's geometry, and values for drawing.
    open private(set) lazy var layer = CALayer(of: self)
    /// Whether the view takes touches. There are none.
    open var isUserInteractionEnabled = true
    /// Whether subviews are cut off at the bounds. Nothing is drawn.
    open var clipsToBounds = false
    /// The colour behind the content; `nil` for none. Nothing is drawn.
    open var backgroundColor: UIColor?

    // MARK: The hierarchy

    /// The view that contains this one.
    public var superview: UIView? { parentView }
    /// The views within this one, the last in front.
    public var subviews: [UIView] { storedSubviews }

    /// The window that contains the view; `nil` if none does.
    open var window: UIWindow? { topReference.borrow { $0.asWindow } }

    open override var next: UIResponder? { controller ?? parentView }

    // What each layout uses goes without counted weak references: a view or controller that is
    // deallocated removes the references to itself, for which its deinit, that is of no actor, reads them.

    var storedFrame: CGRect
    var storedBoundsOrigin = CGPoint.zero
    nonisolated(unsafe) var marks: LayoutMarks = [.layout, .constraints]
    @exclusivity(unchecked) final var waitingForLayout = WaitingSubviews()
    @exclusivity(unchecked) final var waitingForTraits = WaitingSubviews()
    nonisolated(unsafe) final var parentReference: Unmanaged<UIView>?
    @exclusivity(unchecked) nonisolated(unsafe) final var subviewList = SiblingList<UIView>()
    nonisolated final var storedSubviews: [UIView] { subviewList.elements }
    nonisolated(unsafe) final var siblingPlace = 0
    nonisolated(unsafe) final var controllerReference: Unmanaged<UIViewController>?

    // MARK: Constraints, safe area and margins

    nonisolated(unsafe) final var constraintState: ConstraintState?
    final var insetState: InsetState?
    var asWindow: UIWindow? { nil }
    /// The safe area's insets of a window in a scene; `nil` for another view without a superview.
    var safeAreaOfTop: UIEdgeInsets? { nil }

    // MARK: Making

    /// A view without a superview.
    public init(frame: CGRect) {
        storedFrame = frame.hasFiniteSides ? frame : .zero
        super.init()
    }

    /// An empty view. There is nothing to decode on Linux.
    public required init?(coder: NSCoder) {
        storedFrame = .zero
        super.init()
    }

    public convenience override init() { self.init(frame: .zero) }

    deinit {
        constraintState?.handle.item = nil
        for view in storedSubviews where view.parentView === self { view.parentReference = nil }
    }

    /// Adds a view in front of the others. It is removed from its superview before.
    open func addSubview(_ view: UIView) { insert(view, at: .max) }

    /// Adds a view at an index among the subviews, 0 at the back. It is removed from its
    /// superview before.
    open func insertSubview(_ view: UIView, at index: Int) { insert(view, at: index) }

    /// Adds a view just in front of one of the subviews. It is removed from its superview before.
    open func insertSubview(_ view: UIView, aboveSubview siblingSubview: UIView) {
        insert(view, nextTo: siblingSubview, offset: 1)
    }

    /// Adds a view just behind one of the subviews. It is removed from its superview before.
    open func insertSubview(_ view: UIView, belowSubview siblingSubview: UIView) {
        insert(view, nextTo: siblingSubview, offset: 0)
    }

    /// Moves a subview in front of the others. Another view is ignored.
    open func bringSubviewToFront(_ view: UIView) { reorder(view, to: storedSubviews.count - 1) }

    /// Moves a subview behind the others. Another view is ignored.
    open func sendSubviewToBack(_ view: UIView) { reorder(view, to: 0) }

    /// Whether the view is `view`, or lies within it at any depth.
    open func isDescendant(of view: UIView) -> Bool {
        let wanted = Unmanaged.passUnretained(view).toOpaque()
        var ancestor: Unmanaged<UIView>? = .passUnretained(self)
        while let current = ancestor {
            if current.toOpaque() == wanted { return true }
            ancestor = current.borrow { $0.parentReference }
        }
        return false
    }

    /// Removes the view, and the view controllers within it disappear.
    open func removeFromSuperview() {
        guard parentView != nil else { return }
        move(to: nil, at: 0)
    }

    // MARK: Coordinates

    /// Converts a point of this view's coordinates to another view's; `nil` is the window.
    open func convert(_ point: CGPoint, to view: UIView?) -> CGPoint {
        let mine = originOnScreen
        let theirs = (view ?? topmostView).originOnScreen
        return CGPoint(x: point.x + mine.x - theirs.x, y: point.y + mine.y - theirs.y)
    }

    /// Converts a point of another view's coordinates to this one's; `nil` is the window.
    open func convert(_ point: CGPoint, from view: UIView?) -> CGPoint {
        (view ?? topmostView).convert(point, to: self)
    }

    /// Converts a rectangle of this view's coordinates to another view's; `nil` is the window.
    open func convert(_ rect: CGRect, to view: UIView?) -> CGRect {
        CGRect(origin: convert(rect.origin, to: view), size: rect.size)
    }

    /// Converts a rectangle of another view's coordinates to this one's; `nil` is the window.
    open func convert(_ rect: CGRect, from view: UIView?) -> CGRect {
        CGRect(origin: convert(rect.origin, from: view), size: rect.size)
    }

    // MARK: Insets, regions and constraints

    /// How far the view's sides lie in what is covered by bars, sidebars, the screen's edges or
    /// the window control, in points. Zero for a view that is wholly in the safe area of the view
    /// around it, and for one without a window.
    open var safeAreaInsets: UIEdgeInsets {
        if let computed = Self.computed, computed.view.toOpaque() == Unmanaged.passUnretained(self).toOpaque() {
            return computed.safeArea
        }
        return safeAreaInWindow ?? .zero
    }

    /// The safe area of the view whose layout asks for it.
    static var computed: (view: Unmanaged<UIView>, safeArea: UIEdgeInsets)?

    /// The present distances of content from the sides, in points, as `layoutMarginsGuide` has them:
    /// what was set, the safe area (see `insetsLayoutMarginsFromSafeArea`) and, with
    /// `preservesSuperviewLayoutMargins`, at least the superview's. At first 8 are set at each side, in
    /// a controller's root view 0 above and below and its `systemMinimumLayoutMargins` beside.
    ///
    /// Setting them sets the distances without the safe area. A side that is set to what it is keeps
    /// what was set before, so changing one side of several changes only that. Negative ones count as
    /// zero.
    open var directionalLayoutMargins: NSDirectionalEdgeInsets {
        get { NSDirectionalEdgeInsets(presentMargins, effectiveUserInterfaceLayoutDirection) }
        set { setMargins(newValue) }
    }

    /// `directionalLayoutMargins`, by the view's direction.
    open var layoutMargins: UIEdgeInsets {
        get { UIEdgeInsets(directionalLayoutMargins, effectiveUserInterfaceLayoutDirection) }
        set { directionalLayoutMargins = NSDirectionalEdgeInsets(newValue, effectiveUserInterfaceLayoutDirection) }
    }

    /// The layout guide of a region: the same one each time. The system sets its frame.
    open func layoutGuide(for layoutRegion: LayoutRegion) -> UILayoutGuide { regionGuide(for: layoutRegion) }

    open func addConstraint(_ constraint: NSLayoutConstraint) { constraint.isActive = true }
    open func addConstraints(_ constraints: [NSLayoutConstraint]) { NSLayoutConstraint.activate(constraints) }
    /// Deactivates a constraint.
    open func removeConstraint(_ constraint: NSLayoutConstraint) { constraint.isActive = false }
    open func removeConstraints(_ constraints: [NSLayoutConstraint]) { NSLayoutConstraint.deactivate(constraints) }

    // MARK: Traits

    @exclusivity(unchecked) var traits = TraitState()

    /// The present traits. Outside of a window they are those of a scene that covers the main
    /// screen.
    open var traitCollection: UITraitCollection { presentTraits }

    /// The traits have changed from the previous ones.
    open func traitCollectionDidChange(_ previousTraitCollection: UITraitCollection?) {}

    // MARK: Hooks

    /// The view is about to get another superview, or none.
    open func willMove(toSuperview newSuperview: UIView?) {}
    /// The view has got another superview, or none.
    open func didMoveToSuperview() {}
    /// The view is about to be in another window, or in none.
    open func willMove(toWindow newWindow: UIWindow?) {}
    /// The view is in another window, or in none.
    open func didMoveToWindow() {}
    /// A view was added to this one.
    open func didAddSubview(_ subview: UIView) {}
    /// A view is about to be removed from this one.
    open func willRemoveSubview(_ subview: UIView) {}

    // MARK: Layout

    /// Marks the view for the layout pass at the end of the turn: of the host call that runs, or
    /// else of the next one. Marking again changes nothing.
    open func setNeedsLayout() { mark(.layout) }

    /// Lays out the view, and those within it that are marked, at once.
    open func layoutIfNeeded() { layOutAtOnce() }

    /// Sets the frames of the subviews. The system calls it when the view was marked or has
    /// another size; an override may do all the layout.
    open func layoutSubviews() {}

    /// Marks the view for a call of `updateConstraints` in the layout pass.
    open func setNeedsUpdateConstraints() { mark(.constraints) }
    /// Whether `updateConstraints` is to be called.
    open func needsUpdateConstraints() -> Bool { marks.contains(.constraints) }
    /// Calls `updateConstraints`, if the view is marked, in this view and those within it.
    open func updateConstraintsIfNeeded() { updateMarkedConstraints() }
    /// Changes the view's constraints before its layout. An override calls `super` last.
    open func updateConstraints() { marks.remove(.constraints) }

    /// The safe area's insets have changed.
    open func safeAreaInsetsDidChange() {}
    /// The layout margins have changed.
    open func layoutMarginsDidChange() {}

    // MARK: What containers and the system override

    func sizeWillChange(to new: CGSize) {}

    /// The size has changed: marks the view, and moves the subviews by their masks.
    func sizeDidChange(from old: CGSize) {
        mark(.layout)
        controllerReference?.borrow { $0.notifiedSize = nil }
        if !storedSubviews.isEmpty { autoresizeSubviews(from: old) }
    }

    func topWasMarked() {}
    func subviewWasHiddenOrShown() {}

    func willLayOut() {}

    /// The traits have changed, before the app is notified: marks the view if its direction is
    /// another one, the width that its margins depend on, or the scale by which its plan rounds.
    func systemTraitsDidChange(from previous: UITraitCollection) {
        let present = traits.collection
        if previous.displayScale != present?.displayScale, constraintState?.plans.isEmpty == false { mark(.layout) }
        if previous.layoutDirection != present?.layoutDirection {
            markAgain()
            mark(.constraints)
            if constraintState != nil { markPlans() }
            directionDidChange()
        } else if controllerReference != nil, previous.horizontalSizeClass != present?.horizontalSizeClass {
            markAgain()
        }
    }

    func directionDidChange() {}

    /// The window's place on its screen for a window; zero for another view without a superview.
    var originOfTop: CGPoint { .zero }
}
