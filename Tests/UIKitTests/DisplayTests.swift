import XCTest

@testable import UIKit

/// An app delegate that plugs a display in as its app is launched.
final class PluggingAppDelegate: AppDelegateMethods, UIApplicationDelegate {
    override func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        UISystem.current?.attachDisplay(size: CGSize(width: 640, height: 480))
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
            XCTAssertThrowsError(try app.system.resize(again, to: CGSize(width: 50, height: 60)))
            assertRefused(try app.system.connect(role: .windowExternalDisplayNonInteractive), .noFreeDisplay)
            try app.system.detachDisplay(display)
            assertRefused(try app.system.connect(scene.session), .noFreeDisplay)
            XCTAssertEqual(app.system.windowScenes.count, 1)
        }
    }

    func testASceneMovesOnlyToAScreenOfItsSystem() async throws {
        let app = try TestApp().launched()
        let gone = app.system.attachDisplay()
        try app.system.detachDisplay(gone)
        let foreign = UIScreen(size: gone.bounds.size, scale: 1, isExternal: true, orientation: .unknown)
        for screen in [gone, foreign] {
            assertRefused(try app.system.move(app.scene, to: screen), .screenNotAttached)
        }
        XCTAssertIdentical(app.scene.screen, app.system.mainScreen)
    }

    func testASideOrScaleThatNoScreenHasIsRefused() async throws {
        let odd: [CGFloat] = [.nan, .infinity, -1, 0]
        for value in odd {
            let app = try TestApp()
            let display = app.system.attachDisplay(size: CGSize(width: value, height: 100), scale: value)
            XCTAssertEqual(display.bounds.size, CGSize(width: 1920, height: 1080))
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
        let displays = [app.system.attachDisplay(), app.system.attachDisplay(size: CGSize(width: 800, height: 600))]
        XCTAssertEqual(app.system.scenes.count, 0)
        try app.system.launch(PlainAppDelegate.self)
        XCTAssertEqual(externalScenes(app).map(\.screen), displays)
        // The app's own scene comes first, and whole.
        let one = ["willConnectTo", "willEnterForeground", "geometry", "didBecomeActive"]
        assertCalls(["didFinishLaunching"] + one + one + one)
    }

    func testADisplayThatIsAttachedAsTheAppIsLaunchedIsOffered() async throws {
        try app.system.launch(PluggingAppDelegate.self)
        XCTAssertEqual(
            externalScenes(app).map(\.effectiveGeometry.coordinateSpace.bounds.size), [CGSize(width: 640, height: 480)])
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

    func testADisplayIsOfferedOnceAScenesAppHasAScene() async throws {
        let app = try TestApp(scenes: entries).launched(connectsScene: false)
        let display = app.system.attachDisplay()
        XCTAssertEqual(app.system.scenes.count, 0)
        try app.system.connect()
        XCTAssertEqual(externalScenes(app).map(\.screen), [display])
        try app.system.connect()
        XCTAssertEqual(externalScenes(app).count, 1, "it is offered once")
    }

    func testADisplayThatIsGoneBeforeTheLaunchIsNotOffered() async throws {
        try app.system.detachDisplay(app.system.attachDisplay())
        try app.system.launch(PlainAppDelegate.self)
        XCTAssertEqual(app.system.scenes.count, 1)
        XCTAssertEqual(app.system.messages, [])
    }

    func testAnAppWithoutScenesIsOfferedNone() async throws {
        let app = try TestApp(scenes: nil)
        let display = app.system.attachDisplay()
        try app.system.launch(PlainAppDelegate.self)
        XCTAssertEqual(app.system.scenes.count, 1)
        XCTAssertEqual(app.system.displayMode(of: display), .mirrored)
    }
}
