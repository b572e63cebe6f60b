import TestSupport
import XCTest

@testable import UIKit

/// Constraints, on which rows 28 to 30 rely.
@MainActor final class ConstraintTests: XCTestCase {
    private typealias Attribute = NSLayoutConstraint.Attribute

    private let root = UIView(frame: CGRect(x: 0, y: 0, width: 300, height: 200))

    /// A view in the root, or in another one, whose frame constraints decide.
    private func view(in superview: UIView? = nil) -> UIView {
        let view = UIView(frame: .zero)
        view.translatesAutoresizingMaskIntoConstraints = false
        (superview ?? root).addSubview(view)
        return view
    }

    private func layOut() {
        root.setNeedsLayout()
        root.layoutIfNeeded()
    }

    private func messages(of app: TestApp) -> [String] { app.system.messages.filter { $0.contains("onstraint") } }

    // MARK: Values

    func testRow29_anchorsMakeConstraintsOfTheirPartsAndValues() async {
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

    func testRow29_prioritiesAreApplesNumbers() {
        XCTAssertEqual(UILayoutPriority.required.rawValue, 1000)
        XCTAssertEqual(UILayoutPriority.defaultHigh.rawValue, 750)
        XCTAssertEqual(UILayoutPriority.defaultLow.rawValue, 250)
        XCTAssertEqual(UILayoutPriority.fittingSizeLevel.rawValue, 50)
        XCTAssertEqual(UILayoutPriority.required - 1, UILayoutPriority(999))
        XCTAssertEqual(UILayoutPriority.defaultLow + 1, UILayoutPriority(rawValue: 251))
    }

    // MARK: Frames

    func testRow29_equalitiesSetAFrameInTheLayoutAndNotBefore() async {
        let content = view()
        NSLayoutConstraint.activate([
            content.topAnchor.constraint(equalTo: root.topAnchor, constant: 10),
            content.leadingAnchor.constraint(equalTo: root.leadingAnchor, constant: 20),
            content.bottomAnchor.constraint(equalTo: root.bottomAnchor, constant: -30),
            content.trailingAnchor.constraint(equalTo: root.trailingAnchor, constant: -40),
        ])
        XCTAssertEqual(content.frame, .zero)
        XCTAssertEqual(root.constraints.count, 4)
        root.layoutIfNeeded()
        XCTAssertEqual(content.frame, CGRect(x: 20, y: 10, width: 240, height: 160))
        XCTAssertFalse(content.hasAmbiguousLayout)
        root.frame.size = CGSize(width: 500, height: 100)
        root.layoutIfNeeded()
        XCTAssertEqual(content.frame, CGRect(x: 20, y: 10, width: 440, height: 60))
    }

    func testRow29_eachPairOfCoordinatesDeterminesASlot() async {
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
                XCTAssertEqual(content.frame, CGRect(x: 50, y: 50, width: 60, height: 60), "\(a.0) \(b.0)")
            }
        }
    }

    func testRow29_guidesAndViewsInViewsFollow() async {
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
        XCTAssertEqual(guide.layoutFrame, CGRect(x: 30, y: 0, width: 100, height: 50))
        XCTAssertFalse(guide.hasAmbiguousLayout)
        XCTAssertEqual(outer.frame, CGRect(x: 130, y: 50, width: 50, height: 30))
        XCTAssertEqual(inner.frame, CGRect(x: 5, y: 5, width: 40, height: 20))
        root.removeLayoutGuide(guide)
        XCTAssertNil(guide.owningView)
        XCTAssertTrue(root.layoutGuides.isEmpty)
        XCTAssertEqual(root.constraints.count, 0, "those of the guide are inactive")
        XCTAssertEqual(outer.constraints.count, 4)
    }

    func testRow29_marginsAndBaselinesStandForGuidesAndSides() async {
        let content = view()
        for (attribute, other) in [
            (Attribute.leading, Attribute.leadingMargin), (.firstBaseline, .topMargin), (.trailing, .trailingMargin),
            (.lastBaseline, .bottomMargin),
        ] {
            NSLayoutConstraint(
                item: content, attribute: attribute, relatedBy: .equal, toItem: root, attribute: other, multiplier: 1,
                constant: 0
            ).isActive = true
        }
        layOut()
        XCTAssertEqual(content.frame, CGRect(x: 8, y: 8, width: 284, height: 184))
    }

    func testRow29_anotherConstantOrSizeMovesWithoutAnotherPlan() async {
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

    func testRow29_aViewWithAMaskIsKnownByItsFrame() async {
        let fixed = UIView(frame: CGRect(x: 10, y: 0, width: 30, height: 20))
        root.addSubview(fixed)
        let stretched = UIView(frame: CGRect(x: 0, y: 50, width: 300, height: 10))
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

    func testRow29_framesAreRoundedToPixelsAndNotBefore() async throws {
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

    func testRow29_noSizeOfTheRootStopsALayout() async {
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

    // MARK: Activation

    func testRow29_aConstraintIsHeldByTheNearestViewAroundBothItems() async {
        let (a, b) = (view(), view())
        let inner = view(in: a)
        let own = inner.widthAnchor.constraint(equalToConstant: 1)
        let up = inner.topAnchor.constraint(equalTo: a.topAnchor)
        let across = inner.leftAnchor.constraint(equalTo: b.leftAnchor)
        NSLayoutConstraint.activate([own, up, across])
        XCTAssertEqual(inner.constraints, [own])
        XCTAssertEqual(a.constraints, [up])
        XCTAssertEqual(root.constraints, [across])
        NSLayoutConstraint.deactivate([own, up])
        XCTAssertFalse(own.isActive)
        XCTAssertEqual(inner.constraints + a.constraints, [])
        root.removeConstraint(across)
        XCTAssertFalse(across.isActive)
        root.addConstraint(across)
        XCTAssertTrue(across.isActive)
    }

    func testRow29_removingAViewDeactivatesWhatLeftTheTree() async {
        let outer = view()
        let inner = view(in: outer)
        let within = inner.leftAnchor.constraint(equalTo: outer.leftAnchor, constant: 3)
        let own = outer.widthAnchor.constraint(equalToConstant: 50)
        let outwards = outer.leftAnchor.constraint(equalTo: root.leftAnchor, constant: 7)
        let innerOutwards = inner.rightAnchor.constraint(equalTo: root.rightAnchor)
        NSLayoutConstraint.activate([within, own, outwards, innerOutwards])
        layOut()
        XCTAssertEqual(outer.frame.minX, 7)
        outer.removeFromSuperview()
        XCTAssertEqual([within, own, outwards, innerOutwards].map(\.isActive), [true, true, false, false])
        root.addSubview(outer)
        outwards.constant = 9
        outwards.isActive = true
        layOut()
        XCTAssertEqual(outer.frame.minX, 9)
        XCTAssertEqual(inner.frame.minX, 3)
        // Into another view at once.
        let other = UIView(frame: CGRect(x: 0, y: 0, width: 10, height: 10))
        root.addSubview(other)
        other.addSubview(outer)
        XCTAssertFalse(outwards.isActive)
        XCTAssertTrue(within.isActive)
    }

    func testRow29_viewsWithoutACommonViewHaveNoConstraints() async {
        let (other, guide) = (UIControlOfTheTest(), UILayoutGuide())
        let apart = view().topAnchor.constraint(equalTo: other.topAnchor)
        XCTAssertNil(apart.containingView)
        XCTAssertTrue(
            apart.noCommonAncestor.contains("UIView") && apart.noCommonAncestor.contains("UIControlOfTheTest"))
        let ofNoView = root.topAnchor.constraint(equalTo: guide.topAnchor)
        XCTAssertNil(ofNoView.containingView)
        root.addLayoutGuide(guide)
        XCTAssertIdentical(ofNoView.containingView, root)
    }

    private final class UIControlOfTheTest: UIView {}

    func testRow29_partsOfDifferentKindsAreAFault() async {
        let (a, b) = (view(), view())
        typealias Side = (item: AnyObject?, attribute: Attribute)
        let faults: [(Side, Side?)] = [
            ((a, .width), (b, .left)), ((a, .left), (b, .top)), ((a, .leading), (b, .left)), ((a, .top), nil),
            ((NSObject(), .top), (b, .top)), ((a, .notAnAttribute), nil), ((a, .top), (b, .notAnAttribute)),
        ]
        for (first, second) in faults {
            XCTAssertNotNil(NSLayoutConstraint.fault(first, second), "\(first.attribute) \(second?.attribute as Any)")
        }
        XCTAssertTrue(NSLayoutConstraint.fault((a, .width), (b, .left))!.contains("UIView"))
        for (first, second) in [
            ((a, .leading), (b, .centerX)), ((a, .left), (b, .centerX)), ((a, .width), (b, .height)),
        ]
            as [(Side, Side)]
        {
            XCTAssertNil(NSLayoutConstraint.fault(first, second))
        }
        XCTAssertNil(NSLayoutConstraint.fault((a, .width), nil))
    }

    // MARK: Ambiguity, conflicts and what is not supported

    func testRow29_whatNothingFixesKeepsItsLastValue() async {
        let content = view()
        content.frame = CGRect(x: 1, y: 2, width: 30, height: 40)
        let next = view()
        content.leftAnchor.constraint(equalTo: root.leftAnchor, constant: 10).isActive = true
        next.leftAnchor.constraint(equalTo: content.rightAnchor, constant: 5).isActive = true
        layOut()
        XCTAssertEqual(content.frame, CGRect(x: 10, y: 2, width: 30, height: 40))
        XCTAssertEqual(next.frame.minX, 45)
        XCTAssertTrue(content.hasAmbiguousLayout)
        XCTAssertFalse(root.hasAmbiguousLayout, "the app sets its frame")
        NSLayoutConstraint.activate([
            content.widthAnchor.constraint(equalToConstant: 50), content.topAnchor.constraint(equalTo: root.topAnchor),
            content.heightAnchor.constraint(equalToConstant: 60),
        ])
        XCTAssertFalse(content.hasAmbiguousLayout, "known before the layout")
        layOut()
        XCTAssertEqual(content.frame, CGRect(x: 10, y: 0, width: 50, height: 60))
    }

    func testRow29_ofAConflictTheConstraintActivatedLastIsDroppedAndLoggedOnce() async throws {
        let app = try TestApp().launched()
        let content = view()
        let first = content.widthAnchor.constraint(equalToConstant: 50)
        let left = content.leftAnchor.constraint(equalTo: root.leftAnchor)
        let right = content.rightAnchor.constraint(equalTo: root.rightAnchor)
        for order in [[first, left, right], [right, first, left], [left, right, first]] {
            let before = messages(of: app).count
            NSLayoutConstraint.activate(order)
            layOut()
            layOut()
            XCTAssertEqual(order.map(\.isActive), [true, true, true])
            let expected: [ObjectIdentifier: CGRect] = [
                ObjectIdentifier(right): CGRect(x: 0, y: 0, width: 50, height: 0),
                ObjectIdentifier(left): CGRect(x: 250, y: 0, width: 50, height: 0),
                ObjectIdentifier(first): CGRect(x: 0, y: 0, width: 300, height: 0),
            ]
            XCTAssertEqual(content.frame, expected[ObjectIdentifier(order[2])])
            let new = messages(of: app).dropFirst(before)
            XCTAssertEqual(new.count, 1, "logged once")
            for constraint in order { XCTAssertTrue(new.first?.contains(constraint.description) == true) }
            NSLayoutConstraint.deactivate(order)
        }
        // What agrees is no conflict, and becomes one.
        NSLayoutConstraint.activate([left, right, first])
        first.constant = 300
        let before = messages(of: app).count
        layOut()
        XCTAssertEqual(messages(of: app).count, before)
        root.frame.size.width = 400
        root.layoutIfNeeded()
        XCTAssertEqual(messages(of: app).count, before + 1)
        XCTAssertEqual(app.system.unsupportedConstraints, [], "a conflict is none of them")
    }

    func testRow29_aForgottenMaskIsAConflictThatIsNamed() async throws {
        let app = try TestApp().launched()
        let fixed = UIView(frame: CGRect(x: 0, y: 0, width: 10, height: 10))
        root.addSubview(fixed)
        fixed.leftAnchor.constraint(equalTo: root.leftAnchor, constant: 20).isActive = true
        layOut()
        XCTAssertEqual(fixed.frame.minX, 0)
        XCTAssertTrue(messages(of: app).contains { $0.contains("translatesAutoresizingMaskIntoConstraints") })
        fixed.translatesAutoresizingMaskIntoConstraints = false
        layOut()
        XCTAssertEqual(fixed.frame.minX, 20)
    }

    func testRow29_whatIsNotSupportedStaysActiveAndIsListedAndLoggedOnce() async throws {
        let app = try TestApp().launched()
        let controller = UIViewController()
        controller.view.addSubview(root)
        app.show(controller)
        let (a, b) = (view(), view())
        let inequality = a.widthAnchor.constraint(greaterThanOrEqualToConstant: 500)
        let weak = a.heightAnchor.constraint(equalToConstant: 70)
        weak.priority = .defaultHigh
        // Only together they have a solution.
        let equalWidths = a.widthAnchor.constraint(equalTo: b.widthAnchor)
        let sides = [
            a.leftAnchor.constraint(equalTo: root.leftAnchor), b.rightAnchor.constraint(equalTo: root.rightAnchor),
            b.leftAnchor.constraint(equalTo: a.rightAnchor),
        ]
        NSLayoutConstraint.activate(sides + [inequality, weak, equalWidths])
        app.system.advance(by: .zero)
        layOut()
        layOut()
        XCTAssertEqual(Set(app.system.unsupportedConstraints), [inequality, weak, equalWidths])
        XCTAssertTrue([inequality, weak, equalWidths].allSatisfy(\.isActive))
        XCTAssertEqual(a.frame.width, 0)
        XCTAssertEqual(a.frame.height, 0)
        let logged = messages(of: app)
        XCTAssertEqual(logged.count, 3)
        for (constraint, reason) in [(inequality, "inequal"), (weak, "priority"), (equalWidths, "cycle")] {
            XCTAssertEqual(logged.filter { $0.contains(constraint.description) && $0.contains(reason) }.count, 1)
        }
        weak.priority = .required
        layOut()
        XCTAssertEqual(a.frame.height, 70)
        equalWidths.isActive = false
        XCTAssertEqual(app.system.unsupportedConstraints, [inequality])
    }

    // MARK: In the system

    func testRow29_aTurnAppliesConstraintsBetweenTheControllersCallAndTheLayout() async throws {
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
        app.system.advance(by: .zero)
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

    func testRow29_layoutIfNeededOfAViewWithinSetsItsFrameToo() async {
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
