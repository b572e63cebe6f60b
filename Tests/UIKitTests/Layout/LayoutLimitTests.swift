import UIKit
import XCTest

/// Views that are marked in each of their layouts.
@MainActor final class LayoutLimitTests: AppTestCase {
    func testAViewThatMarksItselfForEverIsLaidOut100TimesAndLogged() async throws {
        let root = app.showing(SettlingController("root"))
        let (endless, calm) = (EndlessView("endless"), RecordingView("calm"))
        root.view.addSubview(endless)
        root.view.addSubview(calm)
        app.turn()
        func check(_ endlessly: Int, _ calmly: Int, _ why: String, line: UInt = #line, in change: () throws -> Void)
            rethrows
        {
            let before = (endless.layouts, calm.layouts)
            try change()
            app.turn()
            XCTAssertEqual(
                [endless.layouts - before.0, calm.layouts - before.1], [endlessly, calmly], why, line: line)
        }
        endless.onLayout = { $0.setNeedsLayout() }
        check(100, 0, "marked once") { endless.setNeedsLayout() }
        XCTAssertEqual(app.system.messages.count, 1)
        XCTAssertTrue(app.system.messages[0].contains("EndlessView"), app.system.messages[0])
        XCTAssertFalse(app.system.messages[0].contains("RecordingView"), app.system.messages[0])
        check(0, 0, "it is left") {}
        check(100, 0, "the next turn counts anew") { endless.setNeedsLayout() }
        root.onSettle = { calm.setNeedsLayout() }
        try check(100, 1, "what is marked after an endless layout is laid out") {
            endless.setNeedsLayout()
            try app.resize(700, 500)
        }
        XCTAssertEqual(app.system.messages.count, 1, "logged once")
        endless.onLayout = { _ in calm.setNeedsLayout() }
        calm.onLayout = { _ in endless.setNeedsLayout() }
        check(100, 100, "views that mark each other") { endless.setNeedsLayout() }
    }

    private final class SettlingController: RecordingController {
        var onSettle: () -> Void = {}
        override func viewSizeDidSettle(_ size: CGSize) { onSettle() }
    }

    func testAViewThatLaysItselfOutInItsLayoutDoesNotRecur() async throws {
        let view = RecordingView("view")
        view.onLayout = {
            $0.setNeedsLayout()
            $0.layoutIfNeeded()
        }
        DelegateCalls.all = []
        view.layoutIfNeeded()
        XCTAssertEqual(view.layouts, 100)
    }

    func testLayoutIfNeededCountsAsThePassesOfItsTurn() async throws {
        let root = RecordingController("root")
        let endless = EndlessView("endless")
        root.view.addSubview(endless)
        app.show(root)
        app.turn()
        endless.onLayout = { $0.setNeedsLayout() }
        let delegate = ClosureSceneDelegate()
        delegate.onGeometry = {
            for _ in 0..<5 {
                endless.setNeedsLayout()
                endless.layoutIfNeeded()
            }
        }
        app.scene.delegate = delegate
        let layouts = endless.layouts
        try app.resize(700, 500)
        XCTAssertGreaterThanOrEqual(endless.layouts - layouts, 100)
        XCTAssertLessThanOrEqual(endless.layouts - layouts, 110, "each call has one layout of its own")
    }
}

final class EndlessView: RecordingView {}
