import TestSupport
import UIKit
import XCTest

/// `UINavigationController`'s stack.
@MainActor final class NavigationTests: AppTestCase {
    override func makeApp() throws -> TestApp { try TestApp(.pad, 800, 600) }

    func testChangesWithinACallOfTheHostJoinItsTurn() async throws {
        let (root, top) = (NamedController("root"), NamedController("top"))
        let navigation = app.showing(UINavigationController(rootViewController: root))
        var layouts: [Int] = []
        app.system.onDecision = { _, _ in
            navigation.pushViewController(top, animated: false)
            layouts.append(top.layouts)
        }
        try app.resize(700, 500)
        XCTAssertEqual(layouts, [0])
        XCTAssertEqual(top.layouts, 1)
        XCTAssertEqual(top.view.frame.size, CGSize(700, 500))
    }

    func testItemsAndTitlesFollowTheStack() async throws {
        let (a, b) = (NamedController("a"), NamedController("b"))
        let navigation = UINavigationController(rootViewController: a)
        navigation.pushViewController(b, animated: false)
        let bar = navigation.navigationBar
        XCTAssertEqual(bar.items?.map(\.title), ["a", "b"])
        XCTAssertIdentical(bar.topItem, b.navigationItem)
        XCTAssertIdentical(bar.backItem, a.navigationItem)
        b.title = "c"
        XCTAssertEqual(bar.topItem?.title, "c")
        b.navigationItem.rightBarButtonItem = UIBarButtonItem(title: "Add")
        XCTAssertEqual(b.navigationItem.rightBarButtonItems?.map(\.title), ["Add"])
    }

    /// A view controller that leaves by itself takes its item along, wherever it is.
    func testTheBarHasTheItemsOfWhatIsLeft() async throws {
        for gone in 0..<4 {
            for more in [0, 2] {
                let all = (0..<4).map { NamedController("\($0)") }
                let navigation = app.showing(UINavigationController())
                navigation.setViewControllers(all, animated: false)
                all[gone].willMove(toParent: nil)
                all[gone].removeFromParent()
                var expected = (0..<4).filter { $0 != gone }.map { "\($0)" }
                for number in 0..<more {
                    navigation.pushViewController(NamedController("more \(number)"), animated: false)
                    expected.append("more \(number)")
                }
                XCTAssertEqual(navigation.viewControllers.map { $0.title ?? "" }, expected, "\(gone)")
                XCTAssertEqual(navigation.navigationBar.items?.map { $0.title ?? "" }, expected, "\(gone)")
                XCTAssertEqual(navigation.children.map { $0.title ?? "" }, expected, "\(gone)")
            }
        }
    }

    /// Random stacks: none is lost or loaded twice, and only the top is in the view.
    func testRandomChangesKeepEveryController() async throws {
        let all = (0..<8).map { NamedController("\($0)") }
        let navigation = app.showing(UINavigationController(rootViewController: all[0]))
        var expected: [UIViewController] = [all[0]]
        var random = SplitMix64(seed: 23)
        for step in 0..<500 {
            let unused = all.filter { controller in !expected.contains { $0 === controller } }
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                guard let next = unused.randomElement(using: &random) else { continue }
                navigation.pushViewController(next, animated: false)
                expected.append(next)
            case 1:
                navigation.popViewController(animated: false)
                if expected.count > 1 { expected.removeLast() }
            case 2:
                expected = Array(all.shuffled(using: &random).prefix(Int.random(in: 1...8, using: &random)))
                navigation.setViewControllers(expected, animated: false)
            default:
                try app.resize(CGFloat(Int.random(in: 500...900, using: &random)), 600)
            }
            XCTAssertEqual(navigation.viewControllers.titles, expected.titles, "step \(step)")
            XCTAssertEqual(Set(navigation.children), Set(expected), "step \(step)")
            let shown = all.filter { $0.viewIfLoaded?.superview != nil }
            XCTAssertEqual(shown.titles, expected.suffix(1).titles, "step \(step)")
            XCTAssertEqual(expected.last?.view.frame, navigation.view.bounds, "step \(step)")
        }
        XCTAssertTrue(all.allSatisfy { $0.loads <= 1 })
    }
}
