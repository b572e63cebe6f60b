import Settle
import SettleLog
import UIKit
import XCTest

@MainActor final class LifeCycleTests: AppTestCase {
    func testDecisionsArriveInOrderAlsoWhenTheirHandlerSubmitsEvents() throws {
        let app = try TestApp(policy: .uikit).launched()
        var received: [String] = []
        app.system.onDecision = { [system = app.system] scene, decision in
            switch decision.kind {
            case .rebuild(let rebuild): received.append("rebuild \(rebuild.size)")
            case .interactionEnded:
                received.append("ended")
                let identity = system.identity(of: scene)
                system.submit(.geometry(identity, at: system.now, size: Size(650, 480)))
            default: break
            }
        }
        try app.system.beginResize(app.scene)
        try app.resize(640, 480)
        try app.system.endResize(app.scene)
        XCTAssertEqual(received, ["ended", "rebuild 640×480", "rebuild 650×480"])
    }

    /// Callbacks build for sizes that have settled, whatever the policy's share and whoever reports builds.
    func testNothingIsRebuiltWithinAnInteractionForALiveShare() throws {
        let app = try TestApp(policy: .live).launched()
        var rebuilt: [String] = []
        app.system.onDecision = { [system = app.system] scene, decision in
            guard case .rebuild(let rebuild) = decision.kind else { return }
            rebuilt.append("\(rebuild.size) \(rebuild.reason)")
            system.submit(
                .finished(
                    system.identity(of: scene), at: system.now, generation: rebuild.generation, cost: .zero))
        }
        try app.resize(500, 480)
        app.system.advance(by: .seconds(1))
        try app.system.beginResize(app.scene)
        for width in 501...540 {
            try app.resize(CGFloat(width), 480)
            app.system.advance(by: .milliseconds(16))
        }
        XCTAssertEqual(rebuilt.count, 1)
        try app.system.endResize(app.scene)
        XCTAssertEqual(rebuilt.last, "540×480 interactionEnded")
    }

    func testWhatIsDueBeforeASubmittedDisconnectIsDecided() throws {
        let app = try TestApp(policy: .fixed(.milliseconds(10))).launched()
        var rebuilt: [Size] = []
        app.system.onDecision = { _, decision in
            if case .rebuild(let rebuild) = decision.kind { rebuilt.append(rebuild.size) }
        }
        try app.resize(640, 480)
        let identity = app.system.identity(of: app.scene)
        app.system.submit(.disconnect(identity, at: Timestamp(nanoseconds: .max)))
        XCTAssertEqual(app.system.windowScenes.count, 1, "its time is refused, and so is the event")
        app.system.submit(.disconnect(identity, at: app.system.now.after(1_000_000_000)))
        XCTAssertEqual(rebuilt.last, Size(640, 480))
        XCTAssertEqual(app.system.windowScenes.count, 0)
    }

    func testTimeMovesToItsEndAndNoFurther() throws {
        let app = try TestApp().launched()
        app.system.advance(by: .seconds(-1))
        XCTAssertEqual(app.system.now, Timestamp(nanoseconds: 0))
        for _ in 0..<2 { app.system.advance(by: .seconds(Int64.max)) }
        XCTAssertEqual(app.system.now, .latest)
    }

    func testTheRawValues() async throws {
        XCTAssertEqual(UIScene.ActivationState.all.map(\.rawValue), [-1, 0, 1, 2])
        XCTAssertEqual(UIScene.ActivationState.unattached.rawValue, -1)
        XCTAssertEqual(UIScene.ActivationState.background.rawValue, 2)
    }

    func testTheWholeLifeInOrder() async throws {
        let app = try TestApp()
        ConfiguringAppDelegate.answer = { session, _ in UISceneConfiguration(name: "Main", sessionRole: session.role) }
        try app.system.launch(ConfiguringAppDelegate.self)
        let scene = app.scene
        XCTAssertEqual(scene.activationState, .foregroundActive)
        try app.system.disconnect(scene)
        assertCalls([
            "didFinishLaunching", "configurationForConnecting window", "willConnectTo", "willEnterForeground",
            "geometry", "didBecomeActive", "willResignActive", "didEnterBackground", "didDisconnect",
        ])
        XCTAssertEqual(scene.activationState, .unattached)
        assertRefused(try app.system.transition(scene, to: .foregroundInactive), .notConnected)
        XCTAssertThrowsError(try app.system.resize(scene, to: CGSize(5, 5)))
    }

    func testNothingAfterTheEnd() async throws {
        let app = try TestApp(policy: .default).launched()
        let scene = app.scene
        let identity = app.system.identity(of: scene)
        try app.resize(600, 600)
        try app.system.disconnect(scene)
        DelegateCalls.all = []
        app.system.onDecision = { _, _ in XCTFail("decided after the end") }
        app.system.submit(.at(50, identity, Size(5, 5)))
        app.system.advance(by: .seconds(10))
        assertCalls("")
        XCTAssertEqual(app.system.statistics.rejectedScenes, 1)
    }

