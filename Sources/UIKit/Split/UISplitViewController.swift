internal import Settle

/// A container that shows its view controllers in columns or, where its width is compact, in
/// one stack. Lengths are in points.
///
/// Columns are scenes of the engine: a person who drags a separator resizes them, and
/// `viewSizeDidSettle` of a column's view controller is called where the engine decides a
/// rebuild. There are no animations; a change outside of callbacks is laid out when the call
/// returns.
@preconcurrency @MainActor open class UISplitViewController: UIViewController {
    /// How many columns there are.
    public let style: Style
    /// Gets changes of columns and modes, and decides some of them.
    open weak var delegate: (any UISplitViewControllerDelegate)?
    // `@exclusivity(unchecked)`: see UISystem.swift.
    /// Whether the columns are shown as one stack. It changes at the end of the transition.
    @exclusivity(unchecked) public internal(set) var isCollapsed = false
    /// When the button that changes the display mode is shown. Nothing is drawn.
    open var displayModeButtonVisibility = DisplayModeButtonVisibility.automatic
    /// Whether the secondary column has a button that hides the others; in the triple style
    /// only. Nothing is drawn.
    open var showsSecondaryOnlyButton = false
    /// The background of the primary column. Nothing is drawn.
    open var primaryBackgroundStyle = BackgroundStyle.none
    /// The button that changes the display mode. Its action is `targetDisplayModeForAction(in:)` of
    /// the delegate, else the next mode of the behaviour; a host performs it by
    /// `UISystem.changeDisplayMode(of:)`.
    public private(set) lazy var displayModeButtonItem = UIBarButtonItem(
        primaryAction: UIAction { [handle] _ in handle.split?.performDisplayModeAction() })

    // MARK: State

    /// Leads closures and the engine's columns to the split view controller.
    nonisolated let handle = ItemHandle()
    var request: SplitRequest { didSet { fitted = nil } }
    /// The layout that was computed last for the present request.
    private var fitted: SplitLayout?
    /// What children were given last for the traits above them.
    private var givenTraits: (above: UITraitCollection, given: UITraitCollection)?
    /// The layout of the expanded interface that was applied last.
    var layout: SplitLayout?
    /// The columns and what they show.
    @exclusivity(unchecked) var slots = PerColumn(repeating: SplitSlot())
    /// The columns whose views are shown as columns; none while the interface is collapsed.
    var shownColumns = ColumnSet()
    /// The stack of a collapsed interface; `nil` while columns are shown, or if there is none.
    var stack: ColumnStack<UIViewController>?
    var collapsedChild: UIViewController?
    /// What presents the inspector in a collapsed interface.
    var inspectorSheet: UIViewController?
    /// The inspector is becoming a sheet, or a column again: it counts as shown meanwhile.
    var isMovingInspector = false
    /// The app has changed what is shown: the delegate's column methods are not called for it.
    var isChangedByApp = false
    var drag: SeparatorDrag?
    var isColumnsChangeWaiting = false
    /// Columns change while the stack is divided among them.
    var isExpanding = false
    /// Whether the columns are stacked: collapsed, and the stack is not being taken apart.
    var isStacked: Bool { isCollapsed && !isExpanding }
    /// A child that stays in its column is being removed.
    var isLending = false
    /// Columns get other view controllers, or are stacked. What callbacks ask for meanwhile waits.
    var isChangingColumns = false
    /// What waits until the present change of columns is made, in its order.
    var columnChanges: [ColumnChange] = []
    private var isLayingOut = false
    /// View controllers move between the columns' stacks, whose frames follow: see `arranging`.
    private(set) var isArranging = false

    /// A split view controller with columns, or with the classic style.
    public init(style: Style) {
        self.style = style
        request = SplitRequest(style: style)
        super.init(nibName: nil, bundle: nil)
        handle.item = self
    }

