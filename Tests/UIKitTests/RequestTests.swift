import Settle
import UIKit
import XCTest

@MainActor final class RequestTests: AppTestCase {
    private func code(_ request: UISceneSessionActivationRequest) -> UISceneError.Code? {
        var code: UISceneError.Code?
        UIApplication.shared.activateSceneSession(for: request) { code = ($0 as? UISceneError)?.code }
        XCTAssertNil(code, "the handler was called before the call returned")
        UISystem.current?.advance(by: .zero)
        return code
    }

    func testAnErrorComesOnTheMainQueuesNextTurn() async throws {
        let app = try TestApp(hasMany: false).launched()
        let gone = app.scene.session
        app.system.discard(gone)
        try app.system.connect()
        var codes: [UISceneError.Code?] = []
        let refused = expectation(description: "both handlers were called")
        refused.expectedFulfillmentCount = 2
        let handler: (any Error) -> Void = { error in
            codes.append((error as? UISceneError)?.code)
            refused.fulfill()
        }
        UIApplication.shared.activateSceneSession(for: UISceneSessionActivationRequest(), errorHandler: handler)
        UIApplication.shared.requestSceneSessionDestruction(gone, options: nil, errorHandler: handler)
        XCTAssertEqual(codes, [])
        await fulfillment(of: [refused], timeout: 20)
        XCTAssertEqual(codes, [.multipleScenesNotSupported, .requestDenied])
        app.turn()
        XCTAssertEqual(codes.count, 2, "once each")
    }

    func testAnErrorComesWithTheNextCallWhateverItIs() async throws {
        let app = self.app!
        app.system.allowsActivation = { _ in false }
        let calls: [(String, () throws -> Void)] = [
            ("resize", { try app.resize(300, 300) }), ("rotate", { app.system.rotate(to: .landscapeLeft) }),
            ("bring", { try app.system.bring(app.scene, to: .background) }), ("finish", { app.system.finish() }),
            ("terminate", { app.system.terminate() }),
        ]
        for (name, call) in calls {
            var errors = 0
            UIApplication.shared.activateSceneSession(for: UISceneSessionActivationRequest()) { _ in errors += 1 }
            XCTAssertEqual(errors, 0)
            try call()
            XCTAssertEqual(errors, 1, name)
        }
    }

    func testATerminatedAppIsCalledNoMore() async throws {
        let app = self.app!
        let scene = app.scene
        app.system.terminate()
        DelegateCalls.all = []
        app.system.terminate()
        app.system.rotate(to: .landscapeLeft)
        app.system.discard(scene.session)
        let url = try XCTUnwrap(URL(string: "x:1"))
        let calls: [() throws -> Void] = [
            { try app.system.open([url]) }, { try app.system.connect() },
            { try app.system.bring(scene, to: .foregroundActive) }, { try app.system.disconnect(scene) },
        ]
        for call in calls { assertRefused(try call(), .ended) }
        app.system.submit(.disconnect(app.system.identity(of: scene), at: app.system.now))
        XCTAssertEqual(code(UISceneSessionActivationRequest()), .requestDenied)
        UIApplication.shared.requestSceneSessionDestruction(scene.session, options: nil)
        assertCalls("")
        XCTAssertEqual(app.system.scenes.count, 1)
    }

    func testTheErrorOfAOneSceneAppSaysWhatToDo() async throws {
        let app = try TestApp(hasMany: false).launched()
        assertError(try app.system.connect(), "UIApplicationSupportsMultipleScenes")
        let error: any Error = UISceneError(.multipleScenesNotSupported)
        XCTAssertTrue(error.localizedDescription.contains("UIApplicationSupportsMultipleScenes"))
    }

    func testAClassOfTheWrongKindIsReported() async throws {
        let app = try TestApp()
        var chosen = UISceneConfiguration(name: nil, sessionRole: .windowApplication)
        ConfiguringAppDelegate.answer = { _, _ in chosen }
        chosen.sceneClass = UIView.self
        XCTAssertThrowsError(try app.system.launch(ConfiguringAppDelegate.self)) {
            guard case .wrongClass(_, "sceneClass", _) = $0 as? UISystem.Error else { return XCTFail("\($0)") }
        }
        chosen = UISceneConfiguration(name: nil, sessionRole: .windowApplication)
        chosen.delegateClass = UIView.self
        XCTAssertThrowsError(try app.system.connect()) {
            guard case .wrongClass(_, "delegateClass", _) = $0 as? UISystem.Error else { return XCTFail("\($0)") }
        }
    }

    func testANewScene() async throws {
        let activity = NSUserActivity(activityType: "open")
        XCTAssertNil(code(UISceneSessionActivationRequest(userActivity: activity)))
        XCTAssertEqual(app.system.scenes.count, 2)
        XCTAssertEqual(DelegateCalls.drain().first, "willConnectTo")
    }

    /// A request of a callback waits for its end, and so does the error.
    func testARequestFromACallbackWaitsForItsEnd() async throws {
        for hasMany in [true, false] {
            let app = try TestApp(hasMany: hasMany)
            RecordingSceneDelegate.onConnect = { _, _ in
                guard UISystem.current?.scenes.count == 1 else { return }
                UIApplication.shared.activateSceneSession(for: UISceneSessionActivationRequest()) { _ in
                    DelegateCalls.all.append("refused")
                }
                DelegateCalls.all.append("asked")
            }
            try app.system.launch(PlainAppDelegate.self)
            app.turn()
            let next = hasMany ? "willConnectTo, willEnterForeground, geometry, didBecomeActive" : "refused"
            assertCalls(
                "didFinishLaunching, willConnectTo, asked, willEnterForeground, geometry, didBecomeActive, \(next)")
        }
    }

