import XCTest

@testable import UIKit

/// Layout margins.
@MainActor final class MarginTests: XCTestCase {
    private func shown(top: CGFloat = 0) throws -> (TestApp, InsetController, InsetView) {
        let app = try TestApp().launched()
        let controller = InsetController("root")
        let view = InsetView("view", CGRect(0, 0, 300, 200))
        controller.view.addSubview(view)
        app.show(controller)
        try app.system.setSafeAreaInsets(UIEdgeInsets(top, 0, 0, 0), of: app.scene)
        DelegateCalls.all = []
        return (app, controller, view)
    }

    func testTheMarginsAreEightAndBeginAtTheSafeArea() async throws {
        let (_, _, view) = try shown(top: 50)
        XCTAssertEqual(view.layoutMargins, UIEdgeInsets(58, 8, 8, 8))
        XCTAssertEqual(
            view.directionalLayoutMargins, NSDirectionalEdgeInsets(top: 58, leading: 8, bottom: 8, trailing: 8))
        XCTAssertTrue(view.insetsLayoutMarginsFromSafeArea)
        XCTAssertFalse(view.preservesSuperviewLayoutMargins)
        XCTAssertEqual(view.layoutMarginsGuide.layoutFrame, CGRect(8, 58, 284, 134))
        view.insetsLayoutMarginsFromSafeArea = false
        XCTAssertEqual(view.layoutMarginsGuide.layoutFrame, CGRect(8, 8, 284, 184))
    }

    func testContentConstrainedToTheGuideHasItsFrame() async throws {
        let (app, _, view) = try shown(top: 50)
        let content = UIView()
        content.translatesAutoresizingMaskIntoConstraints = false
        view.addSubview(content)
        let guide = view.layoutMarginsGuide
        app.turn { content.sides(of: guide, top: 0, leading: 0, bottom: 0, trailing: 0).activate() }
        XCTAssertEqual(content.frame, CGRect(8, 58, 284, 134))
        app.turn { view.directionalLayoutMargins.leading = 30 }
        XCTAssertEqual(content.frame, CGRect(30, 58, 262, 134))
        app.turn { view.frame.origin.y = 40 }
        XCTAssertEqual(content.frame.minY, 18, "ten points of the view are covered")
        try app.system.setSafeAreaInsets(.zero, of: app.scene)
        XCTAssertEqual(content.frame.minY, 8)
        app.turn { view.frame.size = CGSize(10, 5) }
        XCTAssertEqual(content.frame.size, .zero, "no space")
    }

    func testPreservedMarginsFollowTheSuperviewsSize() async throws {
        let (app, _, view) = try shown()
        let inner = InsetView("inner", CGRect(0, 0, 300, 200))
        view.addSubview(inner)
        view.directionalLayoutMargins.trailing = 30
        app.turn { inner.preservesSuperviewLayoutMargins = true }
        XCTAssertEqual(inner.layoutMarginsGuide.layoutFrame, CGRect(8, 8, 262, 184))
        DelegateCalls.all = []
        app.turn { view.frame.size.width = 400 }
        XCTAssertEqual(inner.layoutMarginsGuide.layoutFrame, CGRect(8, 8, 284, 184))
        assertCalls("inner margins")
    }

    func testAViewWithinFollowsTheGuideOfAViewThatConstraintsMove() async throws {
        let (app, _, view) = try shown(top: 50)
        let (outer, inner) = (UIView(), UIView())
        for (child, parent) in [(outer, view as UIView), (inner, outer)] {
            child.translatesAutoresizingMaskIntoConstraints = false
            parent.addSubview(child)
        }
        let top = outer.topAnchor.constraint(equalTo: view.topAnchor)
        NSLayoutConstraint.activate([
            top, outer.leftAnchor.constraint(equalTo: view.leftAnchor),
            outer.rightAnchor.constraint(equalTo: view.rightAnchor),
            outer.heightAnchor.constraint(equalToConstant: 100),
            inner.topAnchor.constraint(equalTo: outer.safeAreaLayoutGuide.topAnchor),
            inner.leftAnchor.constraint(equalTo: outer.layoutMarginsGuide.leftAnchor),
        ])
        app.turn()
        XCTAssertEqual(inner.frame.origin, CGPoint(8, 50))
        app.turn { top.constant = 30 }
        XCTAssertEqual(inner.frame.origin, CGPoint(8, 20))
        app.turn { top.constant = 90 }
        XCTAssertEqual(inner.frame.origin, CGPoint(8, 0))
    }

