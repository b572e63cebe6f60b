import Settle
import UIKit
import XCTest

@MainActor final class LifeCycleTests: XCTestCase {
    func testDecisionsAreHeardInOrderAlsoWhenTheirHandlerFeedsEvents() throws {
        let app = try TestApp(policy: .uikit).launched()
        var heard: [String] = []
        app.system.onDecision = { [system = app.system] scene, decision in
            switch decision.kind {
            case .rebuild(let rebuild): heard.append("rebuild \(rebuild.size)")
            case .interactionEnded:
                heard.append("ended")
                let identity = system.identity(of: scene)
                system.submit(.geometry(identity, at: system.now, size: Size(width: 650, height: 480)))
            default: break
            }
        }
        try app.system.beginResize(app.scene)
        try app.resize(640, 480)
        try app.system.endResize(app.scene)
        XCTAssertEqual(heard, ["ended", "rebuild 640×480", "rebuild 650×480"])
    }

    func testWhatIsDueBeforeASubmittedDisconnectIsDecided() throws {
        let app = try TestApp(policy: Policy(settleDelay: .milliseconds(10))).launched()
        var rebuilt: [Size] = []
        app.system.onDecision = { _, decision in
            if case .rebuild(let rebuild) = decision.kind { rebuilt.append(rebuild.size) }
        }
        try app.resize(640, 480)
        let identity = app.system.identity(of: app.scene)
        app.system.submit(.disconnect(identity, at: Timestamp(nanoseconds: .max)))
        XCTAssertEqual(app.system.windowScenes.count, 1, "its time is refused, and so is the event")
        app.system.submit(.disconnect(identity, at: app.system.now.after(1_000_000_000)))
        XCTAssertEqual(rebuilt.last, Size(width: 640, height: 480))
        XCTAssertEqual(app.system.windowScenes.count, 0)
    }

    func testTimeMovesToItsEndAndNoFurther() throws {
        let app = try TestApp().launched()
        app.system.advance(by: .seconds(-1))
        XCTAssertEqual(app.system.now, Timestamp(nanoseconds: 0))
        for _ in 0..<2 { app.system.advance(by: .seconds(Int64.max)) }
        XCTAssertEqual(app.system.now, .latest)
    }

    func testRow11_theRawValues() async throws {
        XCTAssertEqual(UIScene.ActivationState.allCases.map(\.rawValue), [-1, 0, 1, 2])
        XCTAssertEqual(UIScene.ActivationState.unattached.rawValue, -1)
        XCTAssertEqual(UIScene.ActivationState.background.rawValue, 2)
    }

    func testRow11_theWholeLifeInOrder() async throws {
        let app = try TestApp()
        ConfiguringAppDelegate.answer = { session, _ in UISceneConfiguration(name: "Main", sessionRole: session.role) }
        try app.system.launch(ConfiguringAppDelegate.self)
        let scene = app.scene
        XCTAssertEqual(scene.activationState, .foregroundActive)
        try app.system.disconnect(scene)
        XCTAssertEqual(
            Heard.take(),
            [
                "didFinishLaunching", "configurationForConnecting window", "willConnectTo", "willEnterForeground",
                "geometry", "didBecomeActive", "willResignActive", "didEnterBackground", "didDisconnect",
            ])
        XCTAssertEqual(scene.activationState, .unattached)
        XCTAssertThrowsError(try app.system.transition(scene, to: .foregroundInactive)) {
            XCTAssertEqual($0 as? UISystemError, .notConnected)
        }
        XCTAssertThrowsError(try app.system.resize(scene, to: CGSize(width: 5, height: 5)))
    }

    func testRow11_onlyLegalStepsAreTaken() async throws {
        typealias State = UIScene.ActivationState
        let legal: Set<[State]> = [
            [.unattached, .foregroundInactive], [.unattached, .background], [.foregroundInactive, .foregroundActive],
            [.foregroundActive, .foregroundInactive], [.foregroundInactive, .background],
            [.background, .foregroundInactive],
        ]
        for from in State.allCases where from != .unattached {
            for to in State.allCases {
                let app = try TestApp().launched()
                try app.system.bring(app.scene, to: from)
                Heard.calls = []
                if legal.contains([from, to]) {
                    XCTAssertNoThrow(try app.system.transition(app.scene, to: to))
                    XCTAssertEqual(app.scene.activationState, to)
                } else {
                    XCTAssertThrowsError(try app.system.transition(app.scene, to: to)) {
                        XCTAssertEqual($0 as? UISystemError, .illegalTransition(from: from, to: to))
                    }
                    XCTAssertEqual(app.scene.activationState, from)
                    XCTAssertEqual(Heard.take(), [])
                }
            }
        }
    }

    func testRow11_scenesDoNotInterfere() async throws {
        let app = try TestApp().launched()
        let other = try XCTUnwrap(app.system.connect() as? UIWindowScene)
        let delegate = RecordingSceneDelegate.of(other)
        let before = delegate.geometries.count
        try app.drag(through: [CGSize(width: 500, height: 500)])
        try app.system.disconnect(app.scene)
        XCTAssertEqual(delegate.geometries.count, before)
        XCTAssertEqual(other.activationState, .foregroundActive)
        XCTAssertEqual(app.system.scenes.count, 1)
    }

