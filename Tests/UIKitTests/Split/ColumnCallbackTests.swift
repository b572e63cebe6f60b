import Settle
import XCTest

@testable import UIKit

/// What callbacks change in the midst of other changes, and what stops the program.
@MainActor final class ColumnCallbackTests: XCTestCase {
    // MARK: Drags

    func testADragThatACallbackBeginsEndsWithItsColumns() async throws {
        let changes: [(String, (SplitApp) throws -> Void, (SplitApp) throws -> Void)] = [
            ("collapse", { try $0.resize(500) }, { try $0.resize(1_000) }),
            (
                "hide", { try $0.system.setSidebarHidden(true, of: $0.split) },
                { try $0.system.setSidebarHidden(false, of: $0.split) }
            ),
        ]
        for (name, go, back) in changes {
            for call in ["willHide primary", "didHide primary"] {
                let app = try SplitApp(.doubleColumn, width: 1_000)
                let separator = try app.separator(.primary)
                app.recorder.onCall = { [unowned app] _, made in
                    if made == call { try? app.system.beginDrag(separator) }
                }
                try go(app)
                XCTAssertNil(app.split.drag, "\(name), \(call)")
                app.recorder.onCall = { _, _ in }
                try back(app)
                _ = app.drain()
                try app.resize(1_100)
                XCTAssertNotNil(app.drain()[.secondary], "\(name), \(call): rebuilt without endDrag")
            }
        }
    }

    // MARK: What stops the program

    func testWhatCannotBeInAColumnOrOnAStackNamesItsClasses() async throws {
        _ = try TestApp()
        let split = UISplitViewController(style: .doubleColumn)
        let navigation = UINavigationController(rootViewController: split)
        XCTAssertEqual(
            split.fault(of: split, for: .primary),
            "a UISplitViewController cannot be the primary column of a UISplitViewController that is or is in it")
        XCTAssertEqual(
            split.fault(of: navigation, for: .secondary),
            "a UINavigationController cannot be the secondary column of a UISplitViewController that is or is in it")
        XCTAssertNil(split.fault(of: UISplitViewController(style: .doubleColumn), for: .secondary))
        XCTAssertEqual(
            navigation.fault(in: [UIViewController(), split]),
            "a UISplitViewController, a split view controller, cannot be pushed onto a UINavigationController")
        XCTAssertNil(navigation.fault(in: [split, UIViewController()]), "as the root")
    }

    func testEndlessSettlingNamesAClass() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_000)
        final class Restless: UIViewController {
            var count = 0
            override func viewSizeDidSettle(_ size: CGSize) {
                count += 1
                splitViewController?.preferredPrimaryColumnWidth = 250 + CGFloat(count % 2)
            }
        }
        app.split.setViewController(Restless(), for: .primary)
        let logged = app.system.messages
        XCTAssertFalse(logged.contains { $0.contains("stay as they are: .") }, "\(logged)")
        XCTAssert(logged.contains { $0.contains("SplitView") }, "\(logged)")
    }
}
