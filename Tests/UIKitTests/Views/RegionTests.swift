import XCTest

@testable import UIKit

/// Layout regions.
@MainActor final class RegionTests: XCTestCase {
    /// A window of a pad that does not cover the screen: its control takes 66 × 43 points below
    /// the top of the safe area.
    private func shown(top: CGFloat = 10) throws -> (TestApp, UIViewController) {
        let app = try TestApp().launched()
        let controller = app.showing(UIViewController())
        try app.resize(800, 600)
        try app.system.setSafeAreaInsets(UIEdgeInsets(top, 0, 0, 0), of: app.scene)
        return (app, controller)
    }

    func testAViewHasOneGuidePerRegion() async throws {
        let (_, controller) = try shown()
        let view = controller.view!
        let regions: [UIView.LayoutRegion] = [nil, .horizontal, .vertical].flatMap {
            [.safeArea(cornerAdaptation: $0), .margins(cornerAdaptation: $0), .readableContent(cornerAdaptation: $0)]
        }
        XCTAssertEqual(Set(regions).count, 9)
        let guides = regions.map { view.layoutGuide(for: $0) }
        XCTAssertEqual(Set(guides.map { ObjectIdentifier($0) }).count, 9)
        for (region, guide) in zip(regions, guides) {
            XCTAssertIdentical(view.layoutGuide(for: region), guide)
            XCTAssertIdentical(guide.owningView, view)
            XCTAssertEqual(guide.layoutFrame, view.bounds.inset(by: view.edgeInsets(for: region)), "\(region)")
        }
        XCTAssertIdentical(view.layoutGuide(for: .safeArea()), view.safeAreaLayoutGuide)
        XCTAssertIdentical(view.layoutGuide(for: .margins()), view.layoutMarginsGuide)
        XCTAssertIdentical(view.layoutGuide(for: .readableContent()), view.readableContentGuide)
        XCTAssertTrue(view.layoutGuides.isEmpty, "they are the system's")
    }

    func testHorizontalMovesTheLeadingSidePastTheControlAndVerticalTheTopBelowIt() async throws {
        let (_, controller) = try shown()
        let view = controller.view!
        for (region, insets) in [
            (.safeArea(), UIEdgeInsets(10, 0, 0, 0)),
            (.safeArea(cornerAdaptation: .horizontal), UIEdgeInsets(10, 66, 0, 0)),
            (.safeArea(cornerAdaptation: .vertical), UIEdgeInsets(53, 0, 0, 0)),
            (.margins(cornerAdaptation: .horizontal), UIEdgeInsets(10, 86, 0, 20)),
            (.margins(cornerAdaptation: .vertical), UIEdgeInsets(53, 20, 0, 20)),
            // 694 points are left between the margins, 672 of them readable.
            (.readableContent(cornerAdaptation: .horizontal), UIEdgeInsets(10, 97, 0, 31)),
        ] as [(UIView.LayoutRegion, UIEdgeInsets)] { XCTAssertEqual(view.edgeInsets(for: region), insets, "\(region)") }
        XCTAssertEqual(
            view.directionalEdgeInsets(for: .margins(cornerAdaptation: .horizontal)),
            NSDirectionalEdgeInsets(top: 10, leading: 86, bottom: 0, trailing: 20))
        view.window?.semanticContentAttribute = .forceRightToLeft
        XCTAssertEqual(view.edgeInsets(for: .safeArea(cornerAdaptation: .horizontal)), UIEdgeInsets(10, 0, 0, 66))
        XCTAssertEqual(view.edgeInsets(for: .safeArea(cornerAdaptation: .vertical)), UIEdgeInsets(53, 0, 0, 0))
    }

