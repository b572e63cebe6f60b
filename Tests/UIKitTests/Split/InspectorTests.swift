import XCTest

@testable import UIKit

/// The inspector is a trailing column or, collapsed, a sheet.
@MainActor final class InspectorTests: XCTestCase {
    func testTheInspectorCountsAsShownThroughout() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_200)
        app.split.show(.inspector)
        var states: [String: Bool] = [:]
        app.recorder.onCall = { split, call in states[call] = split.isShowing(.inspector) }
        try app.resize(500)
        XCTAssertEqual(
            states,
            ["top secondary": true, "willHide primary": true, "didHide primary": true, "didCollapse": true])
        states = [:]
        try app.resize(1_200)
        XCTAssertEqual(
            states,
            [
                "expanding oneBesideSecondary": true, "willShow primary": true, "didShow primary": true,
                "didExpand": true,
            ])
        app.recorder.onCall = { split, call in if call == "didHide primary" { split.hide(.inspector) } }
        try app.resize(500)
        XCTAssertFalse(app.split.isShowing(.inspector), "the app has hidden it meanwhile")
        XCTAssertNil(app.split.presentedViewController)
    }

    func testAChildThatIsLentHearsOfEachMove() async throws {
        final class Moving: UIViewController {
            var moves: [String] = []
            override func willMove(toParent parent: UIViewController?) {
                moves.append(parent.map { "will enter \(type(of: $0))" } ?? "will leave")
            }
            override func didMove(toParent parent: UIViewController?) {
                moves.append(parent.map { "entered \(type(of: $0))" } ?? "left")
            }
            func drain() -> [String] {
                defer { moves = [] }
                return moves
            }
        }
        let (inspector, detail) = (Moving(), Moving())
        // What has a navigation controller itself is not put into one.
        for moving in [inspector, detail] { moving.addChild(UINavigationController()) }
        let app = try SplitApp(.doubleColumn, width: 1_200) {
            $0.setViewController(detail, for: .secondary)
            $0.setViewController(inspector, for: .inspector)
            $0.show(.inspector)
        }
        let entries = ["will enter UISplitViewController", "entered UISplitViewController"]
        XCTAssertEqual(detail.drain(), entries)
        XCTAssertEqual(inspector.drain(), entries)
        XCTAssert(app.split.children.contains(inspector))
        for _ in 0..<2 {
            try app.resize(500)
            XCTAssert(app.split.presentedViewController === inspector)
            XCTAssertEqual(inspector.drain(), ["will leave", "left"])
            XCTAssertEqual(
                detail.drain(),
                ["will leave", "left", "will enter UINavigationController", "entered UINavigationController"])
            try app.resize(1_200)
            XCTAssertEqual(inspector.drain(), entries)
            XCTAssertEqual(detail.drain(), ["will leave", "left"] + entries)
        }
    }

    func testAnInspectorThatIsASheetIsStillInItsSplitView() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_200)
        app.split.show(.inspector)
        let pane = try XCTUnwrap(app.panes[.inspector])
        var environments: [UISplitViewController.LayoutEnvironment] = []
        pane.registerForTraitChanges([UITraitSplitViewControllerLayoutEnvironment.self]) {
            (pane: Pane, previous: UITraitCollection) in
            environments.append(pane.traitCollection.splitViewControllerLayoutEnvironment)
        }
        try app.resize(500)
        XCTAssert(app.split.presentedViewController === pane.navigationController)
        XCTAssert(pane.splitViewController === app.split)
        XCTAssertEqual(pane.traitCollection.splitViewControllerLayoutEnvironment, .collapsed)
        try app.resize(1_200)
        XCTAssertEqual(environments, [.collapsed, .expanded], "once each")
        try app.resize(500)
        pane.splitViewController?.hide(.inspector)
        XCTAssertNil(app.split.presentedViewController)
        XCTAssert(pane.splitViewController === app.split, "a hidden column is in it, too")
    }

    func testAnInspectorWithoutSpaceIsHiddenByTheExpansion() async throws {
        let app = try SplitApp(.doubleColumn, width: 500)
        app.split.show(.inspector)
        var states: [String: Bool] = [:]
        app.recorder.onCall = { split, call in states[call] = split.isShowing(.inspector) }
        try app.resize(700)
        XCTAssertEqual([states["willHide inspector"], states["didHide inspector"]], [true, false], "by the expansion")
        XCTAssertNil(app.frame(.inspector))
    }
}
