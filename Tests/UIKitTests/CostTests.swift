import SettlePlatform
import TestSupport
import XCTest

@testable import UIKit

/// What must not cost more for each one if there are many. The time of eight times as many is compared
/// with the time of one in the same run: 8 is linear, and 64 is quadratic.
@MainActor final class CostTests: XCTestCase {
    /// The least of several runs, in nanoseconds of this thread: others do not count.
    private func cost(_ count: Int, _ prepare: (Int) -> () -> Void) -> Double {
        let runs = (0..<5).map { _ in
            let body = prepare(count)
            let start = nanoseconds()
            body()
            return Double(nanoseconds() - start)
        }
        return runs.min() ?? 0
    }

    private func nanoseconds() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    private func check(_ what: String, line: UInt = #line, _ prepare: (Int) -> () -> Void) {
        let ratio = cost(8000, prepare) / cost(1000, prepare)
        XCTAssertLessThan(ratio, 24, what, line: line)
    }

    private enum Order: CaseIterable {
        case firstToLast, lastToFirst, shuffled

        func of<Element>(_ list: [Element]) -> [Element] {
            switch self {
            case .firstToLast: return list
            case .lastToFirst: return list.reversed()
            case .shuffled:
                var random = SplitMix64(seed: 1)
                var list = list
                for index in list.indices.reversed() { list.swapAt(index, random.below(index + 1)) }
                return list
            }
        }
    }

    func testFindingEachTabIsLinear() async throws {
        check("tabs") { count in
            let tabs = (0..<count).map { UITab(title: "", image: nil, identifier: "\($0)") }
            let controller = UITabBarController(tabs: [
                UITabGroup(title: "", image: nil, identifier: "group", children: tabs)
            ])
            return {
                for tab in tabs { XCTAssertIdentical(controller.tab(forIdentifier: tab.identifier), tab) }
            }
        }
    }

    func testTakingAllAwayOneByOneIsLinear() async throws {
        for order in Order.allCases {
            check("subviews \(order)") { count in
                let parent = UIView()
                for _ in 0..<count { parent.addSubview(UIView()) }
                let views = order.of(parent.subviews)
                return {
                    for view in views { view.removeFromSuperview() }
                    XCTAssertEqual(parent.subviews.count, 0)
                }
            }
            check("children \(order)") { count in
                let parent = UIViewController()
                for _ in 0..<count { parent.addChild(UIViewController()) }
                let children = order.of(parent.children)
                return {
                    for child in children { child.removeFromParent() }
                    XCTAssertEqual(parent.children.count, 0)
                }
            }
            check("trait registrations \(order)") { count in
                let view = UIView()
                let registrations = order.of(
                    (0..<count).map { _ in
                        view.registerForTraitChanges([UITraitUserInterfaceStyle.self]) { (_: UIView, _) in }
                    })
                return { for registration in registrations { view.unregisterForTraitChanges(registration) } }
            }
        }
    }

    func testLongStacksOfControllersAreLinear() async throws {
        let app = try TestApp(.pad, 800, 600)
        let changes: [(String, @MainActor (UINavigationController, [UIViewController]) -> Void)] = [
            ("pop to root", { navigation, _ in navigation.popToRootViewController(animated: false) }),
            ("pop", { navigation, others in for _ in others { navigation.popViewController(animated: false) } }),
            (
                "push",
                { navigation, others in
                    navigation.popToRootViewController(animated: false)
                    for other in others { navigation.pushViewController(other, animated: false) }
                }
            ),
            ("replace", { navigation, others in navigation.setViewControllers(others.reversed(), animated: false) }),
        ]
        for (name, change) in changes {
            let ratio = [800, 100].map { count in
                cost(count) { count in
                    let root = UIViewController()
                    let navigation = app.showing(UINavigationController(rootViewController: root))
                    let others = (0..<count).map { _ in UIViewController() }
                    navigation.setViewControllers([root] + others, animated: false)
                    return { change(navigation, others) }
                }
            }
            XCTAssertLessThan(ratio[0] / ratio[1], 24, name)
        }
    }

    func testFindingTheConstraintsThatBelongTogetherIsLinear() async throws {
        for order in Order.allCases {
            check("\(order)") { count in
                let root = UIView()
                let views = (0..<count).map { _ in UIView() }
                for view in views {
                    view.translatesAutoresizingMaskIntoConstraints = false
                    root.addSubview(view)
                }
                let chain = zip(views, views.dropFirst()).map { $1.topAnchor.constraint(equalTo: $0.bottomAnchor) }
                NSLayoutConstraint.activate(order.of(chain))
                var parts = LayoutParts(root: root)
                parts.collectAll()
                return { XCTAssertEqual(parts.parts().map(\.constraints.count), [count - 1]) }
            }
        }
    }

    // MARK: What the list keeps

    func testRandomChangesOfSubviewsAreThoseOfAnArray() async throws {
        for seed: UInt64 in 0..<50 {
            var random = SplitMix64(seed: seed)
            let parent = UIView()
            var expected: [UIView] = []
            for step in 0..<200 {
                let (kind, index) = (random.below(8), random.below(max(1, expected.count)))
                switch kind {
                case 0, 1:
                    let view = UIView()
                    parent.addSubview(view)
                    expected.append(view)
                case 2:
                    let view = UIView()
                    parent.insertSubview(view, at: index)
                    expected.insert(view, at: min(index, expected.count))
                case 3 where !expected.isEmpty:
                    parent.bringSubviewToFront(expected[index])
                    expected.append(expected.remove(at: index))
                case 4 where !expected.isEmpty:
                    let view = UIView()
                    parent.insertSubview(view, aboveSubview: expected[index])
                    expected.insert(view, at: index + 1)
                case 5, 6, 7:
                    guard !expected.isEmpty else { continue }
                    expected[index].removeFromSuperview()
                    expected.remove(at: index)
                default: break
                }
                // Mostly several changes come before the list is read.
                guard step % 7 == 0 else { continue }
                XCTAssertTrue(parent.subviews.elementsEqual(expected, by: ===), "seed \(seed), step \(step)")
            }
            XCTAssertTrue(parent.subviews.elementsEqual(expected, by: ===), "seed \(seed)")
        }
    }

    func testARemovedSubviewIsReleasedAtOnce() async throws {
        let parent = UIView()
        weak var removed: UIView?
        do {
            let views = (0..<20).map { _ in UIView() }
            for view in views { parent.addSubview(view) }
            removed = views[3]
            views[3].removeFromSuperview()
        }
        XCTAssertNil(removed)
        XCTAssertEqual(parent.subviews.count, 19)
    }

    func testARegistrationOfAnotherObjectIsNotEnded() async throws {
        let app = try TestApp(.pad, 1000, 800)
        let root = app.showing(UIViewController())
        var calls: [Int] = []
        var registrations: [any UITraitChangeRegistration] = []
        for number in 0..<4 {
            registrations.append(
                root.registerForTraitChanges([UITraitUserInterfaceStyle.self]) { (_: UIViewController, _) in
                    calls.append(number)
                })
        }
        root.unregisterForTraitChanges(registrations[1])
        UIView().unregisterForTraitChanges(registrations[2])
        app.turn { root.traitOverrides.userInterfaceStyle = .dark }
        XCTAssertEqual(calls, [0, 2, 3])
    }
}
