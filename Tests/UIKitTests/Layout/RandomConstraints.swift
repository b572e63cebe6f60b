import TestSupport
import UIKit

/// A random tree of views and layout guides whose constraints determine every frame, and what
/// a dense solution of the same equations says the frames are.
@MainActor struct RandomConstraints {
    let root: UIView
    private(set) var items: [Item] = []
    private(set) var constraints: [NSLayoutConstraint] = []

    struct Item {
        let view: UIView?
        let guide: UILayoutGuide?
        /// The item of the superview or of the guide's view.
        let parent: Int
        /// The constraints do not decide the frame.
        var isFixed = false

        var object: AnyObject { view ?? guide! }
    }

    private typealias Attribute = NSLayoutConstraint.Attribute

    /// - Parameter isDirectional: No left and right, and no frames that the app sets.
    init(seed: UInt64, isDirectional: Bool = false) {
        var random = SplitMix64(seed: seed)
        root = UIView(frame: CGRect(x: 0, y: 0, width: 100 + random.below(900), height: 100 + random.below(900)))
        items = [Item(view: root, guide: nil, parent: 0, isFixed: true)]
        for _ in 0..<(1 + random.below(7)) { addItem(isDirectional ? 0 : 15, &random) }
        let sides: [Attribute] = [.left, .right, .centerX]
        let directed: [Attribute] = [.leading, .trailing, .centerX]
        for index in items.indices where !items[index].isFixed {
            let useDirected = isDirectional || random.chance(50)
            addConstraints(for: index, useDirected ? directed : sides, .width, &random)
            addConstraints(for: index, [.top, .bottom, .centerY, .firstBaseline], .height, &random)
        }
        for index in constraints.indices.reversed() { constraints.swapAt(index, random.below(index + 1)) }
    }

    private mutating func addItem(_ percentFixed: Int, _ random: inout SplitMix64) {
        let views = items.indices.filter { items[$0].view != nil }
        let parent = random.pick(views)
        let owner = items[parent].view!
        if random.chance(15) {
            let guide = UILayoutGuide()
            owner.addLayoutGuide(guide)
            items.append(Item(view: nil, guide: guide, parent: parent))
            return
        }
        let view = UIView(
            frame: CGRect(x: random.below(50), y: random.below(50), width: random.below(200), height: random.below(200))
        )
        let isFixed = random.chance(percentFixed)
        view.translatesAutoresizingMaskIntoConstraints = isFixed
        owner.addSubview(view)
        items.append(Item(view: view, guide: nil, parent: parent, isFixed: isFixed))
    }

    /// Two constraints of different coordinates along an axis, each to an item before this one
    /// or to a number, so that they can be solved one after the other.
    private mutating func addConstraints(
        for index: Int, _ positions: [Attribute], _ length: Attribute, _ random: inout SplitMix64
    ) {
        var coordinates = positions + [length]
        coordinates.removeAll { $0 == .firstBaseline && random.chance(70) }
        for _ in 0..<2 {
            let attribute = coordinates.remove(at: random.below(coordinates.count))
            // The baseline is the top here.
            if attribute == .firstBaseline { coordinates.removeAll { $0 == .top } }
            if attribute == .top { coordinates.removeAll { $0 == .firstBaseline } }
            let other = random.below(index)
            let constant = CGFloat(random.below(400) - 100) / random.pick([1, 2, 3])
            if attribute == length {
                let isConstant = random.chance(40)
                add(
                    index, attribute, isConstant ? nil : (other, random.pick([.width, .height])),
                    multiplier: random.pick([1, 1, 0.5, 1.5, -0.25]), constant: abs(constant), &random)
            } else {
                add(
                    index, attribute, (other, random.pick(positions)),
                    multiplier: random.pick([1, 1, 1, 0.5, 2]), constant: constant, &random)
            }
        }
    }

    private mutating func add(
        _ index: Int, _ attribute: Attribute, _ other: (item: Int, attribute: Attribute)?, multiplier: CGFloat,
        constant: CGFloat, _ random: inout SplitMix64
    ) {
        let isReversed = random.chance(30)
        let item = items[index].object
        let constraint: NSLayoutConstraint
        if let other, isReversed {
            constraint = NSLayoutConstraint(
                item: items[other.item].object, attribute: other.attribute, relatedBy: .equal, toItem: item,
                attribute: attribute, multiplier: multiplier, constant: constant)
        } else {
            constraint = NSLayoutConstraint(
                item: item, attribute: attribute, relatedBy: .equal, toItem: other.map { items[$0.item].object },
                attribute: other?.attribute ?? .notAnAttribute, multiplier: multiplier, constant: constant)
        }
        constraints.append(constraint)
    }

    // MARK: Frames

    /// The frames that the module set, without the root's.
    var frames: [CGRect] { items.dropFirst().map { $0.view?.frame ?? $0.guide!.layoutFrame } }

    func layOut() {
        root.setNeedsLayout()
        root.layoutIfNeeded()
    }

