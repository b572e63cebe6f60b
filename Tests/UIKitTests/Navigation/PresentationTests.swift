import UIKit
import XCTest

/// What `present` and `dismiss` do.
@MainActor final class PresentationTests: AppTestCase {
    override func makeApp() throws -> TestApp { try TestApp(.pad, 1000, 800) }

    private final class Delegate: NSObject, UIAdaptivePresentationControllerDelegate {
        var allows = true
        func presentationControllerShouldDismiss(_ presentationController: UIPresentationController) -> Bool {
            DelegateCalls.all.append("should dismiss")
            return allows
        }
        func presentationControllerWillDismiss(_ presentationController: UIPresentationController) {
            DelegateCalls.all.append("will dismiss")
        }
        func presentationControllerDidDismiss(_ presentationController: UIPresentationController) {
            DelegateCalls.all.append("did dismiss")
        }
        func presentationControllerDidAttemptToDismiss(_ presentationController: UIPresentationController) {
            DelegateCalls.all.append("attempt")
        }
    }

    func testASheetIsPresentedByTheOutermostContainer() async throws {
        let (child, sheet) = (NamedController("child"), NamedController("sheet"))
        let navigation = app.showing(UINavigationController(rootViewController: child))
        var isDone = false
        child.present(sheet, animated: true) {
            isDone = true
            XCTAssertEqual(sheet.layouts, 1, "the completion comes after the layout")
        }
        XCTAssertTrue(isDone)
        assertCalls("sheet loaded, sheet will appear, sheet appeared")
        for controller in [child, navigation] {
            XCTAssertIdentical(controller.presentedViewController, sheet)
            XCTAssertNil(controller.presentingViewController)
        }
        XCTAssertIdentical(sheet.presentingViewController, navigation)
        XCTAssertIdentical(navigation.visibleViewController, sheet)
        XCTAssertEqual(sheet.view.frame, CGRect(144, 20, 712, 760))
        XCTAssertNotNil(child.view.window, "what is below stays visible")
        sheet.dismiss(animated: true)
        assertCalls("sheet will disappear, sheet disappeared")
        XCTAssertNil(navigation.presentedViewController)
        XCTAssertNil(sheet.presentingViewController)
        XCTAssertNil(sheet.view.superview)
    }

    func testAFullScreenPresentationTakesTheWindow() async throws {
        let (root, cover) = (NamedController("root"), NamedController("cover"))
        let window = app.show(root)
        cover.modalPresentationStyle = .fullScreen
        root.present(cover, animated: false)
        assertCalls("cover loaded, root will disappear, cover will appear, root disappeared, cover appeared")
        XCTAssertNil(root.view.window)
        try app.resize(700, 600)
        XCTAssertEqual(cover.view.frame, window.bounds)
        XCTAssertEqual(cover.transitions, [CGSize(700, 600)])
        DelegateCalls.all = []
        window.isHidden = true
        window.isHidden = false
        XCTAssertNil(root.view.window, "a window that is shown again does not uncover it")
        DelegateCalls.all = []
        cover.dismiss(animated: false)
        assertCalls("cover will disappear, root will appear, cover disappeared, root appeared")
        XCTAssertEqual(root.view.frame, window.bounds)
        XCTAssertEqual(root.transitions, [CGSize(700, 600)])
    }

    func testSheetsFollowTheWindow() async throws {
        let (root, sheet) = (app.showing(NamedController("root")), NamedController("sheet"))
        func check(_ frame: CGRect, _ transitions: [CGSize], _ why: String = "", line: UInt = #line) {
            XCTAssertEqual(sheet.view.frame, frame, why, line: line)
            XCTAssertEqual(sheet.transitions, transitions, why, line: line)
            sheet.transitions = []
        }
        sheet.modalPresentationStyle = .formSheet
        sheet.preferredContentSize = CGSize(400, 300)
        root.present(sheet, animated: false)
        check(CGRect(300, 250, 400, 300), sheet.transitions)
        try app.resize(900, 800)
        check(CGRect(250, 250, 400, 300), [], "the size is the same")
        sheet.preferredContentSize.height = 200
        check(CGRect(250, 300, 400, 200), [CGSize(400, 200)])
        try app.resize(500, 800)
        check(CGRect(0, 10, 500, 790), [CGSize(500, 790)], "compact width")
        XCTAssertEqual(sheet.traitCollection.horizontalSizeClass, .compact)
    }

