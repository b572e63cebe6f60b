import TestSupport
import XCTest

@testable import UIKit

/// Random changes in a window, of which only the system knows what has to be laid out: every frame
/// is that of a tree which is made anew.
@MainActor final class RandomTreeTests: XCTestCase {
    func testRandomChangesLeaveNoStaleFrame() async throws {
        let app = try TestApp().launched()
        for seed: UInt64 in 0..<100 {
            var random = SplitMix64(seed: seed)
            var tree = RandomTree(&random)
            let window = tree.show(in: app)
            app.turn()
            for step in 0..<10 {
                for _ in 0...random.below(3) { try tree.change(app, &random) }
                app.turn()
                let fresh = tree.copy()
                let other = fresh.show(in: app)
                app.turn()
                let (frames, expected) = (tree.views.map(\.frame), fresh.views.map(\.frame))
                XCTAssertEqual(frames, expected, "seed \(seed), step \(step): \(tree.nodes)")
                other.windowScene = nil
                if frames != expected { break }
            }
            window.windowScene = nil
        }
    }
}

/// Views within a view controller's: some with frames of their own, and some that constraints tie
/// to their superview or to the one before.
@MainActor private struct RandomTree {
    struct Node {
        /// 0 for the root view; else the superview's index plus 1.
        var parent: Int
        /// The index of the view whose right side is this one's left; `nil` for the superview's.
        var neighbour: Int?
        var isFixed: Bool
        /// What of the superview the constraints refer to.
        var target: Int
        /// Left, top, width or right, height or bottom.
        var constants: [CGFloat]
        var hasWidth: Bool
        var hasHeight: Bool
    }

    let controller = UIViewController()
    private(set) var nodes: [Node] = []
    private(set) var views: [UIView] = []
    private var constraints: [[NSLayoutConstraint]] = []

    init(_ random: inout SplitMix64) {
        for index in 0..<8 {
            let parent = random.below(index + 1)
            let siblings = nodes.indices.filter { nodes[$0].parent == parent }
            let node = Node(
                parent: parent, neighbour: random.below(3) == 0 ? siblings.last : nil, isFixed: random.below(3) == 0,
                target: random.below(3), constants: (0..<4).map { _ in CGFloat(random.below(40)) },
                hasWidth: random.below(2) == 0, hasHeight: random.below(2) == 0)
            add(node)
            if node.isFixed { views[index].frame = Self.frame(&random) }
        }
    }

    /// A new tree with what the app has set in this one, and with the frames that it may set.
    func copy() -> RandomTree { RandomTree(self) }

    private init(_ other: RandomTree) {
        for node in other.nodes { add(node) }
        controller.additionalSafeAreaInsets = other.controller.additionalSafeAreaInsets
        for (index, old) in other.views.enumerated() {
            let view = views[index]
            if nodes[index].isFixed { view.frame = old.frame }
            view.bounds.origin = old.bounds.origin
            // What was set, as the getter adds the safe area.
            if let margins = old.insetState?.margins { view.ensureInsetState().margins = margins }
            view.preservesSuperviewLayoutMargins = old.preservesSuperviewLayoutMargins
        }
    }

    func show(in app: TestApp) -> UIWindow {
        let window = UIWindow(windowScene: app.scene)
        window.rootViewController = controller
        window.isHidden = false
        return window
    }

    private func container(_ number: Int) -> UIView { number == 0 ? controller.view! : views[number - 1] }

    private mutating func add(_ node: Node) {
        let (view, above) = (UIView(), container(node.parent))
        above.addSubview(view)
        nodes.append(node)
        views.append(view)
        view.translatesAutoresizingMaskIntoConstraints = node.isFixed
        guard !node.isFixed else {
            constraints.append([])
            return
        }
        let guide: UILayoutGuide =
            switch node.target {
            case 0: above.safeAreaLayoutGuide
            case 1: above.layoutMarginsGuide
            default: above.layoutGuide(for: .margins(cornerAdaptation: .horizontal))
            }
        let constants = node.constants
        let left = node.neighbour.map { views[$0].rightAnchor } ?? guide.leftAnchor
        let added: [NSLayoutConstraint] = [
            view.leftAnchor.constraint(equalTo: left, constant: constants[0]),
            view.topAnchor.constraint(equalTo: guide.topAnchor, constant: constants[1]),
            node.hasWidth
                ? view.widthAnchor.constraint(equalToConstant: constants[2])
                : view.rightAnchor.constraint(equalTo: guide.rightAnchor, constant: constants[2]),
            node.hasHeight
                ? view.heightAnchor.constraint(equalToConstant: constants[3])
                : view.bottomAnchor.constraint(equalTo: guide.bottomAnchor, constant: constants[3]),
        ]
        NSLayoutConstraint.activate(added)
        constraints.append(added)
    }

    private static func frame(_ random: inout SplitMix64) -> CGRect {
        CGRect(
            CGFloat(random.below(200)) - 50, CGFloat(random.below(200)) - 50, CGFloat(random.below(600)),
            CGFloat(random.below(600)))
    }

    private static func insets(_ random: inout SplitMix64) -> UIEdgeInsets {
        UIEdgeInsets(
            CGFloat(random.below(50)), CGFloat(random.below(50)), CGFloat(random.below(50)), CGFloat(random.below(50)))
    }

    /// Changes one thing, and marks nothing.
    mutating func change(_ app: TestApp, _ random: inout SplitMix64) throws {
        let index = random.below(views.count)
        let view = views[index]
        switch random.below(9) {
        case 0: try app.resize(CGFloat(400 + random.below(600)), CGFloat(400 + random.below(600)))
        case 1: try app.system.setSafeAreaInsets(Self.insets(&random), of: app.scene)
        case 2: controller.additionalSafeAreaInsets = Self.insets(&random)
        case 3:
            let side = CGFloat(random.below(40))
            view.directionalLayoutMargins = NSDirectionalEdgeInsets(top: side, leading: 3, bottom: 5, trailing: side)
        case 4: view.preservesSuperviewLayoutMargins.toggle()
        case 5: view.bounds.origin = CGPoint(CGFloat(random.below(60)), CGFloat(random.below(60)))
        case 6 where nodes[index].isFixed:
            view.autoresizingMask = random.below(2) == 0 ? [.flexibleWidth, .flexibleTopMargin] : []
        case 6, 7:
            guard !nodes[index].isFixed else {
                view.frame = Self.frame(&random)
                return
            }
            let (number, constant) = (random.below(4), CGFloat(random.below(40)))
            nodes[index].constants[number] = constant
            constraints[index][number].constant = constant
        default:
            guard nodes[index].isFixed else { return }
            view.frame.origin.x += CGFloat(random.below(30)) - 15
        }
    }
}
