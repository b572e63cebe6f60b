import UIKit

/// The replay of constraints, without a system's events: each round gives a view another width
/// and lays it out.
@MainActor struct ConstraintBench {
    private let root = UIView(frame: CGRect(x: 0, y: 0, width: 400, height: 300))
    private let last: UIView

    /// - Parameter isChain: 100 views in a row with 4 equalities each, instead of one view with 4.
    init(isChain: Bool) {
        var constraints: [NSLayoutConstraint] = []
        var previous: (left: NSLayoutXAxisAnchor, top: NSLayoutYAxisAnchor) = (root.leftAnchor, root.topAnchor)
        var views: [UIView] = []
        for _ in 0..<(isChain ? 100 : 1) {
            let view = UIView(frame: .zero)
            view.translatesAutoresizingMaskIntoConstraints = false
            root.addSubview(view)
            constraints += [
                view.leftAnchor.constraint(equalTo: previous.left, constant: 1),
                view.topAnchor.constraint(equalTo: previous.top, constant: 1),
                view.rightAnchor.constraint(equalTo: root.rightAnchor, constant: -1),
                view.bottomAnchor.constraint(equalTo: root.bottomAnchor, constant: -1),
            ]
            previous = (view.leftAnchor, view.topAnchor)
            views.append(view)
        }
        last = views[views.count - 1]
        NSLayoutConstraint.activate(constraints)
        root.layoutIfNeeded()
    }

    /// - Returns: Nanoseconds per layout, and allocations in all.
    func run(_ layouts: Int) -> (nanoseconds: Double, allocations: Int?) {
        let allocations = Allocations.count
        let start = ContinuousClock.now
        for round in 0..<layouts {
            root.frame.size.width = CGFloat(400 + round & 255)
            root.layoutIfNeeded()
        }
        let took = ContinuousClock.now - start
        let right = last.frame.origin.x + last.frame.size.width
        guard right == root.frame.size.width - 1 else { fatalError("the last view ends at \(right)") }
        return (took / .nanoseconds(1) / Double(layouts), Allocations.count.map { $0 - allocations! })
    }

    /// Prints the medians of those that are asked for.
    static func report(events: Int, runs: Int, _ isAsked: (String) -> Bool) {
        for (name, isChain, layouts) in [("constraints", false, events), ("chain", true, events / 100)]
        where isAsked(name) {
            let bench = ConstraintBench(isChain: isChain)
            _ = bench.run(min(layouts, 1000))
            let all = (0..<runs).map { _ in bench.run(layouts) }
            let times = all.map(\.nanoseconds).sorted()
            let allocations = all.compactMap(\.allocations).max().map(String.init) ?? "null"
            print(
                #"{"kind":"constraints","language":"Swift","case":"\#(name)","peer":"UIKit","layouts":\#(layouts),"#
                    + #""runs":\#(runs),"ns":\#(times[runs / 2]),"allocations":\#(allocations)}"#)
        }
    }

    /// Adds views with four constraints each, and removes them again, with a layout after either.
    ///
    /// - Returns: Nanoseconds per view.
    private static func siblings(_ count: Int) -> Double {
        let root = UIView(frame: CGRect(x: 0, y: 0, width: 400, height: 300))
        let start = ContinuousClock.now
        let views = (0..<count).map { _ in
            let view = UIView(frame: .zero)
            view.translatesAutoresizingMaskIntoConstraints = false
            root.addSubview(view)
            NSLayoutConstraint.activate([
                view.leftAnchor.constraint(equalTo: root.leftAnchor, constant: 1),
                view.topAnchor.constraint(equalTo: root.topAnchor, constant: 1),
                view.rightAnchor.constraint(equalTo: root.rightAnchor, constant: -1),
                view.bottomAnchor.constraint(equalTo: root.bottomAnchor, constant: -1),
            ])
            return view
        }
        root.layoutIfNeeded()
        guard views.allSatisfy({ $0.frame.size.width == 398 }) else { fatalError("a view is not laid out") }
        for view in views { view.removeFromSuperview() }
        root.layoutIfNeeded()
        return (ContinuousClock.now - start) / .nanoseconds(1) / Double(count)
    }

    /// Prints the cost of a view among so many, and among twice as many: the ratio is 1 if it is linear.
    private static func reportSiblings(_ count: Int, _ runs: Int) {
        _ = siblings(count)
        let all = (0..<runs).map { _ in (few: siblings(count), many: siblings(2 * count)) }
        let (few, many) = (all.map(\.few).sorted()[runs / 2], all.map(\.many).sorted()[runs / 2])
        print(
            #"{"kind":"constraints","language":"Swift","case":"siblings","peer":"UIKit","views":\(count),"#
                + #""runs":\(runs),"ns":\(few),"nsOfTwice":\(many),"ratio":\(many / few)}"#)
    }
}
