import UIKit
import XCTest

/// A transition that the app makes itself, and why a view controller appears.
@MainActor final class AppearanceTransitionTests: AppTestCase {
    override func makeApp() throws -> TestApp { try TestApp(.pad, 1000, 800) }

    func testATransitionReplacesAChildsView() async throws {
        let (root, old, new) = (app.showing(NamedController("root")), NamedController("old"), NamedController("new"))
        root.embed(old)
        root.addChild(new)
        DelegateCalls.all = []
        root.transition(from: old, to: new, duration: 0.3, options: [.curveEaseInOut]) {
            DelegateCalls.all.append("animations appear \(old.view.superview == new.view.superview)")
        } completion: { isFinished in
            DelegateCalls.all.append("completion appear \(isFinished) \(new.layouts)")
        }
        XCTAssertEqual(
            DelegateCalls.drain().filter { $0.contains("appear") },
            [
                "old will disappear", "new will appear", "animations appear true", "old disappeared", "new appeared",
                "completion appear true 1",
            ])
        XCTAssertNil(old.view.superview)
        XCTAssertIdentical(new.view.superview, root.view)
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
        app.turn { root.embed(child) }
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
