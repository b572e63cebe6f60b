/// A relation between the sides, middles or lengths of two views or layout guides, or between a
/// length and a number: `first = multiplier × second + constant`. Lengths are in points.
///
/// The system applies it in the layout pass: first what is required, and then the rest by priority.
@preconcurrency @MainActor open class NSLayoutConstraint: NSObject {
    /// The view or layout guide of the left side; `nil` once it is deallocated.
    public var firstItem: AnyObject? { firstHandle?.item }
    /// The view or layout guide of the right side; `nil` for none.
    public var secondItem: AnyObject? { secondHandle?.item }
    /// The part of the first item.
    public let firstAttribute: Attribute
    /// The part of the second item; `notAnAttribute` for none.
    public let secondAttribute: Attribute
    /// Whether the left side equals the right one, or is at least or at most that.
    public let relation: Relation
    /// The factor of the right side's part.
    public let multiplier: CGFloat

    /// What is added to the right side, in points. Changing it is cheap: what the layout has
    /// prepared stays. A constant that is not finite is ignored, which is logged.
    open var constant: CGFloat {
        didSet {
            guard constant != oldValue else { return }
            if !constant.isFinite {
                UISystem.current?.log("The constant \(constant) of \(self) is ignored, as it is not finite.")
                constant = oldValue
                return
            }
            plan?.constantDidChange(of: self)
        }
    }

    /// Required by default. While the constraint is active, a required one stays required, and
    /// any other one becomes no required one: the program stops.
    open var priority = UILayoutPriority.required {
        didSet {
            guard priority != oldValue, let holder else { return }
            if (priority == .required) != (oldValue == .required) {
                fatalError(
                    "the priority of an active constraint of a \(firstItem.map { "\(type(of: $0))" } ?? "nil") in a "
                        + "\(type(of: holder)) cannot change from \(oldValue.rawValue) to \(priority.rawValue)")
            }
            holder.constraintsDidChange(self)
        }
    }

    /// A name for messages. The system does not use it otherwise.
    open var identifier: String?

    /// Whether the constraint counts. It is activated in the nearest view that contains both
    /// items; without one the program stops.
    open var isActive: Bool {
        get { holder != nil }
        set { newValue ? activate() : deactivate() }
    }

    private let firstHandle: ItemHandle?
    private let secondHandle: ItemHandle?
    private var holderHandle: ItemHandle?
    private var planHandle: ItemHandle?

    /// The view that contains both items, while the constraint is active.
    var holder: UIView? {
        get { holderHandle?.view }
        set { holderHandle = newValue?.ensureConstraintState().handle }
    }
    /// The number of constraints that were activated before, ever.
    var activation = 0
    /// What became of it when the layout was prepared.
    var status = Status.notPlanned
    /// The program that computes the layout, and where it has the constant.
    var plan: LayoutPlan? {
        get { planHandle?.plan }
        set { planHandle = newValue?.handle }
    }
    var position = LayoutPlan.Position(place: .step(0), factor: 0)
    var isLogged = false
    /// One that was activated before contradicts it at some size, so a solver decides where it counts.
    var isContested = false

    final var isRequired: Bool { priority.rawValue >= UILayoutPriority.required.rawValue }

    private static var activations = 0

    enum Status {
        case notPlanned, applied
        /// Others say the same or contradict.
        case dropped
        /// More constraints have to be solved together than a solver takes.
        case notSolved
    }

    /// A constraint of any kind, not active.
    ///
    /// Attributes of margins stand for the view's `layoutMarginsGuide`. Attributes of different
    /// kinds, such as a width and a left side, or a position without a second item, stop the
    /// program.
    public convenience init(
        item view1: Any, attribute attr1: Attribute, relatedBy relation: Relation, toItem view2: Any?,
        attribute attr2: Attribute, multiplier: CGFloat, constant c: CGFloat
    ) {
        var second: (item: AnyObject?, attribute: Attribute)?
        if let view2, attr2 != .notAnAttribute { second = (item: view2 as AnyObject, attribute: attr2) }
        self.init((item: view1 as AnyObject, attribute: attr1), relation, second, multiplier: multiplier, constant: c)
    }

