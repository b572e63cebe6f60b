@_spi(Faults) internal import Settle

/// A program that computes the frames within a root from its bounds. It is made once and run at
/// each layout of the root, until the set of constraints changes.
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
            /// `to` = the item's present length along `axis`
            case readSize
            /// `to` = the item's present position along `axis`, in the parent's coordinates, and `a`
            case readMin
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

    /// Where a step or check has a constraint's constant.
    struct Position {
        /// Of a step or, negative, `−1 − index` of a check.
        var index: Int
        /// The constant's factor there.
        var factor: Double
    }

    /// A constraint that is not applied, as others determine what it relates. It holds, if they
    /// agree: if the sum of terms is 0.
    struct Check {
        let constraint: NSLayoutConstraint
        var terms: [(register: Int32, factor: Double)]
        var constant: Double
        /// The others.
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
    private var root: UIView? { rootHandle.view }
    private let items: [Item]
    /// The views of the items, for setting frames. The items retain them.
    private let views: Memory<Unmanaged<UIView>?>
    private let steps: Memory<Step>
    private let registers: Memory<Double>
    @exclusivity(unchecked) private var checks: [Check]
    /// Other roots whose constraints are in this plan.
    let merged: [UIView]
    /// The views whose direction mirrors constraints, and whether it did when the plan was made.
    private let directions: [(item: Int, isMirrored: Bool)]

    init(
        root: UIView, items: [Item], steps: [Step], registers: Int, checks: [Check], merged: [UIView],
        directions: [(item: Int, isMirrored: Bool)]
    ) {
        rootHandle = root.ensureConstraintState().handle
        self.items = items
        views = Memory(items.map { item in item.view.map { Unmanaged.passUnretained($0) } })
        self.steps = Memory(steps)
        self.registers = Memory([Double](repeating: 0, count: registers))
        self.checks = checks
        self.merged = merged
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
    func replay(root: UIView) {
        let bounds = root.bounds
        guard bounds.hasFiniteSides else { return }
        let r = registers.pointer
        let zeros = r + 1 + 4 * items.count
        r[1] = bounds.origin.x
        r[2] = bounds.size.width
        r[3] = bounds.origin.y
        r[4] = bounds.size.height
        let scale = Double(root.window?.screen.scale ?? UISystem.current?.mainScreen.scale ?? 1)
        var step = UnsafePointer(steps.pointer)
        let end = step + steps.count
        while step < end {
            switch step.pointee.kind {
            case .linear:
                r[Int(step.pointee.to)] =
                    r[Int(step.pointee.a)] * step.pointee.factorA + r[Int(step.pointee.b)] * step.pointee.factorB
                    + step.pointee.constant
            case .readSize, .readMin: read(step.pointee, r)
            case .region: readRegion(Int(step.pointee.item), r)
            case .place: place(Int(step.pointee.item), r, zeros, scale)
            case .fixed: fix(Int(step.pointee.item), zeros, scale)
            }
            step += 1
        }
        if !checks.isEmpty { runChecks(r) }
    }

    private func read(_ step: Step, _ r: UnsafeMutablePointer<Double>) {
        let item = items[Int(step.item)]
        let frame = item.view?.storedFrame ?? item.guide?.frameOfConstraints ?? .zero
        if step.kind == .readSize {
            r[Int(step.to)] = Double(step.axis == 0 ? frame.size.width : frame.size.height)
        } else {
            let zero = (items[item.parent].view ?? root)?.storedBoundsOrigin ?? .zero
            r[Int(step.to)] =
                r[Int(step.a)] + Double(step.axis == 0 ? frame.origin.x - zero.x : frame.origin.y - zero.y)
        }
    }

    private func readRegion(_ index: Int, _ r: UnsafeMutablePointer<Double>) {
        let item = items[index]
        guard let guide = item.guide as? RegionGuide, let view = items[item.parent].view ?? root else { return }
        var insets = view.edgeInsetsInReplay(for: guide.region)
        if Planted.plannedRegionStale { insets = guide.plannedInsets ?? insets }
        guide.plannedInsets = insets
        let (from, to) = (r + 1 + 4 * item.parent, r + 1 + 4 * index)
        to[0] = from[0] + insets.left
        to[1] = max(0, from[1] - insets.left - insets.right)
        to[2] = from[2] + insets.top
        to[3] = max(0, from[3] - insets.top - insets.bottom)
    }

    private func place(
        _ index: Int, _ r: UnsafeMutablePointer<Double>, _ zeros: UnsafeMutablePointer<Double>, _ scale: Double
    ) {
        let own = r + 1 + 4 * index
        let parent = items[index].parent
        let left = Self.pixel(own[0], scale)
        let top = Self.pixel(own[2], scale)
        let width = Planted.lengthRounded ? Self.pixel(own[1], scale) : Self.pixel(own[0] + own[1], scale) - left
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
    private static func pixel(_ length: Double, _ scale: Double) -> Double {
        (length * scale + 0.5 + 1e-6).rounded(.down)
    }

    deinit { handle.item = nil }

    /// The plan is not used any more: nothing fixes its items until another one is made.
    func forgetResults() {
        for item in items {
            item.view?.constraintState?.isAmbiguous = true
            item.guide?.isAmbiguous = true
            (item.guide as? RegionGuide)?.plannedInsets = nil
        }
    }

    // MARK: Constants

    func constantDidChange(of constraint: NSLayoutConstraint) {
        let position = constraint.step
        let constant = position.factor * Double(constraint.constant)
        if position.index >= 0 {
            steps.pointer[position.index].constant = constant
        } else {
            checks[-1 - position.index].constant = constant
        }
        if !Planted.constantUnmarked { root?.setNeedsLayout() }
    }

    // MARK: Conflicts

    /// The largest difference between two sides that counts as none, in points.
    private static let tolerance = 1e-3

    private func runChecks(_ r: UnsafeMutablePointer<Double>) {
        for check in checks where !check.constraint.isLogged {
            var sum = check.constant
            for term in check.terms { sum += r[Int(term.register)] * term.factor }
            if sum.isFinite, abs(sum) > Self.tolerance { log(check) }
        }
    }

    private func log(_ check: Check) {
        check.constraint.isLogged = true
        let list = (check.others + [check.constraint]).map { "\n  \($0.text)" }.joined()
        let fixed = check.fixedViews.map { "\(type(of: $0))" }.joined(separator: ", ")
        let hint =
            fixed.isEmpty
            ? "" : "\nThe frames of \(fixed) are the app's: set translatesAutoresizingMaskIntoConstraints to false?"
        UISystem.current?.log(
            "These constraints cannot hold together, so \(check.constraint.text), which was activated last, is not "
                + "applied:\(list)\(hint)")
    }
}
