import XCTest

@testable import UIKit

/// What the app does while the interface is collapsed, or expands.
@MainActor final class ExpansionTests: XCTestCase {
    private typealias Column = UISplitViewController.Column

    func testWhatIsPushedOnAColumnsOwnStackJoinsTheColumn() async throws {
        for top in [Column.secondary, .primary] {
            let app = try SplitApp(.tripleColumn, width: 1_000)
            let detail = try XCTUnwrap(app.panes[.secondary]?.navigationController)
            app.recorder.topColumn = top
            try app.resize(500)
            let pushed = Pane("pushed")
            detail.pushViewController(pushed, animated: false)
            try app.resize(1_000)
            XCTAssertEqual(app.stacks, ["primary", "supplementary", "secondary pushed"], "\(top)")
            XCTAssertNotNil(pushed.view.window)
            try app.resize(500)
            detail.pushViewController(Pane("more"), animated: false)
            app.split.show(.secondary)
            XCTAssertEqual(app.stack, ["primary", "supplementary", "secondary", "pushed", "more"], "\(top)")
            try app.resize(1_000)
            XCTAssertEqual(app.stacks, ["primary", "supplementary", "secondary pushed more"], "\(top)")
        }
    }

    func testAColumnThatWasNeverOnTheStackIsAsTheAppLeavesIt() async throws {
        let app = try SplitApp(.tripleColumn, width: 1_000)
        let detail = try XCTUnwrap(app.panes[.secondary]?.navigationController)
        app.recorder.topColumn = .primary
        try app.resize(500)
        detail.setViewControllers([Pane("new")], animated: false)
        try app.resize(1_000)
        XCTAssertEqual(app.stacks, ["primary", "supplementary", "new"])
        try app.resize(500)
        detail.setViewControllers([Pane("newer")], animated: false)
        app.split.show(.secondary)
        XCTAssertEqual(app.stack, ["primary", "supplementary", "newer"])
    }

    /// A detail that replaces the secondary view controller in a callback of an expansion is in that column, and
    /// the others have theirs, also after another crossing.
    func testWhatCallbacksSetInAnExpansionIsInItsColumn() async throws {
        for moment in [
            "expanding", "willShow primary", "didShow primary", "didShow supplementary", "didExpand", "primary appears",
            "supplementary appears",
        ] {
            let (app, new) = (try SplitApp(.tripleColumn, width: 1_000), Pane("new"))
            try app.resize(500)
            app.recorder.onCall = { split, call in
                if call.hasPrefix(moment) { split.setViewController(new, for: .secondary) }
            }
            for column in [Column.primary, .supplementary] where moment == "\(column) appears" {
                let pane = app.pane(column)
                pane.onWillAppear = { [unowned pane, unowned split = app.split] in
                    pane.onWillAppear = {}
                    split.showDetailViewController(new, sender: nil)
                }
            }
            try app.resize(1_000)
            app.recorder.onCall = { _, _ in }
            for _ in 0..<2 {
                XCTAssertFalse(app.split.isCollapsed, moment)
                XCTAssertEqual(app.stacks, ["primary", "supplementary", "new"], moment)
                for column in [Column.primary, .supplementary, .secondary] {
                    XCTAssertNotNil(app.frame(column), "\(moment), \(column)")
                }
                XCTAssertNotNil(new.view.window, moment)
                try app.resize(500)
                XCTAssertEqual(app.stack, ["primary", "supplementary", "new"], moment)
                try app.resize(1_000)
            }
        }
    }

    func testShowAndHideInAnExpansionCountForTheColumns() async throws {
        let app = try SplitApp(.tripleColumn, width: 1_000)
        try app.resize(500)
        app.recorder.onCall = { split, call in
            if call == "didShow primary" { split.hide(.primary) }
        }
        try app.resize(1_000)
        XCTAssertEqual(app.split.displayMode, .oneBesideSecondary)
        XCTAssertNil(app.frame(.primary))
        XCTAssertEqual(app.stacks, ["primary", "supplementary", "secondary"])
    }

    // MARK: Hidden columns

    func testAColumnThatIsHiddenAfterTheExpansionHearsOfNoSize() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_200)
        let primary = try XCTUnwrap(app.panes[.primary])
        var sizes: [CGFloat] = []
        primary.onTransition = { size, _ in sizes.append(size.width) }
        app.split.hide(.primary)
        try app.resize(500)
        try app.resize(1_200)
        XCTAssertEqual(sizes, [])
        XCTAssertNil(primary.view.window)
        app.split.show(.primary)
        XCTAssertEqual(app.panes[.primary]?.view.window, app.split.view.window, "shown again")
        XCTAssertEqual(primary.appearances.last, "did appear")
    }

    func testAnExpansionLoadsNoHiddenColumn() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_200) { $0.preferredDisplayMode = .secondaryOnly }
        let primary = try XCTUnwrap(app.panes[.primary])
        try app.resize(500)
        try app.resize(1_200)
        XCTAssertEqual(primary.loads, 0)
        let pushed = Pane("pushed")
        primary.navigationController?.pushViewController(pushed, animated: false)
        XCTAssertEqual(pushed.loads, 0)
        app.split.show(.primary)
        XCTAssertEqual(pushed.appearances, ["will appear", "did appear"])
        XCTAssertEqual(pushed.view.bounds.width, app.frame(.primary)?.width)
        XCTAssertEqual(primary.loads, 0, "below the top")
    }
}
