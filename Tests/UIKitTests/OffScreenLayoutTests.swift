import UIKit
import XCTest

/// What is laid out before its scene is in the foreground.
@MainActor final class OffScreenLayoutTests: AppTestCase {
    private final class Delegate: UISplitViewControllerDelegate {
        var calls: [String] = []
        func splitViewController(
            _ svc: UISplitViewController,
            topColumnForCollapsingToProposedTopColumn proposedTopColumn: UISplitViewController.Column
        ) -> UISplitViewController.Column {
            calls.append("top")
            return .primary
        }
        func splitViewControllerDidCollapse(_ svc: UISplitViewController) { calls.append("collapsed") }
    }

    private func showing(
        _ body: @escaping (UIWindowScene, UIWindow) -> Void
    ) throws -> (app: TestApp, split: UISplitViewController, delegate: Delegate) {
        let (app, delegate) = (try TestApp(platform: .phone), Delegate())
        let split = UISplitViewController(style: .doubleColumn)
        split.setViewController(UIViewController(), for: .primary)
        split.setViewController(UIViewController(), for: .secondary)
        split.delegate = delegate
        RecordingSceneDelegate.onConnect = { scene, delegate in
            let window = UIWindow.show(split, in: scene)
            delegate.window = window
            body(scene, window)
        }
        return (app, split, delegate)
    }

    func testACompactSplitViewCollapsesInWillConnectTo() async throws {
        let (app, split, delegate) = try showing { _, window in window.layoutIfNeeded() }
        try app.system.launch(PlainAppDelegate.self)
        XCTAssertTrue(split.isCollapsed)
        XCTAssertEqual(delegate.calls, ["top", "collapsed"])
        XCTAssertEqual(split.viewControllers.count, 1)
    }

    func testACompactSplitViewCollapsesInABackgroundLaunch() async throws {
        let (app, split, delegate) = try showing { _, window in window.layoutIfNeeded() }
        _ = try app.launched(connectsScene: false)
        let scene = try app.system.connect(state: .background)
        XCTAssertTrue(split.isCollapsed)
        try app.system.bring(scene, to: .foregroundActive)
        XCTAssertEqual(delegate.calls, ["top", "collapsed"])
    }
}