    func testMarginsAreToldOnceAndMirrored() async throws {
        let (app, _, view) = try shown()
        view.directionalLayoutMargins = NSDirectionalEdgeInsets(top: 1, leading: 2, bottom: 3, trailing: 4)
        XCTAssertEqual(view.layoutMargins, UIEdgeInsets(1, 2, 3, 4))
        app.turn()
        assertCalls("view margins")
        app.turn { view.directionalLayoutMargins.leading = 2 }
        assertCalls("")
        view.semanticContentAttribute = .forceRightToLeft
        XCTAssertEqual(view.layoutMargins, UIEdgeInsets(1, 4, 3, 2))
        XCTAssertEqual(view.layoutMarginsGuide.layoutFrame, CGRect(4, 1, 294, 196))
        app.turn()
        assertCalls("view margins")
        view.layoutMargins = UIEdgeInsets(0, 10, 0, -5)
        XCTAssertEqual(
            view.directionalLayoutMargins, NSDirectionalEdgeInsets(top: 0, leading: 0, bottom: 0, trailing: 10))
    }

    func testARootViewHasAtLeastTheSystemsMargins() async throws {
        let (app, controller, _) = try shown()
        XCTAssertEqual(
            controller.systemMinimumLayoutMargins,
            NSDirectionalEdgeInsets(top: 0, leading: 20, bottom: 0, trailing: 20))
        let view = controller.view!
        try app.resize(1000, 700)
        XCTAssertEqual(view.layoutMarginsGuide.layoutFrame, CGRect(20, 0, 960, 700))
        view.directionalLayoutMargins.leading = 30
        XCTAssertEqual(view.layoutMarginsGuide.layoutFrame, CGRect(30, 0, 950, 700))
        DelegateCalls.all = []
        try app.resize(400, 700)
        XCTAssertEqual(controller.systemMinimumLayoutMargins.leading, 16)
        XCTAssertEqual(view.layoutMarginsGuide.layoutFrame, CGRect(30, 0, 354, 700))
        assertText(DelegateCalls.drain().filter { $0.contains("margins") }, "root margins, root controller margins")
        controller.viewRespectsSystemMinimumLayoutMargins = false
        XCTAssertEqual(view.layoutMarginsGuide.layoutFrame, CGRect(30, 0, 362, 700))
    }

    func testARootViewsMarginsAreTheSystemsMinimumAndTheSafeArea() async throws {
        let (app, controller, _) = try shown(top: 50)
        let view = controller.view!
        XCTAssertEqual(view.layoutMargins, UIEdgeInsets(50, 20, 0, 20))
        // One side of four: the others keep following the safe area.
        view.directionalLayoutMargins.leading = 30
        XCTAssertEqual(view.layoutMargins, UIEdgeInsets(50, 30, 0, 20))
        try app.system.setSafeAreaInsets(UIEdgeInsets(10, 5, 7, 0), of: app.scene)
        XCTAssertEqual(view.layoutMargins, UIEdgeInsets(10, 35, 7, 20))
        view.layoutMargins.top += 4
        XCTAssertEqual(view.layoutMargins.top, 24, "what is set does not count the safe area")
        controller.viewRespectsSystemMinimumLayoutMargins = false
        XCTAssertEqual(view.layoutMargins, UIEdgeInsets(24, 35, 7, 8))
        view.insetsLayoutMarginsFromSafeArea = false
        XCTAssertEqual(view.layoutMargins, UIEdgeInsets(14, 30, 0, 8))
    }

    func testAGuideAtTheTopOfAWindowBeginsThere() async throws {
        let (_, controller, _) = try shown()
        XCTAssertEqual(controller.view.layoutMarginsGuide.layoutFrame.minY, 0)
        XCTAssertEqual(controller.view.directionalLayoutMargins.top, 0)
    }

    func testContentMayKeepClearOfTheSuperviewsMarginsToo() async throws {
        let (app, _, view) = try shown(top: 50)
        view.directionalLayoutMargins = NSDirectionalEdgeInsets(top: 10, leading: 40, bottom: 10, trailing: 10)
        let inner = InsetView("inner", CGRect(30, 0, 270, 100))
        view.addSubview(inner)
        XCTAssertEqual(inner.layoutMarginsGuide.layoutFrame, CGRect(8, 58, 254, 34))
        inner.preservesSuperviewLayoutMargins = true
        XCTAssertEqual(inner.layoutMarginsGuide.layoutFrame, CGRect(10, 60, 250, 32))
        XCTAssertEqual(inner.layoutMargins, UIEdgeInsets(60, 10, 8, 10))
        XCTAssertEqual(
            inner.directionalLayoutMargins, NSDirectionalEdgeInsets(top: 60, leading: 10, bottom: 8, trailing: 10))
        app.turn()
        DelegateCalls.all = []
        app.turn { view.directionalLayoutMargins.leading = 60 }
        assertCalls("view margins, inner margins")
        XCTAssertEqual(inner.layoutMarginsGuide.layoutFrame.minX, 30)
    }

    func testReadableContentIsAtMost672PointsWideInTheMiddle() async throws {
        let (app, controller, view) = try shown()
        try app.resize(1000, 700)
        XCTAssertEqual(controller.view.readableContentGuide.layoutFrame, CGRect(164, 0, 672, 700))
        XCTAssertEqual(view.readableContentGuide.layoutFrame, view.layoutMarginsGuide.layoutFrame)
    }
}
