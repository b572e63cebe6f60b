import XCTest

@testable import UIKit

/// Inequalities, priorities, own sizes and what has to be solved together.
@MainActor final class SolvedConstraintTests: ConstraintTestCase {
    /// A view with a size of its own, as a label has.
    private final class Label: UIView {
        var size = CGSize(60, 20) { didSet { invalidateIntrinsicContentSize() } }
        override var intrinsicContentSize: CGSize { size }
    }

    private func label(_ width: CGFloat, _ height: CGFloat = 20, in superview: UIView? = nil) -> Label {
        let label = Label()
        label.size = CGSize(width, height)
        label.translatesAutoresizingMaskIntoConstraints = false
        (superview ?? root).addSubview(label)
        return label
    }

    private func layOut(width: CGFloat) {
        root.frame.size.width = width
        root.layoutIfNeeded()
    }

    private func with(_ priority: Float, _ constraint: NSLayoutConstraint) -> NSLayoutConstraint {
        constraint.priority = UILayoutPriority(priority)
        return constraint
    }

    // MARK: Inequalities and priorities

    func testNoNumberOfWeakConstraintsOutweighsAStrongerOne() async {
        let content = view()
        let strong = with(251, content.widthAnchor.constraint(equalToConstant: 100))
        let weak = (0..<50).map { _ in with(250, content.widthAnchor.constraint(equalToConstant: 200)) }
        NSLayoutConstraint.activate(weak + [strong])
        layOut()
        XCTAssertEqual(content.frame.width, 100)
        strong.priority = UILayoutPriority(249)
        layOut()
        XCTAssertEqual(content.frame.width, 200)
    }

    // MARK: Fitting

    func testFittingIsTheSmallestSizeOfTheContent() async {
        let cell = UIView(frame: CGRect(5, 5, 1, 1))
        let content = label(80, 30, in: cell)
        NSLayoutConstraint.activate([
            content.leadingAnchor.constraint(equalTo: cell.leadingAnchor, constant: 10),
            content.topAnchor.constraint(equalTo: cell.topAnchor, constant: 10),
            cell.trailingAnchor.constraint(equalTo: content.trailingAnchor, constant: 10),
            cell.bottomAnchor.constraint(greaterThanOrEqualTo: content.bottomAnchor, constant: 10),
        ])
        XCTAssertEqual(cell.systemLayoutSizeFitting(UIView.layoutFittingCompressedSize), CGSize(100, 50))
        XCTAssertEqual(cell.frame, CGRect(5, 5, 1, 1), "sets no frame")
        XCTAssertEqual(
            cell.systemLayoutSizeFitting(
                CGSize(320, 0), withHorizontalFittingPriority: .required,
                verticalFittingPriority: .fittingSizeLevel),
            CGSize(320, 50))
        // The label resists more than a width of low priority.
        XCTAssertEqual(
            cell.systemLayoutSizeFitting(
                CGSize(40, 200), withHorizontalFittingPriority: .defaultLow - 1,
                verticalFittingPriority: .defaultLow),
            CGSize(100, 200))
        XCTAssertEqual(cell.systemLayoutSizeFitting(UIView.layoutFittingExpandedSize), CGSize(100, 10_000))
        XCTAssertEqual(UIView().systemLayoutSizeFitting(CGSize(7, 8)), CGSize(7, 8))
        XCTAssertEqual(content.systemLayoutSizeFitting(UIView.layoutFittingCompressedSize), CGSize(80, 30))
        // It leaves the layout as it was.
        cell.frame.size = CGSize(200, 90)
        cell.layoutIfNeeded()
        XCTAssertEqual(content.frame, CGRect(10, 10, 180, 30))
    }
}