    func testAViewThatTheControlDoesNotMeetHasThePlainRegion() async throws {
        let (_, controller) = try shown()
        let frames = [
            (CGRect(66, 0, 200, 200), false), (CGRect(65, 0, 200, 200), true),
            (CGRect(0, 53, 200, 200), false), (CGRect(0, 52, 200, 200), true),
            (CGRect(0, 0, 200, 10), false), (CGRect(0, 0, 0, 0), false),
        ]
        for (frame, meets) in frames {
            let view = UIView(frame: frame)
            controller.view.addSubview(view)
            for plain in [UIView.LayoutRegion.safeArea(), .margins(), .readableContent()] {
                for axis in [UIView.LayoutRegion.AdaptivityAxis.horizontal, .vertical] {
                    let adapted = UIView.LayoutRegion(kind: plain.kind, axis: axis)
                    XCTAssertEqual(
                        view.edgeInsets(for: adapted) != view.edgeInsets(for: plain), meets, "\(frame) \(adapted)")
                }
            }
            view.removeFromSuperview()
        }
        let inner = UIView(frame: CGRect(20, 0, 200, 100))
        controller.view.addSubview(inner)
        XCTAssertEqual(
            inner.edgeInsets(for: .safeArea(cornerAdaptation: .horizontal)), UIEdgeInsets(10, 46, 0, 0),
            "in the view's coordinates")
    }

    /// Content that fills the region beside the control of a bar in another view.
    private func shownBar(
        _ frame: CGRect, in outerFrame: CGRect
    ) throws -> (TestApp, outer: UIView, bar: UIView, content: UIView) {
        let (app, controller) = try shown()
        let (outer, bar, content) = (UIView(frame: outerFrame), UIView(frame: frame), UIView())
        content.translatesAutoresizingMaskIntoConstraints = false
        controller.view.addSubview(outer)
        outer.addSubview(bar)
        bar.addSubview(content)
        let guide = bar.layoutGuide(for: .safeArea(cornerAdaptation: .horizontal))
        app.turn { content.sides(of: guide, top: 0, leading: 0, bottom: 0, trailing: 0).activate() }
        return (app, outer, bar, content)
    }

    func testContentFollowsTheControlAndTheViewsPlace() async throws {
        let (app, mover, bar, content) = try shownBar(CGRect(0, 0, 400, 60), in: CGRect(0, 0, 500, 100))
        XCTAssertEqual(content.frame, CGRect(66, 10, 334, 50))
        app.turn { mover.frame.origin.x = 30 }
        XCTAssertEqual(content.frame.minX, 36, "a view around it has moved")
        try app.system.setSafeAreaInsets(UIEdgeInsets(32, 0, 0, 0), of: app.scene)
        XCTAssertEqual(content.frame, CGRect(36, 32, 364, 28))
        try app.system.enterFullScreen(app.scene)
        XCTAssertEqual(content.frame.minX, 0, "no control, in the turn of the size")
        try app.resize(700, 500)
        XCTAssertEqual(content.frame.minX, 36)
        app.turn { mover.frame.origin.y = 100 }
        XCTAssertEqual(content.frame, CGRect(0, 0, 400, 60))
        // The bar moves to the window's corner, in another view.
        app.turn { mover.superview?.addSubview(bar) }
        XCTAssertEqual(content.frame.minX, 66)
    }

    func testContentFollowsAScrolledView() async throws {
        let (app, scroller, bar, content) = try shownBar(CGRect(0, 100, 400, 60), in: CGRect(0, 0, 500, 300))
        for (y, frame, why) in [
            (0, CGRect(0, 0, 400, 60), "below the control"), (60, CGRect(66, 0, 334, 60), "beside it"),
            (100, CGRect(66, 10, 334, 50), "below the safe area"), (0, CGRect(0, 0, 400, 60), "back"),
        ] {
            app.turn { scroller.bounds.origin.y = CGFloat(y) }
            XCTAssertEqual(bar.safeAreaInsets.top, y == 100 ? 10 : 0, why)
            XCTAssertEqual(content.frame, frame, why)
        }
    }

    func testContentFollowsTheControlToTheOtherSide() async throws {
        let (app, _, bar, content) = try shownBar(CGRect(0, 0, 800, 60), in: CGRect(0, 0, 800, 60))
        XCTAssertEqual(content.frame, CGRect(66, 10, 734, 50))
        let window = try XCTUnwrap(bar.window)
        app.turn { window.semanticContentAttribute = .forceRightToLeft }
        XCTAssertEqual(content.frame, CGRect(0, 10, 734, 50))
        app.turn { window.semanticContentAttribute = .unspecified }
        XCTAssertEqual(content.frame.minX, 66)
        app.turn { window.traitOverrides.layoutDirection = .rightToLeft }
        XCTAssertEqual(content.frame.minX, 0, "by its traits")
    }
}
