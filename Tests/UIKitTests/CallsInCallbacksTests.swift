import Settle
import UIKit
import XCTest

/// Calls a test's hook in each of its callbacks.
final class HookedSceneDelegate: RecordingSceneDelegate {
    static var hook: (String, UIWindowScene) throws -> Void = { _, _ in }

    override func record(_ method: String, _ scene: UIScene, _ details: [String] = []) {
        super.record(method, scene, details)
        guard let scene = scene as? UIWindowScene else { return }
        do { try Self.hook(method, scene) } catch { DelegateCalls.all.append("\(error)") }
    }

    override func stateRestorationActivity(for scene: UIScene) -> NSUserActivity? {
        record("state", scene)
        return nil
    }
}

/// What the host asks for in a callback waits for the transition of that callback.
@MainActor final class CallsInCallbacksTests: XCTestCase {
    private func app(hasMany: Bool = true) throws -> TestApp {
        HookedSceneDelegate.hook = { _, _ in }
        let entry = [
            "UISceneConfigurationName": "Main",
            "UISceneDelegateClassName": "$(PRODUCT_MODULE_NAME).HookedSceneDelegate",
        ]
        let app = try TestApp(scenes: [TestApp.window: [entry]], hasMany: hasMany)
        // The system before goes away as this one is made, and its windows disappear.
        DelegateCalls.all = []
        return app
    }

    private let start = ["willConnectTo", "willEnterForeground", "geometry", "didBecomeActive"]
    private let end = ["willResignActive", "didEnterBackground", "state", "didDisconnect"]

    /// Whatever callback disconnects the scene, its delegate gets all calls of its life once, in order.
    func testASceneDisconnectedInAnyCallbackGetsTheRestInOrder() async throws {
        for stage in start + end {
            let app = try app()
            HookedSceneDelegate.hook = { name, scene in
                if name == stage { try UISystem.current?.disconnect(scene) }
            }
            try app.system.launch(PlainAppDelegate.self)
            if let scene = app.system.windowScenes.first { try app.system.disconnect(scene) }
            var received = ["didFinishLaunching"] + start + end
            if stage == "didDisconnect" { received.append("\(UISystem.Error.notConnected)") }
            assertCalls(received, "disconnected in \(stage)")
            XCTAssertEqual(app.system.scenes.count, 0)
            XCTAssertEqual(app.system.messages, [])
        }
    }

    func testASceneDiscardedOrItsAppTerminatedInAnyCallbackGetsTheRestInOrder() async throws {
        for stage in start + end.prefix(3) {
            var app = try app()
            HookedSceneDelegate.hook = { name, scene in
                if name == stage { UISystem.current?.discard(scene.session) }
            }
            try app.system.launch(PlainAppDelegate.self)
            if let scene = app.system.windowScenes.first { try app.system.disconnect(scene) }
            assertCalls(["didFinishLaunching"] + start + end + ["didDiscard 1"], "discarded in \(stage)")
            app = try self.app()
            HookedSceneDelegate.hook = { name, _ in if name == stage { UISystem.current?.terminate() } }
            try app.system.launch(PlainAppDelegate.self)
            if !app.system.hasEnded { try app.system.bring(app.scene, to: .background) }
            XCTAssertTrue(app.system.hasEnded)
            assertCalls(["didFinishLaunching"] + start + end.dropLast() + ["app willTerminate"])
        }
    }

    func testADisconnectEventInACallbackWaitsAsWell() async throws {
        let app = try app()
        HookedSceneDelegate.hook = { name, scene in
            guard name == "willEnterForeground", let system = UISystem.current else { return }
            system.submit(.disconnect(system.identity(of: scene), at: system.now))
        }
        try app.system.launch(PlainAppDelegate.self)
        assertCalls(["didFinishLaunching"] + start + end)
    }

    func testNothingBringsASceneBackInItsLastCallback() async throws {
        let app = try app()
        try app.system.launch(PlainAppDelegate.self)
        DelegateCalls.all = []
        var refused = 0
        HookedSceneDelegate.hook = { name, scene in
            guard name == "didDisconnect", let system = UISystem.current else { return }
            XCTAssertThrowsError(try system.bring(scene, to: .foregroundActive)) { _ in refused += 1 }
            XCTAssertThrowsError(try system.connect(scene.session)) { _ in refused += 1 }
            XCTAssertThrowsError(try system.resize(scene, to: CGSize(9, 9))) { _ in refused += 1 }
        }
        try app.system.disconnect(app.scene)
        assertCalls(end)
        XCTAssertEqual(refused, 3)
    }

    func testASceneSentBackInItsCallbackGoesBackOnce() async throws {
        let app = try app()
        try app.system.launch(PlainAppDelegate.self)
        try app.system.bring(app.scene, to: .background)
        DelegateCalls.all = []
        HookedSceneDelegate.hook = { name, scene in
            if name == "didBecomeActive" { try UISystem.current?.bring(scene, to: .background) }
        }
        try app.system.bring(app.scene, to: .foregroundActive)
        assertCalls(["willEnterForeground", "didBecomeActive"] + end.dropLast())
    }