    /// The classic style. There are no nib files on Linux.
    public override init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) {
        style = .unspecified
        request = SplitRequest(style: .unspecified)
        super.init(nibName: nibNameOrNil, bundle: nibBundleOrNil)
        handle.item = self
    }

    /// The classic style. There is nothing to decode on Linux.
    public required init?(coder: NSCoder) {
        style = .unspecified
        request = SplitRequest(style: .unspecified)
        super.init(coder: coder)
        handle.item = self
    }

    // Not of the main actor, as a subclass could not have a `deinit` then: see `ColumnLease`.
    deinit { handle.item = nil }

    // MARK: Modes

    /// The mode that the app wants; `automatic` shows as many columns as the width allows.
    /// Setting it replaces what `show`, `hide` and the person have changed.
    open var preferredDisplayMode: DisplayMode {
        get { request.preferredMode }
        set {
            request.preferredMode = newValue
            request.columns = nil
            request.squeezed.columns = nil
            isChangedByApp = true
            requestDidChange()
        }
    }

    /// The mode of the present layout, or of the one that the interface would have expanded.
    /// It is never `automatic`.
    open var displayMode: DisplayMode {
        shownLayout?.mode ?? request.behavior.mode(columns: request.askedColumns)
    }

    /// The behaviour that the app wants. It takes effect at the next layout.
    open var preferredSplitBehavior: SplitBehavior {
        get { request.preferredBehavior }
        set {
            request.preferredBehavior = newValue
            requestDidChange()
        }
    }

    /// The behaviour of the present layout. It is never `automatic`.
    open var splitBehavior: SplitBehavior { shownLayout?.behavior ?? request.behavior }

    var shownLayout: SplitLayout? { isCollapsed ? nil : layout }

    /// Whether a person may change the mode. If not, the preferred mode is shown at every
    /// width.
    open var presentsWithGesture: Bool {
        get { !request.isStrict }
        set {
            request.isStrict = !newValue
            requestDidChange()
        }
    }

    /// The edge at which the primary column is. The other columns follow in their order.
    @exclusivity(unchecked) open var primaryEdge = PrimaryEdge.leading {
        didSet { if primaryEdge != oldValue { requestDidChange() } }
    }

    /// Whether the order of columns begins at the right edge.
    var isMirrored: Bool {
        let isRightToLeft = viewIfLoaded?.effectiveUserInterfaceLayoutDirection == .rightToLeft
        return isRightToLeft != (primaryEdge == .trailing)
    }

    // MARK: Children

    /// Expanded, the view controllers of the columns in their order; collapsed, the one that
    /// is shown. In the classic style, setting it sets the primary and the secondary one.
    open var viewControllers: [UIViewController] {
        get {
            if isCollapsed { return collapsedChild.map { [$0] } ?? [] }
            return Column.stacked.compactMap { slots[$0].child }
        }
        set { setViewControllers(newValue) }
    }

    /// Sets the view controller of a column; `nil` empties it. One that is no navigation
    /// controller is put into one, except for `compact`, and for a tab bar controller as the
    /// secondary one. An inspector stays hidden until `show(_:)`.
    ///
    /// A tab bar controller as the primary or supplementary one, except in the classic style, a
    /// supplementary column without a triple style, and a view controller that this one is or is in
    /// stop the program.
    open func setViewController(_ vc: UIViewController?, for column: Column) { setController(vc, for: column) }

    /// The view controller that was set for a column; `nil` for none.
    open func viewController(for column: Column) -> UIViewController? { controller(for: column) }

    /// Shows a column. Expanded, the display mode becomes the nearest one that shows it, and
    /// the inspector is shown beside the secondary column. Collapsed, the column is on top
    /// of the stack afterwards, and the inspector is presented as a sheet. A visible column
    /// stays as it is; `compact` is refused, which is logged.
    open func show(_ column: Column) { showColumn(column) }

    /// Hides a column. Expanded, the display mode becomes the nearest one that does not show
    /// it; the secondary column stays. Collapsed, a column on top is popped, the primary one
    /// never. `compact` is refused, which is logged.
    open func hide(_ column: Column) { hideColumn(column) }

    /// Whether the column is shown: expanded, beside or over others; collapsed, on top of the
    /// stack or, for the inspector, as a sheet.
    open func isShowing(_ column: Column) -> Bool { shows(column) }

    // MARK: Overrides

    open override func loadView() {
        view = SplitView(frame: .zero).likeScreen()
        // Its layout places the columns.
        view.autoresizesSubviews = false
    }

    open override func size(
        forChildContentContainer container: any UIContentContainer, withParentContainerSize parentSize: CGSize
    ) -> CGSize {
        guard !isCollapsed else { return parentSize }
        for column in Column.expanded where slots[column].child === (container as AnyObject) {
            if fitted?.width != parentSize.width { _ = layout(width: parentSize.width) }
            // Without a copy of the layout.
            guard let width = fitted?.columns[column].width else { break }
            return CGSize(width: width, height: parentSize.height)
        }
        return super.size(forChildContentContainer: container, withParentContainerSize: parentSize)
    }

    /// What a collapse or an expansion makes of the columns is known in its layout, which notifies them.
    /// So is what a cover has hidden, once the cover has gone.
    override func keeps(_ child: UIViewController, at size: CGSize) -> Bool {
        guard viewIfLoaded?.window != nil else { return false }
        guard let column = Column.all.first(where: { slots[$0].child === child }) else { return true }
        guard isCollapsed == (nextTraits.horizontalSizeClass == .compact) else { return false }
        return isCollapsed ? child === collapsedChild : layout(width: size.width).shownColumns.contains(column)
    }

    /// Returns from under a cover in another width: the children that are shown then appear, and no others.
    override func prepareContent() {
        guard hasAppeared, view.superview is UIWindow else { return }
        updateTraitsIfNeeded()
        guard wantsToCollapse != isCollapsed else { return }
        layOutChildren()
    }

    override func childTraits(_ child: UIViewController, from traits: UITraitCollection) -> UITraitCollection {
        // With the size class that decides it, so that children are updated once for both.
        let isCompact = traits.horizontalSizeClass == .compact
        let present: LayoutEnvironment = isCompact ? .collapsed : .expanded
        if traits.splitViewControllerLayoutEnvironment == present { return traits }
        if let givenTraits, givenTraits.above === traits,
            givenTraits.given.splitViewControllerLayoutEnvironment == present
        {
            return givenTraits.given
        }
        let given = traits.shared { $0.splitViewControllerLayoutEnvironment = present }
        givenTraits = (traits, given)
        return given
    }

    /// What is asked for, fitted into a width. The transition to a size computes it for the
    /// layout that follows.
    func layout(width: CGFloat) -> SplitLayout {
        if let fitted, fitted.width == width { return fitted }
        let new = request.layout(width: width)
        fitted = new
        return new
    }

    override func showsContent(_ vc: UIViewController, sender: Any?) -> Bool {
        showAsPrimary(vc, sender: sender)
        return true
    }

    override func showsDetail(_ vc: UIViewController, sender: Any?) -> Bool {
        showAsSecondary(vc, sender: sender)
        return true
    }

    /// Shows a view controller as the primary one; collapsed, it is pushed.
    open override func show(_ vc: UIViewController, sender: Any?) { showAsPrimary(vc, sender: sender) }

    /// Shows a view controller as the secondary one; collapsed, its column is on top then.
    open override func showDetailViewController(_ vc: UIViewController, sender: Any?) {
        showAsSecondary(vc, sender: sender)
    }

    /// The secondary column's view controller; collapsed, what is on top.
    open override var childForInterfaceOrientationLock: UIViewController? {
        isCollapsed ? collapsedChild : slots.secondary.child
    }

    /// What the delegate supports; without one the platform's default.
    open override var supportedInterfaceOrientations: UIInterfaceOrientationMask {
        delegate?.splitViewControllerSupportedInterfaceOrientations(self) ?? super.supportedInterfaceOrientations
    }

    override func didRemoveChild(_ child: UIViewController) {
        guard !isLending else { return }
        for column in Column.all where slots[column].child === child { columnDidLeave(column) }
    }

    // MARK: Layout

    /// Lays out the children, as the system does for the root view.
    func layOutChildren() {
        guard !isLayingOut else { return }
        isLayingOut = true
        defer { isLayingOut = false }
        collapseOrExpand()
        if isCollapsed { layOutCollapsed() } else { layOutExpanded() }
        // A callback may have begun it before the columns were hidden.
        if let drag, !shownColumns.isSuperset(of: drag.columns) { endDrag() }
        columnsDidChange()
    }

    /// Moves view controllers between the columns' stacks and gives the columns their frames. Only then
    /// the stacks show what is on top, at its final size.
    func arranging<Result>(_ body: () -> Result) -> Result {
        guard !isArranging else { return body() }
        isArranging = true
        let result = body()
        isArranging = false
        for column in Column.all { (slots[column].child as? UINavigationController)?.settle() }
        return result
    }

    /// Marks the layout after the request has changed. Outside of callbacks it is done at once.
    func requestDidChange() {
        settling { viewIfLoaded?.setNeedsLayout() }
    }

    /// Runs a change of the app's as a turn of its own, or as part of the present one.
    func settling(_ body: () -> Void) {
        guard let system = UISystem.current else { return body() }
        system.turn.perform(body)
    }

    func log(_ message: String) { UISystem.current?.log("\(type(of: self)): \(message)") }
}

