import XCTest

@testable import UIKit

/// Orientations of a split view.
@MainActor final class ColumnControllerTests: XCTestCase {
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
