import Settle
import TestSupport
import XCTest

@testable import UIKit

/// Another system on the same folder stands for the next launch.
@MainActor final class StateTests: XCTestCase {
    private let folder = TemporaryFolder()
    override func tearDown() async throws { folder.remove() }
    private var state: URL { URL(fileURLWithPath: folder.file("state"), isDirectory: true) }

    private func page(_ number: Any) -> NSUserActivity {
        let activity = NSUserActivity(activityType: "reading")
        activity.userInfo = ["page": number]
        return activity
    }

    func testStateComesBackBeforeTheForeground() async throws {
        let app = try TestApp(stateFolder: state)
        RecordingSceneDelegate.restorable = { _ in self.page(7) }
        try app.system.launch(PlainAppDelegate.self)
        let identifier = app.scene.session.persistentIdentifier
        XCTAssertFalse(DelegateCalls.drain().contains { $0.hasPrefix("restore") }, "nothing was kept yet")
        app.system.terminate()

        let next = try TestApp(stateFolder: state)
        try next.system.launch(PlainAppDelegate.self)
        assertCalls("didFinishLaunching, willConnectTo, restore 7, willEnterForeground, geometry, didBecomeActive")
        XCTAssertEqual(next.scene.session.persistentIdentifier, identifier)
        XCTAssertEqual(next.system.messages, [])
        next.system.terminate()
    }

    /// The restored state is the same within a launch as after it, with a folder or without.
    func testWhatCannotBeStoredDoesNotComeBackWithinALaunchEither() async throws {
        for folder in [nil, state] {
            let app = try TestApp(stateFolder: folder).launched()
            RecordingSceneDelegate.restorable = { _ in
                let activity = self.page(7)
                activity.userInfo?["x"] = 0..<3
                return activity
            }
            let session = app.scene.session
            try app.system.disconnect(app.scene)
            XCTAssertEqual(app.system.messages.count, 1)
            XCTAssertTrue(app.system.messages[0].contains("stateRestorationActivity.userInfo.x"))
            try app.system.connect(session)
            let restored = try XCTUnwrap(app.delegate.activity?.userInfo)
            XCTAssertEqual(restored["page"] as? Int, 7)
            XCTAssertEqual(restored.count, 1)
            app.system.terminate()
        }
    }

    func testNothingStoredNothingRestored() async throws {
        let app = try TestApp(stateFolder: state).launched()
        RecordingSceneDelegate.restorable = { _ in self.page(1) }
        try app.system.bring(app.scene, to: .background)
        RecordingSceneDelegate.restorable = { _ in nil }
        try app.system.bring(app.scene, to: .foregroundActive)
        app.system.terminate()
        let next = try TestApp(stateFolder: state)
        try next.system.launch(PlainAppDelegate.self)
        XCTAssertFalse(DelegateCalls.drain().contains { $0.hasPrefix("restore") })
        next.system.terminate()
    }

    func testScenesNeverSwap() async throws {
        let app = try TestApp(stateFolder: state).launched()
        for _ in 0..<4 { try app.system.connect() }
        RecordingSceneDelegate.restorable = { self.page($0.session.persistentIdentifier) }
        app.system.terminate()

        let next = try TestApp(stateFolder: state).launched(connectsScene: false)
        XCTAssertEqual(UIApplication.shared.openSessions.count, 5)
        for session in UIApplication.shared.openSessions {
            let scene = try next.system.connect(session)
            let restored = RecordingSceneDelegate.of(scene).activity?.userInfo?["page"] as? String
            XCTAssertEqual(restored, session.persistentIdentifier)
        }
        next.system.discard(next.scene.session)
        next.system.terminate()
        let last = try TestApp(stateFolder: state).launched(connectsScene: false)
        XCTAssertEqual(UIApplication.shared.openSessions.count, 4)
        last.system.terminate()
    }

    func testWhatCannotBeStoredCostsOneEntryAndIsReportedOnce() async throws {
        let app = try TestApp(stateFolder: state).launched()
        let activity = page(7)
        activity.userInfo?["object"] = NSObject()
        RecordingSceneDelegate.restorable = { _ in activity }
        app.scene.session.userInfo = ["kept": URL(string: "a:b")!]
        for _ in 0..<3 {
            try app.system.bring(app.scene, to: .background)
            try app.system.bring(app.scene, to: .foregroundActive)
        }
        let place = "stateRestorationActivity.userInfo.object, as it is of type NSObject"
        XCTAssertEqual(app.system.messages.count, 1, "\(app.system.messages)")
        XCTAssert(app.system.messages.last?.contains(place) == true, "\(app.system.messages)")
        // Another entry is reported alone.
        app.scene.session.userInfo?["too"] = NSObject()
        try app.system.bring(app.scene, to: .background)
        XCTAssertEqual(app.system.messages.count, 2, "\(app.system.messages)")
        XCTAssert(app.system.messages.last?.contains("without userInfo.too, as") == true, "\(app.system.messages)")
        XCTAssert(app.system.messages.last?.contains("object") == false, "\(app.system.messages)")
        XCTAssert(app.system.messages.last?.contains("more") == false, "\(app.system.messages)")
        app.system.terminate()

        let next = try TestApp(stateFolder: state)
        try next.system.launch(PlainAppDelegate.self)
        XCTAssert(DelegateCalls.drain().contains("restore 7"))
        XCTAssertEqual(next.scene.session.userInfo?["kept"] as? URL, URL(string: "a:b"))
        XCTAssertEqual(next.scene.session.userInfo?.count, 1)
        next.system.terminate()
    }

