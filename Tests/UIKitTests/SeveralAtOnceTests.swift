import TestSupport
import XCTest

@testable import UIKit

/// What comes in several parts at once, or in the midst of something else.
@MainActor final class SeveralAtOnceTests: AppTestCase {
    private func url(_ text: String) -> URL { URL(string: text)! }

    func testWhatACallbackAsksForIsDoneInItsOrder() async throws {
        let first = app.scene
        RecordingSceneDelegate.onConnect = { _, _ in
            for text in ["a:1", "a:2", "a:3"] { try? UISystem.current?.open([URL(string: text)!], in: first) }
        }
        let opened = try calls("open") { try app.system.connect() }
        assertText(opened, "open a:1, open a:2, open a:3")
    }

    func testWhatIsAskedForWhileTheNextTurnsWorkRunsIsDoneInTheOneAfter() async throws {
        var answers: [String] = []
        UIApplication.shared.open(url("https://a")) { _ in
            answers.append("a")
            UIApplication.shared.open(self.url("https://b")) { _ in answers.append("b") }
        }
        UIApplication.shared.open(url("https://c")) { _ in answers.append("c") }
        app.turn()
        assertText(answers, "a, c")
        app.system.finish()
        assertText(answers, "a, c, b")
        app.turn()
        assertText(answers, "a, c, b")
    }

    func testInItsLastCallbackASceneIsUnattachedAndASessionClosed() async throws {
        let session = app.scene.session
        var seen: [String] = []
        app.system.onCallback = { [system = app.system] callback in
            switch callback.name {
            case "sceneDidDisconnect":
                let scenes = UIApplication.shared.connectedScenes.count
                seen.append("\(session.scene.map { "\($0.activationState)" } ?? "none") \(scenes)")
            case "didDiscardSceneSessions": seen.append("open \(UIApplication.shared.openSessions.count)")
            case "applicationWillTerminate": seen.append("ended \(system.hasEnded)")
            default: break
            }
        }
        app.system.discard(session)
        app.system.terminate()
        assertText(seen, "unattached 1, open 0, ended false")
    }

    func testASessionThatIsClosedWhileItsSceneIsThereDoesNotComeBack() async throws {
        let folder = TemporaryFolder()
        let state = URL(fileURLWithPath: folder.file("state"), isDirectory: true)
        let app = try TestApp(stateFolder: state).launched()
        let kept = try app.system.connect().session.persistentIdentifier
        app.system.discard(app.scene.session)
        app.system.terminate()
        let next = try TestApp(stateFolder: state).launched(connectsScene: false)
        XCTAssertEqual(UIApplication.shared.openSessions.map(\.persistentIdentifier), [kept])
        next.system.terminate()
    }

    func testConfigurationsOfAnotherRoleAreNotNamed() async throws {
        let other = ["UISceneConfigurationName": "Show", "UISceneDelegateClassName": TestApp.recordingClass]
        let app = try TestApp(scenes: [TestApp.window: [TestApp.recorded], TestApp.external: [other]])
        ConfiguringAppDelegate.answer = { session, _ in
            UISceneConfiguration(name: "Show", sessionRole: session.role)
        }
        assertRefused(
            try app.system.launch(ConfiguringAppDelegate.self),
            .unknownConfiguration(name: "Show", role: TestApp.window, known: ["Main"]))
    }

    func testASceneWithoutWindowsEntersTheBackgroundBeforeTheEnd() async throws {
        let entry = ["UISceneClassName": "UIScene", "UISceneDelegateClassName": TestApp.recordingClass]
        let app = try TestApp(scenes: [TestApp.window: [entry]]).launched()
        XCTAssertEqual(app.system.scenes.map(\.activationState), [.foregroundActive])
        assertCalls("willResignActive, didEnterBackground, app willTerminate") { app.system.terminate() }
    }

    func testTheAskingAppAloneIsALaunchOption() async throws {
        final class Delegate: AppDelegateMethods, UIApplicationDelegate {
            override func application(
                _ application: UIApplication,
                didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
            ) -> Bool {
                DelegateCalls.all.append("\(launchOptions ?? [:])")
                return true
            }
        }
        let app = try TestApp(scenes: nil)
        try app.system.launch(Delegate(), for: UISystem.OpeningRequest(sourceApplication: "com.example.asks"))
        XCTAssert(DelegateCalls.drain().first?.contains("com.example.asks") == true)
    }

