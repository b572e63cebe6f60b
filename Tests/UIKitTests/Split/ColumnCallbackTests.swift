import Settle
import XCTest

@testable import UIKit

/// Rows 22, 23: what callbacks and people change in the midst of other changes.
@MainActor final class ColumnCallbackTests: XCTestCase {
    private typealias Column = UISplitViewController.Column

    // MARK: Decisions

    /// The interactions and rebuilds of a column while a person drags the sidebar's separator, something
    /// takes the column away, and it is shown again.
    private func kinds(
        of column: Column = .primary, _ take: (SplitApp) throws -> Void, back: (SplitApp) throws -> Void = { _ in }
    ) throws -> [String] {
        let app = try SplitApp(.doubleColumn, width: 1_000)
        var kinds: [String] = []
        app.system.onColumnDecision = { _, changed, decision in
            guard changed == column else { return }
            switch decision.kind {
            case .rebuild: kinds.append("rebuild")
            case .interactionBegan: kinds.append("began")
            case .interactionEnded(let reason, _): kinds.append("ended \(reason)")
            default: break
            }
        }
        let separator = try app.separator(.primary)
        try app.system.beginDrag(separator)
        try app.system.drag(separator, to: 250)
        try take(app)
        app.system.endDrag(separator)
        try back(app)
        return kinds
    }

    func testRow22_anInteractionEndsWithTheColumnThatGoesAway() async throws {
        XCTAssertEqual(
            try kinds({ $0.split.hide(.primary) }, back: { $0.split.show(.primary) }),
            ["began", "ended reported", "rebuild"])
        XCTAssertEqual(
            try kinds({ try $0.resize(500) }, back: { try $0.resize(1_000) }), ["began", "ended reported", "rebuild"])
        XCTAssertEqual(
            try kinds(
                { try $0.system.bring($0.scene, to: .background) },
                back: { try $0.system.bring($0.scene, to: .foregroundActive) }),
            ["began", "ended reported", "rebuild"])
        XCTAssertEqual(try kinds { try $0.system.disconnect($0.scene) }.first, "began")
        XCTAssert(try XCTUnwrap(kinds { try $0.system.disconnect($0.scene) }.last).hasPrefix("ended"))
        XCTAssertEqual(
            try kinds { $0.split.setViewController(Pane("new"), for: .primary) },
            ["began", "ended disconnected", "began", "ended reported", "rebuild"])
    }

    // MARK: What stops the program

    func testRow22_whatCannotBeInAColumnOrOnAStackNamesItsClasses() async throws {
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
}
