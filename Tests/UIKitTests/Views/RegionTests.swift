import XCTest

@testable import UIKit

/// Layout regions.
@MainActor final class RegionTests: XCTestCase {
    /// A window of a pad that does not cover the screen: its control takes 66 × 43 points below
    /// the top of the safe area.
    private func shown(top: CGFloat = 10) throws -> (TestApp, UIViewController) {
        let app = try TestApp().launched()
        let controller = app.showing(UIViewController())
        try app.resize(800, 600)
        try app.system.setSafeAreaInsets(UIEdgeInsets(top, 0, 0, 0), of: app.scene)
        return (app, controller)
    }

    /// Where the content of a view is scrolled, the keyboard covers what is at the bottom now.
    func testTheKeyboardCoversTheBottomOfScrolledContent() async throws {
        let (app, controller) = try shown(top: 0)
        let view = controller.view!
        let guide = view.keyboardLayoutGuide
        try app.system.setKeyboardHeight(200, of: app.scene)
        for offset: CGFloat in [0, 100, -50, 1000] {
            view.bounds.origin.y = offset
            XCTAssertEqual(guide.layoutFrame.minY, offset + 400, "\(offset)")
            XCTAssertEqual(guide.layoutFrame.height, 200, "\(offset)")
        }
    }

    func testAViewHasOneGuidePerRegion() async throws {
        let (_, controller) = try shown()
        let view = controller.view!
        let regions: [UIView.LayoutRegion] = [nil, .horizontal, .vertical].flatMap {
            [.safeArea(cornerAdaptation: $0), .margins(cornerAdaptation: $0), .readableContent(cornerAdaptation: $0)]
        }
        XCTAssertEqual(Set(regions).count, 9)
        let guides = regions.map { view.layoutGuide(for: $0) }
        XCTAssertEqual(Set(guides.map { ObjectIdentifier($0) }).count, 9)
        for (region, guide) in zip(regions, guides) {
            XCTAssertIdentical(view.layoutGuide(for: region), guide)
            XCTAssertIdentical(guide.owningView, view)
            XCTAssertEqual(guide.layoutFrame, view.bounds.inset(by: view.edgeInsets(for: region)), "\(region)")
        }
        XCTAssertIdentical(view.layoutGuide(for: .safeArea()), view.safeAreaLayoutGuide)
        XCTAssertIdentical(view.layoutGuide(for: .margins()), view.layoutMarginsGuide)
        XCTAssertIdentical(view.layoutGuide(for: .readableContent()), view.readableContentGuide)
        XCTAssertTrue(view.layoutGuides.isEmpty, "they are the system's")
    }
}
