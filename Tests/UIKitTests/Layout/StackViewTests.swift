import UIKit
import XCTest

/// A stack view places what it arranges; the expected frames are counted by hand.
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

    /// A stack of three views, 20, 30 and 40 wide and 10, 20 and 30 high, in 300×200.
    private func stack(_ change: (UIStackView) -> Void) -> UIStackView {
        let stack = UIStackView(arrangedSubviews: [Sized(20, 10), Sized(30, 20), Sized(40, 30)])
        stack.frame = CGRect(x: 0, y: 0, width: 300, height: 200)
        change(stack)
        stack.layoutIfNeeded()
        return stack
    }

    private func texts(_ stack: UIStackView) -> [String] {
        stack.arrangedSubviews.map { view in
            let (x, y) = (Int(view.frame.minX), Int(view.frame.minY))
            return "\(x),\(y) \(Int(view.frame.width))×\(Int(view.frame.height))"
        }
    }

    func testDistributions() async {
        let equal = stack {
            $0.distribution = .fillEqually
            $0.spacing = 15
        }
        XCTAssertEqual(texts(equal), ["0,0 90×200", "105,0 90×200", "210,0 90×200"])
        // (300 − 20 − 30 − 40) / 2 = 105 between them.
        let spread = stack { $0.distribution = .equalSpacing }
        XCTAssertEqual(texts(spread), ["0,0 20×200", "125,0 30×200", "260,0 40×200"])
        // The centres of the outer ones, 10 and 280, are 270 apart: the middle one's is 145.
        let centred = stack { $0.distribution = .equalCentering }
        XCTAssertEqual(texts(centred), ["0,0 20×200", "130,0 30×200", "260,0 40×200"])
        let filled = stack {
            $0.spacing = 5
            $0.arrangedSubviews[1].setContentHuggingPriority(.defaultLow - 1, for: .horizontal)
        }
        XCTAssertEqual(texts(filled), ["0,0 20×200", "25,0 230×200", "260,0 40×200"])
    }

    func testAlignmentsOfAColumn() async {
        func column(_ alignment: UIStackView.Alignment) -> [Int] {
            let stack = stack {
                $0.axis = .vertical
                $0.distribution = .equalSpacing
                $0.alignment = alignment
            }
            // (200 − 10 − 20 − 30) / 2 = 70 between them.
            XCTAssertEqual(stack.arrangedSubviews.map { Int($0.frame.minY) }, [0, 80, 170])
            return stack.arrangedSubviews.flatMap { [Int($0.frame.minX), Int($0.frame.width)] }
        }
        XCTAssertEqual(column(.fill), [0, 300, 0, 300, 0, 300])
        XCTAssertEqual(column(.leading), [0, 20, 0, 30, 0, 40])
        XCTAssertEqual(column(.center), [140, 20, 135, 30, 130, 40])
        XCTAssertEqual(column(.trailing), [280, 20, 270, 30, 260, 40])
    }

    func testSpacingsMarginsHiddenAndRemovedViews() async {
        let stack = stack {
            $0.distribution = .fillEqually
            $0.isLayoutMarginsRelativeArrangement = true
            $0.layoutMargins = UIEdgeInsets(top: 10, left: 20, bottom: 30, right: 40)
            $0.setCustomSpacing(30, after: $0.arrangedSubviews[0])
        }
        // (300 − 20 − 40 − 30) / 3 = 70.
        XCTAssertEqual(texts(stack), ["20,10 70×160", "120,10 70×160", "190,10 70×160"])
        XCTAssertEqual(stack.customSpacing(after: stack.arrangedSubviews[0]), 30)
        XCTAssertEqual(stack.customSpacing(after: stack.arrangedSubviews[1]), UIStackView.spacingUseDefault)
        stack.arrangedSubviews[1].isHidden = true
        stack.layoutIfNeeded()
        // (240 − 30) / 2 = 105.
        XCTAssertEqual([0, 2].map { texts(stack)[$0] }, ["20,10 105×160", "155,10 105×160"])
        stack.arrangedSubviews[1].isHidden = false
        let removed = stack.arrangedSubviews[0]
        removed.removeFromSuperview()
        stack.layoutIfNeeded()
        XCTAssertEqual(texts(stack), ["20,10 120×160", "140,10 120×160"])
        let kept = stack.arrangedSubviews[1]
        stack.removeArrangedSubview(kept)
        XCTAssertIdentical(kept.superview, stack)
        stack.insertArrangedSubview(kept, at: 0)
        stack.layoutIfNeeded()
        XCTAssertEqual(texts(stack), ["20,10 120×160", "140,10 120×160"])
        XCTAssertIdentical(stack.arrangedSubviews[0], kept)
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
