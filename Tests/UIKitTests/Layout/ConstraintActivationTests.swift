import XCTest

@testable import UIKit

/// Which constraints are active, and which of those are applied.
@MainActor final class ConstraintActivationTests: ConstraintTestCase {
    private func messages(of app: TestApp) -> [String] { app.system.messages.filter { $0.contains("onstraint") } }

    // MARK: Activation

    func testAConstraintIsHeldByTheNearestViewAroundBothItems() async {
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

    func testRemovingAViewDeactivatesWhatLeftTheTree() async {
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
        let other = UIView(frame: CGRect(0, 0, 10, 10))
        root.addSubview(other)
        other.addSubview(outer)
        XCTAssertFalse(outwards.isActive)
        XCTAssertTrue(within.isActive)
    }

    func testViewsWithoutACommonViewHaveNoConstraints() async {
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

    func testPartsOfDifferentKindsAreAFault() async {
        let (a, b) = (view(), view())
        typealias Side = (item: AnyObject?, attribute: NSLayoutConstraint.Attribute)
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

    func testWhatNothingFixesKeepsItsLastValue() async {
        let content = view()
        content.frame = CGRect(1, 2, 30, 40)
        let next = view()
        content.leftAnchor.constraint(equalTo: root.leftAnchor, constant: 10).isActive = true
        next.leftAnchor.constraint(equalTo: content.rightAnchor, constant: 5).isActive = true
        layOut()
        XCTAssertEqual(content.frame, CGRect(10, 2, 30, 40))
        XCTAssertEqual(next.frame.minX, 45)
        XCTAssertTrue(content.hasAmbiguousLayout)
        XCTAssertFalse(root.hasAmbiguousLayout, "the app sets its frame")
        NSLayoutConstraint.activate(content.lengths(width: 50, height: 60) + content.sides(of: root, top: 0))
        XCTAssertFalse(content.hasAmbiguousLayout, "known before the layout")
        layOut()
        XCTAssertEqual(content.frame, CGRect(10, 0, 50, 60))
    }

    func testOfAConflictTheConstraintActivatedLastIsDroppedAndLoggedOnce() async throws {
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
                ObjectIdentifier(right): CGRect(0, 0, 50, 0),
                ObjectIdentifier(left): CGRect(250, 0, 50, 0),
                ObjectIdentifier(first): CGRect(0, 0, 300, 0),
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

    func testAForgottenMaskIsAConflictThatIsNamed() async throws {
        let app = try TestApp().launched()
        let fixed = UIView(frame: CGRect(0, 0, 10, 10))
        root.addSubview(fixed)
        fixed.leftAnchor.constraint(equalTo: root.leftAnchor, constant: 20).isActive = true
        layOut()
        XCTAssertEqual(fixed.frame.minX, 0)
        XCTAssertTrue(messages(of: app).contains { $0.contains("translatesAutoresizingMaskIntoConstraints") })
        fixed.translatesAutoresizingMaskIntoConstraints = false
        layOut()
        XCTAssertEqual(fixed.frame.minX, 20)
    }

    func testWhatIsNotSupportedStaysActiveAndIsListedAndLoggedOnce() async throws {
        let app = try TestApp().launched()
        let controller = UIViewController()
        controller.view.addSubview(root)
        app.show(controller)
        // More views than are solved together share the width as they like.
        let parts = (0..<600).map { _ in view() }
        let widths = parts.map { $0.widthAnchor.constraint(lessThanOrEqualToConstant: 10) }
        let sides = zip(parts, parts.dropFirst()).map { $1.leftAnchor.constraint(equalTo: $0.rightAnchor) }
        let last = parts[599].rightAnchor.constraint(equalTo: root.rightAnchor)
        NSLayoutConstraint.activate(sides + widths + [parts[0].leftAnchor.constraint(equalTo: root.leftAnchor), last])
        app.turn()
        layOut()
        layOut()
        XCTAssertTrue(Set(app.system.unsupportedConstraints) == Set(widths))
        XCTAssertTrue(widths.allSatisfy(\.isActive))
        XCTAssertEqual(parts[599].frame.width, 300, "the rest keeps its last width")
        let logged = messages(of: app)
        XCTAssertEqual(logged.count, 600)
        XCTAssertTrue(logged.allSatisfy { $0.contains(widths[0].description) && $0.contains("too many") })
        // Without the one that ties them together.
        last.isActive = false
        layOut()
        XCTAssertTrue(app.system.unsupportedConstraints.isEmpty)
        XCTAssertEqual(parts[599].frame.width, 10)
        XCTAssertEqual(messages(of: app).count, 600)
    }
}
