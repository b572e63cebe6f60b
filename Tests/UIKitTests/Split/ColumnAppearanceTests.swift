import UIKit
import XCTest

/// Of which sizes columns are notified, and with which they appear, where columns are stacked, divided,
/// shown and hidden.
@MainActor final class ColumnAppearanceTests: AppTestCase {
    override func makeApp() throws -> TestApp { try TestApp(.pad, 1_000, 800) }

    private typealias Column = UISplitViewController.Column

    private func split(_ style: UISplitViewController.Style, _ columns: Column...) -> UISplitViewController {
        let split = UISplitViewController(style: style)
        for column in columns { split.setViewController(OrderController("\(column)"), for: column) }
        return split
    }

    /// The calls of all columns, without their layouts and insets.
    private func calls(_ body: () throws -> Void) rethrows -> [String] {
        DelegateCalls.all = []
        try body()
        return DelegateCalls.drain().filter {
            !$0.contains("layout") && !$0.contains("safeArea") && !$0.contains("raits")
        }
    }

    /// A phone that has columns in landscape.
    private var largePhone: UISystem.Platform {
        var platform = UISystem.Platform.phone
        platform.screenSize = CGSize(414, 896)
        return platform
    }

    private static let leaves = ["willDisappear", "didDisappear"]
    private static func appears(_ width: Int) -> [String] {
        ["willAppear", "isAppearing \(width)", "didAppear \(width)"]
    }

    func testCollapseNotifiesTheTopColumnOfItsFinalSizeOnly() async throws {
        let split = app.showing(split(.doubleColumn, .primary, .secondary))
        let calls = try calls { try app.resize(500, 800) }
        XCTAssertEqual(calls.of("secondary"), Self.leaves + ["size 500"] + Self.appears(500))
        XCTAssertEqual(calls.of("primary"), Self.leaves, "it is below")
    }

    func testExpansionNotifiesEachColumnOfItsFinalSizeOnly() async throws {
        let split = app.showing(split(.doubleColumn, .primary, .secondary))
        try app.resize(500, 800)
        let calls = try calls { try app.resize(900, 800) }
        XCTAssertEqual(calls.of("secondary"), Self.leaves + ["size 900"] + Self.appears(900))
        XCTAssertEqual(calls.of("primary"), Self.appears(320), "it has kept that size")
    }

    func testATabBarControllerInAColumnIsNotifiedOnce() async throws {
        let (split, pane, tabs) = (split(.doubleColumn, .primary), OrderController("pane"), UITabBarController())
        tabs.viewControllers = [pane]
        split.setViewController(tabs, for: .secondary)
        app.show(split)
        let collapse = try calls { try app.resize(500, 800) }
        XCTAssertEqual(collapse.of("pane").filter { $0.hasPrefix("size") }, ["size 500"])
        let expand = try calls { try app.resize(900, 800) }
        XCTAssertEqual(expand.of("pane").filter { $0.hasPrefix("size") }, ["size 900"])
    }

    func testAColumnThatIsHiddenIsNotNotified() async throws {
        let split = split(.doubleColumn, .primary, .secondary)
        split.minimumSecondaryColumnWidth = 500
        app.show(split)
        let hidden = try calls { try app.resize(660, 800) }
        XCTAssertEqual(hidden.of("primary"), Self.leaves)
        XCTAssertEqual(hidden.of("secondary"), ["size 660"])
        let elsewhere = try calls { try app.resize(650, 800) }
        XCTAssertEqual(elsewhere, ["secondary size 650", "geometry"])
        let shown = try calls { try app.resize(900, 800) }
        XCTAssertEqual(shown.of("primary"), Self.appears(320))
    }

    func testColumnsThatAnExpansionDoesNotShowHearNothing() async throws {
        let app = try TestApp(.pad, 500, 800)
        let split = split(.tripleColumn, .primary, .supplementary, .secondary)
        split.preferredDisplayMode = .oneBesideSecondary
        app.show(split)
        DelegateCalls.all = []
        let calls = try calls { try app.resize(900, 800) }
        XCTAssertEqual(calls.of("primary"), [])
        XCTAssertEqual(calls.of("supplementary"), Self.appears(320))
        XCTAssertEqual(calls.of("secondary"), Self.leaves + ["size 580"] + Self.appears(580))
    }