    init(
        _ first: (item: AnyObject?, attribute: Attribute), _ relation: Relation,
        _ second: (item: AnyObject?, attribute: Attribute)?, multiplier: CGFloat, constant: CGFloat
    ) {
        let resolvedSecond = second.map { NSLayoutConstraint.resolved($0) }
        if let fault = Self.fault(Self.resolved(first), resolvedSecond) { fatalError(fault) }
        firstHandle = Self.handle(of: first.item)
        secondHandle = Self.handle(of: second?.item)
        firstAttribute = first.attribute
        secondAttribute = second?.attribute ?? .notAnAttribute
        self.relation = relation
        self.multiplier = multiplier.isFinite ? multiplier : 1
        self.constant = constant.isFinite ? constant : 0
        super.init()
        if !multiplier.isFinite || !constant.isFinite {
            UISystem.current?.log("A factor or constant of \(self) is not finite, and counts as 1 or 0.")
        }
    }

    /// The part of the first item.
    public var firstAnchor: NSLayoutAnchor<AnyObject> {
        let first = resolvedFirst
        return NSLayoutAnchor(first.item ?? self, first.attribute)
    }

    /// The part of the second item; `nil` for none.
    public var secondAnchor: NSLayoutAnchor<AnyObject>? {
        let second = resolvedSecond
        return second.item.map { NSLayoutAnchor($0, second.attribute) }
    }

    open class func activate(_ constraints: [NSLayoutConstraint]) {
        for constraint in constraints { constraint.activate() }
    }

    open class func deactivate(_ constraints: [NSLayoutConstraint]) {
        for constraint in constraints { constraint.deactivate() }
    }

    private func activate() {
        guard holder == nil else { return }
        guard let view = containingView else { fatalError(noCommonAncestor) }
        Self.activations += 1
        activation = Self.activations
        status = .notPlanned
        isLogged = false
        isContested = false
        holder = view
        view.hold(self)
    }

    func deactivate() {
        guard let view = holder else { return }
        holder = nil
        view.release(self)
        (status, plan) = (.notPlanned, nil)
    }

    var containingView: UIView? {
        guard let first = Self.view(of: firstItem) else { return nil }
        guard secondAttribute != .notAnAttribute else { return first }
        guard let second = Self.view(of: secondItem) else { return nil }
        return first.commonAncestor(with: second)
    }

    // What a plan relates: a side of a margin is one of the margins' guide.
    var resolvedFirst: (item: AnyObject?, attribute: Attribute) {
        Self.resolved((item: firstItem, attribute: firstAttribute))
    }
    var resolvedSecond: (item: AnyObject?, attribute: Attribute) {
        Self.resolved((item: secondItem, attribute: secondAttribute))
    }

    private static func resolved(
        _ side: (item: AnyObject?, attribute: Attribute)
    ) -> (item: AnyObject?, attribute: Attribute) {
        guard let item = side.item else { return side }
        return side.attribute.resolved(item)
    }

    private static func handle(of item: AnyObject?) -> ItemHandle? {
        (item as? UIView)?.ensureConstraintState().handle ?? (item as? UILayoutGuide)?.handle
    }

    /// The view that an item is, or that a layout guide belongs to.
    static func view(of item: AnyObject?) -> UIView? {
        (item as? UIView) ?? (item as? UILayoutGuide)?.owningView
    }

    /// What is wrong with a constraint whose items have no common ancestor.
    var noCommonAncestor: String {
        func name(_ item: AnyObject?) -> String { item.map { "\(type(of: $0))" } ?? "no item" }
        return "Unable to activate the constraint \(self): its items, of the classes \(name(firstItem)) and "
            + "\(name(secondItem)), have no common ancestor. Add the views to one hierarchy, and layout guides to "
            + "a view, before activating it."
    }

    nonisolated open override var description: String {
        MainActor.assumeIsolated { text }
    }
}
