internal import Settle

/// A program that computes frames within a root from its bounds: those of one part of its constraints.
/// It is made once and run at each layout of the root, until the part changes.
///
/// Each item, a view or layout guide, has a smallest coordinate and a size per axis, in the
/// root's coordinates. They are numbers in `registers`; most steps multiply and add such numbers.
@MainActor final class LayoutPlan {
    struct Item {
        /// `nil` for the root, which retains the plan, and for guides.
        let view: UIView?
        let guide: UILayoutGuide?
        /// The item of the superview or of the guide's view. The root, item 0, is its own.
        let parent: Int
    }

    struct Step {
        enum Kind: UInt8 {
            /// `to = a × factorA + b × factorB + constant`
            case linear
            /// `to` = the item's present length along `axis`, and `b`
            case readSize
            /// `to` = the item's present position along `axis`, in the parent's coordinates, `a` and `b`
            case readMin
            /// The groups are solved, with what the steps after this one make of last values.
            case solve
            /// The rectangle of a guide that the system computes.
            case region
            /// Sets a view's or guide's frame.
            case place
            /// A view whose frame the app sets has its position.
            case fixed
        }

        var kind: Kind
        var axis: UInt8 = 0
        var item: Int32 = 0
        var to: Int32 = 0
        var a: Int32 = 0
        var b: Int32 = 0
        var factorA: Double = 0
        var factorB: Double = 0
        var constant: Double = 0
    }

    /// Where a constraint's constant is.
    struct Position {
        enum Place {
            /// The constraint makes no difference at any constant.
            case none
            case step(Int)
            case check(Int)
            case row(Int, group: Int)
        }

        var place: Place
        var factor: Double
    }

    /// A constraint that is not applied, as others determine what it relates. It holds, if they
    /// agree: if the sum of terms is 0 or, of an inequality, on the right side of it.
    struct Check {
        let constraint: NSLayoutConstraint
        /// -1, 0 or 1, as in the relation's raw value.
        let relation: Double
        var terms: [(register: Int32, factor: Double)]
        var constant: Double
        let others: [NSLayoutConstraint]
        /// Views whose frames the app sets, and that the constraints contradict.
        let fixedViews: [UIView]
    }

    /// Memory for numbers or steps without checks for each access.
    private final class Memory<Element> {
        let pointer: UnsafeMutablePointer<Element>
        let count: Int

        init(_ elements: [Element]) {
            count = elements.count
            pointer = .allocate(capacity: max(count, 1))
            pointer.initialize(from: elements, count: count)
        }

        deinit {
            pointer.deinitialize(count: count)
            pointer.deallocate()
        }
    }

    nonisolated let handle = ItemHandle()
    private let rootHandle: ItemHandle
    var root: UIView? { rootHandle.view }
    let items: [Item]
    /// The views of the items, for setting frames. The items retain them.
    private let views: Memory<Unmanaged<UIView>?>
    private let steps: Memory<Step>
    private let registers: Memory<Double>
    // `@exclusivity(unchecked)`: see UISystem.swift.
    @exclusivity(unchecked) private var checks: [Check]
    @exclusivity(unchecked) var groups: [Group]
    /// A constraint has become contested, so another plan has to be made.
    @exclusivity(unchecked) var isOutdated = false
    /// Other roots whose constraints are in this plan.
    let merged: [UIView]
    let constraints: [NSLayoutConstraint]
    var index = 0
    /// The views whose direction mirrors constraints, and whether it did when the plan was made.
    private let directions: [(item: Int, isMirrored: Bool)]

    init(
        root: UIView, items: [Item], steps: [Step], registers: Int, checks: [Check],
        groups: [Group], merged: [UIView], directions: [(item: Int, isMirrored: Bool)],
        constraints: [NSLayoutConstraint]
    ) {
        rootHandle = root.ensureConstraintState().handle
        self.items = items
        views = Memory(items.map { item in item.view.map { Unmanaged.passUnretained($0) } })
        self.steps = Memory(steps)
        self.registers = Memory([Double](repeating: 0, count: registers))
        self.checks = checks
        self.groups = groups
        self.merged = merged
        self.constraints = constraints
        self.directions = directions
        handle.item = self
    }

    // MARK: Registers. Register 0 is always zero.

