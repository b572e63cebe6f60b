import XCTest

@testable import UIKit

/// The frames that constraints set.
@MainActor final class ConstraintTests: ConstraintTestCase {
    private typealias Attribute = NSLayoutConstraint.Attribute

    // MARK: Values

    func testAnchorsMakeConstraintsOfTheirPartsAndValues() async {
        let (a, b) = (view(), view())
        let side = a.leadingAnchor.constraint(equalTo: b.trailingAnchor, constant: 8)
        XCTAssertIdentical(side.firstItem, a)
        XCTAssertIdentical(side.secondItem, b)
        XCTAssertEqual(side.firstAttribute, .leading)
        XCTAssertEqual(side.secondAttribute, .trailing)
        XCTAssertEqual(side.relation, .equal)
        XCTAssertEqual(side.multiplier, 1)
        XCTAssertEqual(side.constant, 8)
        XCTAssertEqual(side.priority, .required)
        XCTAssertFalse(side.isActive)
        XCTAssertNil(side.identifier)
        let length = a.widthAnchor.constraint(lessThanOrEqualTo: b.heightAnchor, multiplier: 0.5, constant: 1)
        XCTAssertEqual(length.relation, .lessThanOrEqual)
        XCTAssertEqual(length.multiplier, 0.5)
        let constant = a.heightAnchor.constraint(greaterThanOrEqualToConstant: 40)
        XCTAssertNil(constant.secondItem)
        XCTAssertNil(constant.secondAnchor)
        XCTAssertEqual(constant.secondAttribute, .notAnAttribute)
        XCTAssertEqual(constant.relation, .greaterThanOrEqual)
        XCTAssertEqual(a.topAnchor, a.topAnchor)
        XCTAssertNotEqual(a.topAnchor, b.topAnchor)
        XCTAssertNotEqual(a.topAnchor, a.bottomAnchor)
        XCTAssertTrue(side.firstAnchor.isEqual(a.leadingAnchor))
    }

    func testPrioritiesAreApplesNumbers() {
        XCTAssertEqual(UILayoutPriority.required.rawValue, 1000)
        XCTAssertEqual(UILayoutPriority.defaultHigh.rawValue, 750)
        XCTAssertEqual(UILayoutPriority.defaultLow.rawValue, 250)
        XCTAssertEqual(UILayoutPriority.fittingSizeLevel.rawValue, 50)
        XCTAssertEqual(UILayoutPriority.required - 1, UILayoutPriority(999))
        XCTAssertEqual(UILayoutPriority.defaultLow + 1, UILayoutPriority(rawValue: 251))
    }

    // MARK: Frames

    func testEqualitiesSetAFrameInTheLayoutAndNotBefore() async {
        let content = view()
        content.sides(of: root, top: 10, leading: 20, bottom: 30, trailing: 40).activate()
        XCTAssertEqual(content.frame, .zero)
        XCTAssertEqual(root.constraints.count, 4)
        root.layoutIfNeeded()
        XCTAssertEqual(content.frame, CGRect(20, 10, 240, 160))
        XCTAssertFalse(content.hasAmbiguousLayout)
        root.frame.size = CGSize(500, 100)
        root.layoutIfNeeded()
        XCTAssertEqual(content.frame, CGRect(20, 10, 440, 60))
    }

    func testEachPairOfCoordinatesDeterminesASlot() async {
        // A view from 50 to 110 along both axes.
        let values: [(Attribute, Attribute, CGFloat)] = [
            (.left, .top, 50), (.centerX, .centerY, 80), (.right, .bottom, 110), (.width, .height, 60),
        ]
        for (i, a) in values.enumerated() {
            for b in values[(i + 1)...] {
                let content = view()
                for (x, y, value) in [a, b] {
                    for (attribute, origin) in [(x, Attribute.left), (y, .top)] {
                        let isLength = attribute == .width || attribute == .height
                        NSLayoutConstraint(
                            item: content, attribute: attribute, relatedBy: .equal, toItem: isLength ? nil : root,
                            attribute: isLength ? .notAnAttribute : origin, multiplier: 1, constant: value
                        ).isActive = true
                    }
                }
                layOut()
                XCTAssertEqual(content.frame, CGRect(50, 50, 60, 60), "\(a.0) \(b.0)")
            }
        }
    }

    func testGuidesAndViewsInViewsFollow() async {
        let guide = UILayoutGuide()
        XCTAssertEqual(guide.identifier, "")
        root.addLayoutGuide(guide)
        XCTAssertIdentical(guide.owningView, root)
        let outer = view()
        let inner = view(in: outer)
        NSLayoutConstraint.activate([
            guide.leftAnchor.constraint(equalTo: root.leftAnchor, constant: 30),
            guide.topAnchor.constraint(equalTo: root.topAnchor),
            guide.widthAnchor.constraint(equalToConstant: 100),
            guide.heightAnchor.constraint(equalTo: guide.widthAnchor, multiplier: 0.5),
            outer.leftAnchor.constraint(equalTo: guide.rightAnchor),
            outer.topAnchor.constraint(equalTo: guide.bottomAnchor),
            // The view around is as large as its content.
            inner.leftAnchor.constraint(equalTo: outer.leftAnchor, constant: 5),
            outer.rightAnchor.constraint(equalTo: inner.rightAnchor, constant: 5),
            inner.topAnchor.constraint(equalTo: outer.topAnchor, constant: 5),
            outer.bottomAnchor.constraint(equalTo: inner.bottomAnchor, constant: 5),
            inner.widthAnchor.constraint(equalToConstant: 40),
            inner.heightAnchor.constraint(equalToConstant: 20),
        ])
        layOut()
        XCTAssertEqual(guide.layoutFrame, CGRect(30, 0, 100, 50))
        XCTAssertFalse(guide.hasAmbiguousLayout)
        XCTAssertEqual(outer.frame, CGRect(130, 50, 50, 30))
        XCTAssertEqual(inner.frame, CGRect(5, 5, 40, 20))
        root.removeLayoutGuide(guide)
        XCTAssertNil(guide.owningView)
        XCTAssertTrue(root.layoutGuides.isEmpty)
        XCTAssertEqual(root.constraints.count, 0, "those of the guide are inactive")
        XCTAssertEqual(outer.constraints.count, 4)
    }

