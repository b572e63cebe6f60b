/// Lays out views in a row or a column, by constraints of its own. It draws nothing.
///
/// Baselines count as the views' first and last sides, as there is no text, and `fillProportionally` as
/// `fill`, in which the views' own sizes decide.
@preconcurrency @MainActor open class UIStackView: UIView {
    /// How the views share the length along the axis. The raw values are Apple's.
    public enum Distribution: Int, Sendable {
        case fill = 0
        case fillEqually = 1
        case fillProportionally = 2
        /// With equal distances, of at least `spacing`, between them.
        case equalSpacing = 3
        /// With equal distances between their centres.
        case equalCentering = 4
    }

    /// Where the views are across the axis. The raw values are Apple's.
    public enum Alignment: Int, Sendable {
        case fill = 0
        /// At the leading side or, in a row, at the top.
        case leading = 1
        case firstBaseline = 2
        case center = 3
        /// At the trailing side or, in a row, at the bottom.
        case trailing = 4
        case lastBaseline = 5

        public static var top: Alignment { .leading }
        public static var bottom: Alignment { .trailing }
    }

    /// What is laid out, in that order.
    public private(set) var arrangedSubviews: [UIView] = []
    /// Whether it is a row, by default, or a column.
    open var axis = NSLayoutConstraint.Axis.horizontal { didSet { if axis != oldValue { rearrange() } } }
    open var distribution = Distribution.fill { didSet { if distribution != oldValue { rearrange() } } }
    open var alignment = Alignment.fill { didSet { if alignment != oldValue { rearrange() } } }
    /// The distance between the views, in points.
    open var spacing: CGFloat = 0 { didSet { if spacing != oldValue { rearrange() } } }
    /// Whether the views are within the layout margins.
    open var isLayoutMarginsRelativeArrangement = false {
        didSet { if isLayoutMarginsRelativeArrangement != oldValue { rearrange() } }
    }
    /// Changes nothing, as there is no text.
    open var isBaselineRelativeArrangement = false

    /// The distance that `setCustomSpacing(_:after:)` takes for the stack's `spacing`.
    public class var spacingUseDefault: CGFloat { .greatestFiniteMagnitude }
    /// The system's distance between views.
    public class var spacingUseSystem: CGFloat { -.greatestFiniteMagnitude }

    private var customSpacings: [ObjectIdentifier: CGFloat] = [:]
    private var own: [NSLayoutConstraint] = []
    private var gaps: [UILayoutGuide] = []

    /// A stack of these views, which it makes its subviews.
    public convenience init(arrangedSubviews views: [UIView]) {
        self.init(frame: .zero)
        views.forEach(addArrangedSubview)
    }

    public override init(frame: CGRect) { super.init(frame: frame) }
    /// An empty stack. There is nothing to decode on Linux.
    public required init(coder: NSCoder) { super.init(frame: .zero) }

    // MARK: The views

    /// Adds a view as the last one, also as a subview.
    open func addArrangedSubview(_ view: UIView) { insert(view, arrangedSubviews.count) }

    /// Adds a view at a place in the order, also as a subview. A place beyond the last one stops the program.
    open func insertArrangedSubview(_ view: UIView, at stackIndex: Int) { insert(view, stackIndex) }

    private func insert(_ view: UIView, _ index: Int) {
        var index = index
        if let present = arrangedSubviews.firstIndex(where: { $0 === view }) {
            arrangedSubviews.remove(at: present)
            index = min(index, arrangedSubviews.count)
        }
        arrangedSubviews.insert(view, at: index)
        view.translatesAutoresizingMaskIntoConstraints = false
        if view.superview !== self { addSubview(view) }
        rearrange()
    }

    /// Stops laying out a view, which remains a subview.
    open func removeArrangedSubview(_ view: UIView) {
        guard let index = arrangedSubviews.firstIndex(where: { $0 === view }) else { return }
        arrangedSubviews.remove(at: index)
        customSpacings[ObjectIdentifier(view)] = nil
        rearrange()
    }

    /// Sets the distance after a view, in points; see `spacingUseDefault`.
    open func setCustomSpacing(_ spacing: CGFloat, after arrangedSubview: UIView) {
        customSpacings[ObjectIdentifier(arrangedSubview)] = spacing == Self.spacingUseDefault ? nil : spacing
        rearrange()
    }

