import TestSupport
import UIKit

/// One or two views along one axis with random inequalities, priorities and own sizes, and what trying
/// every corner says about them.
///
/// The least violation is where as many of the lines meet on which a constraint just holds as there are
/// unknowns, so all such corners are tried.
@MainActor struct RandomPriorities {
    final class Box: UIView {
        var width: CGFloat = UIView.noIntrinsicMetric
        override var intrinsicContentSize: CGSize { CGSize(width, UIView.noIntrinsicMetric) }
    }

    /// A sum of terms that should be zero, or on one side of it.
    struct Line {
        var factors: [Double]
        var constant: Double
        var mayBeMore = false
        var mayBeLess = false
        var priority: Double
        var constraint: NSLayoutConstraint?

        func violation(_ x: [Double]) -> Double {
            let sum = value(x)
            return (sum > 0 && mayBeMore) || (sum < 0 && mayBeLess) ? 0 : abs(sum)
        }

        func value(_ x: [Double]) -> Double {
            var sum = constant
            for (index, factor) in factors.enumerated() { sum += factor * x[index] }
            return sum
        }
    }

    let root = UIView(frame: CGRect(0, 0, 300, 100))
    private(set) var boxes: [Box] = []
    private(set) var lines: [Line] = []
    var constraints: [NSLayoutConstraint] { lines.compactMap(\.constraint) }

    init(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        root.frame.size.width = CGFloat(random.below(500))
        for _ in 0..<(random.chance(60) ? 1 : 2) {
            let box = Box(frame: CGRect(x: random.below(50), y: 0, width: random.below(200), height: 10))
            box.translatesAutoresizingMaskIntoConstraints = false
            root.addSubview(box)
            // What no constraint refers to keeps its frame.
            box.topAnchor.constraint(equalTo: root.topAnchor).isActive = true
            boxes.append(box)
        }
        for _ in 0..<(1 + random.below(2 * boxes.count + 1)) { addConstraint(&random) }
        for (index, box) in boxes.enumerated() {
            addOwnWidth(of: box, index, &random)
            var factors = [Double](repeating: 0, count: 2 * boxes.count)
            factors[2 * index + 1] = 1
            lines.append(Line(factors: factors, constant: 0, mayBeMore: true, priority: 999.999))
        }
    }

    private mutating func addOwnWidth(of box: Box, _ index: Int, _ random: inout SplitMix64) {
        guard random.chance(40) else { return }
        box.width = CGFloat(random.below(150))
        let priorities = [random.pick([1, 250, 251, 750]), random.pick([250, 750, 1000])] as [Float]
        box.setContentHuggingPriority(UILayoutPriority(priorities[0]), for: .horizontal)
        box.setContentCompressionResistancePriority(UILayoutPriority(priorities[1]), for: .horizontal)
        var line = Line(
            factors: [Double](repeating: 0, count: 2 * boxes.count), constant: -Double(box.width), mayBeLess: true,
            priority: Double(priorities[0]))
        line.factors[2 * index + 1] = 1
        lines.append(line)
        (line.mayBeLess, line.mayBeMore, line.priority) = (false, true, Double(priorities[1]))
        lines.append(line)
    }

