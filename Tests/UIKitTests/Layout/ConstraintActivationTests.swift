import XCTest

@testable import UIKit

/// Which constraints are active, and which of those are applied.
@MainActor final class ConstraintActivationTests: ConstraintTestCase {
    private func messages(of app: TestApp) -> [String] { app.system.messages.filter { $0.contains("onstraint") } }

    // MARK: Activation

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
        XCTAssertEqual(logged.count, 1, "one row of views is one message")
        XCTAssertTrue(
            logged[0].hasPrefix(
                "600 constraints are not applied, of UIView, such as \(widths[0].description): too many"), logged[0])
        // Without the one that ties them together.
        last.isActive = false
        layOut()
        XCTAssertTrue(app.system.unsupportedConstraints.isEmpty)
        XCTAssertEqual(parts[599].frame.width, 10)
        XCTAssertEqual(messages(of: app).count, 1)
    }
}