    func testCallbacksThatUndoEachOtherAreBoundedAndLoggedOnce() async throws {
        let app = try app()
        try app.system.launch(PlainAppDelegate.self)
        HookedSceneDelegate.hook = { name, scene in
            if name == "didBecomeActive" { try UISystem.current?.bring(scene, to: .background) }
            if name == "didEnterBackground" { try UISystem.current?.bring(scene, to: .foregroundActive) }
        }
        for _ in 0..<2 {
            DelegateCalls.all = []
            try app.system.bring(app.scene, to: .foregroundInactive)
            try app.system.bring(app.scene, to: .background)
            let changes = DelegateCalls.drain().count { $0 == "didBecomeActive" || $0 == "didEnterBackground" }
            XCTAssertEqual(changes, UISystem.stateChangesMax + 1)
        }
        XCTAssertEqual(app.system.messages.count, 1)
    }

    /// The requests that a callback makes are bounded as the host's calls are.
    func testRequestsThatRepeatThemselvesAreBoundedAndDenied() async throws {
        let app = try app()
        try app.system.launch(PlainAppDelegate.self)
        var denied: [UISceneError.Code?] = []
        func request(_ scene: UIWindowScene) {
            UIApplication.shared.activateSceneSession(
                for: UISceneSessionActivationRequest(
                    session: scene.session, userActivity: NSUserActivity(activityType: "page"))
            ) { denied.append(($0 as? UISceneError)?.code) }
        }
        HookedSceneDelegate.hook = { name, scene in if name == "continue" { request(scene) } }
        for _ in 0..<2 {
            DelegateCalls.all = []
            denied = []
            request(app.scene)
            XCTAssertEqual(DelegateCalls.drain().count { $0 == "continue page" }, UISystem.stateChangesMax + 1)
            app.turn()
            XCTAssertEqual(denied, [.requestDenied])
        }
        XCTAssertEqual(app.system.messages.count, 1)
    }

    func testADestructionBeyondTheLimitIsDenied() async throws {
        let app = try app()
        try app.system.launch(PlainAppDelegate.self)
        let other = try app.system.connect().session
        var denied = 0
        HookedSceneDelegate.hook = { name, scene in
            guard name == "geometry", let system = UISystem.current else { return }
            for _ in 0..<UISystem.stateChangesMax { try system.bring(scene, to: .foregroundActive) }
            UIApplication.shared.requestSceneSessionDestruction(other, options: nil) { _ in denied += 1 }
        }
        try app.turn { try app.resize(300, 300) }
        XCTAssertEqual(denied, 1)
        XCTAssertNotNil(other.scene)
    }

    func testAnAppWithOneSceneGetsNoSecondSessionInItsLastCallback() async throws {
        let app = try app(hasMany: false)
        var refused: [UISystem.Error?] = []
        HookedSceneDelegate.hook = { name, _ in
            guard name == "didDisconnect", let system = UISystem.current else { return }
            XCTAssertThrowsError(try system.connect()) { refused.append($0 as? UISystem.Error) }
        }
        try app.system.launch(PlainAppDelegate.self)
        try app.system.disconnect(app.scene)
        XCTAssertEqual(refused, [.multipleScenesNotSupported])
        XCTAssertEqual(UIApplication.shared.openSessions.count, 1)
        try app.system.connect()
        XCTAssertEqual(UIApplication.shared.openSessions.count, 1, "its session is used again")
    }

    func testWhatALaterChangeThrowsIsLogged() async throws {
        let app = try app()
        HookedSceneDelegate.hook = { name, scene in
            if name == "willEnterForeground" { try UISystem.current?.transition(scene, to: .background) }
        }
        try app.system.launch(PlainAppDelegate.self)
        XCTAssertEqual(app.scene.activationState, .foregroundActive)
        XCTAssertEqual(app.system.messages.count, 1)
    }

    /// In one call from outside, however many deadlines it fires.
    func testOneAdvanceIsOneHostCall() async throws {
        let app = try app()
        let root = LockingController()
        RecordingSceneDelegate.onConnect = { scene, delegate in
            delegate.window = UIWindow.show(root, in: scene)
        }
        try app.system.launch(PlainAppDelegate.self)
        var received = 0
        HookedSceneDelegate.hook = { name, _ in
            guard name == "geometry" else { return }
            received += 1
            root.toggle()
        }
        root.toggle()
        app.system.advance(by: .seconds(60))
        XCTAssertEqual(received, UISystem.callbacksMax)
        XCTAssertEqual(app.system.messages.count, 1)
    }

    func testAURLOpenedAtLaunchWaitsForTheFirstScene() async throws {
        let app = try TestApp(hasMany: false)
        DelegateCalls.all = []
        try app.system.launch(OpeningAppDelegate.self, urls: [XCTUnwrap(URL(string: "x:launch"))])
        assertCalls([
            "didFinishLaunching", "willConnectTo x:launch", "willEnterForeground", "geometry", "didBecomeActive",
            "open x:asked",
        ])
    }
}

/// Its wish for a lock changes.
private final class LockingController: UIViewController {
    private var wants = false
    override var prefersInterfaceOrientationLocked: Bool { wants }

    func toggle() {
        wants.toggle()
        setNeedsUpdateOfPrefersInterfaceOrientationLocked()
    }
}

/// Has a URL opened while it is launched.
private final class OpeningAppDelegate: AppDelegateMethods, UIApplicationDelegate {
    override func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        try? UISystem.current?.open([URL(string: "x:asked")!])
        return super.application(application, didFinishLaunchingWithOptions: launchOptions)
    }
}