    static func min(_ slot: Int) -> Int32 { Int32(1 + 2 * slot) }
    static func size(_ slot: Int) -> Int32 { Int32(2 + 2 * slot) }
    /// The registers that all items have: smallest coordinate and size per axis and, after those
    /// of all items, the position of a view's coordinate zero per axis, in pixels.
    static func ownRegisters(_ items: Int) -> Int { 1 + 6 * items }

    // MARK: Running

    /// Whether the views have the directions with which the plan was made.
    func isCurrent(for root: UIView) -> Bool {
        for (item, isMirrored) in directions {
            let view = views.pointer[item] ?? .passUnretained(root)
            let direction = view.borrow { $0.effectiveUserInterfaceLayoutDirection }
            if (direction == .rightToLeft) != isMirrored { return false }
        }
        return true
    }

    /// Computes and sets the frames.
    ///
    /// - Parameters:
    ///   - bounds: The root's, which are finite.
    ///   - scale: Pixels per point.
    func replay(bounds: CGRect, scale: Double) {
        start(bounds)
        run(from: 0, .place(scale: scale))
        if !checks.isEmpty { runChecks(registers.pointer) }
    }

    /// Computes the frames, and sets none.
    ///
    /// - Parameter bounds: The root's.
    /// - Returns: The root's size, which a plan for fitting computes.
    @discardableResult func compute(bounds: CGRect) -> CGSize {
        guard bounds.hasFiniteSides else { return .zero }
        start(bounds)
        run(from: 0, .compute)
        return CGSize(width: registers.pointer[2], height: registers.pointer[4])
    }

    private func start(_ bounds: CGRect) {
        let r = registers.pointer
        r[1] = bounds.origin.x
        r[2] = bounds.size.width
        r[3] = bounds.origin.y
        r[4] = bounds.size.height
    }

    enum Mode {
        case place(scale: Double)
        /// Sets no frames.
        case compute
        /// The same, and only multiplies and adds: a region may have a negative length.
        case trial
    }

    func run(from first: Int, _ mode: Mode) {
        let r = registers.pointer
        let zeros = r + 1 + 4 * items.count
        var step = UnsafePointer(steps.pointer) + first
        let end = UnsafePointer(steps.pointer) + steps.count
        while step < end {
            switch step.pointee.kind {
            case .linear:
                r[Int(step.pointee.to)] =
                    r[Int(step.pointee.a)] * step.pointee.factorA + r[Int(step.pointee.b)] * step.pointee.factorB
                    + step.pointee.constant
            case .readSize, .readMin: read(step.pointee, r)
            case .region: readRegion(Int(step.pointee.item), r, mode)
            case .place: if case .place(let scale) = mode { place(Int(step.pointee.item), r, zeros, scale) }
            case .fixed: if case .place(let scale) = mode { fix(Int(step.pointee.item), zeros, scale) }
            case .solve: if !groups.isEmpty { solve(r, before: step - UnsafePointer(steps.pointer) + 1) }
            }
            step += 1
        }
    }

    private func read(_ step: Step, _ r: UnsafeMutablePointer<Double>) {
        let item = items[Int(step.item)]
        let frame = item.view?.storedFrame ?? item.guide?.frameOfConstraints ?? .zero
        if step.kind == .readSize {
            r[Int(step.to)] = Double(step.axis == 0 ? frame.size.width : frame.size.height) + r[Int(step.b)]
        } else {
            let zero = (items[item.parent].view ?? root)?.storedBoundsOrigin ?? .zero
            r[Int(step.to)] =
                r[Int(step.a)] + r[Int(step.b)]
                + Double(step.axis == 0 ? frame.origin.x - zero.x : frame.origin.y - zero.y)
        }
    }

    private func readRegion(_ index: Int, _ r: UnsafeMutablePointer<Double>, _ mode: Mode) {
        let item = items[index]
        guard let guide = item.guide, let region = guide.region, let view = items[item.parent].view ?? root else {
            return
        }
        let insets = view.edgeInsetsInReplay(for: region)
        guide.plannedInsets = insets
        let (from, to) = (r + 1 + 4 * item.parent, r + 1 + 4 * index)
        var least = 0.0
        if case .trial = mode { least = -.infinity }
        to[0] = from[0] + insets.left
        to[1] = max(least, from[1] - insets.left - insets.right)
        to[2] = from[2] + insets.top
        to[3] = max(least, from[3] - insets.top - insets.bottom)
    }

