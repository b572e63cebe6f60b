import XCTest

@testable import UIKit

/// An app delegate that plugs a display in as its app is launched.
final class PluggingAppDelegate: AppDelegateMethods, UIApplicationDelegate {
    override func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        UISystem.current?.attachDisplay(size: CGSize(640, 480))
        return true
    }
}

/// Whenever a display is attached, the app is offered a scene on it.
@MainActor final class DisplayTests: AppTestCase {
    override func makeApp() throws -> TestApp { try TestApp(scenes: entries) }

    private let entries = [TestApp.window: [TestApp.recorded], TestApp.external: [TestApp.recorded]]

    private func externalScenes(_ app: TestApp) -> [UIWindowScene] {
        app.system.windowScenes.filter { $0.session.role == .windowExternalDisplayNonInteractive }
    }

    func testASessionOfAnExternalDisplayComesBackOnADisplayOrNotAtAll() async throws {
        for hasMany in [true, false] {
            let app = try TestApp(scenes: entries, hasMany: hasMany).launched()
            let display = app.system.attachDisplay()
            let scene = try XCTUnwrap(externalScenes(app).first)
            try app.system.disconnect(scene)
            let again = try XCTUnwrap(app.system.connect(scene.session) as? UIWindowScene)
            XCTAssertIdentical(again.screen, display)
            XCTAssertEqual(again.effectiveGeometry.systemFrame, display.bounds)
            XCTAssertThrowsError(try app.system.resize(again, to: CGSize(50, 60)))
            assertRefused(try app.system.connect(role: .windowExternalDisplayNonInteractive), .noFreeDisplay)
            try app.system.detachDisplay(display)
            assertRefused(try app.system.connect(scene.session), .noFreeDisplay)
            XCTAssertEqual(app.system.windowScenes.count, 1)
        }
    }

    func testANewDisplayIsMirroredWhenItIsAnnounced() async throws {
        let app = try TestApp().launched()
        var mirrored: [UIScreen?] = []
        let observer = NotificationCenter.default.addObserver(
            forName: UIScreen.didConnectNotification, object: nil, queue: nil
        ) { [system = app.system] _ in MainActor.assumeIsolated { mirrored.append(system.screens.last?.mirrored) } }
        defer { NotificationCenter.default.removeObserver(observer) }
        app.system.attachDisplay()
        XCTAssertEqual(mirrored.count, 1)
        XCTAssertIdentical(mirrored.first ?? nil, app.system.mainScreen)
    }

    func testASceneMovesOnlyToAScreenOfItsSystem() async throws {
        let app = try TestApp().launched()
        let gone = app.system.attachDisplay()
        try app.system.detachDisplay(gone)
        let foreign = UIScreen(size: gone.bounds.size, scale: 1, isExternal: true, orientation: .unknown)
        for screen in [gone, foreign] { assertRefused(try app.system.move(app.scene, to: screen), .screenNotAttached) }
        XCTAssertIdentical(app.scene.screen, app.system.mainScreen)
    }

    func testASideOrScaleThatNoScreenHasIsRefused() async throws {
        let odd: [CGFloat] = [.nan, .infinity, -1, 0]
        for value in odd {
            let app = try TestApp()
            let display = app.system.attachDisplay(size: CGSize(value, 100), scale: value)
            XCTAssertEqual(display.bounds.size, CGSize(1920, 1080))
            XCTAssertEqual(display.scale, 1)
            XCTAssertEqual(app.system.messages.count, 2)
            var platforms = [UISystem.Platform.pad, .pad, .pad]
            platforms[0].screenSize.width = value
            platforms[1].compatibleScreenSize.height = value
            platforms[2].screenScale = value
            for (platform, name) in zip(platforms, ["screenSize", "compatibleScreenSize", "screenScale"]) {
                assertRefused(try TestApp(platform: platform), .platform(name: name, value: "\(value)"))
            }
        }
    }

