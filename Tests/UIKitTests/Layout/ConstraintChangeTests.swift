import TestSupport
import XCTest

@testable import UIKit

/// What changes after constraints were applied once.
@MainActor final class ConstraintChangeTests: ConstraintTestCase {
    func testAMaskThatIsSetAfterALayoutCountsInTheNext() async {
        let outer = view()
        let fixed = UIView(frame: CGRect(0, 0, 50, 50))
        outer.addSubview(fixed)
        let content = view(in: outer)
        NSLayoutConstraint.activate([
            outer.topAnchor.constraint(equalTo: root.topAnchor),
            outer.leadingAnchor.constraint(equalTo: root.leadingAnchor),
            outer.bottomAnchor.constraint(equalTo: root.bottomAnchor),
            outer.trailingAnchor.constraint(equalTo: root.trailingAnchor),
            content.topAnchor.constraint(equalTo: fixed.topAnchor),
            content.leadingAnchor.constraint(equalTo: fixed.trailingAnchor),
            content.heightAnchor.constraint(equalToConstant: 10),
            content.widthAnchor.constraint(equalToConstant: 10),
        ])
        layOut()
        XCTAssertEqual(content.frame.minX, 50)
        fixed.autoresizingMask = .flexibleWidth
        root.frame.size.width = 500
        layOut()
        XCTAssertEqual(fixed.frame.width, 250)
        XCTAssertEqual(content.frame.minX, 250)
    }

    func testAScrolledViewKeepsItsContentWhereConstraintsPutIt() async {
        let scroller = view()
        let content = view(in: scroller)
        scroller.sides(of: root, top: 0, leading: 0, bottom: 0, trailing: 0).activate()
        content.sides(of: root, top: 10, leading: 0).activate()
        content.lengths(width: 30, height: 20).activate()
        root.layoutIfNeeded()
        XCTAssertEqual(content.frame, CGRect(0, 10, 30, 20))
        scroller.bounds.origin.y = 50
        root.layoutIfNeeded()
        XCTAssertEqual(content.frame, CGRect(0, 60, 30, 20))
    }

    func testADirectionThatIsOverriddenInNoWindowMirrorsTheNextLayout() async {
        let content = view()
        content.sides(of: root, top: 0, leading: 10).activate()
        content.lengths(width: 30, height: 20).activate()
        layOut()
        XCTAssertEqual(content.effectiveUserInterfaceLayoutDirection, .leftToRight)
        XCTAssertEqual(content.frame.minX, 10)
        root.traitOverrides.layoutDirection = .rightToLeft
        XCTAssertEqual(root.effectiveUserInterfaceLayoutDirection, .rightToLeft)
        XCTAssertEqual(content.effectiveUserInterfaceLayoutDirection, .rightToLeft)
        layOut()
        XCTAssertEqual(content.frame.maxX, 290)
    }

    func testLayoutIfNeededAppliesADirectionThatIsOverriddenAndLeavesNothing() async throws {
        let app = try TestApp().launched()
        let controller = RecordingController("root")
        let content = UIView()
        content.translatesAutoresizingMaskIntoConstraints = false
        controller.view.addSubview(content)
        content.sides(of: controller.view, top: 0, leading: 10).activate()
        content.lengths(width: 30, height: 20).activate()
        app.show(controller)
        app.turn()
        XCTAssertEqual(content.frame.minX, 10)
        let layouts = controller.recordingView.layouts
        controller.view.traitOverrides.layoutDirection = .rightToLeft
        controller.view.layoutIfNeeded()
        XCTAssertEqual(content.frame.maxX, controller.view.bounds.width - 10)
        app.turn()
        XCTAssertEqual(controller.recordingView.layouts, layouts + 1)
    }

    func testFramesAreRoundedToThePixelsOfAnotherScreen() async throws {
        let app = try TestApp(platform: .mac).launched()
        let controller = UIViewController()
        let content = UIView()
        content.translatesAutoresizingMaskIntoConstraints = false
        controller.view.addSubview(content)
        content.sides(of: controller.view, top: 0, leading: 0).activate()
        content.lengths(width: 33.5, height: 20).activate()
        app.show(controller)
        try app.resize(700, 500)
        XCTAssertEqual(content.frame.width, 33.5, "67 pixels")
        let display = app.system.attachDisplay(size: CGSize(1920, 1080), scale: 1)
        try app.system.move(app.scene, to: display, frame: CGRect(0, 0, 700, 500))
        XCTAssertEqual(controller.view.bounds.size, CGSize(700, 500))
        XCTAssertEqual(content.frame.width, 34)
    }

