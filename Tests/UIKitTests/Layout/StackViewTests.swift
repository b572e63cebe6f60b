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
