import UIKit
import XCTest

/// What an app may say about its orientation and its windows' frames.
@MainActor final class GeometryRequestTests: XCTestCase {
    /// Supports what a test wants.
    private final class Controller: UIViewController {
        var mask: UIInterfaceOrientationMask = .all { didSet { setNeedsUpdateOfSupportedInterfaceOrientations() } }
        var isLocking = false
        override var supportedInterfaceOrientations: UIInterfaceOrientationMask { mask }
        override var prefersInterfaceOrientationLocked: Bool { isLocking }
    }

    private let root = Controller()

    private func app(_ platform: UISystem.Platform = .phone, extra: [String: Any] = [:]) throws -> TestApp {
        let app = try TestApp(platform: platform, extra: extra).launched()
        UIWindow.show(root, in: app.scene)
        DelegateCalls.all = []
        return app
    }

    /// - Returns: The code of the error; `nil` if the request is met.
    private func request(_ app: TestApp, _ preferences: UIWindowScene.GeometryPreferences) -> UISceneError.Code? {
        var errors: [any Error] = []
        app.scene.requestGeometryUpdate(preferences) { errors.append($0) }
        XCTAssertEqual(errors.count, 0, "not before the call has returned")
        app.turn()
        XCTAssertLessThanOrEqual(errors.count, 1)
        return (errors.first as? UISceneError)?.code
    }

    func testTheRawValuesOfOrientations() async throws {
        typealias Mask = UIInterfaceOrientationMask
        XCTAssertEqual(
            [Mask.portrait, .portraitUpsideDown, .landscapeRight, .landscapeLeft].map(\.rawValue), [2, 4, 8, 16])
        XCTAssertEqual([Mask.landscape, .all, .allButUpsideDown].map(\.rawValue), [24, 30, 26])
        XCTAssertEqual(UISceneError.Code.geometryRequestUnsupported.rawValue, 100)
        XCTAssertEqual(UISceneError.Code.geometryRequestDenied.rawValue, 101)
    }

    func testARequestInACallbackWaitsForItsEnd() async throws {
        let app = try app()
        var seen: [UIInterfaceOrientation] = []
        let scene = app.scene
        app.system.onCallback = { [root] callback in
            guard callback.name == "sceneWillResignActive" else { return }
            root.view.window?.windowScene?.requestGeometryUpdate(.iOS(interfaceOrientations: .landscapeLeft))
            seen.append(scene.interfaceOrientation)
        }
        try app.system.transition(scene, to: .foregroundInactive)
        XCTAssertEqual(seen, [.portrait])
        XCTAssertEqual(scene.interfaceOrientation, .landscapeLeft)
    }

    // MARK: Supported orientations

    func testTheDefaultsOfTheKindsOfDevice() async throws {
        for (platform, mask) in [(UISystem.Platform.phone, UIInterfaceOrientationMask.allButUpsideDown), (.pad, .all)] {
            let app = try TestApp(platform: platform).launched()
            XCTAssertEqual(UIViewController().supportedInterfaceOrientations, mask)
            XCTAssertTrue(UIViewController().shouldAutorotate)
            withExtendedLifetime(app) {}
        }
    }

    func testTheInfoPlistLimitsTheOrientations() async throws {
        let key = "UISupportedInterfaceOrientations"
        let app = try app(extra: [key: ["UIInterfaceOrientationPortrait", "UIInterfaceOrientationLandscapeLeft"]])
        app.system.rotate(to: .landscapeRight)
        XCTAssertEqual(app.scene.interfaceOrientation, .portrait)
        app.system.rotate(to: .landscapeLeft)
        XCTAssertEqual(app.scene.interfaceOrientation, .landscapeLeft)
        let own = try self.app(
            extra: [key: ["UIInterfaceOrientationPortrait"], "\(key)~iphone": ["UIInterfaceOrientationLandscapeRight"]])
        XCTAssertEqual(own.scene.interfaceOrientation, .landscapeRight, "that of the kind of device counts")
        let misspelt = try self.app(extra: [key: ["Portrait", "UIInterfaceOrientationPortrait"]])
        XCTAssertTrue(misspelt.system.messages.contains { $0.contains("\(key)[0]") && $0.contains("Portrait") })
        XCTAssertThrowsError(try TestApp(extra: [key: "UIInterfaceOrientationPortrait"])) {
            XCTAssertTrue("\($0)".contains(key), "\($0)")
        }
    }

    func testTheAppDelegateLimitsTheOrientations() async throws {
        final class Delegate: AppDelegateMethods, UIApplicationDelegate {
            func application(
                _ application: UIApplication, supportedInterfaceOrientationsFor window: UIWindow?
            ) -> UIInterfaceOrientationMask { .portrait }
        }
        let app = try TestApp(platform: .phone)
        try app.system.launch(Delegate())
        app.system.rotate(to: .landscapeLeft)
        XCTAssertEqual(app.scene.interfaceOrientation, .portrait)
    }
}