    /// The distance that was set after a view, in points, or else `spacingUseDefault`.
    open func customSpacing(after arrangedSubview: UIView) -> CGFloat {
        customSpacings[ObjectIdentifier(arrangedSubview)] ?? Self.spacingUseDefault
    }

    /// A view that leaves the stack is not laid out any more.
    open override func willRemoveSubview(_ subview: UIView) {
        super.willRemoveSubview(subview)
        removeArrangedSubview(subview)
    }

    // MARK: Layout

    override func subviewWasHiddenOrShown() { rearrange() }

    /// Makes the constraints again in the next layout.
    private func rearrange() { setNeedsUpdateConstraints() }

    open override func updateConstraints() {
        NSLayoutConstraint.deactivate(own)
        gaps.forEach(removeLayoutGuide)
        gaps = []
        own = []
        let views = arrangedSubviews.filter { !$0.isHidden }
        if !views.isEmpty {
            makeChain(of: views)
            for view in views { alignAcross(view) }
        }
        NSLayoutConstraint.activate(own)
        super.updateConstraints()
    }

    private func makeChain(of views: [UIView]) {
        let sides = sides(of: axis)
        add(views[0], sides.start, .equal, area, sides.start)
        for (view, next) in zip(views, views.dropFirst()) {
            let isSpread = distribution == .equalSpacing || distribution == .equalCentering
            add(next, sides.start, isSpread ? .greaterThanOrEqual : .equal, view, sides.end, spacing(after: view))
            if distribution == .fillEqually { add(next, sides.length, .equal, views[0], sides.length) }
            if isSpread { addGap(between: view, next) }
        }
        add(views[views.count - 1], sides.end, .equal, area, sides.end)
    }

    /// A guide as long as the distance between two views' sides, or centres, and as the first such guide.
    private func addGap(between view: UIView, _ next: UIView) {
        let (sides, across) = (sides(of: axis), sides(of: axis == .horizontal ? .vertical : .horizontal))
        let isCentering = distribution == .equalCentering
        let gap = UILayoutGuide()
        addLayoutGuide(gap)
        gaps.append(gap)
        add(gap, sides.start, .equal, view, isCentering ? sides.middle : sides.end)
        add(gap, sides.end, .equal, next, isCentering ? sides.middle : sides.start)
        add(gap, across.start, .equal, area, across.start)
        add(gap, across.end, .equal, area, across.start)
        if gaps.count > 1 { add(gap, sides.length, .equal, gaps[0], sides.length) }
    }

    private func alignAcross(_ view: UIView) {
        let sides = sides(of: axis == .horizontal ? .vertical : .horizontal)
        let (isAtStart, isAtEnd) = (
            [.fill, .leading, .firstBaseline].contains(alignment),
            [.fill, .trailing, .lastBaseline].contains(alignment)
        )
        add(view, sides.start, isAtStart ? .equal : .greaterThanOrEqual, area, sides.start)
        add(view, sides.end, isAtEnd ? .equal : .lessThanOrEqual, area, sides.end)
        if alignment == .center { add(view, sides.middle, .equal, area, sides.middle) }
    }

    private typealias Attribute = NSLayoutConstraint.Attribute

    private func sides(
        of axis: NSLayoutConstraint.Axis
    ) -> (start: Attribute, middle: Attribute, end: Attribute, length: Attribute) {
        axis == .horizontal ? (.leading, .centerX, .trailing, .width) : (.top, .centerY, .bottom, .height)
    }

    private var area: AnyObject { isLayoutMarginsRelativeArrangement ? layoutMarginsGuide : self }

    private func add(
        _ first: AnyObject, _ attribute: Attribute, _ relation: NSLayoutConstraint.Relation, _ second: AnyObject,
        _ other: Attribute, _ constant: CGFloat = 0
    ) {
        own.append(
            NSLayoutConstraint(
                item: first, attribute: attribute, relatedBy: relation, toItem: second, attribute: other, multiplier: 1,
                constant: constant))
    }

    private func spacing(after view: UIView) -> CGFloat {
        let custom = customSpacings[ObjectIdentifier(view)] ?? spacing
        return custom == Self.spacingUseSystem ? NSLayoutConstraint.systemSpacing : custom
    }
}