    func testTheAppIsInFrontWhileASceneIsInactive() async throws {
        let other = try app.system.connect()
        try app.system.bring(other, to: .foregroundInactive)
        var posted = 0
        let observer = NotificationCenter.default.addObserver(
            forName: UIApplication.didEnterBackgroundNotification, object: nil, queue: nil
        ) { _ in MainActor.assumeIsolated { posted += 1 } }
        defer { NotificationCenter.default.removeObserver(observer) }
        try app.system.bring(app.scene, to: .background)
        XCTAssertEqual(posted, 0)
        try app.system.bring(other, to: .background)
        XCTAssertEqual(posted, 1)
    }

    func testEachActivityIsContinuedAndOneThatFailsFirstBringsTheSceneToTheFront() async throws {
        let activities = ["read", "write"].map { NSUserActivity(activityType: $0) }
        let continued = try calls("continue") {
            try app.system.open(UISystem.OpeningRequest(userActivities: Set(activities)))
        }
        XCTAssertEqual(continued.sorted(), ["continue read", "continue write"])
        struct Offline: Error {}
        let scene = app.scene
        try app.system.bring(scene, to: .background)
        DelegateCalls.all = []
        try app.system.failToContinueActivity(ofType: "read", in: scene, error: Offline())
        assertCalls("willEnterForeground, didBecomeActive")
        XCTAssertEqual(scene.activationState, .foregroundActive)
    }

    func testTheAskingAppIsThatOfEachURL() async throws {
        final class Delegate: AppDelegateMethods, UIApplicationDelegate {
            override func application(
                _ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any]
            ) -> Bool {
                DelegateCalls.all.append("\(url) \(options[.sourceApplication] ?? "nobody")")
                return true
            }
        }
        let app = try TestApp(scenes: nil)
        try app.system.launch(Delegate())
        DelegateCalls.all = []
        try app.system.open([url("a:1"), url("a:2")], sourceApplication: "asks")
        assertCalls("a:1 asks, a:2 asks")
    }

    /// One that was rotated out of sight gets the size alone when it is shown again.
    func testARotationIsThatOfItsOwnTurn() async throws {
        let app = try TestApp(platform: .phone).launched()
        let (below, above) = (RecordingController("below"), RecordingController("above"))
        var rotated: [Bool] = []
        for controller in [below, above] {
            controller.onTransition = { _, coordinator in rotated.append(!coordinator.targetTransform.isIdentity) }
        }
        let navigation = UINavigationController(rootViewController: below)
        app.show(navigation)
        navigation.pushViewController(above, animated: false)
        app.system.rotate(to: .landscapeRight)
        navigation.popViewController(animated: false)
        XCTAssertEqual(rotated, [true, false])
    }

    func testAnAppThatIsAboutToEndHasNotEnded() async throws {
        final class Delegate: AppDelegateMethods, UIApplicationDelegate {
            override func applicationWillTerminate(_ application: UIApplication) {
                DelegateCalls.all.append("ended \(UISystem.current?.hasEnded ?? true)")
            }
        }
        let app = try TestApp()
        try app.system.launch(Delegate())
        DelegateCalls.all = []
        app.system.terminate()
        assertCalls("willResignActive, didEnterBackground, ended false")
        XCTAssertTrue(app.system.hasEnded)
    }

    /// Its work is that of its own window; what follows is in the window that was asked last.
    func testWorkOfOneSceneDoesNotStayTheOthers() async throws {
        let other = try XCTUnwrap(app.system.connect() as? UIWindowScene)
        let roots = ["first", "second"].map { RecordingController($0) }
        let windows = zip(roots, [app.scene, other]).map { UIWindow.show($0, in: $1) }
        var (worked, laidOut): ([UIView], [UIView]) = ([], [])
        roots[0].onTransition = { _, coordinator in coordinator.animate { worked.append($0.containerView) } }
        roots[1].recordingView.onLayout = { _ in
            if let coordinator = roots[1].transitionCoordinator { laidOut.append(coordinator.containerView) }
        }
        app.system.rotate(to: .landscapeLeft)
        XCTAssertEqual(worked, [windows[0]])
        XCTAssertEqual(laidOut, [windows[1]])
    }
}
