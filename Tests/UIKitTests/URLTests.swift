import UIKit
import XCTest

/// An app delegate that answers at launch as a test wants it and says what it was launched for.
final class LaunchedAppDelegate: AppDelegateMethods, UIApplicationDelegate {
    static var answers = [true, true]
    var window: UIWindow?

    func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        DelegateCalls.all.append("will \(launchOptions?[.url] as? URL as Any? ?? "nothing")")
        return Self.answers[0]
    }
    override func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        DelegateCalls.all.append("did \(launchOptions?[.url] as? URL as Any? ?? "nothing")")
        window = UIWindow(frame: .zero)
        window?.makeKeyAndVisible()
        return Self.answers[1]
    }
}

/// An app delegate that refuses its launch's URL and has no `willFinishLaunching`.
final class RefusingAppDelegate: AppDelegateMethods, UIApplicationDelegate {
    override func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool { false }
}

/// Each URL reaches the app, once and where Apple says.
@MainActor final class URLTests: AppTestCase {
    private func url(_ text: String) -> URL { URL(string: text)! }

    func testAOneSceneAppsSessionComesBackWithTheURL() async throws {
        for (platform, hasMany) in [(UISystem.Platform.pad, false), (.phone, true)] {
            let app = try TestApp(platform: platform, hasMany: hasMany).launched()
            let session = app.scene.session
            try app.system.disconnect(app.scene)
            _ = DelegateCalls.drain()
            try app.system.open([url("a:1")], sourceApplication: "com.example.asks")
            assertCalls("willConnectTo a:1, willEnterForeground, geometry, didBecomeActive")
            XCTAssertEqual(UIApplication.shared.openSessions, [session])
            XCTAssertTrue(app.scene.session === session)
            // Also when a person opens the app.
            try app.system.disconnect(app.scene)
            XCTAssertTrue(try app.system.connect().session === session)
            XCTAssertEqual(UIApplication.shared.openSessions, [session])
        }
    }

    func testTheRequestingAppIsPassedToAConnectingSceneToo() async throws {
        final class Asking: UIWindowScene {
            static var sources: [String?] = []
            required init(session: UISceneSession, connectionOptions: ConnectionOptions) {
                super.init(session: session, connectionOptions: connectionOptions)
                Self.sources += connectionOptions.urlContexts.map(\.options.sourceApplication)
            }
        }
        let app = try TestApp(hasMany: false)
        ConfiguringAppDelegate.answer = { session, _ in
            let configuration = UISceneConfiguration(name: "Main", sessionRole: session.role)
            configuration.sceneClass = Asking.self
            return configuration
        }
        try app.system.launch(ConfiguringAppDelegate.self)
        try app.system.disconnect(app.scene)
        try app.system.open([url("a:1")], sourceApplication: "com.example.asks")
        XCTAssertEqual(Asking.sources, ["com.example.asks"])
    }

    func testWithSeveralScenesTheOneInFrontOpensIt() async throws {
        let scenes = [app.scene, try app.system.connect(), try app.system.connect()]
        try app.system.bring(scenes[1], to: .foregroundActive)
        RecordingSceneDelegate.of(scenes[1]).activity = nil
        let opened = OpeningSceneDelegate()
        scenes[1].delegate = opened
        try app.system.open([url("a:1")])
        XCTAssertEqual(opened.urls, [url("a:1")])
        for scene in scenes { try app.system.disconnect(scene) }
        try app.system.open([url("a:2")])
        XCTAssertTrue(app.scene.session === scenes[1].session, "it was in front last")
        XCTAssertEqual(UIApplication.shared.openSessions.count, 3)
    }

    /// The scene in front is one for URLs, for locks and for the next launch.
    func testTheSceneThatEnteredTheForegroundLastIsInFront() async throws {
        let first = app.scene
        let second = try app.system.connect(state: .foregroundInactive)
        let url = try XCTUnwrap(URL(string: "x:1"))
        try app.system.open([url])
        XCTAssertEqual(second.activationState, .foregroundActive, "before one that is active, as it came later")
        try app.system.bring(second, to: .background)
        try app.system.open([url])
        XCTAssertEqual(second.activationState, .background, "and behind it in the background")
        let third = try app.system.connect(state: .foregroundInactive)
        try app.system.bring(first, to: .background)
        try app.system.open([url])
        XCTAssertEqual(third.activationState, .foregroundActive)
        XCTAssertEqual(first.activationState, .background)
    }