@MainActor struct SplitSlot {
    var controller: UIViewController?
    /// What is in `children`: that controller, or a navigation controller around it.
    var child: UIViewController?
    private var lease: ColumnLease?
    /// The column in the engine; `nil` before it is shown.
    var target: ColumnTarget? {
        get { lease?.target }
        set { if newValue !== target { lease = newValue.map(ColumnLease.init) } }
    }
}

struct ColumnChange {
    /// The column that is to have the view controller; `nil` if it keeps what it has.
    var column: UISplitViewController.Column?
    var controller: UIViewController?
    let make: () -> Void
}

struct ColumnSet: OptionSet {
    let rawValue: UInt8

    init(rawValue: UInt8) { self.rawValue = rawValue }
    init(_ column: UISplitViewController.Column) { rawValue = 1 << UInt8(column.rawValue) }

    func contains(_ column: UISplitViewController.Column) -> Bool { contains(ColumnSet(column)) }
}

final class SplitView: UIView {
    private var split: UISplitViewController? { controller as? UISplitViewController }

    override func layoutSubviews() {
        super.layoutSubviews()
        split?.layOutChildren()
    }

    override func didMoveToWindow() {
        super.didMoveToWindow()
        setNeedsLayout()
        split?.windowDidChange()
    }
}

extension UIViewController {
    var nearestSplit: UISplitViewController? {
        var controller = self
        while let next = controller.columnParent {
            if let split = next as? UISplitViewController { return split }
            controller = next
        }
        return nil
    }

    /// The container or, of an inspector that is a sheet, the split view controller.
    var columnParent: UIViewController? { parent ?? linksIfAny?.inspectorOwner }
}
