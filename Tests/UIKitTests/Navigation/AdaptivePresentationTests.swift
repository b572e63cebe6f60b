import UIKit
import XCTest

/// How sheets follow traits: what the delegate decides, and their heights in compact width.
@MainActor final class AdaptivePresentationTests: XCTestCase {
    private final class OlderDelegate: NSObject, UIAdaptivePresentationControllerDelegate {
        func adaptivePresentationStyle(for controller: UIPresentationController) -> UIModalPresentationStyle {
            .fullScreen
        }
    }

    private func presented(
        _ style: UIModalPresentationStyle, _ delegate: any UIAdaptivePresentationControllerDelegate,
        width: CGFloat = 1000
    ) throws -> (TestApp, NamedController, NamedController) {
        let app = try TestApp(.pad, width, 800)
        let (root, sheet) = (app.showing(NamedController("root")), NamedController("sheet"))
        sheet.modalPresentationStyle = style
        sheet.presentationController?.delegate = delegate
        root.present(sheet, animated: false)
        DelegateCalls.all = []
        return (app, root, sheet)
    }

    func testTheOlderMethodIsAskedInCompactWidth() async throws {
        let delegate = OlderDelegate()
        let (app, root, sheet) = try presented(.pageSheet, delegate, width: 500)
        XCTAssertEqual(sheet.view.frame, CGRect(0, 0, 500, 800))
        XCTAssertNil(root.view.window)
        try app.resize(1000, 800)
        XCTAssertEqual(sheet.view.frame.size, CGSize(712, 760))
        XCTAssertNotNil(root.view.window)
        withExtendedLifetime(delegate) {}
    }

    func testOneThatAdaptsBelowOthersCoversWhatIsBelowIt() async throws {
        let delegate = OlderDelegate()
        let (app, root, sheet) = try presented(.pageSheet, delegate)
        let (middle, top) = (NamedController("middle"), NamedController("top"))
        middle.modalPresentationStyle = .overFullScreen
        sheet.present(middle, animated: false)
        middle.present(top, animated: false)
        for _ in 0..<2 {
            try app.resize(500, 800)
            XCTAssertNil(root.view.window)
            XCTAssertNotNil(sheet.view.window)
            XCTAssertNotNil(top.view.window)
            try app.resize(1000, 800)
            XCTAssertNotNil(root.view.window)
        }
        try app.resize(500, 800)
        top.dismiss(animated: false)
        XCTAssertNil(root.view.window)
        root.dismiss(animated: false)
        XCTAssertNotNil(root.view.window)
        withExtendedLifetime(delegate) {}
    }

    /// Sets an override of its presenter's while it is notified of a size.
    private final class Overrider: UIViewController {
        var sizes: [CGSize] = []

        override func viewWillTransition(
            to size: CGSize, with coordinator: any UIViewControllerTransitionCoordinator
        ) {
            sizes.append(size)
            super.viewWillTransition(to: size, with: coordinator)
            presentingViewController?.traitOverrides.horizontalSizeClass = size.height < 600 ? .compact : .regular
        }
    }

    func testASheetIsNotifiedOfTheSizeThatAnOverrideWithinGivesIt() async throws {
        for style in [UIModalPresentationStyle.pageSheet, .formSheet] {
            let app = try TestApp(.pad, 1000, 800)
            let (root, sheet) = (app.showing(UIViewController()), Overrider())
            sheet.modalPresentationStyle = style
            root.present(sheet, animated: false)
            try app.resize(900, 500)
            XCTAssertEqual(sheet.view.frame.width, 900, "compact, so as wide as the window")
            XCTAssertEqual(sheet.sizes.last, sheet.view.frame.size)
            try app.resize(1000, 800)
            XCTAssertLessThan(sheet.view.frame.width, 900)
            XCTAssertEqual(sheet.sizes.last, sheet.view.frame.size)
        }
    }

    // MARK: Detents

    func testOnlyASheetHasASheetPresentationController() async throws {
        let controller = UIViewController()
        XCTAssertNotNil(controller.sheetPresentationController)
        controller.modalPresentationStyle = .fullScreen
        XCTAssertNil(controller.sheetPresentationController)
        XCTAssertNotNil(controller.presentationController)
    }

    func testADetentMayDependOnTheTraitsAndMayBeInvalidated() async throws {
        let app = try TestApp(.pad, 500, 810)
        let (root, sheet) = (app.showing(NamedController("root")), NamedController("sheet"))
        var height: CGFloat? = 120
        let manager = try XCTUnwrap(sheet.sheetPresentationController)
        manager.detents = [
            .custom { $0.containerTraitCollection.horizontalSizeClass == .compact ? height : 1 }, .medium(),
        ]
        root.present(sheet, animated: false)
        XCTAssertEqual(sheet.view.frame.height, 120)
        height = nil
        sheet.sheetPresentationController?.invalidateDetents()
        XCTAssertEqual(sheet.view.frame.height, 400)
        height = .nan
        sheet.sheetPresentationController?.invalidateDetents()
        XCTAssertEqual(sheet.view.frame.height, 400)
    }
}
