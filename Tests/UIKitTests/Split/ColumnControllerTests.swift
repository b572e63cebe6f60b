import XCTest

@testable import UIKit

/// Orientations of a split view.
@MainActor final class ColumnControllerTests: XCTestCase {
    private final class Mover: UIViewController {
        var onMove: (() -> Void)?
        override func willMove(toParent parent: UIViewController?) {
            super.willMove(toParent: parent)
            let act = onMove
            onMove = nil
            act?()
        }
    }

    /// Of what an app sets while columns are stacked the last counts, also when it is asked for meanwhile.
    func testOfSeveralViewControllersThatAreSetMeanwhileTheLastCounts() async throws {
        let app = try TestApp(.pad, 1200, 800)
        let (split, mover) = (UISplitViewController(style: .doubleColumn), Mover())
        split.setViewController(NamedController("list"), for: .primary)
        split.setViewController(mover, for: .secondary)
        _ = app.showing(split)
        let all = ["one", "two", "three"].map { NamedController($0) }
        var found: [UIViewController?] = []
        mover.onMove = {
            for controller in all {
                split.setViewController(controller, for: .secondary)
                found.append(split.viewController(for: .secondary))
            }
        }
        try app.resize(400, 800)
        XCTAssertEqual(found, all)
        XCTAssertIdentical(split.viewController(for: .secondary), all[2])
        try app.resize(1200, 800)
        XCTAssertIdentical(split.viewController(for: .secondary), all[2])
        XCTAssertEqual(all.map { $0.viewIfLoaded?.window != nil }, [false, false, true])
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