    func testRow11_theBackgroundHoldsGeometryAndRebuilds() async throws {
        let app = try TestApp(policy: Policy(settleDelay: .milliseconds(50))).launched()
        var rebuilt: [Size] = []
        app.system.onDecision = { _, decision in
            if case .rebuild(let rebuild) = decision.kind { rebuilt.append(rebuild.size) }
        }
        app.system.advance(by: .seconds(1))
        rebuilt = []
        try app.resize(700, 600)
        // What was owed before and what changes behind the scenes come to one rebuild.
        try app.system.bring(app.scene, to: .background)
        app.system.advance(by: .seconds(1))
        try app.resize(800, 650)
        app.system.advance(by: .seconds(1))
        XCTAssertEqual(rebuilt, [])
        Heard.calls = []
        try app.system.bring(app.scene, to: .foregroundActive)
        XCTAssertEqual(Heard.take(), ["willEnterForeground", "geometry", "didBecomeActive"])
        XCTAssertEqual(rebuilt, [Size(width: 800, height: 650)])
        app.system.advance(by: .seconds(1))
        XCTAssertEqual(rebuilt.count, 1)
        XCTAssertEqual(app.delegate.rebuilds.last, CGSize(width: 800, height: 650))
    }

    func testRow11_theForegroundAsksOnceForWhatTheBackgroundOwed() async throws {
        let app = try TestApp(policy: Policy(settleDelay: .milliseconds(50), quietDelay: .milliseconds(50))).launched()
        var rebuilt: [Size] = []
        app.system.onDecision = { _, decision in
            if case .rebuild(let rebuild) = decision.kind { rebuilt.append(rebuild.size) }
        }
        app.system.advance(by: .seconds(1))
        try app.system.bring(app.scene, to: .background)
        try app.resize(800, 650)
        app.system.advance(by: .seconds(1))
        try app.system.bring(app.scene, to: .foregroundActive)
        XCTAssertEqual(rebuilt.last, Size(width: 800, height: 650))
        rebuilt = []
        // In the background nothing comes due this time, so the delay goes on behind it.
        try app.resize(700, 600)
        try app.system.bring(app.scene, to: .background)
        try app.system.bring(app.scene, to: .foregroundActive)
        XCTAssertEqual(rebuilt, [])
        app.system.advance(by: .seconds(1))
        XCTAssertEqual(rebuilt, [Size(width: 700, height: 600)])
    }

    func testRow11_backAtTheBuiltSizeTheForegroundOwesNothing() async throws {
        let app = try TestApp().launched()
        var rebuilds = 0
        app.system.onDecision = { _, decision in if case .rebuild = decision.kind { rebuilds += 1 } }
        try app.system.bring(app.scene, to: .background)
        try app.resize(700, 600)
        try app.resize(1024, 1366)
        Heard.calls = []
        try app.system.bring(app.scene, to: .foregroundInactive)
        XCTAssertEqual(Heard.take(), ["willEnterForeground"])
        XCTAssertEqual(rebuilds, 0)
    }

    func testRow11_nothingAfterTheEnd() async throws {
        let app = try TestApp(policy: .default).launched()
        let scene = app.scene
        let identity = app.system.identity(of: scene)
        try app.resize(600, 600)
        try app.system.disconnect(scene)
        Heard.calls = []
        app.system.onDecision = { _, _ in XCTFail("decided after the end") }
        app.system.submit(.at(50, identity, Size(width: 5, height: 5)))
        app.system.advance(by: .seconds(10))
        XCTAssertEqual(Heard.take(), [])
        XCTAssertEqual(app.system.statistics.rejectedScenes, 1)
    }

    func testRow11_aDisconnectEventEndsTheSceneAsWell() async throws {
        let app = try TestApp().launched()
        app.system.submit(.disconnect(app.system.identity(of: app.scene), at: app.system.now))
        XCTAssertEqual(Heard.take(), ["willResignActive", "didEnterBackground", "didDisconnect"])
        XCTAssertEqual(app.system.scenes.count, 0)
    }

    func testRow12_withScenesTheAppDelegateHearsNoneOfTheFour() async throws {
        let app = try TestApp()
        try app.system.launch(PlainAppDelegate.self)
        try app.system.bring(app.scene, to: .background)
        try app.system.bring(app.scene, to: .foregroundActive)
        XCTAssertEqual(Heard.take().filter { $0.hasPrefix("app ") }, [])
    }

    func testRow12_withoutScenesTheAppDelegateHearsThem() async throws {
        let app = try TestApp(scenes: nil)
        try app.system.launch(PlainAppDelegate.self)
        try app.system.bring(app.scene, to: .background)
        try app.system.bring(app.scene, to: .foregroundActive)
        try app.system.open([URL(fileURLWithPath: "/a")])
        app.system.terminate()
        XCTAssertEqual(
            Heard.take(),
            [
                "didFinishLaunching", "app didBecomeActive", "app willResignActive", "app didEnterBackground",
                "app willEnterForeground", "app didBecomeActive", "app open file:///a", "app willResignActive",
                "app didEnterBackground", "app willTerminate",
            ])
    }

    func testRow13_whatBecomesOfAppsWithoutScenes() async throws {
        let cases: [(UIPlatform, UIVersion, UIVersion, Adoption)] = [
            (.phone, UIVersion(18, 3), 26, .quiet),
            (.phone, UIVersion(18, 4), 18, .log(Texts.first)),
            (.mac, UIVersion(18, 4), 18, .log(Texts.first)),
            (.vision, UIVersion(2, 3), 18, .quiet),
            (.vision, UIVersion(2, 4), 18, .log(Texts.first)),
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
                XCTAssertThrowsError(try app.system.launch(PlainAppDelegate.self)) {
                    XCTAssertEqual($0 as? UISystemError, .scenesRequired)
                }
                XCTAssertEqual(app.system.scenes.count, 0)
            }
        }
    }

    private enum Adoption {
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

    func testRow13_aManifestOrTheMethodIsAdoption() async throws {
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
        XCTAssertTrue(Heard.take().contains("willConnectTo"))
    }
}
