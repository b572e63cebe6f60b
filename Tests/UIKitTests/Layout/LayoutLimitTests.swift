import UIKit
import XCTest

/// Views that are marked in each of their layouts.
@MainActor final class LayoutLimitTests: AppTestCase {
    func testAViewThatMarksItselfForEverIsLaidOut100TimesAndLogged() async throws {
        let root = RecordingController("root")
        app.show(root)
        app.system.advance(by: .zero)
        let (endless, calm) = (EndlessView("endless"), RecordingView("calm"))
        endless.onLayout = { $0.setNeedsLayout() }
        root.view.addSubview(endless)
        root.view.addSubview(calm)
        app.system.advance(by: .zero)
        XCTAssertEqual(endless.layouts, 100)
        XCTAssertEqual(calm.layouts, 1)
        XCTAssertEqual(app.system.messages.count, 1)
        XCTAssertTrue(app.system.messages[0].contains("EndlessView"), app.system.messages[0])
        XCTAssertFalse(app.system.messages[0].contains("RecordingView"), app.system.messages[0])
        app.system.advance(by: .zero)
        XCTAssertEqual(endless.layouts, 100, "it is left")
        endless.setNeedsLayout()
        app.system.advance(by: .zero)
        XCTAssertEqual(endless.layouts, 200, "the next turn counts anew")
        XCTAssertEqual(app.system.messages.count, 1, "logged once")

        // Views that mark each other.
        endless.onLayout = { _ in calm.setNeedsLayout() }
        calm.onLayout = { _ in endless.setNeedsLayout() }
        endless.setNeedsLayout()
        app.system.advance(by: .zero)
        XCTAssertEqual(calm.layouts, 101)
    }

    func testWhatIsMarkedAfterAnEndlessLayoutIsLaidOut() async throws {
        final class Settling: RecordingController {
            var onSettle: () -> Void = {}
            override func viewSizeDidSettle(_ size: CGSize) { onSettle() }
        }
        let app = try TestApp().launched()
        let root = Settling("root")
        let (endless, calm) = (EndlessView("endless"), RecordingView("calm"))
        root.view.addSubview(endless)
        root.view.addSubview(calm)
        app.show(root)
        app.turn()
        root.onSettle = { calm.setNeedsLayout() }
        endless.onLayout = { $0.setNeedsLayout() }
        let (layouts, calmLayouts) = (endless.layouts, calm.layouts)
        endless.setNeedsLayout()
        try app.resize(700, 500)
        XCTAssertEqual(endless.layouts, layouts + 100)
        XCTAssertEqual(calm.layouts, calmLayouts + 1)
        XCTAssertFalse(app.system.messages.joined().contains("RecordingView"), "\(app.system.messages)")
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