    func testADetailThatIsShownInTheCollapsedInterfaceIsAllThatAppears() async throws {
        let app = try TestApp(platform: largePhone).launched()
        let split = app.showing(split(.tripleColumn, .primary, .supplementary, .secondary))
        XCTAssertTrue(split.isCollapsed)
        let width = Int(split.view.bounds.width)
        let calls = calls { split.showDetailViewController(OrderController("detail"), sender: nil) }
        XCTAssertEqual(calls.of("primary"), [])
        XCTAssertEqual(calls.of("supplementary"), [])
        XCTAssertEqual(calls.of("secondary"), Self.leaves)
        XCTAssertEqual(calls.of("detail"), Self.appears(width))
    }

    private final class SupplementaryOnTop: UISplitViewControllerDelegate {
        func splitViewController(
            _ svc: UISplitViewController, topColumnForCollapsingToProposedTopColumn proposedTopColumn: Column
        ) -> Column { .supplementary }
    }

    func testOnlyTheColumnThatTheDelegatePutsOnTopAppearsOnAPhone() async throws {
        let app = try TestApp(platform: largePhone).launched()
        let (split, delegate) = (split(.tripleColumn, .primary, .supplementary, .secondary), SupplementaryOnTop())
        split.delegate = delegate
        let window = UIWindow(windowScene: app.scene)
        window.rootViewController = split
        let first = calls { window.makeKeyAndVisible() }
        let width = Int(split.view.bounds.width)
        XCTAssertEqual(first, Self.appears(width).map { "supplementary \($0)" })
        let landscape = calls { app.system.rotate(to: .landscapeLeft) }
        XCTAssertFalse(split.isCollapsed)
        XCTAssertEqual(landscape.of("supplementary").filter { $0.hasPrefix("size") }.count, 1)
        let portrait = calls { app.system.rotate(to: .portrait) }
        XCTAssertEqual(portrait.of("primary").filter { $0.hasPrefix("size") }, [])
        XCTAssertEqual(portrait.of("secondary"), Self.leaves)
        XCTAssertEqual(portrait.of("supplementary").filter { $0.hasPrefix("size") }, ["size \(width)"])
    }

    // MARK: Out of sight

    /// What the delegate is notified of: collapses and expansions.
    private func changes(of app: TestApp, _ split: UISplitViewController, _ body: () throws -> Void) rethrows
        -> [String]
    {
        let recorder = SplitRecorder()
        split.delegate = recorder
        try app.turn { try body() }
        return recorder.drain().filter { $0.hasPrefix("didCollapse") || $0.hasPrefix("didExpand") }
    }

    func testASplitViewThatIsSwappedOutAndBackStaysAsItIs() async throws {
        // Outside of its window, it would have the traits of the whole screen.
        let app = try TestApp(.pad, 500, 800)
        let split = split(.doubleColumn, .primary, .secondary)
        let tabs = UITabBarController()
        tabs.viewControllers = [split, OrderController("other")]
        let window = app.show(tabs)
        XCTAssertTrue(split.isCollapsed)
        XCTAssertEqual(
            changes(of: app, split) {
                app.turn { tabs.selectedIndex = 1 }
                split.view.setNeedsLayout()
                split.view.layoutIfNeeded()
                split.show(.primary)
                tabs.selectedIndex = 0
            }, [])
        let container = UIViewController()
        tabs.viewControllers = []
        container.addChild(split)
        container.view.addSubview(split.view)
        window.rootViewController = container
        XCTAssertEqual(
            changes(of: app, split) {
                split.view.removeFromSuperview()
                split.removeFromParent()
                split.view.setNeedsLayout()
                split.view.layoutIfNeeded()
                container.addChild(split)
                container.view.addSubview(split.view)
            }, [])
        XCTAssertTrue(split.isCollapsed)
    }

    func testASplitViewThatIsOutOfSightFollowsTheSizeWithWhichItReturns() async throws {
        let split = split(.doubleColumn, .primary, .secondary)
        let window = app.show(split)
        XCTAssertEqual(
            try changes(of: app, split) {
                window.isHidden = true
                try app.resize(500, 800)
                split.traitOverrides.userInterfaceStyle = .dark
                split.view.layoutIfNeeded()
                try app.resize(1_000, 800)
                window.isHidden = false
            }, [])
        XCTAssertEqual(
            try changes(of: app, split) {
                try app.system.bring(app.scene, to: .background)
                try app.resize(500, 800)
                split.view.layoutIfNeeded()
                try app.resize(1_000, 800)
                try app.system.bring(app.scene, to: .foregroundActive)
            }, [])
        let cover = OrderController("cover")
        cover.modalPresentationStyle = .fullScreen
        XCTAssertEqual(
            try changes(of: app, split) {
                split.present(cover, animated: false)
                try app.resize(500, 800)
                split.view.layoutIfNeeded()
                cover.dismiss(animated: false)
            }, ["didCollapse collapsed"])
    }
}