    func testAnotherConstantOrSizeMovesWithoutAnotherPlan() async {
        let content = view()
        let left = content.leftAnchor.constraint(equalTo: root.leftAnchor)
        let width = root.widthAnchor.constraint(equalTo: content.widthAnchor, multiplier: 2, constant: 100)
        NSLayoutConstraint.activate([left, width])
        layOut()
        XCTAssertEqual(content.frame.minX, 0)
        XCTAssertEqual(content.frame.width, 100, "half of what is left of 300")
        left.constant = 12
        width.constant = 200
        XCTAssertEqual(content.frame.minX, 0, "in the next layout")
        root.layoutIfNeeded()
        XCTAssertEqual(content.frame.minX, 12)
        XCTAssertEqual(content.frame.width, 50)
        left.constant = .nan
        XCTAssertEqual(left.constant, 12, "ignored")
    }

    func testAViewWithAMaskIsKnownByItsFrame() async {
        let fixed = UIView(frame: CGRect(10, 0, 30, 20))
        root.addSubview(fixed)
        let stretched = UIView(frame: CGRect(0, 50, 300, 10))
        stretched.autoresizingMask = [.flexibleWidth]
        root.addSubview(stretched)
        let content = view()
        NSLayoutConstraint.activate([
            content.leftAnchor.constraint(equalTo: fixed.rightAnchor),
            content.rightAnchor.constraint(equalTo: stretched.rightAnchor, constant: -10),
        ])
        layOut()
        XCTAssertEqual(content.frame.minX, 40)
        XCTAssertEqual(content.frame.width, 250)
        root.frame.size.width = 400
        root.layoutIfNeeded()
        XCTAssertEqual(content.frame.width, 350)
        fixed.frame.size.width = 60
        root.layoutIfNeeded()
        XCTAssertEqual(content.frame.minX, 70, "a frame that is read marks the layout")
    }

    func testFramesAreRoundedToPixelsAndNotBefore() async throws {
        let app = try TestApp().launched()
        XCTAssertEqual(app.system.platform.screenScale, 2)
        root.frame.size.width = 100
        var previous = root.leftAnchor
        let parts = (0..<3).map { _ in view() }
        for part in parts {
            part.leftAnchor.constraint(equalTo: previous).isActive = true
            part.widthAnchor.constraint(equalTo: root.widthAnchor, multiplier: 1 / 3).isActive = true
            previous = part.rightAnchor
        }
        layOut()
        XCTAssertEqual(parts.map(\.frame.minX), [0, 33.5, 66.5])
        XCTAssertEqual(parts.map(\.frame.maxX), [33.5, 66.5, 100], "no gaps")
    }

    func testNoSizeOfTheRootStopsALayout() async {
        let content = view()
        NSLayoutConstraint.activate([
            content.leftAnchor.constraint(equalTo: root.leftAnchor, constant: 20),
            content.rightAnchor.constraint(equalTo: root.rightAnchor, constant: -20),
            content.heightAnchor.constraint(equalTo: content.widthAnchor),
        ])
        for width in [0, 10, 1e300, .greatestFiniteMagnitude, 100] as [CGFloat] {
            root.frame.size.width = width
            root.layoutIfNeeded()
            XCTAssertGreaterThanOrEqual(content.frame.width, 0)
        }
        XCTAssertEqual(content.frame.width, 60)
    }

    // MARK: In the system

    func testATurnAppliesConstraintsBetweenTheControllersCallAndTheLayout() async throws {
        let app = try TestApp().launched()
        let controller = RecordingController("root")
        let content = RecordingView("content")
        content.translatesAutoresizingMaskIntoConstraints = false
        controller.view.addSubview(content)
        NSLayoutConstraint.activate([
            content.widthAnchor.constraint(equalTo: controller.view.widthAnchor, multiplier: 0.5),
            content.heightAnchor.constraint(equalToConstant: 20),
            content.leftAnchor.constraint(equalTo: controller.view.leftAnchor),
            content.topAnchor.constraint(equalTo: controller.view.topAnchor),
        ])
        app.show(controller)
        app.turn()
        DelegateCalls.all = []
        controller.recordingView.onLayout = { _ in
            DelegateCalls.all.append("content has \(content.frame.size.text)")
        }
        try app.resize(800, 600)
        XCTAssertEqual(
            DelegateCalls.drain().filter { !$0.contains("transition") && $0 != "geometry" },
            [
                "root will layout", "root layout 800×600", "content has 400×20", "root did layout",
                "content layout 400×20", "root settled 800×600",
            ])
    }

    func testLayoutIfNeededOfAViewWithinSetsItsFrameToo() async {
        let outer = view()
        let inner = view(in: outer)
        let height = outer.heightAnchor.constraint(equalToConstant: 10)
        NSLayoutConstraint.activate([
            height, outer.topAnchor.constraint(equalTo: root.topAnchor),
            inner.heightAnchor.constraint(equalTo: outer.heightAnchor),
            inner.topAnchor.constraint(equalTo: outer.topAnchor),
        ])
        layOut()
        height.constant = 40
        outer.layoutIfNeeded()
        XCTAssertEqual(inner.frame.height, 40)
    }
}