    func testAnExistingSessionIsActivatedAndNotMadeTwice() async throws {
        let session = app.scene.session
        try app.system.bring(app.scene, to: .background)
        DelegateCalls.all = []
        let activity = NSUserActivity(activityType: "page")
        XCTAssertNil(code(UISceneSessionActivationRequest(session: session, userActivity: activity)))
        assertCalls("willEnterForeground, didBecomeActive, continue page")
        XCTAssertEqual(app.system.scenes.count, 1)
        try app.system.disconnect(app.scene)
        XCTAssertNil(code(UISceneSessionActivationRequest(session: session)))
        XCTAssertEqual(session.scene?.activationState, .foregroundActive)
        XCTAssertEqual(UIApplication.shared.openSessions.count, 1)
    }

    func testRefusals() async throws {
        XCTAssertEqual(UISceneError.Code.multipleScenesNotSupported.rawValue, 0)
        XCTAssertEqual(UISceneError.Code.requestDenied.rawValue, 1)
        XCTAssertEqual((UISceneError(.requestDenied) as NSError).code, 1)
        _ = try TestApp(hasMany: false).launched()
        XCTAssertEqual(code(UISceneSessionActivationRequest()), .multipleScenesNotSupported)
        _ = try TestApp(platform: .phone).launched()
        XCTAssertEqual(code(UISceneSessionActivationRequest()), .multipleScenesNotSupported)

        let app = try TestApp().launched()
        XCTAssertEqual(
            code(UISceneSessionActivationRequest(role: .windowExternalDisplayNonInteractive)), .requestDenied)
        let gone = app.scene.session
        app.system.discard(gone)
        XCTAssertEqual(code(UISceneSessionActivationRequest(session: gone)), .requestDenied)
        app.system.allowsActivation = { _ in false }
        XCTAssertEqual(code(UISceneSessionActivationRequest()), .requestDenied)
    }

    func testAdisplayIsMirroredExtendedOrCustom() async throws {
        let entries = [TestApp.window: [TestApp.recorded], TestApp.external: [TestApp.recorded]]
        for (platform, ordinary) in [(UISystem.Platform.phone, UISystem.DisplayMode.mirrored), (.mac, .extended)] {
            let app = try TestApp(platform: platform, scenes: entries).launched()
            let display = app.system.attachDisplay(size: CGSize(1280, 720))
            XCTAssertEqual(app.system.displayMode(of: display), ordinary)
            XCTAssertEqual(display.mirrored === UIScreen.main, ordinary == .mirrored)
            let scene = try XCTUnwrap(app.system.windowScenes.first { $0.screen === display })
            XCTAssertEqual(scene.session.role, .windowExternalDisplayNonInteractive)
            XCTAssertEqual(scene.effectiveGeometry.coordinateSpace.bounds.size, CGSize(1280, 720))

            let window = UIWindow(windowScene: scene)
            XCTAssertEqual(app.system.displayMode(of: display), .custom)
            XCTAssertNil(display.mirrored)
            window.windowScene = nil
            XCTAssertEqual(app.system.displayMode(of: display), ordinary)

            try app.system.detachDisplay(display)
            XCTAssertEqual(UIScreen.screens, [app.system.mainScreen])
            XCTAssertNil(scene.session.scene)
            XCTAssertThrowsError(try app.system.detachDisplay(display))
        }
    }

    func testAnAppThatConfiguresNothingKeepsTheDefault() async throws {
        let display = app.system.attachDisplay()
        XCTAssertEqual(app.system.displayMode(of: display), .mirrored)
        XCTAssertEqual(app.system.scenes.count, 1)
        assertCalls("")
    }

    func testAConfigurationOfAnotherRoleIsReported() async throws {
        let entries = [TestApp.window: [TestApp.recorded], TestApp.external: [TestApp.recorded]]
        let app = try TestApp(scenes: entries)
        ConfiguringAppDelegate.answer = { _, _ in UISceneConfiguration(name: "Main", sessionRole: .windowApplication) }
        try app.system.launch(ConfiguringAppDelegate.self)
        let display = app.system.attachDisplay()
        XCTAssertEqual(app.system.displayMode(of: display), .mirrored)
        XCTAssertEqual(app.system.scenes.count, 1)
        let said = try XCTUnwrap(app.system.messages.last)
        XCTAssertTrue(said.contains(TestApp.external) && said.contains("connectingSceneSession.role"), said)
        ConfiguringAppDelegate.answer = { _, _ in
            UISceneConfiguration(name: "Main", sessionRole: .windowExternalDisplayNonInteractive)
        }
        assertRefused(try app.system.connect(), .wrongRole(found: TestApp.external, expected: TestApp.window))
    }

    func testUrlsAtLaunchAndLater() async throws {
        let app = try TestApp()
        let urls = ["a:1", "a:2"].map { URL(string: $0)! }
        try app.system.launch(PlainAppDelegate.self, urls: urls)
        assertCalls("didFinishLaunching, willConnectTo a:1 a:2, willEnterForeground, geometry, didBecomeActive")
        try app.system.open([URL(string: "a:3")!])
        assertCalls("open a:3")
        try app.system.bring(app.scene, to: .background)
        DelegateCalls.all = []
        try app.system.open([URL(string: "a:4")!], in: app.scene)
        assertCalls("willEnterForeground, didBecomeActive, open a:4")
        try app.system.disconnect(app.scene)
        DelegateCalls.all = []
        try app.system.open([URL(string: "a:5")!])
        XCTAssertEqual(DelegateCalls.drain().first, "willConnectTo a:5")
    }
}
