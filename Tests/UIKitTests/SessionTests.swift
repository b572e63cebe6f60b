import Settle
import SettleLog
import UIKit
import XCTest

@MainActor final class SessionTests: XCTestCase {
    func testALogThatIsReplayedTwiceHasOneSessionAScene() async throws {
        let log = """
            {"settle":"events","version":1}
            {"t_ns":0,"scene":"a","width":500,"height":400}
            {"t_ns":1,"scene":"a","width":600,"height":400}
            """
        let app = try TestApp().launched(connectsScene: false)
        for _ in 0..<2 {
            try app.system.replay(LogReader(ByteInput(bytes: Array(log.utf8), name: "log")))
            XCTAssertEqual(app.system.application.openSessions.map(\.persistentIdentifier), ["a"])
            XCTAssertEqual(app.scene.effectiveGeometry.coordinateSpace.bounds.size, CGSize(600, 400))
        }
        XCTAssertEqual(app.delegate.geometries.count, 4, "the second replay resizes the scene that is there")
    }

    func testASessionOutlivesItsScenes() async throws {
        let app = try TestApp().launched()
        let first = app.scene
        let session = first.session
        XCTAssertTrue(session.scene === first)
        XCTAssertEqual(session.role, .windowApplication)
        XCTAssertEqual(session.configuration.name, "Main")
        session.userInfo = ["key": 1]
        try app.system.disconnect(first)
        XCTAssertNil(session.scene)
        XCTAssertEqual(UIApplication.shared.openSessions, [session])
        XCTAssertEqual(UIApplication.shared.connectedScenes, [])

        let identifier = session.persistentIdentifier
        let second = try app.system.connect(session)
        XCTAssertFalse(second === first)
        XCTAssertEqual(second.session.persistentIdentifier, identifier)
        XCTAssertEqual(session.userInfo?["key"] as? Int, 1)
        let other = try app.system.connect()
        XCTAssertNotEqual(other.session.persistentIdentifier, identifier)

        app.system.discard(session)
        XCTAssertEqual(DelegateCalls.drain().suffix(2), ["didDisconnect", "didDiscard 1"])
        XCTAssertEqual(UIApplication.shared.openSessions, [other.session])
    }

    func testALogsSceneComesBackInItsSession() async throws {
        let app = try TestApp().launched(connectsScene: false)
        let log = [
            #"{"settle":"events","version":1}"#, #"{"t_ns":0,"scene":"a","width":5,"height":5}"#,
            #"{"t_ns":1,"scene":"b","width":6,"height":6}"#, #"{"t_ns":2,"scene":"a","kind":"disconnect"}"#,
            #"{"t_ns":3,"scene":"a","width":7,"height":7}"#, #"{"t_ns":4,"scene":"c","kind":"disconnect"}"#,
        ]
        let bytes = Array(log.joined(separator: "\n").utf8)
        try app.system.replay(LogReader(ByteInput(bytes: bytes, name: "log")))
        XCTAssertEqual(app.system.windowScenes.map(\.title), ["a", "b"])
        XCTAssertEqual(app.system.windowScenes.map(\.session.persistentIdentifier), ["a", "b"])
        XCTAssertEqual(app.scene.effectiveGeometry.coordinateSpace.bounds.size, CGSize(7, 7))
        XCTAssertEqual(DelegateCalls.drain().filter { $0 == "willConnectTo" }.count, 3)
        // Another log may go on with the same scenes once they have gone.
        for scene in app.system.windowScenes { try app.system.disconnect(scene) }
        try app.system.replay(LogReader(ByteInput(bytes: bytes, name: "log")))
        XCTAssertEqual(UIApplication.shared.openSessions.count, 2)
    }

    func testTheRolesAreNamedAsInAnInfoPlist() async throws {
        XCTAssertEqual(UISceneSession.Role.windowApplication.rawValue, "UIWindowSceneSessionRoleApplication")
        XCTAssertEqual(
            UISceneSession.Role.windowExternalDisplayNonInteractive.rawValue,
            "UIWindowSceneSessionRoleExternalDisplayNonInteractive")
    }

    final class SpecialScene: UIWindowScene {}

    func testFaultsOfTheManifestAreReported() async throws {
        for (key, name) in [
            ("UISceneDelegateClassName", "UIKitTests.Missing"), ("UISceneDelegateClassName", "UIKitTests.SessionTests"),
            ("UISceneClassName", "UIKitTests.RecordingSceneDelegate"),
        ] {
            let app = try TestApp(scenes: [TestApp.window: [[key: name]]])
            XCTAssertThrowsError(try app.system.launch(PlainAppDelegate.self)) {
                XCTAssertTrue("\($0)".hasPrefix("\(key) is \"\(name)\""), "\($0)")
            }
        }
        assertError(try TestApp(scenes: [TestApp.window: [TestApp.recorded, TestApp.recorded]]), "Main")
        XCTAssertNoThrow(try TestApp(scenes: [TestApp.window: [TestApp.recorded, TestApp.recorded]], hasMany: false))
    }

    private final class NestedAppDelegate: AppDelegateMethods, UIApplicationDelegate {}
    final class NestedSceneDelegate: UIResponder, UIWindowSceneDelegate {}

