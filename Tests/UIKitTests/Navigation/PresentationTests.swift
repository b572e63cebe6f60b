import UIKit
import XCTest

/// What `present` and `dismiss` do.
@MainActor final class PresentationTests: AppTestCase {
    override func makeApp() throws -> TestApp { try TestApp(.pad, 1000, 800) }

    private final class Delegate: NSObject, UIAdaptivePresentationControllerDelegate {}

    func testACompletionComesAfterTheLayout() async throws {
        let (root, sheet) = (app.showing(NamedController("root")), NamedController("sheet"))
        var layouts: [Int] = []
        root.present(sheet, animated: true) { layouts.append(sheet.layouts) }
        XCTAssertEqual(layouts, [1])
    }

    func testBeingPresentedAndDismissedIsKnown() async throws {
        let (root, sheet) = (app.showing(NamedController("root")), NamedController("sheet"))
        var states: [String] = []
        sheet.onAppearance = { [unowned sheet] call in
            states.append("\(call): \(sheet.isBeingPresented) \(sheet.isBeingDismissed)")
        }
        root.present(sheet, animated: false)
        XCTAssertFalse(sheet.isBeingPresented || sheet.isBeingDismissed)
        root.dismiss(animated: false)
        assertText(
            states,
            "will appear: true false, is appearing: true false, appeared: true false, will disappear: false true, "
                + "disappeared: false true")
        XCTAssertFalse(sheet.isBeingDismissed)
    }

    func testAPresentationControllerKeepsItsViewController() async throws {
        let root = app.showing(NamedController("root"))
        let delegate = Delegate()
        var manager: UIPresentationController?
        weak var sheet: NamedController?
        do {
            let new = NamedController("sheet")
            sheet = new
            new.presentationController?.delegate = delegate
            XCTAssertIdentical(new.presentationController?.delegate, delegate, "nothing else keeps the object")
            root.present(new, animated: false)
            manager = new.presentationController
            XCTAssertIdentical(manager, new.presentationController)
            XCTAssertIdentical(manager?.presentingViewController, root)
            root.dismiss(animated: false)
        }
        XCTAssertEqual(manager?.presentedViewController.title, "sheet")
        XCTAssertNotNil(sheet)
        manager = nil
        XCTAssertNil(sheet, "nothing keeps it any more")
    }

    /// What bounds a turn's rounds begins anew in each.
    func testEachOfManyTurnsCallsItsCompletionsAtOnce() async throws {
        let (root, sheet) = (app.showing(NamedController("root")), NamedController("sheet"))
        var calls: [String] = []
        for turn in 0..<150 {
            root.present(sheet, animated: turn % 2 == 0) { calls.append("presented") }
            root.dismiss(animated: turn % 3 == 0) { calls.append("dismissed") }
            XCTAssertEqual(calls, ["presented", "dismissed"], "turn \(turn)")
            calls = []
        }
        XCTAssertEqual(app.system.messages, [])
    }

    func testCompletionsThatPresentWithoutEndLeaveTheTurn() async throws {
        let (root, sheet) = (app.showing(NamedController("root")), NamedController("sheet"))
        var rounds = 0
        func again() {
            rounds += 1
            // A turn without end would not come back to fail the test.
            guard rounds < 10_000 else { return }
            root.present(sheet, animated: false) { root.dismiss(animated: false) { again() } }
        }
        again()
        XCTAssertGreaterThan(rounds, 10)
        XCTAssertLessThan(rounds, 110)
        XCTAssertEqual(app.system.messages.filter { $0.contains("Completions") }.count, 1)
        let first = rounds
        app.turn()
        XCTAssertGreaterThan(rounds, first, "they go on")
        XCTAssertLessThan(rounds, first + 110)
    }
}
