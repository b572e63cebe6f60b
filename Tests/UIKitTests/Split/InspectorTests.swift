import XCTest

@testable import UIKit

/// The inspector is a trailing column or, collapsed, a sheet.
@MainActor final class InspectorTests: XCTestCase {
    func testAnInspectorIsHiddenUntilItIsShown() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_200)
        XCTAssertFalse(app.split.isShowing(.inspector))
        XCTAssertNil(app.frame(.inspector))
        app.split.show(.inspector)
        XCTAssert(app.split.isShowing(.inspector))
        XCTAssertEqual(app.frame(.inspector), CGRect(930, 0, 270, 800))
        XCTAssertEqual(app.split.slots.secondary.child?.coveredInsets.right, 270)
        app.split.hide(.inspector)
        XCTAssertNil(app.frame(.inspector))
        XCTAssertEqual(app.split.slots.secondary.child?.coveredInsets.right, 0)
        XCTAssertEqual(app.recorder.drain(), [], "the app's own changes")
        app.split.show(.inspector)
        app.split.setViewController(Pane("new"), for: .inspector)
        XCTAssertFalse(app.split.isShowing(.inspector))
    }

    func testWithoutAViewControllerShowDoesNothing() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_200, columns: [.primary, .secondary])
        app.split.show(.inspector)
        XCTAssertFalse(app.split.isShowing(.inspector))
        app.split.setViewController(Pane("inspector"), for: .inspector)
        XCTAssertFalse(app.split.isShowing(.inspector))
    }

    func testShowBeforeTheFirstLayoutIsRemembered() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_200) { $0.show(.inspector) }
        XCTAssert(app.split.isShowing(.inspector))
        XCTAssertEqual(app.frame(.inspector)?.width, 270)
        let narrow = try SplitApp(.doubleColumn, width: 500) { $0.show(.inspector) }
        XCTAssert(narrow.split.isShowing(.inspector))
        XCTAssert(narrow.split.presentedViewController === narrow.panes[.inspector]?.navigationController)
    }

    func testCollapseMakesItASheetAndExpandAColumn() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_200)
        app.split.show(.inspector)
        let pane = app.pane(.inspector)
        for _ in 0..<3 {
            try app.resize(500)
            XCTAssert(app.split.isShowing(.inspector))
            XCTAssert(app.split.presentedViewController === pane.navigationController)
            try app.resize(1_200)
            XCTAssert(app.split.isShowing(.inspector))
            XCTAssertNil(app.split.presentedViewController)
            XCTAssertEqual(app.width(.inspector), 270)
        }
        XCTAssertFalse(app.recorder.drain().contains { $0.contains("inspector") })
        try app.resize(500)
        app.split.hide(.inspector)
        XCTAssertNil(app.split.presentedViewController)
        XCTAssertFalse(app.split.isShowing(.inspector))
        app.split.show(.inspector)
        XCTAssert(app.split.presentedViewController === pane.navigationController)
        XCTAssertEqual(pane.loads, 1)
    }

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

    func testAnInspectorThatCannotBeASheetIsHiddenLikeOtherColumns() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_200)
        app.split.show(.inspector)
        app.split.present(Pane("alert"), animated: false)
        try app.resize(500)
        app.assertCalls(
            "top secondary, willHide primary, willHide inspector, didHide primary, didHide inspector, "
                + "didCollapse collapsed")
        XCTAssertFalse(app.split.isShowing(.inspector))
        XCTAssert(app.system.messages.contains { $0.contains("the inspector is not shown, as a Pane") })
        try app.resize(1_200)
        app.assertCalls(
            "expanding oneBesideSecondary collapsed, willShow primary collapsed, willShow inspector collapsed, "
                + "didShow primary collapsed, didShow inspector collapsed, didExpand")
        XCTAssertEqual(app.width(.inspector), 270)
        try app.resize(500)
        app.split.dismiss(animated: false)
        app.split.show(.inspector)
        XCTAssert(app.split.presentedViewController === app.pane(.inspector).navigationController)
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

    func testAPersonsDismissalIsReportedAndTheAppsIsNot() async throws {
        let app = try SplitApp(.doubleColumn, width: 500)
        app.split.show(.inspector)
        _ = app.recorder.drain()
        try app.system.dismiss(in: app.scene)
        app.assertCalls("willHide inspector collapsed, didHide inspector collapsed")
        XCTAssertFalse(app.split.isShowing(.inspector))
        app.split.show(.inspector)
        app.split.dismiss(animated: false)
        XCTAssertFalse(app.split.isShowing(.inspector), "the app dismisses the sheet itself")
        try app.resize(1_200)
        XCTAssertNil(app.frame(.inspector))
        app.split.show(.inspector)
        XCTAssertEqual(app.width(.inspector), 270)
    }

    func testTheInspectorLeavesWhenThereIsNoSpace() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_200)
        app.split.show(.inspector)
        try app.resize(700)
        app.assertCalls("willHide inspector, didHide inspector")
        try app.resize(1_200)
        app.assertCalls("willShow inspector, didShow inspector")
        try app.resize(500)
        var states: [String: Bool] = [:]
        app.recorder.onCall = { split, call in states[call] = split.isShowing(.inspector) }
        try app.resize(700)
        XCTAssertEqual([states["willHide inspector"], states["didHide inspector"]], [true, false], "by the expansion")
        XCTAssertNil(app.frame(.inspector))
    }

    func testWhatTheSheetPresentsEndsWithIt() async throws {
        let app = try SplitApp(.doubleColumn, width: 500)
        app.split.show(.inspector)
        let sheet = try XCTUnwrap(app.split.presentedViewController)
        let picker = Pane("picker")
        sheet.present(picker, animated: false)
        XCTAssert(sheet.presentedViewController === picker)
        app.split.hide(.inspector)
        XCTAssertNil(app.split.presentedViewController)
        XCTAssertFalse(app.split.isShowing(.inspector))
        XCTAssertNil(picker.presentingViewController)
        XCTAssertNil(picker.view.window)
        app.split.show(.inspector)
        XCTAssert(app.split.presentedViewController === sheet)
        sheet.present(picker, animated: false)
        try app.resize(1_200)
        XCTAssertNil(app.split.presentedViewController)
        XCTAssertNil(picker.presentingViewController)
        XCTAssertEqual(app.frame(.inspector), CGRect(930, 0, 270, 800))
        try app.resize(1_100)
        XCTAssertEqual(app.frame(.inspector), CGRect(830, 0, 270, 800))
        try app.resize(500)
        XCTAssert(app.split.presentedViewController === sheet, "nothing else is presented")
        XCTAssert(app.split.isShowing(.inspector))
    }

    func testASheetIsAColumnOfTheEngine() async throws {
        let app = try SplitApp(.doubleColumn, width: 500)
        _ = app.drain()
        app.split.show(.inspector)
        let size = try XCTUnwrap(app.panes[.inspector]?.navigationController?.view.bounds.size)
        XCTAssertEqual(app.drain()[.inspector], [size])
        try app.resize(1_200)
        XCTAssertEqual(app.drain()[.inspector], [CGSize(270, 800)])
    }
}