    func testANestedDelegateClassIsAnErrorAndNoTrap() async throws {
        let entry = ["UISceneDelegateClassName": "$(PRODUCT_MODULE_NAME).SessionTests.NestedSceneDelegate"]
        for name in [entry, ["UISceneClassName": "SessionTests.Nested.Deeper.Still"]] {
            let app = try TestApp(scenes: [TestApp.window: [name]])
            assertError(try app.system.launch(PlainAppDelegate.self), "SessionTests.Nested", "neither nested")
        }
        // An app delegate needs no name; its module stands for the variable as well.
        let app = try TestApp()
        try app.system.launch(NestedAppDelegate())
        XCTAssertTrue(app.scene.delegate is RecordingSceneDelegate)
        ConfiguringAppDelegate.answer = { session, _ in
            let configuration = UISceneConfiguration(name: "Main", sessionRole: session.role)
            configuration.delegateClass = NestedSceneDelegate.self
            return configuration
        }
        let held = try TestApp()
        try held.system.launch(ConfiguringAppDelegate.self)
        XCTAssertTrue(held.scene.delegate is NestedSceneDelegate)
        let code = UIApplicationMain(0, nil, nil, "UIKitTests.SessionTests.NestedAppDelegate")
        XCTAssertEqual(code, 1)
    }

    func testTheFirstItemIsTheDefaultAndTheClassIsAWindowScene() async throws {
        let second = ["UISceneConfigurationName": "Second"]
        let app = try TestApp(scenes: [TestApp.window: [TestApp.recorded, second]]).launched()
        XCTAssertEqual(app.scene.session.configuration.name, "Main")
        XCTAssertTrue(type(of: app.scene) == UIWindowScene.self)
        XCTAssertTrue(app.scene.delegate is RecordingSceneDelegate)
    }

    func testTheAppDelegateOverridesTheManifestBeforeTheSceneExists() async throws {
        let plain = ["UISceneConfigurationName": "Plain"]
        let app = try TestApp(scenes: [TestApp.window: [TestApp.recorded, plain]])
        ConfiguringAppDelegate.answer = { session, options in
            XCTAssertNil(session.scene)
            let name =
                ["plain": "Plain", "unknown": "Mian"][options.userActivities.first?.activityType ?? ""] ?? "Main"
            let configuration = UISceneConfiguration(name: name, sessionRole: session.role)
            if name == "Main" { configuration.sceneClass = SpecialScene.self }
            return configuration
        }
        let received = try calls { try app.system.launch(ConfiguringAppDelegate.self) }
        assertText(Array(received.prefix(3)), "didFinishLaunching, configurationForConnecting window, willConnectTo")
        XCTAssertTrue(app.scene is SpecialScene)
        let other = try app.system.connect(userActivities: [NSUserActivity(activityType: "plain")])
        XCTAssertEqual(other.session.configuration.name, "Plain")
        XCTAssertNil(other.delegate)
        assertRefused(
            try app.system.connect(userActivities: [NSUserActivity(activityType: "unknown")]),
            .unknownConfiguration(name: "Mian", role: TestApp.window, known: ["Main", "Plain"]))
        XCTAssertEqual(app.system.scenes.count, 2)
        XCTAssertEqual(UIApplication.shared.openSessions.count, 2)
    }

    func testAWindowShowsItsControllerAndHasTheScenesSize() async throws {
        let (app, root) = (try TestApp(), NamedController("root"))
        RecordingSceneDelegate.onConnect = { scene, delegate in
            delegate.window = UIWindow(windowScene: scene)
            XCTAssertEqual(delegate.window?.frame.size, CGSize(1024, 1366))
            delegate.window?.rootViewController = root
            delegate.window?.makeKeyAndVisible()
        }
        try app.system.launch(PlainAppDelegate.self)
        let window = try XCTUnwrap(app.delegate.window)
        XCTAssertTrue(window.isKeyWindow)
        XCTAssertTrue(app.scene.keyWindow === window)
        try app.resize(700, 500)
        XCTAssertEqual(window.bounds, CGRect(0, 0, 700, 500))
        XCTAssertEqual(root.view.frame, window.bounds)
        window.windowScene = nil
        XCTAssertEqual(app.scene.windows, [])
        XCTAssertEqual(root.loads, 1)
        XCTAssertEqual(DelegateCalls.drain().suffix(2), ["root will disappear", "root disappeared"])
    }

    func testTheDelegateChoosesTheWindowsControls() async throws {
        final class Unified: UIResponder, UIWindowSceneDelegate {
            func preferredWindowingControlStyle(
                for scene: UIWindowScene
            ) -> UIWindowScene.WindowingControlStyle { .unified }
        }
        let app = try TestApp().launched()
        XCTAssertTrue(app.system.windowingControlStyle(of: app.scene) === UIWindowScene.WindowingControlStyle.automatic)
        app.scene.delegate = Unified()
        XCTAssertTrue(app.system.windowingControlStyle(of: app.scene) === UIWindowScene.WindowingControlStyle.unified)
    }

    func testAStoryboardIsARegisteredFactory() async throws {
        var entry = TestApp.recorded
        entry["UISceneStoryboardFile"] = "Main-\(#function)"
        let unknown = try TestApp(scenes: [TestApp.window: [entry]])
        try unknown.system.launch(PlainAppDelegate.self)
        XCTAssertTrue(unknown.system.messages.contains { $0.contains("UISystem.registerStoryboard") })
        XCTAssertNil(unknown.delegate.window)

        UISystem.registerStoryboard("Main-\(#function)") { $0 == nil ? UIViewController() : nil }
        defer { UISystem.registerStoryboard("Main-\(#function)", make: nil) }
        let app = try TestApp(scenes: [TestApp.window: [entry]])
        RecordingSceneDelegate.onConnect = { _, delegate in XCTAssertNotNil(delegate.window?.rootViewController) }
        try app.system.launch(PlainAppDelegate.self)
        XCTAssertEqual(app.delegate.window?.isKeyWindow, true)
    }
}