    private mutating func addConstraint(_ random: inout SplitMix64) {
        let relation = random.pick([NSLayoutConstraint.Relation.equal, .equal, .lessThanOrEqual, .greaterThanOrEqual])
        let own = random.below(boxes.count)
        let other = random.below(boxes.count + 1) - 1
        let constant = Double(random.below(300) - 50)
        let priority = random.pick([1000, 1000, 1000, 999, 750, 250] as [Float])
        var line = Line(
            factors: [Double](repeating: 0, count: 2 * boxes.count), constant: -constant,
            mayBeMore: relation == .greaterThanOrEqual, mayBeLess: relation == .lessThanOrEqual,
            priority: Double(priority))
        let constraint: NSLayoutConstraint
        if random.chance(50) {
            let multiplier = random.pick([0, 1, 1, 0.5, 2] as [CGFloat])
            let isOther = other >= 0 && other != own && multiplier != 0
            let isRoot = other < 0 && multiplier != 0
            constraint = NSLayoutConstraint(
                item: boxes[own], attribute: .width, relatedBy: relation,
                toItem: isOther ? boxes[other] : isRoot ? root : nil,
                attribute: isOther || isRoot ? .width : .notAnAttribute, multiplier: isOther || isRoot ? multiplier : 1,
                constant: constant)
            line.factors[2 * own + 1] = 1
            if isOther { line.factors[2 * other + 1] = -Double(multiplier) }
            if isRoot { line.constant -= Double(multiplier) * Double(root.frame.width) }
        } else {
            let parts = [(NSLayoutConstraint.Attribute.left, 0.0), (.centerX, 0.5), (.right, 1)]
            let (a, b) = (random.pick(parts), random.pick(parts))
            let isOther = other >= 0 && other != own
            constraint = NSLayoutConstraint(
                item: boxes[own], attribute: a.0, relatedBy: relation, toItem: isOther ? boxes[other] : root,
                attribute: b.0, multiplier: 1, constant: constant)
            (line.factors[2 * own], line.factors[2 * own + 1]) = (1, a.1)
            if isOther {
                (line.factors[2 * other], line.factors[2 * other + 1]) = (-1, -b.1)
            } else {
                line.constant -= b.1 * Double(root.frame.width)
            }
        }
        constraint.priority = UILayoutPriority(priority)
        line.constraint = constraint
        lines.append(line)
    }

    // MARK: Reading

    /// The unknowns as the module has set them.
    var found: [Double] { boxes.flatMap { [Double($0.frame.minX), Double($0.frame.width)] } }

    /// How much the lines are violated per priority, the highest one first.
    func violations(_ x: [Double], _ lines: [Line]) -> [Double] {
        let priorities = Set(lines.map(\.priority)).sorted(by: >)
        return priorities.map { priority in
            lines.reduce(0) { $0 + ($1.priority == priority ? $1.violation(x) : 0) }
        }
    }

    /// The lines that count: of the required ones those that can hold together with the earlier ones.
    /// Those of views come last.
    func counting() -> [Line] {
        let required = lines.filter { $0.priority == 1000 }
        let weak = lines.filter { $0.priority < 1000 }
        if isPossible(required) { return required + weak }
        var counting: [Line] = []
        for line in required where isPossible(counting + [line]) { counting.append(line) }
        return counting + weak
    }

    private func isPossible(_ required: [Line]) -> Bool {
        required.isEmpty || best(required).map { violations($0, required)[0] < 1e-6 } ?? false
    }

    /// The corner with the least violation.
    func best(_ lines: [Line]) -> [Double]? {
        let unknowns = 2 * boxes.count
        var candidates = lines.map { $0.factors + [$0.constant] }
        for unknown in 0..<unknowns {
            candidates.append((0...unknowns).map { $0 == unknown ? 1 : $0 == unknowns ? -100 : 0 })
        }
        var best: (x: [Double], violations: [Double])?
        tryCorners(candidates, unknowns) { x in
            let found = violations(x, lines)
            for (a, b) in zip(found, best?.violations ?? []) where abs(a - b) > 1e-7 {
                if a < b { best = (x, found) }
                return
            }
            if best == nil { best = (x, found) }
        }
        return best?.x
    }

    /// Each set of lines that meet in one point.
    private func tryCorners(_ candidates: [[Double]], _ unknowns: Int, _ body: ([Double]) -> Void) {
        // The lines that were taken, each solved for one unknown, and free of those of the others.
        func take(_ taken: [(pivot: Int, row: [Double])], from first: Int) {
            if taken.count == unknowns {
                var x = [Double](repeating: 0, count: unknowns)
                for (pivot, row) in taken { x[pivot] = -row[unknowns] }
                return body(x)
            }
            for index in first..<candidates.count where candidates.count - index >= unknowns - taken.count {
                var row = candidates[index]
                for (pivot, other) in taken where row[pivot] != 0 {
                    let factor = row[pivot]
                    for column in 0...unknowns { row[column] -= factor * other[column] }
                }
                guard let pivot = (0..<unknowns).max(by: { abs(row[$0]) < abs(row[$1]) }), abs(row[pivot]) > 1e-9
                else { continue }
                let factor = row[pivot]
                for column in 0...unknowns { row[column] /= factor }
                let rest = taken.map { other in
                    (other.pivot, (0...unknowns).map { other.row[$0] - other.row[pivot] * row[$0] })
                }
                take(rest + [(pivot, row)], from: index + 1)
            }
        }
        take([], from: 0)
    }
}