    func testADisplayThatWasThereBeforeTheLaunchIsOffered() async throws {
        let displays = [app.system.attachDisplay(), app.system.attachDisplay(size: CGSize(800, 600))]
        XCTAssertEqual(app.system.scenes.count, 0)
        try app.system.launch(PlainAppDelegate.self)
        XCTAssertEqual(externalScenes(app).map(\.screen), displays)
        // The app's own scene comes first, and whole.
        let one = ["willConnectTo", "willEnterForeground", "geometry", "didBecomeActive"]
        assertCalls(["didFinishLaunching"] + one + one + one)
    }

    func testADisplayIsOfferedOnceAScenesAppHasAScene() async throws {
        try app.system.launch(PluggingAppDelegate.self)
        XCTAssertEqual(externalScenes(app).map(\.effectiveGeometry.coordinateSpace.bounds.size), [CGSize(640, 480)])

        let late = try TestApp(scenes: entries).launched(connectsScene: false)
        let display = late.system.attachDisplay()
        XCTAssertEqual(late.system.scenes.count, 0)
        for _ in 0..<2 { try late.system.connect() }
        XCTAssertEqual(externalScenes(late).map(\.screen), [display], "it is offered once")

        let gone = try TestApp(scenes: entries)
        try gone.system.detachDisplay(gone.system.attachDisplay())
        try gone.system.launch(PlainAppDelegate.self)
        XCTAssertEqual(gone.system.scenes.count, 1, "it was gone before the launch")
        XCTAssertEqual(gone.system.messages, [])

        let plain = try TestApp(scenes: nil)
        let mirror = plain.system.attachDisplay()
        try plain.system.launch(PlainAppDelegate.self)
        XCTAssertEqual(plain.system.scenes.count, 1, "an app without scenes is offered none")
        XCTAssertEqual(plain.system.displayMode(of: mirror), .mirrored)
    }

    func testADisplayThatIsAttachedInAFirstScenesCallbackIsOfferedAfterIt() async throws {
        RecordingSceneDelegate.onConnect = { scene, _ in
            guard scene.session.role == .windowApplication else { return }
            UISystem.current?.attachDisplay()
            DelegateCalls.all.append("attached")
        }
        try app.system.launch(PlainAppDelegate.self)
        XCTAssertEqual(
            DelegateCalls.drain().prefix(6),
            ["didFinishLaunching", "willConnectTo", "attached", "willEnterForeground", "geometry", "didBecomeActive"])
        XCTAssertEqual(externalScenes(app).count, 1)
    }

    func testAnAppsWindowOnADisplayDoesNotTakeItsScenesPlace() async throws {
        let app = try TestApp(platform: .mac, scenes: entries).launched()
        let display = app.system.attachDisplay()
        let scene = try XCTUnwrap(externalScenes(app).first)
        try app.system.disconnect(scene)
        _ = UIWindow.show(UIViewController(), in: app.scene)
        try app.system.move(app.scene, to: display)
        XCTAssertEqual(app.system.displayMode(of: display), .extended, "it has a window, but none of its own scene")
        let again = try XCTUnwrap(app.system.connect(scene.session) as? UIWindowScene)
        XCTAssertIdentical(again.screen, display)
        // It comes back to the main screen, and the display's own scene ends.
        try app.system.detachDisplay(display)
        XCTAssertEqual(app.system.windowScenes.map(\.screen), [app.system.mainScreen])
    }

    func testTheNextDisplayHasTheSessionOfTheLast() async throws {
        let app = try TestApp(scenes: entries).launched()
        var screens: [Int] = []
        let observer = NotificationCenter.default.addObserver(
            forName: UIScreen.didDisconnectNotification, object: nil, queue: nil
        ) { _ in MainActor.assumeIsolated { screens.append(UIScreen.screens.count) } }
        defer { NotificationCenter.default.removeObserver(observer) }
        var sessions: [UISceneSession] = []
        for _ in 0..<2 {
            let display = app.system.attachDisplay()
            sessions.append(try XCTUnwrap(externalScenes(app).first).session)
            try app.system.detachDisplay(display)
        }
        XCTAssertIdentical(sessions[0], sessions[1])
        XCTAssertEqual(UIApplication.shared.openSessions.count, 2)
        XCTAssertEqual(screens, [1, 1], "it is gone when that is posted")
    }
}