    func testAViewThatOutlivesTheViewAroundItAppliesItsOwnConstraints() async throws {
        let inner = UIView(frame: CGRect(0, 0, 200, 100))
        let content = view(in: inner)
        var outer: UIView? = UIView(frame: CGRect(0, 0, 300, 200))
        let guide = UILayoutGuide()
        outer?.addSubview(inner)
        outer?.addLayoutGuide(guide)
        let left = content.leftAnchor.constraint(equalTo: inner.leftAnchor, constant: 10)
        NSLayoutConstraint.activate([
            left, content.widthAnchor.constraint(equalToConstant: 30),
            content.heightAnchor.constraint(equalToConstant: 20),
            content.topAnchor.constraint(equalTo: guide.topAnchor),
            guide.topAnchor.constraint(equalTo: try XCTUnwrap(outer).topAnchor, constant: 5),
        ])
        outer?.layoutIfNeeded()
        XCTAssertEqual(content.frame, CGRect(10, 5, 30, 20))
        outer = nil
        XCTAssertNil(inner.superview)
        left.constant = 40
        inner.setNeedsLayout()
        inner.layoutIfNeeded()
        XCTAssertEqual(content.frame, CGRect(40, 5, 30, 20))
    }

    func testAConstantThatIsSetBeforeALayoutCostsNoOther() async throws {
        final class Quarter: RecordingController {
            let content = UIView()
            private lazy var width = content.widthAnchor.constraint(equalToConstant: 0)

            override func viewDidLoad() {
                content.translatesAutoresizingMaskIntoConstraints = false
                view.addSubview(content)
                NSLayoutConstraint.activate([
                    width, content.heightAnchor.constraint(equalToConstant: 20),
                    content.topAnchor.constraint(equalTo: view.topAnchor),
                    content.leadingAnchor.constraint(equalTo: view.leadingAnchor),
                ])
            }
            override func viewWillLayoutSubviews() { width.constant = view.bounds.width / 4 }
        }
        let app = try TestApp().launched()
        let controller = app.showing(Quarter("root"))
        app.turn()
        for size: CGFloat in [800, 600, 400] {
            let layouts = controller.recordingView.layouts
            try app.resize(size, 500)
            XCTAssertEqual(controller.content.frame.width, size / 4)
            XCTAssertEqual(controller.recordingView.layouts, layouts + 1)
        }
    }

    func testAGuidesAmbiguityIsKnownBeforeTheLayout() async {
        let guide = UILayoutGuide()
        root.addLayoutGuide(guide)
        XCTAssertTrue(guide.hasAmbiguousLayout)
        NSLayoutConstraint.activate(guide.sides(of: root, top: 0, leading: 0) + guide.lengths(width: 10))
        XCTAssertTrue(guide.hasAmbiguousLayout, "its height")
        guide.heightAnchor.constraint(equalToConstant: 20).isActive = true
        XCTAssertFalse(guide.hasAmbiguousLayout)
        root.layoutIfNeeded()
        XCTAssertEqual(guide.layoutFrame, CGRect(0, 0, 10, 20))
        XCTAssertFalse(guide.hasAmbiguousLayout)
    }

    func testMarginsAndBaselinesStandForGuidesAndSidesAndAreNamedAsTheyWereGiven() async {
        let content = view()
        let sides: [(NSLayoutConstraint.Attribute, NSLayoutConstraint.Attribute)] = [
            (.leading, .leadingMargin), (.firstBaseline, .topMargin), (.trailing, .trailingMargin),
            (.lastBaseline, .bottomMargin),
        ]
        let constraints = sides.map { side in
            NSLayoutConstraint(
                item: content, attribute: side.0, relatedBy: .equal, toItem: root, attribute: side.1, multiplier: 1,
                constant: 0)
        }
        constraints.activate()
        XCTAssertIdentical(constraints[0].firstItem, content)
        XCTAssertIdentical(constraints[0].secondItem, root)
        XCTAssertEqual([constraints[0].firstAttribute, constraints[0].secondAttribute], [.leading, .leadingMargin])
        XCTAssertTrue(constraints[0].secondAnchor?.isEqual(root.layoutMarginsGuide.leadingAnchor) == true)
        layOut()
        XCTAssertEqual(content.frame, CGRect(8, 8, 284, 184))
        XCTAssertTrue(constraints[0].description.contains("leadingMargin"), constraints[0].description)
    }
}
