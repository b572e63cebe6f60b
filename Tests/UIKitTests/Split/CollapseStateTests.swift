import XCTest

@testable import UIKit

/// What a delegate finds in its calls while the interface collapses and expands.
@MainActor final class CollapseStateTests: XCTestCase {
    /// The calls of the delegate for another width, each with the width of the secondary column's
    /// view in the split view.
    private func calls(_ app: SplitApp, _ width: CGFloat) throws -> [String] {
        var calls: [String] = []
        app.recorder.onCall = { _, call in
            calls.append("\(call): \(app.frame(.secondary).map { "\(Int($0.width))" } ?? "none")")
        }
        try app.resize(width)
        return calls
    }

    /// Collapsed, the secondary view controller is on the primary column's stack. Expanded, its
    /// column extends below the sidebar.
    func testDidHideFindsTheStackAndDidShowTheColumns() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_000)
        XCTAssertEqual(
            try calls(app, 590),
            ["top secondary: 1000", "willHide primary: 1000", "didHide primary: none", "didCollapse: none"])
        XCTAssertEqual(
            try calls(app, 1_000),
            [
                "expanding oneBesideSecondary: none", "willShow primary: none", "didShow primary: 1000",
                "didExpand: 1000",
            ]
        )
    }

    func testTheEnvironmentChangesWithTheSizeClassBeforeTheDelegateIsCalled() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_000)
        let pane = try XCTUnwrap(app.panes[.secondary])
        var calls: [String] = []
        let traits: [UITrait] = [UITraitHorizontalSizeClass.self, UITraitSplitViewControllerLayoutEnvironment.self]
        pane.registerForTraitChanges(traits) { (pane: Pane, previous: UITraitCollection) in
            let present = pane.traitCollection
            calls.append("\(present.horizontalSizeClass) \(present.splitViewControllerLayoutEnvironment)")
        }
        app.recorder.onCall = { _, call in calls.append(call) }
        try app.resize(590)
        XCTAssertEqual(
            calls, ["compact collapsed", "top secondary", "willHide primary", "didHide primary", "didCollapse"])
        calls = []
        try app.resize(1_000)
        XCTAssertEqual(
            calls,
            ["regular expanded", "expanding oneBesideSecondary", "willShow primary", "didShow primary", "didExpand"])
    }

    func testACoveredSplitViewCollapsesOnceItReturns() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_200)
        let pane = try XCTUnwrap(app.panes[.secondary])
        var sizes: [CGFloat] = []
        pane.onTransition = { size, _ in sizes.append(size.width) }
        let cover = UIViewController()
        cover.modalPresentationStyle = .fullScreen
        app.split.present(cover, animated: false)
        let before = pane.appearances
        try app.resize(500)
        XCTAssertEqual(sizes, [], "in no window")
        cover.dismiss(animated: false)
        XCTAssertTrue(app.split.isCollapsed)
        XCTAssertEqual(sizes, [500])
        XCTAssertEqual(pane.appearances.dropFirst(before.count), ["will appear", "did appear"])
        for covered in [1_000, 900] as [CGFloat] {
            (sizes, app.recorder.calls) = ([], [])
            app.split.present(cover, animated: false)
            let before = pane.appearances
            try app.resize(covered)
            XCTAssertEqual(sizes, [], "\(covered)")
            cover.dismiss(animated: false)
            XCTAssertEqual(app.frame(.secondary)?.width, covered)
            XCTAssertEqual(sizes, [covered])
            XCTAssertEqual(pane.appearances.dropFirst(before.count), ["will appear", "did appear"], "\(covered)")
        }
    }
}
