import Settle
import TestSupport
import XCTest

@testable import UIKit

/// Section 0: `viewSizeDidSettle` of a window's root controller.
@MainActor final class SettledSizeTests: XCTestCase {
    /// Records sizes, and notices one that settles while the view has another one or is resized.
    private final class Root: UIViewController {
        var calls: [String] = []
        var onLayout: () -> Void = {}

        func drain() -> [String] {
            defer { calls = [] }
            return calls
        }

        override func viewWillTransition(to size: CGSize, with coordinator: any UIViewControllerTransitionCoordinator) {
            super.viewWillTransition(to: size, with: coordinator)
            calls.append("transition \(Int(size.width))")
        }
        override func viewDidLayoutSubviews() { onLayout() }
        override func viewSizeDidSettle(_ size: CGSize) {
            calls.append("settle \(Int(size.width))")
            XCTAssertEqual(view.bounds.size, size)
            XCTAssertEqual(view.window?.windowScene?.effectiveGeometry.isInteractivelyResizing, false)
        }
    }

    private func shown(_ policy: Policy = .immediate()) throws -> (TestApp, Root) {
        let (app, root) = (try TestApp(policy: policy), Root())
        _ = try app.launched()
        app.show(root)
        try app.resize(803, 600)
        root.calls = []
        return (app, root)
    }

    private func event(_ app: TestApp, _ width: Double?, _ isResizing: Bool? = nil) -> Event {
        .geometry(
            app.system.identity(of: app.scene), at: app.system.now,
            size: width.map { Size($0, 600) }, isInteractivelyResizing: isResizing)
    }

    func testOfSizesThatCameTogetherTheLastSettles() async throws {
        let (app, root) = try shown()
        let sizes = [event(app, 800), event(app, 801), event(app, 802)]
        app.system.submit(sizes.span)
        XCTAssertEqual(root.drain(), ["transition 802", "settle 802"])
        let thereAndBack = [event(app, 700), event(app, 802)]
        app.system.submit(thereAndBack.span)
        XCTAssertEqual(root.drain(), [], "built")
    }

    func testASizeThatWasDecidedWaitsWhileAPersonResizesAgain() async throws {
        let (app, root) = try shown(.uikit)
        let drags = [event(app, 700, true), event(app, nil, false), event(app, 750, true)]
        app.system.submit(drags.span)
        XCTAssertEqual(root.drain(), ["transition 750"], "under the hand")
        app.system.submit(event(app, 700, true))
        app.system.submit(event(app, nil, false))
        app.system.advance(by: .seconds(1))
        XCTAssertEqual(root.drain(), ["transition 700", "settle 700"], "what was decided before")
        app.system.submit(drags.span)
        app.system.submit(event(app, nil, false))
        app.system.advance(by: .seconds(1))
        XCTAssertEqual(root.drain(), ["transition 750", "settle 750"])
    }

    func testASizeThatALayoutAsksForSettlesAfterItsTransition() async throws {
        let (app, root) = try shown()
        root.onLayout = {
            root.onLayout = {}
            try? app.resize(640, 600)
        }
        app.turn { root.view.setNeedsLayout() }
        XCTAssertEqual(root.drain(), ["transition 640", "settle 640"])
    }
}
