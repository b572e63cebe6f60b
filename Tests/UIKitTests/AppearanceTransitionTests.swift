import UIKit
import XCTest

/// Appearance calls that the app makes itself, and why a view controller appears.
@MainActor final class AppearanceTransitionTests: AppTestCase {
    override func makeApp() throws -> TestApp { try TestApp(.pad, 1000, 800) }

    private final class Manual: NamedController {
        override var shouldAutomaticallyForwardAppearanceMethods: Bool { false }
    }

    private func add(_ child: UIViewController, to parent: UIViewController) { parent.embed(child) }

    private func appearances() -> [String] { DelegateCalls.drain().filter { $0.contains("appear") } }

    /// Compares the calls about appearance while something runs.
    private func check(_ expected: String, _ why: String = "", line: UInt = #line, in body: () -> Void) {
        assertText(calls("appear", body), expected, why, line: line)
    }

    func testAContainerForwardsTheCallsItself() async throws {
        let (root, child, inner) = (Manual("root"), NamedController("child"), NamedController("inner"))
        let window = app.show(root)
        check("", "not by the system") {
            add(inner, to: child)
            add(child, to: root)
        }
        check("child will appear, inner will appear") { child.beginAppearanceTransition(true, animated: true) }
        check("child appeared, inner appeared") { child.endAppearanceTransition() }
        check("", "it has ended") { child.endAppearanceTransition() }
        check("root will disappear, root disappeared") { window.isHidden = true }
        check("child will disappear, inner will disappear") {
            child.beginAppearanceTransition(false, animated: false)
            child.view.removeFromSuperview()
        }
        check("child disappeared, inner disappeared") { child.endAppearanceTransition() }
    }

    func testATransitionOfTheAppsHoldsTheSystemsCallsBack() async throws {
        let (root, child) = (app.showing(NamedController("root")), NamedController("child"))
        root.addChild(child)
        check("child will appear") {
            child.beginAppearanceTransition(true, animated: false)
            root.view.addSubview(child.view)
        }
        check("child appeared") { child.endAppearanceTransition() }
        check("child will disappear, child disappeared", "the system's again") { child.view.removeFromSuperview() }
    }

    func testATransitionReplacesAChildsView() async throws {
        let (root, old, new) = (app.showing(NamedController("root")), NamedController("old"), NamedController("new"))
        add(old, to: root)
        root.addChild(new)
        DelegateCalls.all = []
        root.transition(from: old, to: new, duration: 0.3, options: [.curveEaseInOut]) {
            DelegateCalls.all.append("animations appear \(old.view.superview == new.view.superview)")
        } completion: { isFinished in
            DelegateCalls.all.append("completion appear \(isFinished) \(new.layouts)")
        }
        XCTAssertEqual(
            appearances(),
            [
                "old will disappear", "new will appear", "animations appear true", "old disappeared", "new appeared",
                "completion appear true 1",
            ])
        XCTAssertNil(old.view.superview)
        XCTAssertIdentical(new.view.superview, root.view)
    }

    private final class Placed: NamedController {
        override func viewDidLayoutSubviews() { DelegateCalls.all.append("\(name) laid out") }
    }

    func testATransitionLaysTheNewViewOutBeforeItHasAppeared() async throws {
        let (root, old) = (app.showing(NamedController("root")), NamedController("old"))
        func replaceOld() {
            let new = Placed("new")
            new.onAppearance = { if $0 == "is appearing" { DelegateCalls.all.append("new is appearing") } }
            root.addChild(new)
            DelegateCalls.all = []
            root.transition(from: old, to: new, duration: 0, animations: nil)
        }
        let expected = [
            "old will disappear", "new loaded", "new will appear", "new is appearing", "new laid out",
            "old disappeared", "new appeared",
        ]
        add(old, to: root)
        replaceOld()
        assertCalls(expected)
        old.onAppearance = { if $0 == "appeared" { replaceOld() } }
        app.turn { root.view.addSubview(old.view) }
        assertCalls(expected, "called as the old one appeared")
        XCTAssertNil(old.view.superview)
    }

    func testATransitionOfAnInvisibleContainerMakesNoCalls() async throws {
        let (root, old, new) = (NamedController("root"), NamedController("old"), NamedController("new"))
        let window = app.show(root)
        window.isHidden = true
        add(old, to: root)
        root.addChild(new)
        DelegateCalls.all = []
        root.transition(from: old, to: new, duration: 0, animations: nil)
        XCTAssertEqual(appearances(), [])
        window.isHidden = false
        XCTAssertEqual(appearances(), ["root will appear", "new will appear", "root appeared", "new appeared"])
    }

    // MARK: Why

    private final class Moving: UIViewController {
        var moves: [String] = []
        private func note(_ call: String) {
            if isMovingToParent { moves.append("\(call) to") }
            if isMovingFromParent { moves.append("\(call) from") }
        }
        override func viewWillAppear(_ animated: Bool) { note("will appear") }
        override func viewIsAppearing(_ animated: Bool) { note("is appearing") }
        override func viewDidAppear(_ animated: Bool) { note("appeared") }
        override func viewWillDisappear(_ animated: Bool) { note("will disappear") }
        override func viewDidDisappear(_ animated: Bool) { note("disappeared") }
    }

    private let entering = ["will appear to", "is appearing to", "appeared to"]
    private let leaving = ["will disappear from", "disappeared from"]

    func testAPoppedControllerIsMovingFromItsParentAndACoveredOneIsNot() async throws {
        let (root, top) = (Moving(), Moving())
        let navigation = app.showing(UINavigationController(rootViewController: root))
        root.moves = []
        navigation.pushViewController(top, animated: false)
        XCTAssertEqual(root.moves, [], "covered, and still on the stack")
        XCTAssertEqual(top.moves, entering)
        XCTAssertFalse(top.isMovingToParent)
        navigation.popViewController(animated: false)
        XCTAssertEqual(top.moves, entering + leaving)
        XCTAssertEqual(root.moves, [], "it comes back")
        XCTAssertFalse(top.isMovingFromParent)
        navigation.pushViewController(top, animated: false)
        XCTAssertEqual(top.moves, entering + leaving + entering)
    }

    func testAChildOfAnAppsContainerMovesWithIt() async throws {
        let (root, child) = (UIViewController(), Moving())
        let window = app.show(root)
        app.turn { add(child, to: root) }
        XCTAssertEqual(child.moves, entering)
        window.isHidden = true
        window.isHidden = false
        XCTAssertEqual(child.moves, entering, "with its window it does not move")
        child.willMove(toParent: nil)
        child.view.removeFromSuperview()
        child.removeFromParent()
        XCTAssertEqual(child.moves, entering + leaving)
        XCTAssertFalse(child.isMovingFromParent)
    }
}