    func testAConnectedSessionThatIsConnectedAgainOpensTheURLs() async throws {
        try app.system.connect(app.scene.session, urls: [url("a:1")])
        assertCalls("open a:1")
        // And continues the activity.
        let activity = NSUserActivity(activityType: "read")
        try app.system.connect(app.scene.session, urls: [url("a:2")], userActivities: [activity])
        assertCalls("open a:2, continue read")
        try app.system.connect(app.scene.session, userActivities: [activity])
        assertCalls("continue read")
        try app.system.connect(app.scene.session)
        assertCalls("")
        try app.system.bring(app.scene, to: .background)
        try assertCalls("", "no URLs change nothing") { try app.system.open([]) }
    }

    func testAnAppWithoutScenesFindsTheURLInItsLaunchOptionsAndOpensIt() async throws {
        let app = try TestApp(scenes: nil)
        LaunchedAppDelegate.answers = [true, true]
        try app.system.launch(LaunchedAppDelegate.self, urls: [url("a:1"), url("a:2")])
        assertCalls("will a:1, did a:1, app open a:1, app open a:2, app didBecomeActive")
        try app.system.open([url("a:3")])
        assertCalls("app open a:3")
        try app.system.bring(app.scene, to: .background)
        _ = DelegateCalls.drain()
        try app.system.open([url("a:4")])
        assertCalls("app willEnterForeground, app open a:4, app didBecomeActive")
    }

    func testAnAppWithoutScenesThatRefusesAtLaunchOpensNothing() async throws {
        for (answers, opens) in [([true, false], true), ([false, true], true), ([false, false], false)] {
            let app = try TestApp(scenes: nil)
            LaunchedAppDelegate.answers = answers
            try app.system.launch(LaunchedAppDelegate.self, urls: [url("a:1")])
            XCTAssertEqual(DelegateCalls.drain().contains("app open a:1"), opens, "\(answers)")
            // Refused is what it was launched for, and nothing later.
            try app.system.open([url("a:2")])
            assertCalls("app open a:2")
        }
        let app = try TestApp(scenes: nil)
        try app.system.launch(RefusingAppDelegate.self, urls: [url("a:1")])
        XCTAssertFalse(DelegateCalls.drain().contains("app open a:1"), "the method that it has decides alone")
    }

    func testAnAppWithScenesFindsNoURLInItsLaunchOptions() async throws {
        let app = try TestApp()
        LaunchedAppDelegate.answers = [false, false]
        try app.system.launch(LaunchedAppDelegate.self, urls: [url("a:1")])
        XCTAssertEqual(DelegateCalls.drain().prefix(3), ["will nothing", "did nothing", "willConnectTo a:1"])
        XCTAssertFalse(DelegateCalls.drain().contains("app open a:1"))
    }

    func testAnAppWithoutScenesComesBackForAURL() async throws {
        let app = try TestApp(scenes: nil)
        LaunchedAppDelegate.answers = [true, true]
        try app.system.launch(LaunchedAppDelegate.self)
        let session = app.scene.session
        let windows = app.scene.windows
        XCTAssertEqual(windows.count, 1)
        try app.system.disconnect(app.scene)
        _ = DelegateCalls.drain()
        try app.system.open([url("a:1")])
        assertCalls("app open a:1, app didBecomeActive")
        XCTAssertTrue(app.scene.session === session)
        XCTAssertEqual(app.scene.windows, windows)
        XCTAssertEqual(UIApplication.shared.openSessions, [session])
        // A window that the app has put away since stays away.
        windows[0].windowScene = nil
        try app.system.disconnect(app.scene)
        try app.system.open([url("a:2")])
        XCTAssertEqual(app.scene.windows, [])
    }
}

final class OpeningSceneDelegate: UIResponder, UIWindowSceneDelegate {
    var urls: [URL] = []
    func scene(_ scene: UIScene, openURLContexts urlContexts: Set<UIOpenURLContext>) { urls += urlContexts.map(\.url) }
}
