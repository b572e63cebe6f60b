import Settle
import TestSupport
import XCTest

@testable import UIKit

/// What must not stay from before, or come from another scene.
@MainActor final class StaleStateTests: AppTestCase {
    private final class Settling: UIViewController {
        var sizes: [String] = []
        override func viewSizeDidSettle(_ size: CGSize) { sizes.append(size.text) }
    }

    func testAnotherRootSettlesAtTheSizeThatTheLastOneHad() async throws {
        let (first, second) = (Settling(), Settling())
        let window = app.show(first)
        try app.resize(800, 500)
        window.isHidden = true
        window.rootViewController = second
        for width in [900, 800] { try app.resize(CGFloat(width), 500) }
        window.isHidden = false
        assertText(first.sizes + second.sizes, "800×500, 800×500")
    }

    func testNoMoreScenesConnectThanTheHostAllows() async throws {
        let system = try UISystem(UISystem.Configuration(infoPlist: app.infoPlist, scenesMax: 2, log: { _ in }))
        try system.launch(PlainAppDelegate.self)
        let second = try system.connect()
        XCTAssertThrowsError(try system.connect()) {
            XCTAssertEqual($0 as? EngineError, .tooManyScenes(2))
        }
        XCTAssertEqual(system.scenes.count, 2)
        try system.disconnect(second)
        try system.connect()
        XCTAssertEqual(system.scenes.count, 2, "one has left")
    }

    func testASessionThatIsClosedBeforeItsRefreshStaysClosed() async throws {
        let other = try app.system.connect().session
        try app.system.disconnect(XCTUnwrap(other.scene))
        RecordingSceneDelegate.onConnect = { _, _ in
            UIApplication.shared.requestSceneSessionDestruction(other, options: nil)
            UIApplication.shared.requestSceneSessionRefresh(other)
        }
        try app.system.connect()
        XCTAssertNil(other.scene)
        XCTAssertFalse(UIApplication.shared.openSessions.contains(other))
    }

    func testTheKeyWindowIsThatOfTheForeground() async throws {
        let second = try XCTUnwrap(app.system.connect() as? UIWindowScene)
        let windows = [app.scene, second].map { UIWindow.show(UIViewController(), in: $0) }
        for window in windows { window.makeKey() }
        XCTAssertIdentical(UIApplication.shared.keyWindow, windows[1])
        try app.system.bring(second, to: .background)
        XCTAssertIdentical(UIApplication.shared.keyWindow, windows[0])
    }

    func testAnAppThatHasEndedOpensNothing() async throws {
        var opened: [Bool] = []
        app.system.onOpenURL = { _ in XCTFail("it has ended") }
        app.system.terminate()
        UIApplication.shared.open(URL(string: "https://a")!) { opened.append($0) }
        app.turn()
        XCTAssertEqual(opened, [false])
    }

    func testTheAskingAppIsInTheOptionsOfASceneThatConnectsForItsURLs() async throws {
        final class Scene: UIWindowScene {
            static var source: String?
            required init(session: UISceneSession, connectionOptions: ConnectionOptions) {
                Self.source = connectionOptions.sourceApplication
                super.init(session: session, connectionOptions: connectionOptions)
            }
        }
        ConfiguringAppDelegate.answer = { session, _ in
            let configuration = UISceneConfiguration(name: nil, sessionRole: session.role)
            configuration.sceneClass = Scene.self
            return configuration
        }
        let app = try TestApp()
        try app.system.launch(ConfiguringAppDelegate.self, connectsScene: false)
        try app.system.open([URL(string: "a:1")!], sourceApplication: "asks")
        XCTAssertEqual(Scene.source, "asks")
    }

    func testTheTraitsBeforeAnUpdateAreThoseBeforeItsFirstChange() async throws {
        let entry = [
            "UISceneConfigurationName": "Main",
            "UISceneDelegateClassName": "$(PRODUCT_MODULE_NAME).UpdatedSceneDelegate",
        ]
        let app = try TestApp(scenes: [TestApp.window: [entry]]).launched()
        let delegate = try XCTUnwrap(app.scene.delegate as? UpdatedSceneDelegate)
        app.show(UIViewController())
        app.scene.registerForTraitChanges([UITraitUserInterfaceStyle.self]) { (scene: UIWindowScene, _) in
            scene.traitOverrides.layoutDirection = .rightToLeft
        }
        delegate.updates = []
        app.turn { app.scene.traitOverrides.userInterfaceStyle = .dark }
        XCTAssertEqual(delegate.updates.first?.traits.userInterfaceStyle, .light)
        XCTAssertEqual(app.scene.traitCollection.layoutDirection, .rightToLeft)
    }

    func testAGeometrySaysWhatItIs() async throws {
        let identity = app.system.identity(of: app.scene)
        app.system.submit(.at(1, identity, Size(700, 500), locked: true))
        app.system.advance(by: .seconds(1))
        try app.system.beginResize(app.scene)
        XCTAssertEqual(
            "\(app.scene.effectiveGeometry)", "<UIWindowScene.Geometry 700.0×500.0 portrait resizing locked>")
        XCTAssertFalse(app.scene.isFullScreen)
        try app.system.endResize(app.scene, at: CGSize(1024, 1366))
        XCTAssertTrue(app.scene.isFullScreen)
        try app.system.place(app.scene, in: CGRect(10, 0, 1024, 1366))
        XCTAssertFalse(app.scene.isFullScreen, "it is as large as the screen, and beside it")
    }

