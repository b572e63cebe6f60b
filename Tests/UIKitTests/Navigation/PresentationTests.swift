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
        let navigation = UINavigationController(rootViewController: child)
        app.show(navigation)
        var isDone = false
        child.present(sheet, animated: true) {
            isDone = true
            XCTAssertEqual(sheet.layouts, 1, "the completion comes after the layout")
        }
        XCTAssertTrue(isDone)
        assertCalls(["sheet loaded", "sheet will appear", "sheet appeared"])
        for controller in [child, navigation] {
            XCTAssertIdentical(controller.presentedViewController, sheet)
            XCTAssertNil(controller.presentingViewController)
        }
        XCTAssertIdentical(sheet.presentingViewController, navigation)
        XCTAssertIdentical(navigation.visibleViewController, sheet)
        XCTAssertEqual(sheet.view.frame, CGRect(x: 144, y: 20, width: 712, height: 760))
        XCTAssertNotNil(child.view.window, "what is below stays visible")
        sheet.dismiss(animated: true)
        assertCalls(["sheet will disappear", "sheet disappeared"])
        XCTAssertNil(navigation.presentedViewController)
        XCTAssertNil(sheet.presentingViewController)
        XCTAssertNil(sheet.view.superview)
    }

    func testAFullScreenPresentationTakesTheWindow() async throws {
        let (root, cover) = (NamedController("root"), NamedController("cover"))
        let window = app.show(root)
        cover.modalPresentationStyle = .fullScreen
        root.present(cover, animated: false)
        assertCalls(["cover loaded", "root will disappear", "cover will appear", "root disappeared", "cover appeared"])
        XCTAssertNil(root.view.window)
        try app.resize(700, 600)
        XCTAssertEqual(cover.view.frame, window.bounds)
        XCTAssertEqual(cover.transitions, [CGSize(width: 700, height: 600)])
        DelegateCalls.all = []
        window.isHidden = true
        window.isHidden = false
        XCTAssertNil(root.view.window, "a window that is shown again does not uncover it")
        DelegateCalls.all = []
        cover.dismiss(animated: false)
        assertCalls(["cover will disappear", "root will appear", "cover disappeared", "root appeared"])
        XCTAssertEqual(root.view.frame, window.bounds)
        XCTAssertEqual(root.transitions, [CGSize(width: 700, height: 600)])
    }

    func testSheetsFollowTheWindow() async throws {
        let (root, sheet) = (NamedController("root"), NamedController("sheet"))
        app.show(root)
        sheet.modalPresentationStyle = .formSheet
        sheet.preferredContentSize = CGSize(width: 400, height: 300)
        root.present(sheet, animated: false)
        XCTAssertEqual(sheet.view.frame, CGRect(x: 300, y: 250, width: 400, height: 300))
        try app.resize(900, 800)
        XCTAssertEqual(sheet.view.frame, CGRect(x: 250, y: 250, width: 400, height: 300))
        XCTAssertEqual(sheet.transitions, [], "the size is the same")
        sheet.preferredContentSize.height = 200
        XCTAssertEqual(sheet.view.frame, CGRect(x: 250, y: 300, width: 400, height: 200))
        XCTAssertEqual(sheet.transitions, [CGSize(width: 400, height: 200)])
        sheet.transitions = []
        try app.resize(500, 800)
        XCTAssertEqual(sheet.view.frame, CGRect(x: 0, y: 10, width: 500, height: 790), "compact width")
        XCTAssertEqual(sheet.transitions, [CGSize(width: 500, height: 790)])
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
        DelegateCalls.all = []
        all[1].dismiss(animated: false)
        assertCalls(["c will disappear", "b will disappear", "c disappeared", "b disappeared"])
        XCTAssertIdentical(all[0].presentedViewController, all[1])
        XCTAssertNil(all[2].presentingViewController)
        all[1].dismiss(animated: false)
        XCTAssertNil(all[0].presentedViewController)
        all[0].dismiss(animated: false)
    }

    func testDismissalInItsOwnAppearanceCounts() async throws {
        for style in [UIModalPresentationStyle.pageSheet, .fullScreen] {
            for moment in ["will appear", "is appearing", "appeared"] {
                let app = try TestApp(.pad, 1000, 800)
                let (root, sheet) = (NamedController("root"), NamedController("sheet"))
                let window = app.show(root)
                var isDone = false
                sheet.modalPresentationStyle = style
                sheet.onAppearance = { [unowned sheet] call in
                    guard call == moment else { return }
                    sheet.dismiss(animated: false) { isDone = true }
                }
                root.present(sheet, animated: false)
                XCTAssertTrue(isDone, moment)
                XCTAssertNil(root.presentedViewController, moment)
                XCTAssertNil(sheet.presentingViewController, moment)
                XCTAssertTrue(
                    ["root appeared", "sheet disappeared"].contains(DelegateCalls.drain().last ?? ""), moment)
                XCTAssertEqual(window.subviews, [root.view!], moment)
                sheet.onAppearance = { _ in }
                root.present(sheet, animated: false)
                XCTAssertIdentical(root.presentedViewController, sheet, "it can be presented again")
            }
        }
    }

    func testPresentationEndsWithARootThatIsReplacedWhileItAppears() async throws {
        for style in [UIModalPresentationStyle.pageSheet, .fullScreen] {
            let app = try TestApp(.pad, 1000, 800)
            let (root, sheet, next) = (NamedController("root"), NamedController("sheet"), NamedController("next"))
            let window = app.show(root)
            sheet.modalPresentationStyle = style
            sheet.onAppearance = { [unowned window] call in
                if call == "appeared" { window.rootViewController = next }
            }
            root.present(sheet, animated: false)
            XCTAssertEqual(window.subviews, [next.view!])
            XCTAssertNil(sheet.presentingViewController)
            XCTAssertNil(root.presentedViewController)
        }
    }

    func testBeingPresentedAndDismissedIsKnown() async throws {
        let (root, sheet) = (NamedController("root"), NamedController("sheet"))
        app.show(root)
        var states: [String] = []
        sheet.onAppearance = { [unowned sheet] call in
            states.append("\(call): \(sheet.isBeingPresented) \(sheet.isBeingDismissed)")
        }
        root.present(sheet, animated: false)
        XCTAssertFalse(sheet.isBeingPresented)
        XCTAssertFalse(sheet.isBeingDismissed)
        root.dismiss(animated: false)
        XCTAssertEqual(
            states,
            [
                "will appear: true false", "is appearing: true false", "appeared: true false",
                "will disappear: false true", "disappeared: false true",
            ])
        XCTAssertFalse(sheet.isBeingDismissed)
    }

    func testAControllerOutsideOfWindowsPresentsNothing() async throws {
        let (lone, sheet) = (NamedController("lone"), NamedController("sheet"))
        lone.present(sheet, animated: false) { XCTFail("it is not presented") }
        XCTAssertNil(lone.presentedViewController)
        XCTAssertTrue(app.system.messages.contains { $0.contains("is in no window") })
    }

    func testAPersonDismissesTheTopmostSheet() async throws {
        let (root, sheet, delegate) = (NamedController("root"), NamedController("sheet"), Delegate())
        app.show(root)
        assertRefused(try app.system.dismiss(in: app.scene), .nothingPresented)
        sheet.presentationController?.delegate = delegate
        root.present(sheet, animated: false)
        DelegateCalls.all = []
        delegate.allows = false
        assertRefused(try app.system.dismiss(in: app.scene), .notDismissible)
        assertCalls(["should dismiss", "attempt"])
        delegate.allows = true
        sheet.isModalInPresentation = true
        XCTAssertThrowsError(try app.system.dismiss(in: app.scene))
        assertCalls(["attempt"])
        sheet.isModalInPresentation = false
        try app.system.dismiss(in: app.scene)
        assertCalls(["should dismiss", "will dismiss", "sheet will disappear", "sheet disappeared", "did dismiss"])
        XCTAssertNil(root.presentedViewController)
        root.present(sheet, animated: false)
        DelegateCalls.all = []
        root.dismiss(animated: false)
        assertCalls(["sheet will disappear", "sheet disappeared"], "the app's own asks nobody")
    }

    func testAPresentationControllerKeepsItsViewController() async throws {
        let root = NamedController("root")
        app.show(root)
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

    func testAFullScreenPresentationIsNotSwipedAway() async throws {
        let (root, cover) = (NamedController("root"), NamedController("cover"))
        app.show(root)
        cover.modalPresentationStyle = .fullScreen
        root.present(cover, animated: false)
        assertRefused(try app.system.dismiss(in: app.scene), .notDismissible)
        XCTAssertIdentical(root.presentedViewController, cover)
    }

    func testPresentationEndsWithItsWindowsRoot() async throws {
        let (root, sheet) = (NamedController("root"), NamedController("sheet"))
        let window = app.show(root)
        root.present(sheet, animated: false)
        window.rootViewController = NamedController("next")
        XCTAssertNil(sheet.view.superview)
        XCTAssertNil(sheet.presentingViewController)
        XCTAssertEqual(window.subviews.count, 1)
    }

    func testWhatCoversTheWindowDecidesAboutTheLock() async throws {
        final class Locking: UIViewController {
            override var prefersInterfaceOrientationLocked: Bool { true }
        }
        let app = try TestApp(platform: .pad).launched()
        let (root, cover) = (UIViewController(), Locking())
        app.show(root)
        root.present(cover, animated: false)
        app.system.advance(by: .seconds(1))
        XCTAssertFalse(app.scene.effectiveGeometry.isInterfaceOrientationLocked, "a sheet covers nothing")
        root.dismiss(animated: false)
        cover.modalPresentationStyle = .fullScreen
        root.present(cover, animated: false)
        app.system.advance(by: .seconds(1))
        XCTAssertTrue(app.scene.effectiveGeometry.isInterfaceOrientationLocked)
        cover.dismiss(animated: false)
        app.system.advance(by: .seconds(1))
        XCTAssertFalse(app.scene.effectiveGeometry.isInterfaceOrientationLocked)
    }

    func testNoWindowIsTooSmallForASheet() async throws {
        let (root, sheet) = (NamedController("root"), NamedController("sheet"))
        app.show(root)
        root.present(sheet, animated: false)
        for size in [CGSize(width: 1, height: 1), CGSize(width: 5, height: 900), CGSize(width: 1e7, height: 1)] {
            try app.resize(size.width, size.height)
            XCTAssertGreaterThanOrEqual(sheet.view.frame.height, 0)
            XCTAssertLessThanOrEqual(sheet.view.frame.maxY, app.scene.windows.last!.bounds.maxY)
        }
    }

    func testCompletionsThatPresentWithoutEndLeaveTheTurn() async throws {
        let (root, sheet) = (NamedController("root"), NamedController("sheet"))
        app.show(root)
        var rounds = 0
        func again() {
            rounds += 1
            // A turn without end would not come back to fail the test.
            guard rounds < 10_000 else { return }
            root.present(sheet, animated: false) {
                root.dismiss(animated: false) { again() }
            }
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