    /// The frames by a dense solution, rounded to pixels. The layout is from left to right.
    /// `nil` if the equations have no single solution.
    func solvedFrames(scale: Double) -> [CGRect]? {
        var equations = DenseEquations(unknowns: 4 * items.count)
        let bounds = root.bounds
        for (axis, (start, length)) in [(bounds.minX, bounds.width), (bounds.minY, bounds.height)].enumerated() {
            equations.add([variable(0, axis, isSize: false): 1], Double(start))
            equations.add([variable(0, axis, isSize: true): 1], Double(length))
        }
        for (index, item) in items.enumerated().dropFirst() where item.isFixed {
            let frame = item.view!.frame
            for (axis, (start, length)) in [(frame.minX, frame.width), (frame.minY, frame.height)].enumerated() {
                equations.add(
                    [variable(index, axis, isSize: false): 1, variable(item.parent, axis, isSize: false): -1],
                    Double(start))
                equations.add([variable(index, axis, isSize: true): 1], Double(length))
            }
        }
        for constraint in constraints { add(constraint, to: &equations) }
        guard let values = equations.solve() else { return nil }
        func pixel(_ value: Double) -> Double { (value * scale + 0.5 + 1e-6).rounded(.down) }
        func place(_ item: Int, _ axis: Int) -> (start: Double, length: Double) {
            let start = values[variable(item, axis, isSize: false)]
            let length = values[variable(item, axis, isSize: true)]
            if items[item].isFixed, item > 0 {
                // Not rounded: the frame is the app's.
                let frame = items[item].view!.frame
                let parent = place(items[item].parent, axis).start
                return (parent + Double(axis == 0 ? frame.minX : frame.minY) * scale, length * scale)
            }
            return (pixel(start), max(0, pixel(start + length) - pixel(start)))
        }
        return items.indices.dropFirst().map { index in
            let (x, y) = (place(index, 0), place(index, 1))
            let parent = items[index].parent
            return CGRect(
                (x.start - place(parent, 0).start) / scale, (y.start - place(parent, 1).start) / scale,
                x.length / scale, y.length / scale)
        }
    }

    private func variable(_ item: Int, _ axis: Int, isSize: Bool) -> Int { 4 * item + 2 * axis + (isSize ? 1 : 0) }

    private func index(of object: AnyObject?) -> Int { items.firstIndex { $0.object === object }! }

    /// The item of the nearest view that contains both items.
    private func commonAncestor(_ a: Int, _ b: Int) -> Int {
        func chain(_ item: Int) -> [Int] {
            let view = items[item].view == nil ? items[item].parent : item
            return view == 0 ? [0] : [view] + chain(items[view].parent)
        }
        let others = Set(chain(b))
        return chain(a).first { others.contains($0) }!
    }

    private func add(_ constraint: NSLayoutConstraint, to equations: inout DenseEquations) {
        var row: [Int: Double] = [:]
        func add(_ item: Int, _ attribute: Attribute, _ factor: Double) {
            let horizontal: [Attribute] = [.left, .right, .leading, .trailing, .centerX, .width]
            let axis = horizontal.contains(attribute) ? 0 : 1
            let (start, size): (Double, Double) =
                switch attribute {
                case .width, .height: (0, 1)
                case .left, .leading, .top, .firstBaseline: (1, 0)
                case .centerX, .centerY: (1, 0.5)
                default: (1, 1)
                }
            row[variable(item, axis, isSize: false), default: 0] += factor * start
            row[variable(item, axis, isSize: true), default: 0] += factor * size
        }
        let first = index(of: constraint.firstItem)
        add(first, constraint.firstAttribute, 1)
        if constraint.secondAttribute != .notAnAttribute {
            let second = index(of: constraint.secondItem)
            let factor = Double(constraint.multiplier)
            add(second, constraint.secondAttribute, -factor)
            let isLength = constraint.firstAttribute == .width || constraint.firstAttribute == .height
            if !isLength {
                let isHorizontal = [.left, .right, .leading, .trailing, .centerX].contains(constraint.firstAttribute)
                add(commonAncestor(first, second), isHorizontal ? .left : .top, factor - 1)
            }
        }
        equations.add(row, Double(constraint.constant))
    }
}

/// Linear equations, solved by Gauss's elimination.
struct DenseEquations {
    let unknowns: Int
    /// Row after row: the factors and, last, the constant.
    private var numbers: [Double] = []
    private var count = 0

    init(unknowns: Int) { self.unknowns = unknowns }

    mutating func add(_ factors: [Int: Double], _ constant: Double) {
        let start = numbers.count
        numbers += [Double](repeating: 0, count: unknowns) + [constant]
        for (unknown, factor) in factors { numbers[start + unknown] = factor }
        count += 1
    }

    /// `nil` unless there is exactly one solution.
    func solve() -> [Double]? {
        guard count == unknowns else { return nil }
        let (width, count) = (unknowns + 1, count)
        var numbers = numbers
        return numbers.withUnsafeMutableBufferPointer { buffer in
            let rows = buffer.baseAddress!
            for column in 0..<count {
                var pivot = column
                for row in column..<count where abs(rows[row * width + column]) > abs(rows[pivot * width + column]) {
                    pivot = row
                }
                guard abs(rows[pivot * width + column]) > 1e-7 else { return nil }
                let own = rows + column * width
                if pivot != column {
                    for index in 0..<width { swap(&own[index], &rows[pivot * width + index]) }
                }
                for other in 0..<count where other != column && rows[other * width + column] != 0 {
                    let factor = rows[other * width + column] / own[column]
                    for index in column..<width { rows[other * width + index] -= factor * own[index] }
                }
            }
            return (0..<count).map { rows[$0 * width + count] / rows[$0 * width + $0] }
        }
    }
}
