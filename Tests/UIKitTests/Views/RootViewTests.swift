import XCTest

@testable import UIKit

/// Root views that are made without a nib.
@MainActor final class RootViewTests: XCTestCase {
    func testARootViewIsAsLargeAsTheScreenAndFollowsItsSuperview() async throws {
        let app = try TestApp().launched()
        let controllers: [UIViewController] = [
            UIViewController(), UINavigationController(), UITabBarController(),
            UISplitViewController(style: .doubleColumn),
        ]
        for controller in controllers {
            XCTAssertEqual(controller.view.frame, UIScreen.main.bounds, "\(type(of: controller))")
            XCTAssertEqual(controller.view.autoresizingMask, [.flexibleWidth, .flexibleHeight])
        }
        XCTAssertEqual(UIScreen.main.bounds.size, CGSize(1024, 1366))
        withExtendedLifetime(app) {}
    }

    func testAChildThatIsAddedInViewDidLoadFollowsItsParent() async throws {
        final class Parent: UIViewController {
            let child = UIViewController()
            override func viewDidLoad() {
                super.viewDidLoad()
                addChild(child)
                child.view.frame = view.bounds
                view.addSubview(child.view)
                child.didMove(toParent: self)
            }
        }
        for isOnStack in [false, true] {
            let app = try TestApp().launched()
            let parent = Parent()
            try app.resize(700, 500)
            app.show(isOnStack ? UINavigationController(rootViewController: parent) : parent)
            XCTAssertEqual(parent.child.view.frame, CGRect(0, 0, 700, 500))
            try app.resize(600, 900)
            XCTAssertEqual(parent.child.view.frame, CGRect(0, 0, 600, 900))
        }
    }

    func testMasksDoNotMoveWhatIsPlaced() async throws {
        let app = try SplitApp(.doubleColumn, width: 1000, columns: [.primary, .secondary])
        let pane = try XCTUnwrap(app.panes[.primary])
        var widths: [CGFloat] = []
        pane.onTransition = { size, _ in widths.append(size.width) }
        let sheet = NamedController("sheet")
        app.split.present(sheet, animated: false)
        let (frame, layouts) = (sheet.view.frame, sheet.layouts)
        XCTAssertLessThan(frame.width, 1000)
        for width: CGFloat in [990, 980, 970] { try app.resize(width) }
        XCTAssertEqual(widths, [], "the sidebar keeps its width")
        XCTAssertEqual(sheet.view.frame.size, frame.size)
        XCTAssertEqual(sheet.transitions, [])
        XCTAssertEqual(sheet.layouts, layouts, "it had no other size meanwhile")
    }
}
