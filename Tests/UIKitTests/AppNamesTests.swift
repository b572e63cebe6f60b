import UIKit
import XCTest

/// Names that scene code of apps uses, each with what it does here.
@MainActor final class AppNamesTests: XCTestCase {
    private final class Responder: UIResponder {
        var canBecome = true
        var canResign = true

        override var canBecomeFirstResponder: Bool { canBecome }
        override var canResignFirstResponder: Bool { canResign }
    }

    func testOneResponderIsTheFirst() async {
        let (one, other) = (Responder(), Responder())
        XCTAssertFalse(UIResponder().becomeFirstResponder(), "by default none can be it")
        XCTAssertTrue(one.becomeFirstResponder() && one.isFirstResponder)
        one.canResign = false
        XCTAssertFalse(other.becomeFirstResponder(), "the present one stays")
        XCTAssertTrue(one.isFirstResponder)
        one.canResign = true
        XCTAssertTrue(other.becomeFirstResponder())
        XCTAssertFalse(one.isFirstResponder)
        XCTAssertTrue(other.resignFirstResponder())
        XCTAssertFalse(other.isFirstResponder)
        other.canResign = false
        XCTAssertTrue(other.resignFirstResponder(), "it is none")
    }

    func testAPersonChoosesAnAlertsAction() async throws {
        let app = try TestApp().launched()
        let root = UIViewController()
        app.show(root)
        let alert = UIAlertController(title: "Delete?", message: nil, preferredStyle: .alert)
        var calls: [String] = []
        let delete = UIAlertAction(title: "Delete", style: .destructive) { action in
            calls.append("\(action.title ?? "") \(root.presentedViewController == nil ? "dismissed" : "shown")")
        }
        let disabled = UIAlertAction(title: "No", style: .cancel) { _ in calls.append("no") }
        disabled.isEnabled = false
        alert.addAction(delete)
        alert.addAction(disabled)
        XCTAssertThrowsError(try app.system.perform(delete, of: alert), "it is not presented yet")
        root.present(alert, animated: true)
        XCTAssertIdentical(root.presentedViewController, alert)
        XCTAssertThrowsError(try app.system.perform(disabled, of: alert))
        XCTAssertThrowsError(try app.system.perform(UIAlertAction(title: nil, style: .default), of: alert))
        XCTAssertIdentical(root.presentedViewController, alert)
        try app.system.perform(delete, of: alert)
        XCTAssertEqual(calls, ["Delete dismissed"])
        XCTAssertThrowsError(try app.system.perform(delete, of: alert), "it is dismissed")
    }

    func testAnAlertHasTextFields() async throws {
        let app = try TestApp().launched()
        let alert = UIAlertController(title: "Name", message: nil, preferredStyle: .alert)
        XCTAssertNil(alert.textFields)
        for name in ["First", "Last"] { alert.addTextField { $0.placeholder = name } }
        XCTAssertEqual(alert.textFields?.map(\.placeholder), ["First", "Last"])
        XCTAssertEqual(alert.textFields?.map(\.text), ["", ""])
        var name: String?
        let save = UIAlertAction(title: "Save", style: .default) { _ in name = alert.textFields?[1].text }
        alert.addAction(save)
        app.showing(UIViewController()).present(alert, animated: false)
        alert.textFields?[1].text = "Doe"
        try app.system.perform(save, of: alert)
        XCTAssertEqual(name, "Doe")
        let sheet = UIAlertController(title: nil, message: nil, preferredStyle: .actionSheet)
        sheet.addTextField()
        XCTAssertNil(sheet.textFields)
        XCTAssertEqual(app.system.messages.filter { $0.contains("no text fields") }.count, 1)
    }

    func testKeyCommandsAreValues() async {
        let (controller, close) = (
            UIViewController(),
            UIKeyCommand(title: "Close", action: Selector("close:"), input: "w", modifierFlags: .command)
        )
        XCTAssertNil(controller.keyCommands)
        XCTAssertNil(UIView().keyCommands)
        XCTAssertFalse(close.wantsPriorityOverSystemBehavior)
        controller.addKeyCommand(close)
        controller.addKeyCommand(UIKeyCommand(input: UIKeyCommand.inputEscape, modifierFlags: [], action: "cancel:"))
        XCTAssertEqual(controller.keyCommands?.map(\.input), ["w", "UIKeyInputEscape"])
        XCTAssertEqual(controller.keyCommands?.map(\.modifierFlags.rawValue), [1 << 20, 0])
        XCTAssertEqual(controller.keyCommands?.map { $0.action?.description }, ["close:", "cancel:"])
        controller.removeKeyCommand(close)
        XCTAssertEqual(controller.keyCommands?.count, 1)
    }

    func testAPopoverKeepsWhatItPointsTo() async {
        let (controller, view) = (UIViewController(), UIView())
        XCTAssertNil(controller.popoverPresentationController)
        controller.modalPresentationStyle = .popover
        controller.popoverPresentationController?.sourceView = view
        controller.popoverPresentationController?.sourceRect = CGRect(x: 1, y: 2, width: 3, height: 4)
        XCTAssertIdentical(controller.popoverPresentationController?.sourceView, view)
        XCTAssertEqual(controller.popoverPresentationController?.sourceRect.width, 3)
        controller.modalPresentationStyle = .pageSheet
        XCTAssertNil(controller.popoverPresentationController)
        XCTAssertNotNil(controller.sheetPresentationController)
    }

    func testALayerHasItsViewsGeometry() async {
        let view = UIView(frame: CGRect(x: 10, y: 20, width: 30, height: 40))
        XCTAssertEqual([view.layer.frame, view.layer.bounds], [view.frame, view.bounds])
        view.layer.position = CGPoint(x: 100, y: 100)
        XCTAssertEqual(view.frame, CGRect(x: 85, y: 80, width: 30, height: 40))
        XCTAssertIdentical(view.layer, view.layer)
    }

    func testOlderNamesOfDisplayModesAreTheSameModes() async {
        let modes: [UISplitViewController.DisplayMode] = [.primaryHidden, .allVisible, .primaryOverlay]
        XCTAssertEqual(modes, [.secondaryOnly, .oneBesideSecondary, .oneOverSecondary])
    }

    func testADevicesOrientationIsPortraitLandscapeOrNeither() async {
        let all: [UIDeviceOrientation] = [
            .unknown, .portrait, .portraitUpsideDown, .landscapeLeft, .landscapeRight,
        ]
        XCTAssertEqual(all.filter(\.isPortrait), [.portrait, .portraitUpsideDown])
        XCTAssertEqual(all.filter(\.isLandscape), [.landscapeLeft, .landscapeRight])
    }

    func testStoredValues() async {
        let (controller, search) = (UIViewController(), UISearchController(searchResultsController: nil))
        controller.navigationItem.searchController = search
        XCTAssertIdentical(controller.navigationItem.searchController, search)
        let button = UIBarButtonItem()
        controller.setToolbarItems([button], animated: true)
        XCTAssertIdentical(controller.toolbarItems?.first, button)
        let navigation = UINavigationController(rootViewController: controller)
        XCTAssertTrue(navigation.isToolbarHidden)
        navigation.setToolbarHidden(false, animated: false)
        XCTAssertFalse(navigation.isToolbarHidden)
        XCTAssertNotNil(navigation.interactivePopGestureRecognizer)
        XCTAssertEqual(controller.preferredStatusBarStyle, .default)
        XCTAssertFalse(controller.prefersStatusBarHidden || controller.prefersHomeIndicatorAutoHidden)
    }
}
