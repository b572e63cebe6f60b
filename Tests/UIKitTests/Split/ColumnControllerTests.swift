import XCTest

@testable import UIKit

/// The view controllers of columns.
@MainActor final class ColumnControllerTests: XCTestCase {
    private typealias Column = UISplitViewController.Column

    func testATabBarControllerMayBeThePrimaryOneOfTheClassicStyle() async throws {
        let app = try TestApp().launched()
        let split = UISplitViewController(nibName: nil, bundle: nil)
        let (tabs, detail) = (UITabBarController(), UINavigationController(rootViewController: Pane("detail")))
        tabs.viewControllers = [Pane("list")]
        split.viewControllers = [tabs, detail]
        app.show(split)
        try app.resize(1_000, 800)
        XCTAssertEqual(split.viewControllers, [tabs, detail])
        XCTAssertEqual(tabs.view.frame, CGRect(0, 0, 320, 800))
        try app.resize(500, 800)
        XCTAssertEqual(split.viewControllers, [tabs], "it takes no stack")
    }

    func testTheDelegateDecidesAboutOrientations() async throws {
        final class Delegate: UISplitViewControllerDelegate {
            var orientations = UIInterfaceOrientationMask.landscape
            func splitViewControllerSupportedInterfaceOrientations(
                _ splitViewController: UISplitViewController
            ) -> UIInterfaceOrientationMask { orientations }
        }
        let app = try TestApp(platform: .phone).launched()
        let (split, delegate) = (app.showing(UISplitViewController(style: .doubleColumn)), Delegate())
        XCTAssertEqual(split.supportedInterfaceOrientations, .allButUpsideDown, "the platform's default")
        XCTAssert(app.scene.interfaceOrientation.isPortrait)
        split.delegate = delegate
        for (orientations, isLandscape) in [(UIInterfaceOrientationMask.landscape, true), (.portrait, false)] {
            delegate.orientations = orientations
            XCTAssertEqual(split.supportedInterfaceOrientations, orientations)
            split.setNeedsUpdateOfSupportedInterfaceOrientations()
            XCTAssertEqual(app.scene.interfaceOrientation.isLandscape, isLandscape)
        }
        split.delegate = nil
        XCTAssertEqual(split.supportedInterfaceOrientations, .allButUpsideDown)
    }
}