    func testThePlatformsInsetsReturn() async throws {
        var platform = UISystem.Platform.pad
        platform.sceneInsets.portrait = UIEdgeInsets(24, 0, 20, 0)
        let app = try TestApp(platform: platform).launched()
        let window = app.show(UIViewController())
        XCTAssertEqual(window.safeAreaInsets, UIEdgeInsets(24, 0, 20, 0))
        XCTAssertEqual(app.scene.statusBarManager?.statusBarFrame, CGRect(0, 0, 1024, 24))
        try app.system.setSafeAreaInsets(UIEdgeInsets(1, 2, 3, 4), of: app.scene)
        XCTAssertEqual(window.safeAreaInsets, UIEdgeInsets(1, 2, 3, 4))
        try app.system.setSafeAreaInsets(nil, of: app.scene)
        XCTAssertEqual(window.safeAreaInsets, UIEdgeInsets(24, 0, 20, 0))
    }

    func testTheOrientationIsThatOfTheSceneInFront() async throws {
        final class Portrait: UIViewController {
            override var supportedInterfaceOrientations: UIInterfaceOrientationMask { .portrait }
        }
        let app = try TestApp(extra: ["UIRequiresFullScreen": true]).launched()
        app.show(Portrait())
        let second = try XCTUnwrap(app.system.connect() as? UIWindowScene)
        _ = UIWindow.show(UIViewController(), in: second)
        app.system.rotate(to: .landscapeLeft)
        XCTAssertEqual(second.interfaceOrientation, .landscapeLeft)
        try app.system.bring(app.scene, to: .foregroundActive)
        app.system.rotate(to: .landscapeRight)
        XCTAssertEqual(app.scene.interfaceOrientation, .portrait, "the first one is in front again")
    }

    func testAWindowThatIsShownLaterHasTheKeyboardThatCameBefore() async throws {
        let root = UIViewController()
        let window = app.show(root)
        let guide = root.view.keyboardLayoutGuide
        app.turn()
        window.isHidden = true
        try app.system.setKeyboardHeight(300, of: app.scene)
        window.isHidden = false
        app.turn()
        XCTAssertEqual(guide.layoutFrame, CGRect(0, 1066, 1024, 300))
        app.turn { root.view.bounds.origin.y = 50 }
        XCTAssertEqual(guide.layoutFrame, CGRect(0, 1116, 1024, 300), "it stays where the keyboard is")
        app.turn { root.view.bounds.origin.y = 0 }
        window.isHidden = true
        try app.system.setKeyboardHeight(0, of: app.scene)
        window.isHidden = false
        app.turn()
        XCTAssertEqual(guide.layoutFrame.size.height, 0)
    }

    func testAContainerWithASizeOfItsOwnDoesNotPassOnItsChildrens() async throws {
        final class Parent: UIViewController {
            var changes = 0
            override func preferredContentSizeDidChange(forChildContentContainer container: any UIContentContainer) {
                changes += 1
            }
        }
        let (parent, child) = (Parent(), UIViewController())
        let navigation = UINavigationController(rootViewController: child)
        parent.addChild(navigation)
        child.preferredContentSize = CGSize(10, 20)
        XCTAssertEqual(parent.changes, 1)
        navigation.preferredContentSize = CGSize(30, 40)
        XCTAssertEqual(parent.changes, 2)
        child.preferredContentSize = CGSize(50, 60)
        XCTAssertEqual(parent.changes, 2)
        XCTAssertEqual(navigation.preferredContentSize, CGSize(30, 40))
    }

    func testADelegateIsThatOfOnePresentation() async throws {
        final class Delegate: NSObject, UIAdaptivePresentationControllerDelegate {
            var asked = 0
            func adaptivePresentationStyle(
                for controller: UIPresentationController, traitCollection: UITraitCollection
            ) -> UIModalPresentationStyle {
                asked += 1
                return .automatic
            }
        }
        let (root, sheet, delegate) = (UIViewController(), UIViewController(), Delegate())
        app.show(root)
        sheet.presentationController?.delegate = delegate
        for _ in 0..<2 {
            root.present(sheet, animated: false)
            root.dismiss(animated: false)
        }
        XCTAssertEqual(delegate.asked, 1)
        XCTAssertNil(sheet.presentationController?.delegate)
    }

    func testAnActionThatIsDisabledDismissesNothing() async throws {
        let root = UIViewController()
        app.show(root)
        let alert = UIAlertController(title: "t", message: nil, preferredStyle: .alert)
        var chosen: [String] = []
        let actions = ["a", "b"].map { title in
            UIAlertAction(title: title, style: .default) { _ in chosen.append(title) }
        }
        for action in actions { alert.addAction(action) }
        actions[0].isEnabled = false
        root.present(alert, animated: false)
        assertRefused(try app.system.perform(actions[0], of: alert), .notDismissible)
        XCTAssertIdentical(root.presentedViewController, alert)
        try app.system.perform(actions[1], of: alert)
        assertRefused(try app.system.perform(actions[1], of: alert), .nothingPresented)
        XCTAssertEqual(chosen, ["b"])
    }

    func testASheetIsAsHighAsItsDetentInWholePoints() async throws {
        try app.resize(500, 800)
        let (root, sheet) = (UIViewController(), UIViewController())
        app.show(root)
        let low = UISheetPresentationController.Detent.custom { _ in 100.4 }
        let high = UISheetPresentationController.Detent.custom { _ in 200.6 }
        sheet.sheetPresentationController?.detents = [high, low]
        root.present(sheet, animated: false)
        XCTAssertEqual(sheet.view.frame, CGRect(0, 700, 500, 100))
        sheet.sheetPresentationController?.selectedDetentIdentifier = high.identifier
        XCTAssertEqual(sheet.view.frame, CGRect(0, 599, 500, 201))
    }
}
