import TestSupport
import XCTest

@testable import UIKit

/// What changes after constraints were applied once.
@MainActor final class ConstraintChangeTests: ConstraintTestCase {
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
