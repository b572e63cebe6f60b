import Settle
import XCTest

@testable import UIKit

/// A person drags a separator, which is an interactive resize of the columns.
@MainActor final class SeparatorTests: XCTestCase {
    private typealias Direction = UISystem.Separator.Direction

    func testAColumnsTransitionRunsItsWorkBeforeItsCompletion() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_000)
        let pane = try XCTUnwrap(app.panes[.primary])
        var calls: [String] = []
        pane.onTransition = { size, coordinator in
            calls.append("transition \(Int(size.width))")
            let isQueued = coordinator.animate { _ in
                calls.append("alongside \(Int(pane.view.bounds.width))")
            } completion: { _ in
                calls.append("completion")
            }
            XCTAssertTrue(isQueued)
        }
        let separator = try app.separator(.primary)
        try app.system.beginDrag(separator)
        try app.system.drag(separator, to: 400)
        let expected = ["transition 400", "alongside 400", "completion"]
        XCTAssertEqual(calls, expected)
        app.system.endDrag(separator)
        XCTAssertEqual(calls, expected, "the size is the same")
    }

    func testMoreColumnsThanTheHostAllowsAreLogged() async throws {
        let app = try TestApp()
        let system = try UISystem(
            UISystem.Configuration(infoPlist: app.infoPlist, scenesMax: 2, columnsMax: 1, log: { _ in }))
        let split = UISplitViewController(style: .doubleColumn)
        let (list, detail) = (Pane("list"), Pane("detail"))
        split.setViewController(list, for: .primary)
        split.setViewController(detail, for: .secondary)
        RecordingSceneDelegate.onConnect = { scene, delegate in
            delegate.window = UIWindow.show(split, in: scene)
        }
        try system.launch(PlainAppDelegate.self)
        XCTAssertEqual(list.settled.count, 1)
        XCTAssertEqual(detail.settled.count, 0)
        XCTAssertEqual(system.messages.filter { $0.contains("columnsMax") }.count, 1)
        try system.resize(system.windowScenes[0], to: CGSize(900, 900))
        XCTAssertEqual(system.messages.filter { $0.contains("columnsMax") }.count, 1)
    }
}
