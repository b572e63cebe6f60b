import Settle
import XCTest

@testable import UIKit

/// What callbacks and people change in the midst of other changes.
@MainActor final class ColumnCallbackTests: XCTestCase {
    private typealias Column = UISplitViewController.Column

    /// A pane that runs something when its view disappears, once.
    private final class LeavingPane: UIViewController {
        var onLeaving: (() -> Void)?
        private(set) var loads = 0

        override func viewDidLoad() { loads += 1 }
        override func viewWillDisappear(_ animated: Bool) {
            guard let work = onLeaving else { return }
            onLeaving = nil
            work()
        }
    }

    func testAColumnThatIsSetDuringACollapseIsStackedAndComesBack() async throws {
        let styles: [(UISplitViewController.Style, Column)] = [
            (.doubleColumn, .secondary), (.tripleColumn, .supplementary), (.tripleColumn, .secondary),
        ]
        for (style, leaving) in styles {
            for target in [Column.primary, .secondary] {
                let app = try SplitApp(style, width: 1_000)
                let (pane, new) = (LeavingPane(), Pane("new"))
                app.split.setViewController(pane, for: leaving)
                pane.onLeaving = { [unowned app] in
                    app.split.setViewController(new, for: target)
                    XCTAssertIdentical(app.split.viewController(for: target), new)
                }
                try app.resize(500)
                XCTAssertNil(pane.onLeaving, "\(style), \(leaving)")
                let shown = try XCTUnwrap(app.split.viewControllers.first as? UINavigationController)
                XCTAssertIdentical(shown.parent, app.split, "\(style), \(leaving), \(target)")
                XCTAssert(app.stack.contains("new"), "\(style), \(leaving), \(target)")
                try app.resize(1_000)
                XCTAssertIdentical(app.split.viewController(for: target), new)
                XCTAssertIdentical(new.parent?.parent, app.split)
                XCTAssertNotNil(new.viewIfLoaded?.window, "\(style), \(leaving), \(target)")
                XCTAssertEqual(new.loads, 1)
                for child in app.split.children {
                    XCTAssertEqual((child as? UINavigationController)?.viewControllers.count, 1)
                }
                XCTAssertEqual(app.split.children.count, style == .tripleColumn ? 4 : 3)
            }
        }
    }

    func testAViewControllerThatIsSetWhileAnotherOneIsReplacedStays() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_000)
        let (old, passing, last) = (LeavingPane(), Pane("passing"), Pane("last"))
        app.split.setViewController(old, for: .secondary)
        old.onLeaving = { [unowned app] in app.split.setViewController(last, for: .secondary) }
        app.split.setViewController(passing, for: .secondary)
        XCTAssertIdentical(app.split.viewController(for: .secondary), last)
        XCTAssertIdentical(last.parent?.parent, app.split)
        XCTAssertNotNil(last.viewIfLoaded?.window)
        XCTAssertNil(passing.parent?.parent)
    }

    func testADetailThatACallbackShowsWhileTheStackChangesIsOnTop() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_000)
        let (old, detail) = (LeavingPane(), Pane("detail"))
        app.split.setViewController(old, for: .primary)
        app.recorder.topColumn = .primary
        try app.resize(500)
        XCTAssert(app.split.isShowing(.primary))
        old.onLeaving = { [unowned app] in app.split.showDetailViewController(detail, sender: nil) }
        app.split.setViewController(Pane("list"), for: .primary)
        XCTAssertNil(old.onLeaving)
        XCTAssertEqual(app.stack, ["list", "detail"])
        try app.resize(1_000)
        XCTAssertEqual(app.stacks, ["list", "", "detail"])
    }

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

    func testAnInteractionEndsWithTheColumnThatGoesAway() async throws {
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

    // MARK: A person's choices

    func testAHostActsForThePersonOnColumns() async throws {
        let app = try SplitApp(.tripleColumn, width: 1_366)
        try app.system.setSidebarHidden(true, of: app.split)
        XCTAssertFalse(app.split.isShowing(.primary))
        XCTAssertEqual(app.recorder.drain(), ["mode oneBesideSecondary", "willHide primary", "didHide primary"])
        try app.system.setSidebarHidden(false, of: app.split)
        XCTAssert(app.split.isShowing(.primary))
        app.system.setInspectorHidden(false, of: app.split)
        XCTAssert(app.split.isShowing(.inspector))
        app.system.setInspectorHidden(true, of: app.split)
        XCTAssertFalse(app.split.isShowing(.inspector))
        try app.system.changeDisplayMode(of: app.split)
        XCTAssertEqual(app.split.displayMode, .oneBesideSecondary)
        app.split.presentsWithGesture = false
        XCTAssertThrowsError(try app.system.changeDisplayMode(of: app.split))
        assertRefused(try app.system.setSidebarHidden(true, of: app.split), .sidebarNotAvailable)
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
