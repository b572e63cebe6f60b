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

    func testAnOrientationThatIsRequestedStaysUntilTheDeviceIsRotated() async throws {
        let app = try app()
        XCTAssertNil(request(app, .iOS(interfaceOrientations: .landscapeRight)))
        XCTAssertEqual(app.scene.interfaceOrientation, .landscapeRight)
        XCTAssertEqual(app.scene.effectiveGeometry.coordinateSpace.bounds.size, CGSize(874, 402))
        assertCalls("geometry")
        try app.system.bring(app.scene, to: .background)
        try app.system.bring(app.scene, to: .foregroundActive)
        XCTAssertEqual(app.scene.interfaceOrientation, .landscapeRight)
        XCTAssertNil(request(app, .iOS(interfaceOrientations: .landscape)))
        XCTAssertEqual(app.scene.interfaceOrientation, .landscapeRight, "it is one of them")
        app.system.rotate(to: .portrait)
        XCTAssertEqual(app.scene.interfaceOrientation, .portrait)
        XCTAssertNil(request(app, UIWindowScene.GeometryPreferences.iOS()))
        XCTAssertEqual(app.scene.interfaceOrientation, .portrait, "no preference")
    }

    func testAnOrientationThatIsNotSupportedOrIsLockedIsDenied() async throws {
        let app = try app()
        root.mask = .portrait
        XCTAssertEqual(request(app, .iOS(interfaceOrientations: .landscape)), .geometryRequestDenied)
        XCTAssertEqual(app.scene.interfaceOrientation, .portrait)
        XCTAssertEqual(request(app, .iOS(interfaceOrientations: [])), .geometryRequestDenied)
        root.mask = .all
        for isLocking in [true, false] {
            root.isLocking = isLocking
            root.setNeedsUpdateOfPrefersInterfaceOrientationLocked()
            app.system.advance(by: .seconds(1))
            XCTAssertEqual(app.scene.interfaceOrientation, .portrait, "what was denied is forgotten")
            let denied = request(app, .iOS(interfaceOrientations: .landscape))
            XCTAssertEqual(denied, isLocking ? .geometryRequestDenied : nil)
        }
        XCTAssertEqual(app.scene.interfaceOrientation, .landscapeRight)
        let scene = app.scene
        try app.system.disconnect(scene)
        var denied: UISceneError.Code?
        scene.requestGeometryUpdate(.iOS(interfaceOrientations: .landscape)) { denied = ($0 as? UISceneError)?.code }
        app.turn()
        XCTAssertEqual(denied, .geometryRequestDenied, "disconnected")
    }

    func testAWindowOfVariableSizeIsNotRotatedByItsApp() async throws {
        let app = try app(.pad)
        XCTAssertEqual(request(app, .iOS(interfaceOrientations: .landscape)), .geometryRequestUnsupported)
        let full = try self.app(.pad, extra: ["UIRequiresFullScreen": true])
        full.system.advance(by: .zero)
        XCTAssertNil(request(full, .iOS(interfaceOrientations: .landscape)))
        XCTAssertEqual(full.scene.interfaceOrientation, .landscapeRight)
        let mac = try self.app(.mac)
        XCTAssertEqual(request(mac, .iOS(interfaceOrientations: .landscape)), .geometryRequestUnsupported)
    }

    func testAFrameOnAMac() async throws {
        let app = try app(.mac)
        let frame = CGRect(20, 40, 800, 600)
        XCTAssertNil(request(app, .Mac(systemFrame: frame)))
        XCTAssertEqual(app.scene.effectiveGeometry.systemFrame, frame)
        assertCalls("geometry")
        app.scene.sizeRestrictions?.minimumSize = CGSize(500, 0)
        XCTAssertNil(request(app, .Mac(systemFrame: CGRect(20, 40, 300, 600))))
        XCTAssertEqual(app.scene.effectiveGeometry.systemFrame.width, 500)
        for odd in [CGRect.zero, .null, .infinite, CGRect(0, 0, CGFloat.nan, 4)] {
            XCTAssertEqual(request(app, .Mac(systemFrame: odd)), .geometryRequestUnsupported, "\(odd)")
        }
        XCTAssertNil(request(app, UIWindowScene.GeometryPreferences.Mac()))
        XCTAssertEqual(request(try self.app(.pad), .Mac(systemFrame: frame)), .geometryRequestUnsupported)
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

    func testAPhoneRotatesToWhatItsControllerSupports() async throws {
        let app = try app()
        func check(_ expected: UIInterfaceOrientation, _ why: String = "", line: UInt = #line, in change: () -> Void) {
            change()
            XCTAssertEqual(app.scene.interfaceOrientation, expected, why, line: line)
        }
        root.mask = [.portrait, .landscapeLeft]
        check(.portrait) { app.system.rotate(to: .landscapeRight) }
        check(.landscapeLeft) { app.system.rotate(to: .landscapeLeft) }
        check(.portrait, "the present one is not supported any more") { root.mask = .portrait }
        check(.landscapeLeft, "as the device is held") { root.mask = .all }
        check(.landscapeRight) { root.mask = .landscapeRight }
        let movie = Controller()
        movie.mask = .landscapeLeft
        movie.modalPresentationStyle = .fullScreen
        check(.landscapeLeft, "a full-screen presentation is asked") { root.present(movie, animated: true) }
        root.mask = .portrait
        check(.portrait) { movie.dismiss(animated: true) }
        let other = Controller()
        other.mask = .landscapeLeft
        check(.landscapeLeft, "once it is shown") { app.scene.windows[0].rootViewController = other }
        XCTAssertEqual(other.view.bounds.size, CGSize(874, 402))
        let pad = try self.app(.pad)
        pad.system.rotate(to: .landscapeLeft)
        XCTAssertEqual(pad.scene.interfaceOrientation, .landscapeLeft, "windows of variable size follow the screen")
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
