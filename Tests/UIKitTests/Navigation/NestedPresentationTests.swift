import UIKit
import XCTest

/// What `present` and `dismiss` do in the callbacks of others, and what is below a presentation.
@MainActor final class NestedPresentationTests: XCTestCase {
    func testCallbacksThatPresentAndDismissWithoutEndLeaveTheTurn() async throws {
        let app = try TestApp(.pad, 1000, 800)
        let (root, cover) = (app.showing(NamedController("root")), NamedController("cover"))
        cover.modalPresentationStyle = .fullScreen
        var rounds = 0
        cover.onAppearance = { call in
            // A turn without end would not come back to fail the test.
            if call == "appeared", rounds < 10_000 { root.dismiss(animated: false) }
        }
        root.onAppearance = { call in
            guard call == "appeared" else { return }
            rounds += 1
            root.present(cover, animated: false)
        }
        root.present(cover, animated: false)
        XCTAssertGreaterThan(rounds, 10)
        XCTAssertLessThan(rounds, 110)
        XCTAssertEqual(app.system.messages.filter { $0.contains("follows in the next turn") }.count, 1)
        let first = rounds
        app.turn()
        XCTAssertGreaterThan(rounds, first, "they go on")
        XCTAssertLessThan(rounds, first + 110)
        root.onAppearance = { _ in }
        app.turn()
        XCTAssertNil(root.presentedViewController)
        XCTAssertNotNil(root.view.window)
    }
}
