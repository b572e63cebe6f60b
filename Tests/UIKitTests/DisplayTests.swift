import UIKit
import XCTest

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

/// Row 20: whenever a display is attached, the app is offered a scene on it.
@MainActor final class DisplayTests: XCTestCase {
    private let entries = [TestApp.window: [TestApp.recorded], TestApp.external: [TestApp.recorded]]

    private func externalScenes(_ app: TestApp) -> [UIWindowScene] {
        app.system.windowScenes.filter { $0.session.role == .windowExternalDisplayNonInteractive }
    }

    func testRow20_aDisplayThatWasThereBeforeTheLaunchIsOffered() async throws {
        let app = try TestApp(scenes: entries)
        let displays = [app.system.attachDisplay(), app.system.attachDisplay(size: CGSize(width: 800, height: 600))]
        XCTAssertEqual(app.system.scenes.count, 0)
        try app.system.launch(PlainAppDelegate.self)
        XCTAssertEqual(externalScenes(app).map(\.screen), displays)
        // The app's own scene comes first, and whole.
        let one = ["willConnectTo", "willEnterForeground", "geometry", "didBecomeActive"]
        XCTAssertEqual(Heard.take(), ["didFinishLaunching"] + one + one + one)
    }

    func testRow20_aDisplayThatIsAttachedAsTheAppIsLaunchedIsOffered() async throws {
        let app = try TestApp(scenes: entries)
        try app.system.launch(PluggingAppDelegate.self)
        XCTAssertEqual(
            externalScenes(app).map(\.effectiveGeometry.coordinateSpace.bounds.size), [CGSize(width: 640, height: 480)])
    }

    func testRow20_aDisplayThatIsAttachedInAFirstScenesCallbackIsOfferedAfterIt() async throws {
        let app = try TestApp(scenes: entries)
        RecordingSceneDelegate.onConnect = { scene, _ in
            guard scene.session.role == .windowApplication else { return }
            UISystem.current?.attachDisplay()
            Heard.calls.append("attached")
        }
        try app.system.launch(PlainAppDelegate.self)
        XCTAssertEqual(
            Heard.take().prefix(6),
            ["didFinishLaunching", "willConnectTo", "attached", "willEnterForeground", "geometry", "didBecomeActive"])
        XCTAssertEqual(externalScenes(app).count, 1)
    }

    func testRow20_aDisplayIsOfferedOnceAScenesAppHasAScene() async throws {
        let app = try TestApp(scenes: entries).launched(connectsScene: false)
        let display = app.system.attachDisplay()
        XCTAssertEqual(app.system.scenes.count, 0)
        try app.system.connect()
        XCTAssertEqual(externalScenes(app).map(\.screen), [display])
        try app.system.connect()
        XCTAssertEqual(externalScenes(app).count, 1, "it is offered once")
    }

    func testRow20_aDisplayThatIsGoneBeforeTheLaunchIsNotOffered() async throws {
        let app = try TestApp(scenes: entries)
        try app.system.detachDisplay(app.system.attachDisplay())
        try app.system.launch(PlainAppDelegate.self)
        XCTAssertEqual(app.system.scenes.count, 1)
        XCTAssertEqual(app.system.messages, [])
    }

    func testRow20_anAppWithoutScenesIsOfferedNone() async throws {
        let app = try TestApp(scenes: nil)
        let display = app.system.attachDisplay()
        try app.system.launch(PlainAppDelegate.self)
        XCTAssertEqual(app.system.scenes.count, 1)
        XCTAssertEqual(app.system.displayMode(of: display), .mirrored)
    }
}