    private func place(
        _ index: Int, _ r: UnsafeMutablePointer<Double>, _ zeros: UnsafeMutablePointer<Double>, _ scale: Double
    ) {
        let own = r + 1 + 4 * index
        let parent = items[index].parent
        let left = Self.pixel(own[0], scale)
        let top = Self.pixel(own[2], scale)
        let width = Self.pixel(own[0] + own[1], scale) - left
        let height = Self.pixel(own[2] + own[3], scale) - top
        guard (left + top + width + height).isFinite else { return }
        let frame = CGRect(
            x: (left - zeros[2 * parent]) / scale, y: (top - zeros[2 * parent + 1]) / scale,
            width: max(0, width) / scale, height: max(0, height) / scale)
        if let view = views.pointer[index] {
            view.borrow { view in
                if !frame.isSame(as: view.storedFrame) { view.frame = frame }
                zeros[2 * index] = left - view.storedBoundsOrigin.x * scale
                zeros[2 * index + 1] = top - view.storedBoundsOrigin.y * scale
            }
        } else {
            items[index].guide?.frameOfConstraints = frame
        }
    }

    private func fix(_ index: Int, _ zeros: UnsafeMutablePointer<Double>, _ scale: Double) {
        let item = items[index]
        guard let view = item.view else { return }
        let frame = view.storedFrame
        zeros[2 * index] = zeros[2 * item.parent] + (frame.origin.x - view.storedBoundsOrigin.x) * scale
        zeros[2 * index + 1] = zeros[2 * item.parent + 1] + (frame.origin.y - view.storedBoundsOrigin.y) * scale
    }

    /// The nearest pixel. A coordinate between two is rounded to the larger one, whatever the order
    /// in which its sum was computed.
    static func pixel(_ length: Double, _ scale: Double) -> Double {
        (length * scale + 0.5 + 1e-6).rounded(.down)
    }

    deinit { handle.item = nil }

    /// The plan is not used any more: nothing fixes its items until another one is made.
    func forgetResults() {
        for item in items {
            item.view?.constraintState?.isAmbiguous = true
            item.guide?.isAmbiguous = true
            item.guide?.plannedInsets = nil
        }
    }

    // MARK: Constants

    func constantDidChange(of constraint: NSLayoutConstraint) {
        let position = constraint.position
        let constant = position.factor * Double(constraint.constant)
        switch position.place {
        case .none: break
        case .step(let index): steps.pointer[index].constant = constant
        case .check(let index): checks[index].constant = constant
        case .row(let row, let group): groups[group].rows[row].constant = constant
        }
        root?.setNeedsLayout()
    }

    // MARK: Conflicts

    /// The largest difference between two sides that counts as none, in points.
    private static let tolerance = 1e-3

    private func runChecks(_ r: UnsafeMutablePointer<Double>) {
        for check in checks where !check.constraint.isLogged {
            var sum = check.constant
            for term in check.terms { sum += r[Int(term.register)] * term.factor }
            let excess = check.relation == 0 ? abs(sum) : -check.relation * sum
            guard sum.isFinite, excess > Self.tolerance else { continue }
            let mayCount = check.relation != 0 || check.constraint.isContested
            if mayCount, contest(check.others, with: check.constraint) { continue }
            logContradiction(of: check.constraint, with: check.others, fixedViews: check.fixedViews)
        }
    }

    /// If one of the others was activated after a constraint that does not hold, a solver has to decide
    /// from now on where that one counts.
    func contest(_ others: [NSLayoutConstraint], with constraint: NSLayoutConstraint) -> Bool {
        guard let last = others.max(by: { $0.activation < $1.activation }), last.activation > constraint.activation,
            !last.isContested
        else { return false }
        last.isContested = true
        isOutdated = true
        return true
    }

    func logContradiction(
        of constraint: NSLayoutConstraint, with others: [NSLayoutConstraint], fixedViews: [UIView] = []
    ) {
        guard !constraint.isLogged else { return }
        constraint.isLogged = true
        let list = (others + [constraint]).map { "\n  \($0.text)" }.joined()
        let fixed = fixedViews.map { "\(type(of: $0))" }.joined(separator: ", ")
        let hint =
            fixed.isEmpty
            ? "" : "\nThe frames of \(fixed) are the app's: set translatesAutoresizingMaskIntoConstraints to false?"
        UISystem.current?.log(
            "These constraints cannot hold together, so \(constraint.text), which was activated last, is not "
                + "applied:\(list)\(hint)")
    }
}