    func testADisconnectEventEndsTheSceneAsWell() async throws {
        app.system.submit(.disconnect(app.system.identity(of: app.scene), at: app.system.now))
        assertCalls("willResignActive, didEnterBackground, didDisconnect")
        XCTAssertEqual(app.system.scenes.count, 0)
    }

    func testAnAppWithoutScenesIsCalledOnce() async throws {
        let app = try TestApp(scenes: nil)
        func both(_ names: String...) -> [String] { names.flatMap { ["app \($0)", "[app \($0)]"] } }
        func inApp(_ body: () throws -> Void) rethrows -> [String] {
            try observe(body).filter { !$0.contains("scene ") }
        }
        XCTAssertEqual(
            try inApp { try app.system.launch(PlainAppDelegate.self) },
            ["didFinishLaunching"] + both("didBecomeActive"))
        XCTAssertEqual(
            try inApp { try app.system.bring(app.scene, to: .background) },
            both("willResignActive", "didEnterBackground"))
        XCTAssertEqual(
            try inApp { try app.system.bring(app.scene, to: .foregroundActive) },
            both("willEnterForeground", "didBecomeActive"))
        XCTAssertEqual(try inApp { try app.system.open([URL(fileURLWithPath: "/a")]) }, ["app open file:///a"])
        var ended = 0
        let observer = NotificationCenter.default.addObserver(
            forName: UIApplication.willTerminateNotification, object: nil, queue: nil
        ) { _ in MainActor.assumeIsolated { ended += 1 } }
        defer { NotificationCenter.default.removeObserver(observer) }
        XCTAssertEqual(
            try inApp { app.system.terminate() },
            both("willResignActive", "didEnterBackground") + ["app willTerminate"])
        XCTAssertEqual(ended, 1)
    }

    /// A pointer's drag ends with the release of its button, which is seen everywhere.
    func testAPointersDragOutlivesTheBackgroundUntilTheRelease() async throws {
        let app = try TestApp().launched(connectsScene: false)
        let log = """
            {"settle":"events","version":1}
            {"t_ns":0,"scene":"a","width":500,"height":400}
            {"t_ns":1,"kind":"pointer","button":1,"pressed":true}
            {"t_ns":2,"scene":"a","width":600,"height":400}
            """
        try app.system.replay(LogReader(ByteInput(bytes: Array(log.utf8), name: "log")))
        XCTAssertTrue(app.scene.effectiveGeometry.isInteractivelyResizing)
        try app.system.bring(app.scene, to: .background)
        try app.system.bring(app.scene, to: .foregroundActive)
        XCTAssertTrue(app.scene.effectiveGeometry.isInteractivelyResizing, "the button is still held")
        app.system.submit(.pointer(button: 1, at: app.system.now, isPressed: false))
        XCTAssertFalse(app.scene.effectiveGeometry.isInteractivelyResizing)
        app.system.submit(.pointer(button: 1, at: app.system.now, isPressed: true))
        app.system.submit(.geometry(app.system.identity(of: app.scene), at: app.system.now, size: Size(700, 400)))
        XCTAssertTrue(app.scene.effectiveGeometry.isInteractivelyResizing, "buttons still begin interactions")
    }

    /// The notifications of the app and of its scenes, among the calls of delegates.
    private func observe(_ body: () throws -> Void) rethrows -> [String] {
        let names: [(NSNotification.Name, String)] = [
            (UIApplication.didBecomeActiveNotification, "app didBecomeActive"),
            (UIApplication.willResignActiveNotification, "app willResignActive"),
            (UIApplication.didEnterBackgroundNotification, "app didEnterBackground"),
            (UIApplication.willEnterForegroundNotification, "app willEnterForeground"),
            (UIScene.didActivateNotification, "scene didActivate"),
            (UIScene.willDeactivateNotification, "scene willDeactivate"),
            (UIScene.didEnterBackgroundNotification, "scene didEnterBackground"),
            (UIScene.willEnterForegroundNotification, "scene willEnterForeground"),
        ]
        DelegateCalls.all = []
        let tokens = names.map { name, text in
            NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { notification in
                MainActor.assumeIsolated { DelegateCalls.all.append("[\(text)]") }
            }
        }
        defer { tokens.forEach(NotificationCenter.default.removeObserver) }
        try body()
        return DelegateCalls.drain().filter { $0 != "geometry" && !$0.hasPrefix("willConnect") }
    }

    private static let toFront = [
        "willEnterForeground", "[scene willEnterForeground]", "[app willEnterForeground]", "didBecomeActive",
        "[scene didActivate]", "[app didBecomeActive]",
    ]
    private static let toBack = [
        "willResignActive", "[scene willDeactivate]", "[app willResignActive]", "didEnterBackground",
        "[scene didEnterBackground]", "[app didEnterBackground]",
    ]

