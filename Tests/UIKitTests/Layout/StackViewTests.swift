import UIKit
import XCTest

/// The size and the spacing that stack views and anchors take from the system.
@MainActor final class StackViewTests: XCTestCase {
    /// A view with a size of its own.
    private final class Sized: UIView {
        private let size: CGSize

        init(_ width: CGFloat, _ height: CGFloat) {
            size = CGSize(width: width, height: height)
            super.init(frame: .zero)
        }

        required init?(coder: NSCoder) { nil }

        override var intrinsicContentSize: CGSize { size }
    }

    /// As an array has them that the view was removed from before.
    func testAViewIsInsertedWhereTheStackHasItThen() async {
        for from in 0..<4 {
            for to in 0...4 {
                let views = (0..<4).map { Sized(CGFloat(10 + $0), 10) }
                let stack = UIStackView(arrangedSubviews: views)
                var expected: [UIView] = views
                expected.remove(at: from)
                expected.insert(views[from], at: min(to, 3))
                stack.insertArrangedSubview(views[from], at: to)
                XCTAssertEqual(stack.arrangedSubviews, expected, "\(from) to \(to)")
            }
        }
    }

    /// A custom spacing is the arranged view's, and gone with it.
    func testACustomSpacingGoesWithItsView() async {
        let views = [Sized(10, 10), Sized(20, 10), Sized(30, 10)]
        let stack = UIStackView(arrangedSubviews: views)
        stack.spacing = 1
        func width() -> CGFloat { stack.systemLayoutSizeFitting(UIView.layoutFittingCompressedSize).width }
        stack.setCustomSpacing(100, after: views[0])
        XCTAssertEqual(width(), 161)
        stack.insertArrangedSubview(views[0], at: 1)
        XCTAssertEqual(stack.customSpacing(after: views[0]), 100, "it is arranged still")
        XCTAssertEqual(width(), 161)
        for remove in [stack.removeArrangedSubview, { $0.removeFromSuperview() }] as [(UIView) -> Void] {
            stack.setCustomSpacing(100, after: views[0])
            remove(views[0])
            XCTAssertEqual(stack.customSpacing(after: views[0]), UIStackView.spacingUseDefault)
            stack.insertArrangedSubview(views[0], at: 0)
            XCTAssertEqual(width(), 62)
        }
    }

    func testOwnSizeAndSystemSpacing() async {
        let stack = UIStackView(arrangedSubviews: [Sized(20, 10), Sized(30, 20)])
        stack.spacing = UIStackView.spacingUseSystem
        XCTAssertEqual(stack.systemLayoutSizeFitting(UIView.layoutFittingCompressedSize), CGSize(width: 58, height: 20))
        let (root, view) = (UIView(frame: CGRect(x: 0, y: 0, width: 100, height: 100)), UIView())
        view.translatesAutoresizingMaskIntoConstraints = false
        root.addSubview(view)
        NSLayoutConstraint.activate([
            view.leadingAnchor.constraint(equalToSystemSpacingAfter: root.leadingAnchor, multiplier: 2),
            root.trailingAnchor.constraint(greaterThanOrEqualToSystemSpacingAfter: view.trailingAnchor, multiplier: 1),
            view.topAnchor.constraint(equalToSystemSpacingBelow: root.topAnchor, multiplier: 1),
            view.widthAnchor.constraint(equalToConstant: 10), view.heightAnchor.constraint(equalToConstant: 10),
        ])
        root.layoutIfNeeded()
        XCTAssertEqual(view.frame, CGRect(x: 16, y: 8, width: 10, height: 10))
    }
}
