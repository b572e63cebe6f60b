import TestSupport
import UIKit
import XCTest

/// `UINavigationController`'s stack.
@MainActor final class NavigationTests: AppTestCase {
    override func makeApp() throws -> TestApp { try TestApp(.pad, 800, 600) }

    private final class Delegate: NSObject, UINavigationControllerDelegate {
        func navigationController(
            _ navigationController: UINavigationController, willShow viewController: UIViewController, animated: Bool
        ) { DelegateCalls.all.append("will show \(viewController.title ?? "")") }
        func navigationController(
            _ navigationController: UINavigationController, didShow viewController: UIViewController, animated: Bool
        ) { DelegateCalls.all.append("did show \(viewController.title ?? "")") }
    }

    func testOnlyTheTopIsLoadedAndShown() async throws {
        let (root, top) = (NamedController("root"), NamedController("top"))
        let navigation = UINavigationController(rootViewController: root)
        navigation.viewControllers = [root, top]
        app.show(navigation)
        XCTAssertFalse(root.isViewLoaded)
        XCTAssertIdentical(top.view.superview, navigation.view)
        XCTAssertEqual(top.view.frame, CGRect(0, 0, 800, 600))
        XCTAssertEqual(navigation.children.titles, "root top")
        XCTAssertIdentical(top.navigationController, navigation)
    }

    func testPushAndPopChangeWhatIsShownAtOnceAndInOrder() async throws {
        let (root, top, delegate) = (NamedController("root"), NamedController("top"), Delegate())
        let navigation = UINavigationController(rootViewController: root)
        navigation.delegate = delegate
        app.show(navigation)
        navigation.pushViewController(top, animated: true)
        assertCalls([
            "top will enter", "will show top", "root will disappear", "top loaded", "top will appear",
            "top entered", "root disappeared", "top appeared", "did show top",
        ])
        XCTAssertEqual(top.layouts, 1, "laid out when the call returns")
        XCTAssertIdentical(navigation.popViewController(animated: true), top)
        assertCalls([
            "top will leave", "will show root", "top will disappear", "root will appear", "top left",
            "top disappeared", "root appeared", "did show root",
        ])
        XCTAssertNil(navigation.popViewController(animated: true), "the root stays")
        XCTAssertNil(top.parent)
        XCTAssertNil(top.view.superview)
    }

    private final class Redirecting: NSObject, UINavigationControllerDelegate {
        var onWillShow: (UINavigationController, UIViewController) -> Void = { _, _ in }
        func navigationController(
            _ navigationController: UINavigationController, willShow viewController: UIViewController, animated: Bool
        ) { onWillShow(navigationController, viewController) }
    }

    /// The top alone is in the view, and the children are the stack.
    private func check(_ navigation: UINavigationController, _ titles: String, _ all: [NamedController]) {
        XCTAssertEqual(navigation.viewControllers.titles, titles)
        XCTAssertEqual(Set(navigation.children), Set(navigation.viewControllers))
        let shown = all.filter { $0.viewIfLoaded?.superview != nil }
        XCTAssertEqual(shown.titles, navigation.topViewController?.title)
        XCTAssertEqual(navigation.view.subviews.count, 2, "the bar and the top")
    }

    func testAChangeWhileAnotherTopIsAboutToBeShownCounts() async throws {
        let all = ["root", "a", "b"].map { NamedController($0) }
        let (navigation, delegate) = (UINavigationController(rootViewController: all[0]), Redirecting())
        navigation.delegate = delegate
        app.show(navigation)
        delegate.onWillShow = { navigation, next in
            if next === all[1] { navigation.pushViewController(all[2], animated: false) }
        }
        navigation.pushViewController(all[1], animated: false)
        check(navigation, "root a b", all)
        XCTAssertFalse(all[1].isViewLoaded)
        delegate.onWillShow = { navigation, next in
            if next === all[1] { navigation.popViewController(animated: false) }
        }
        navigation.popViewController(animated: false)
        check(navigation, "root", all)
    }

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

    func testTheStackCanBeReplacedAndKeepsItsOrder() async throws {
        let all = ["a", "b", "c", "d"].map { NamedController($0) }
        let navigation = app.showing(UINavigationController())
        XCTAssertNil(navigation.topViewController)
        navigation.setViewControllers(all, animated: false)
        XCTAssertEqual(navigation.viewControllers.titles, "a b c d")
        XCTAssertEqual(navigation.popToViewController(all[1], animated: false)?.titles, "c d")
        XCTAssertEqual(navigation.popToRootViewController(animated: false)?.titles, "b")
        XCTAssertNil(navigation.popToRootViewController(animated: false))
        XCTAssertNil(navigation.popToViewController(all[0], animated: false))
        navigation.setViewControllers([all[3], all[0]], animated: false)
        XCTAssertEqual(navigation.viewControllers.titles, "d a")
        XCTAssertIdentical(navigation.visibleViewController, all[0])
        XCTAssertEqual(all[0].loads, 1)
        assertCalls("", "nothing changes") { navigation.setViewControllers([all[3], all[0]], animated: false) }
        navigation.viewControllers = []
        XCTAssertNil(all[0].view.superview)
        XCTAssertEqual(navigation.children, [])
    }