    func testTheAppsNotificationsArePostedWithScenes() async throws {
        let app = try TestApp()
        XCTAssertEqual(
            try observe { try app.system.launch(PlainAppDelegate.self) }, ["didFinishLaunching"] + Self.toFront)
        XCTAssertEqual(try observe { try app.system.bring(app.scene, to: .background) }, Self.toBack)
        XCTAssertEqual(try observe { try app.system.bring(app.scene, to: .foregroundActive) }, Self.toFront)
        XCTAssertEqual(try observe { try app.system.disconnect(app.scene) }, Self.toBack + ["didDisconnect"])
    }

    func testTheAppIsInFrontFromItsFirstSceneToItsLast() async throws {
        let first = app.scene
        let joins = try observe { try app.system.connect() }
        XCTAssertEqual(joins, Self.toFront.filter { !$0.hasPrefix("[app") })
        let leaves = try observe { try app.system.bring(first, to: .background) }
        XCTAssertEqual(leaves, Self.toBack.filter { !$0.hasPrefix("[app") })
        let second = try XCTUnwrap(app.system.windowScenes.last)
        XCTAssertEqual(try observe { try app.system.bring(second, to: .background) }, Self.toBack)
        let inactive = try observe { try app.system.bring(first, to: .foregroundInactive) }
        XCTAssertEqual(inactive, Array(Self.toFront.prefix(3)))
        let active = try observe { try app.system.bring(second, to: .foregroundActive) }
        XCTAssertEqual(active, Self.toFront.filter { $0 != "[app willEnterForeground]" })
    }

    func testWhatReleasesDoWithAppsWithoutScenes() async throws {
        let cases: [(UISystem.Platform, UISystem.Version, UISystem.Version, Outcome)] = [
            (.phone, UISystem.Version(18, 3), 26, .quiet),
            (.phone, UISystem.Version(18, 4), 18, .log(Texts.first)),
            (.mac, UISystem.Version(18, 4), 18, .log(Texts.first)),
            (.vision, UISystem.Version(2, 3), 18, .quiet),
            (.vision, UISystem.Version(2, 4), 18, .log(Texts.first)),
            (.pad, 26, 26, .log(Texts.second)),
            (.vision, 26, 26, .log(Texts.second)),
            (.pad, 27, 26, .log(Texts.second)),
            (.pad, 27, 27, .refuse),
        ]
        for (platform, os, sdk, expected) in cases {
            var platform = platform
            (platform.osVersion, platform.linkedSDK) = (os, sdk)
            let app = try TestApp(platform: platform, scenes: nil)
            switch expected {
            case .quiet:
                try app.system.launch(PlainAppDelegate.self)
                XCTAssertEqual(app.system.messages, [])
            case .log(let text):
                try app.system.launch(PlainAppDelegate.self)
                XCTAssertEqual(app.system.messages, [text], "\(platform.kind) \(os)")
            case .refuse:
                assertRefused(try app.system.launch(PlainAppDelegate.self), .scenesRequired)
                XCTAssertEqual(app.system.scenes.count, 0)
            }
        }
    }

    private enum Outcome {
        case quiet, refuse
        case log(String)
    }

    private enum Texts {
        static let first =
            "This process does not adopt UIScene lifecycle.\nThis will become an assert in a future version."
        static let second =
            "UIScene lifecycle will soon be required.\n"
            + "Failure to adopt will result in an assert in the future."
    }

    func testVersionsHaveTwoNumbers() async {
        for (text, version) in [
            ("26", UISystem.Version(26)), ("18.4", .init(18, 4)), ("0.0", 0), ("18.04.7", .init(18, 4)),
        ] { XCTAssertEqual(UISystem.Version(text), version, text) }
        for text in ["", ".", "18.", ".4", "18.-1", "18.4.x", "x", "18,4"] {
            XCTAssertNil(UISystem.Version(text), text)
        }
        XCTAssertLessThan(UISystem.Version(17, 9), 18)
        XCTAssertLessThan(UISystem.Version(18), UISystem.Version(18, 1))
    }

    func testAManifestOrTheMethodIsAdoption() async throws {
        let manifest = try TestApp().launched()
        XCTAssertEqual(manifest.system.messages, [])
        let method = try TestApp(scenes: nil)
        ConfiguringAppDelegate.answer = { session, _ in
            let configuration = UISceneConfiguration(name: nil, sessionRole: session.role)
            configuration.delegateClass = RecordingSceneDelegate.self
            return configuration
        }
        try method.system.launch(ConfiguringAppDelegate.self)
        XCTAssertEqual(method.system.messages, [])
        XCTAssertTrue(DelegateCalls.drain().contains("willConnectTo"))
    }
}
