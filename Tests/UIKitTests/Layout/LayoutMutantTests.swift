import XCTest

@testable import UIKit

/// The checks of two promises, each with code that breaks it, which the check has to notice.
@MainActor final class LayoutMutantTests: XCTestCase {
    /// The layouts of a root view for each of some sizes.
    private func layoutsPerSize(_ onLayout: @escaping (RecordingView) -> Void) throws -> [Int] {
        let app = try TestApp().launched()
        let root = app.showing(RecordingController("root"))
        app.turn()
        root.recordingView.onLayout = onLayout
        return try (1...10).map { step in
            let layouts = root.recordingView.layouts
            try app.resize(CGFloat(400 + 10 * step), 500)
            return root.recordingView.layouts - layouts
        }
    }

    func testASecondLayoutForASizeIsNoticed() async throws {
        XCTAssertEqual(try layoutsPerSize { _ in }, Array(repeating: 1, count: 10))
        var known = CGSize.zero
        let mutant = try layoutsPerSize { view in
            if view.bounds.size != known { view.setNeedsLayout() }
            known = view.bounds.size
        }
        XCTAssertEqual(mutant, Array(repeating: 2, count: 10))
    }

    /// A bar whose content is clear of the window control; without the guide it is the mutant.
    private final class Bar: UIView {
        let content = UIView()

        init(hasGuide: Bool) {
            super.init(frame: CGRect(0, 0, 400, 60))
            addSubview(content)
            if hasGuide { _ = layoutGuide(for: .safeArea(cornerAdaptation: .horizontal)) }
        }

        required init?(coder: NSCoder) { nil }

        var expected: CGRect { bounds.inset(by: edgeInsets(for: .safeArea(cornerAdaptation: .horizontal))) }

        override func layoutSubviews() { content.frame = expected }
    }

    /// Whether the content is where it belongs, for each of some places of a bar.
    private func isCurrent(hasGuide: Bool) throws -> [Bool] {
        let app = try TestApp().launched()
        let controller = app.showing(UIViewController())
        try app.resize(800, 600)
        let bar = Bar(hasGuide: hasGuide)
        app.turn { controller.view.addSubview(bar) }
        return [0, 30, 70, 20].map { x in
            app.turn { bar.frame.origin.x = x }
            return bar.content.frame == bar.expected
        }
    }

    func testAStaleGuideIsNoticed() async throws {
        XCTAssertEqual(try isCurrent(hasGuide: true), [true, true, true, true])
        XCTAssertEqual(try isCurrent(hasGuide: false), [true, false, false, false])
    }
}