    func testPresentationsStackAndAreDismissedTogether() async throws {
        let all = ["root", "a", "b", "c"].map { NamedController($0) }
        app.show(all[0])
        all[0].present(all[1], animated: false)
        all[1].present(all[2], animated: false)
        all[2].present(all[3], animated: false)
        all[0].present(NamedController("late"), animated: false)
        XCTAssertIdentical(all[0].presentedViewController, all[1], "one at a time")
        XCTAssertTrue(app.system.messages.contains { $0.contains("dismiss that first") })
        try app.resize(900, 800)
        XCTAssertEqual(all[1...].map(\.view.frame), Array(repeating: CGRect(94, 20, 712, 760), count: 3))
        DelegateCalls.all = []
        all[1].dismiss(animated: false)
        assertCalls("c will disappear, b will disappear, c disappeared, b disappeared")
        XCTAssertIdentical(all[0].presentedViewController, all[1])
        XCTAssertNil(all[2].presentingViewController)
        all[1].dismiss(animated: false)
        XCTAssertNil(all[0].presentedViewController)
        all[0].dismiss(animated: false)
    }

    func testPresentationEndsWithItsWindowsRoot() async throws {
        for style in [UIModalPresentationStyle.pageSheet, .fullScreen] {
            for moment in ["will appear", "is appearing", "appeared", "later"] {
                let app = try TestApp(.pad, 1000, 800)
                let (root, sheet, next) = (NamedController("root"), NamedController("sheet"), NamedController("next"))
                let window = app.show(root)
                sheet.modalPresentationStyle = style
                sheet.onAppearance = { [unowned window] in if $0 == moment { window.rootViewController = next } }
                root.present(sheet, animated: false)
                if moment == "later" { window.rootViewController = next }
                XCTAssertEqual(window.subviews, [next.view!], "\(style) \(moment)")
                XCTAssertNil(sheet.presentingViewController, "\(style) \(moment)")
                XCTAssertNil(root.presentedViewController, "\(style) \(moment)")
            }
        }
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

    func testAControllerOutsideOfWindowsPresentsNothing() async throws {
        let (lone, sheet) = (NamedController("lone"), NamedController("sheet"))
        lone.present(sheet, animated: false) { XCTFail("it is not presented") }
        XCTAssertNil(lone.presentedViewController)
        XCTAssertTrue(app.system.messages.contains { $0.contains("is in no window") })
    }

    func testAPersonDismissesTheTopmostSheet() async throws {
        let (root, sheet, delegate) = (app.showing(NamedController("root")), NamedController("sheet"), Delegate())
        assertRefused(try app.system.dismiss(in: app.scene), .nothingPresented)
        sheet.presentationController?.delegate = delegate
        root.present(sheet, animated: false)
        delegate.allows = false
        try assertCalls("should dismiss, attempt") {
            assertRefused(try app.system.dismiss(in: app.scene), .notDismissible)
        }
        delegate.allows = true
        sheet.isModalInPresentation = true
        XCTAssertThrowsError(try app.system.dismiss(in: app.scene))
        assertCalls("attempt")
        sheet.isModalInPresentation = false
        try app.system.dismiss(in: app.scene)
        assertCalls("should dismiss, will dismiss, sheet will disappear, sheet disappeared, did dismiss")
        XCTAssertNil(root.presentedViewController)
        root.present(sheet, animated: false)
        assertCalls("sheet will disappear, sheet disappeared", "the app's own asks nobody") {
            root.dismiss(animated: false)
        }
        sheet.modalPresentationStyle = .fullScreen
        root.present(sheet, animated: false)
        assertRefused(try app.system.dismiss(in: app.scene), .notDismissible)
        XCTAssertIdentical(root.presentedViewController, sheet, "a full-screen presentation is not swiped away")
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

    func testNoWindowIsTooSmallForASheet() async throws {
        let (root, sheet) = (app.showing(NamedController("root")), NamedController("sheet"))
        root.present(sheet, animated: false)
        for size in [CGSize(1, 1), CGSize(5, 900), CGSize(1e7, 1)] {
            try app.resize(size.width, size.height)
            XCTAssertGreaterThanOrEqual(sheet.view.frame.height, 0)
            XCTAssertLessThanOrEqual(sheet.view.frame.maxY, app.scene.windows.last!.bounds.maxY)
        }
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