    func testAKeyIsReportedAgainOnlyIfItsEntryWasStoredInBetween() async throws {
        let app = try TestApp().launched()
        func save(_ keys: [String]) throws -> String {
            let stored = ["a", "b", "c"].map { ($0, keys.contains($0) ? NSObject() : 1) as (String, Any) }
            app.scene.session.userInfo = Dictionary(uniqueKeysWithValues: stored)
            let count = app.system.messages.count
            try app.system.bring(app.scene, to: .background)
            try app.system.bring(app.scene, to: .foregroundActive)
            return ["a", "b", "c"].filter { key in
                app.system.messages.dropFirst(count).contains { $0.contains("userInfo.\(key),") }
            }.joined()
        }
        XCTAssertEqual(try save(["a", "b"]), "ab")
        XCTAssertEqual(try save(["b"]), "")
        XCTAssertEqual(try save(["a", "b", "c"]), "ac")
        XCTAssertEqual(try save(["c", "b"]), "")
        XCTAssertEqual(try save([]), "")
        XCTAssertEqual(try save(["b"]), "b", "all were stored in between")
        XCTAssertEqual(app.system.messages.count, 3, "\(app.system.messages)")
    }

    func testTenKeysAreReportedInOrderAndTheOthersCounted() async throws {
        let app = try TestApp().launched()
        app.scene.session.userInfo = Dictionary(uniqueKeysWithValues: (10..<150).map { ("key\($0 + 100)", NSObject()) })
        try app.system.bring(app.scene, to: .background)
        let message = try XCTUnwrap(app.system.messages.first)
        let places = (110..<120).map { "userInfo.key\($0), as it is of type NSObject, which cannot be stored" }
        XCTAssert(message.contains("without \(places.joined(separator: "; ")) and 130 more ("), message)
    }

    func testWhatTheAppSetItselfIsStoredWhereTheDelegateIsNotAsked() async throws {
        let classes = ["$(PRODUCT_MODULE_NAME).ChosenSceneDelegate", nil]
        for delegateClass in classes {
            var entry = ["UISceneConfigurationName": "Main"]
            entry["UISceneDelegateClassName"] = delegateClass
            let app = try TestApp(scenes: [TestApp.window: [entry]], stateFolder: state).launched()
            app.scene.session.stateRestorationActivity = page(3)
            try app.system.bring(app.scene, to: .background)
            XCTAssertEqual(app.scene.session.stateRestorationActivity?.userInfo?["page"] as? Int, 3)
            app.system.terminate()
            for _ in 0..<2 {
                let next = try TestApp(scenes: [TestApp.window: [entry]], stateFolder: state).launched()
                XCTAssertEqual(next.scene.session.stateRestorationActivity?.userInfo?["page"] as? Int, 3)
                next.system.terminate()
            }
        }
    }

    func testTheSceneThatWasInFrontLastComesBack() async throws {
        var wanted = ""
        for round in 0..<6 {
            let app = try TestApp(stateFolder: state)
            try app.system.launch(PlainAppDelegate.self)
            if round > 0 { XCTAssertEqual(app.scene.session.persistentIdentifier, wanted, "round \(round)") }
            while app.system.app.sessions.count < 5 { try app.system.connect() }
            for session in app.system.app.sessions { try app.system.connect(session) }
            let scene = try XCTUnwrap(app.system.app.sessions[round % 5].scene)
            wanted = scene.session.persistentIdentifier
            switch round % 3 {
            // The scene is brought to the front from the background, from among other active
            // scenes, or by the app's request.
            case 0:
                try app.system.bring(scene, to: .background)
                try app.system.bring(scene, to: .foregroundActive)
            case 1: try app.system.bring(scene, to: .foregroundActive)
            default:
                UIApplication.shared.activateSceneSession(for: UISceneSessionActivationRequest(session: scene.session))
            }
            // As often as not the process is killed, and cannot store anything in the end.
            if round.isMultiple(of: 2) { app.system.terminate() } else { app.system.connections.persistence?.close() }
        }
    }

    /// Of a process that is killed in the foreground each scene's last activation is stored.
    func testTheOrderInWhichScenesWereInFrontOutlivesAKill() async throws {
        for order in [[0, 1, 0, 1, 2], [2, 1, 2, 1, 0], [1, 0, 2, 0, 1], [2, 2, 0, 1, 1]] {
            let own = state.appendingPathComponent(order.map { "\($0)" }.joined())
            let app = try TestApp(stateFolder: own).launched()
            for _ in 0..<2 { try app.system.connect() }
            let sessions = app.system.app.sessions
            for index in order { try app.system.bring(XCTUnwrap(sessions[index].scene), to: .foregroundActive) }
            let last = [0, 1, 2].sorted { order.lastIndex(of: $0)! < order.lastIndex(of: $1)! }
            app.system.connections.persistence?.close()

            let next = try TestApp(stateFolder: own).launched()
            XCTAssertEqual(
                next.system.app.sessions.map(\.persistentIdentifier), last.map { sessions[$0].persistentIdentifier },
                "\(order)")
            XCTAssertEqual(next.scene.session.persistentIdentifier, sessions[last[2]].persistentIdentifier)
            next.system.terminate()
        }
    }

    func testAFolderThatCannotBeUsedIsReportedAndTheAppRuns() async throws {
        try Data().write(to: URL(fileURLWithPath: folder.file("file")))
        let app = try TestApp(stateFolder: URL(fileURLWithPath: folder.file("file"))).launched()
        XCTAssertEqual(app.scene.activationState, .foregroundActive)
        XCTAssertTrue(app.system.messages.contains { $0.hasPrefix("State is not stored") })
    }
}
