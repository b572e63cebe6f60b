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
}