    func testAControllerThatMovesToAnotherStackLeavesTheFirst() async throws {
        let (root, moved) = (NamedController("root"), NamedController("moved"))
        let first = UINavigationController(rootViewController: root)
        first.pushViewController(moved, animated: false)
        app.show(first)
        let second = UINavigationController(rootViewController: moved)
        XCTAssertEqual(first.viewControllers.titles, "root")
        XCTAssertEqual(second.viewControllers.titles, "moved")
        XCTAssertIdentical(moved.navigationController, second)
        XCTAssertIdentical(root.view.superview, first.view)
        XCTAssertNil(moved.view.superview)
    }

    func testTheBarInsetsTheContentOnly() async throws {
        for (platform, height) in [(UISystem.Platform.phone, CGFloat(44)), (.pad, 50), (.mac, 50)] {
            let app = try TestApp(platform: platform).launched()
            let root = NamedController("root")
            let navigation = UINavigationController(rootViewController: root)
            let window = app.show(navigation)
            XCTAssertEqual(root.view.frame, window.bounds)
            XCTAssertEqual(root.view.safeAreaInsets, UIEdgeInsets(height, 0, 0, 0))
            XCTAssertEqual(navigation.navigationBar.frame, CGRect(0, 0, window.bounds.width, height))
            navigation.setNavigationBarHidden(true, animated: true)
            XCTAssertEqual(root.view.safeAreaInsets, .zero)
            XCTAssertTrue(navigation.navigationBar.isHidden)
            navigation.isNavigationBarHidden = false
            XCTAssertEqual(root.view.safeAreaInsets.top, height)
        }
    }

    func testTheBarsContentKeepsClearOfTheWindowControl() async throws {
        let navigation = app.showing(UINavigationController(rootViewController: NamedController("root")))
        let content = try XCTUnwrap(navigation.navigationBar.subviews.first)
        XCTAssertEqual(content.frame, CGRect(66, 0, 734, 50))
        try app.system.enterFullScreen(app.scene)
        XCTAssertEqual(content.frame.minX, 0, "there is no control in full screen")
    }

    func testTheBarsContentFollowsABarThatOnlyMoves() async throws {
        let container = UIViewController()
        let navigation = UINavigationController(rootViewController: NamedController("root"))
        container.addChild(navigation)
        container.view.addSubview(navigation.view)
        app.show(container)
        app.turn { navigation.view.frame = CGRect(0, 0, 500, 600) }
        let content = try XCTUnwrap(navigation.navigationBar.subviews.first)
        XCTAssertEqual(content.frame, CGRect(66, 0, 434, 50))
        app.turn { navigation.view.frame.origin.x = 320 }
        XCTAssertEqual(content.frame, CGRect(0, 0, 500, 50))
        app.turn { navigation.view.frame.origin.x = 0 }
        XCTAssertEqual(content.frame.minX, 66)
    }

    func testACoveredControllerGetsOneTransitionWhenItComesBack() async throws {
        let (root, top) = (NamedController("root"), NamedController("top"))
        let navigation = app.showing(UINavigationController(rootViewController: root))
        navigation.pushViewController(top, animated: false)
        let layouts = root.layouts
        try app.resize(700, 600)
        try app.resize(750, 600)
        XCTAssertEqual(top.transitions.map(\.width), [700, 750])
        XCTAssertEqual(root.transitions, [])
        XCTAssertEqual(root.layouts, layouts)
        navigation.popViewController(animated: false)
        XCTAssertEqual(root.transitions, [CGSize(750, 600)])
        XCTAssertEqual(root.view.frame.size, CGSize(750, 600))
        navigation.pushViewController(top, animated: false)
        navigation.popViewController(animated: false)
        XCTAssertEqual(root.transitions.count, 1, "the size is the same")
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

    func testShowPushesInTheNearestStack() async throws {
        let (root, shown) = (NamedController("root"), NamedController("shown"))
        let navigation = app.showing(UINavigationController(rootViewController: root))
        root.show(shown, sender: nil)
        XCTAssertIdentical(navigation.topViewController, shown)
        shown.showDetailViewController(NamedController("detail"), sender: nil)
        XCTAssertEqual(shown.presentedViewController?.title, "detail", "there is no container with details")
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
