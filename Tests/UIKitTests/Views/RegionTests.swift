import XCTest

@testable import UIKit

/// Layout regions.
@MainActor final class RegionTests: XCTestCase {
    /// A window of a pad that does not cover the screen: its control takes 66 × 43 points below
    /// the top of the safe area.
    private func shown(top: CGFloat = 10) throws -> (TestApp, UIViewController) {
        let app = try TestApp().launched()
        let controller = UIViewController()
        app.show(controller)
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
            XCTAssertEqual(
                guide.layoutFrame, view.bounds.inset(by: view.edgeInsets(for: region)), "\(region)")
        }
        XCTAssertIdentical(view.layoutGuide(for: .safeArea()), view.safeAreaLayoutGuide)
        XCTAssertIdentical(view.layoutGuide(for: .margins()), view.layoutMarginsGuide)
        XCTAssertIdentical(view.layoutGuide(for: .readableContent()), view.readableContentGuide)
        XCTAssertTrue(view.layoutGuides.isEmpty, "they are the system's")
    }

    func testHorizontalMovesTheLeadingSidePastTheControlAndVerticalTheTopBelowIt() async throws {
        let (_, controller) = try shown()
        let view = controller.view!
        XCTAssertEqual(view.edgeInsets(for: .safeArea()), UIEdgeInsets(10, 0, 0, 0))
        XCTAssertEqual(view.edgeInsets(for: .safeArea(cornerAdaptation: .horizontal)), UIEdgeInsets(10, 66, 0, 0))
        XCTAssertEqual(view.edgeInsets(for: .safeArea(cornerAdaptation: .vertical)), UIEdgeInsets(53, 0, 0, 0))
        XCTAssertEqual(view.edgeInsets(for: .margins(cornerAdaptation: .horizontal)), UIEdgeInsets(10, 86, 0, 20))
        XCTAssertEqual(view.edgeInsets(for: .margins(cornerAdaptation: .vertical)), UIEdgeInsets(53, 20, 0, 20))
        XCTAssertEqual(
            view.directionalEdgeInsets(for: .margins(cornerAdaptation: .horizontal)),
            NSDirectionalEdgeInsets(top: 10, leading: 86, bottom: 0, trailing: 20))
        // 694 points are left between the margins, 672 of them readable.
        XCTAssertEqual(
            view.edgeInsets(for: .readableContent(cornerAdaptation: .horizontal)), UIEdgeInsets(10, 97, 0, 31))
    }

    func testAViewThatTheControlDoesNotMeetHasThePlainRegion() async throws {
        let (_, controller) = try shown()
        let frames = [
            (CGRect(x: 66, y: 0, width: 200, height: 200), false), (CGRect(x: 65, y: 0, width: 200, height: 200), true),
            (CGRect(x: 0, y: 53, width: 200, height: 200), false), (CGRect(x: 0, y: 52, width: 200, height: 200), true),
            (CGRect(x: 0, y: 0, width: 200, height: 10), false), (CGRect(x: 0, y: 0, width: 0, height: 0), false),
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
        let inner = UIView(frame: CGRect(x: 20, y: 0, width: 200, height: 100))
        controller.view.addSubview(inner)
        XCTAssertEqual(
            inner.edgeInsets(for: .safeArea(cornerAdaptation: .horizontal)), UIEdgeInsets(10, 46, 0, 0),
            "in the view's coordinates")
    }

    func testFromRightToLeftTheControlIsAtTheRight() async throws {
        let (_, controller) = try shown()
        let view = controller.view!
        view.window?.semanticContentAttribute = .forceRightToLeft
        XCTAssertEqual(view.edgeInsets(for: .safeArea(cornerAdaptation: .horizontal)), UIEdgeInsets(10, 0, 0, 66))
        XCTAssertEqual(view.edgeInsets(for: .safeArea(cornerAdaptation: .vertical)), UIEdgeInsets(53, 0, 0, 0))
    }

    func testContentFollowsTheControlAndTheViewsPlace() async throws {
        let (app, controller) = try shown()
        let bar = UIView(frame: CGRect(x: 0, y: 0, width: 400, height: 60))
        let mover = UIView(frame: CGRect(x: 0, y: 0, width: 500, height: 100))
        mover.addSubview(bar)
        controller.view.addSubview(mover)
        let content = UIView()
        content.translatesAutoresizingMaskIntoConstraints = false
        bar.addSubview(content)
        let guide = bar.layoutGuide(for: .safeArea(cornerAdaptation: .horizontal))
        NSLayoutConstraint.activate([
            content.leadingAnchor.constraint(equalTo: guide.leadingAnchor),
            content.trailingAnchor.constraint(equalTo: guide.trailingAnchor),
            content.topAnchor.constraint(equalTo: guide.topAnchor),
            content.bottomAnchor.constraint(equalTo: guide.bottomAnchor),
        ])
        app.turn()
        XCTAssertEqual(content.frame, CGRect(x: 66, y: 10, width: 334, height: 50))
        mover.frame.origin.x = 30
        app.turn()
        XCTAssertEqual(content.frame.minX, 36, "a view around it has moved")
        try app.system.setSafeAreaInsets(UIEdgeInsets(32, 0, 0, 0), of: app.scene)
        XCTAssertEqual(content.frame, CGRect(x: 36, y: 32, width: 364, height: 28))
        try app.system.enterFullScreen(app.scene)
        XCTAssertEqual(content.frame.minX, 0, "no control, in the turn of the size")
        try app.resize(700, 500)
        XCTAssertEqual(content.frame.minX, 36)
        mover.frame.origin.y = 100
        app.turn()
        XCTAssertEqual(content.frame, CGRect(x: 0, y: 0, width: 400, height: 60))
        // The bar moves to the window's corner, in another view.
        controller.view.addSubview(bar)
        app.turn()
        XCTAssertEqual(content.frame.minX, 66)
    }
    func testContentFollowsAScrolledView() async throws {
        let (app, controller) = try shown()
        let scroller = UIView(frame: CGRect(x: 0, y: 0, width: 500, height: 300))
        let bar = UIView(frame: CGRect(x: 0, y: 100, width: 400, height: 60))
        let content = UIView()
        content.translatesAutoresizingMaskIntoConstraints = false
        controller.view.addSubview(scroller)
        scroller.addSubview(bar)
        bar.addSubview(content)
        let guide = bar.layoutGuide(for: .safeArea(cornerAdaptation: .horizontal))
        NSLayoutConstraint.activate([
            content.leadingAnchor.constraint(equalTo: guide.leadingAnchor),
            content.trailingAnchor.constraint(equalTo: guide.trailingAnchor),
            content.topAnchor.constraint(equalTo: guide.topAnchor),
            content.bottomAnchor.constraint(equalTo: guide.bottomAnchor),
        ])
        app.turn()
        XCTAssertEqual(content.frame, CGRect(x: 0, y: 0, width: 400, height: 60), "below the control")
        scroller.bounds.origin.y = 60
        app.turn()
        XCTAssertEqual(bar.safeAreaInsets, .zero)
        XCTAssertEqual(content.frame, CGRect(x: 66, y: 0, width: 334, height: 60), "beside it")
        scroller.bounds.origin.y = 100
        app.turn()
        XCTAssertEqual(content.frame, CGRect(x: 66, y: 10, width: 334, height: 50))
        scroller.bounds.origin.y = 0
        app.turn()
        XCTAssertEqual(content.frame, CGRect(x: 0, y: 0, width: 400, height: 60))
    }

    func testContentFollowsTheControlToTheOtherSide() async throws {
        let (app, controller) = try shown()
        let bar = UIView(frame: CGRect(x: 0, y: 0, width: 800, height: 60))
        let content = UIView()
        content.translatesAutoresizingMaskIntoConstraints = false
        controller.view.addSubview(bar)
        bar.addSubview(content)
        let guide = bar.layoutGuide(for: .safeArea(cornerAdaptation: .horizontal))
        NSLayoutConstraint.activate([
            content.leftAnchor.constraint(equalTo: guide.leftAnchor),
            content.rightAnchor.constraint(equalTo: guide.rightAnchor),
            content.topAnchor.constraint(equalTo: guide.topAnchor),
            content.bottomAnchor.constraint(equalTo: guide.bottomAnchor),
        ])
        app.turn()
        XCTAssertEqual(content.frame, CGRect(x: 66, y: 10, width: 734, height: 50))
        let window = try XCTUnwrap(bar.window)
        window.semanticContentAttribute = .forceRightToLeft
        app.turn()
        XCTAssertEqual(content.frame, CGRect(x: 0, y: 10, width: 734, height: 50))
        window.semanticContentAttribute = .unspecified
        app.turn()
        XCTAssertEqual(content.frame.minX, 66)
        window.traitOverrides.layoutDirection = .rightToLeft
        app.turn()
        XCTAssertEqual(content.frame.minX, 0, "by its traits")
    }
}
