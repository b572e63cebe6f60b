import Settle
import SettleLog
import TestSupport
import XCTest

@testable import UIKit

/// The traced calls are those that delegates get, in the same order, at the right times.
@MainActor final class CallbackTraceTests: XCTestCase {
    /// The system's names of what `RecordingSceneDelegate` and the app delegates note.
    private static let noted = [
        "didFinishLaunching": "didFinishLaunching", "configurationForConnecting": "configurationForConnecting window",
        "willConnectTo": "willConnectTo", "restoreInteractionStateWith": "restore 7",
        "sceneWillEnterForeground": "willEnterForeground", "didUpdateEffectiveGeometry": "geometry",
        "sceneDidBecomeActive": "didBecomeActive", "sceneWillResignActive": "willResignActive",
        "sceneDidEnterBackground": "didEnterBackground", "openURLContexts": "open test://page",
        "continueUserActivity": "continue test.read", "sceneDidDisconnect": "didDisconnect",
        "didDiscardSceneSessions": "didDiscard 1", "applicationWillTerminate": "app willTerminate",
    ]

    func testEveryCallIsTracedJustBeforeIt() async throws {
        let app = try TestApp()
        RecordingSceneDelegate.restorable = { _ in
            let activity = NSUserActivity(activityType: "test.state")
            activity.userInfo = ["page": 7]
            return activity
        }
        ConfiguringAppDelegate.answer = { session, _ in UISceneConfiguration(name: "Main", sessionRole: session.role) }
        var announced: [String] = []
        app.system.onCallback = { callback in
            guard let name = CallbackTraceTests.noted[callback.name] else { return }
            XCTAssertEqual(DelegateCalls.all, announced, "traced before it is made: \(callback.name)")
            announced.append(name)
        }
        try app.system.launch(ConfiguringAppDelegate.self)
        try app.drag(through: [CGSize(700, 500)])
        try app.system.open([URL(string: "test://page")!])
        let activity = NSUserActivity(activityType: "test.read")
        UIApplication.shared.activateSceneSession(
            for: UISceneSessionActivationRequest(session: app.scene.session, userActivity: activity))
        let session = app.scene.session
        try app.system.disconnect(app.scene)
        try app.system.connect(session)
        app.system.discard(session)
        app.system.terminate()
        XCTAssertEqual(announced, DelegateCalls.all)
        XCTAssertEqual(Set(announced), Set(CallbackTraceTests.noted.values))
    }

    private func trace(_ style: UISystem.CallbackTrace.Style, _ body: (TestApp) throws -> Void) throws -> [String] {
        var lines: [String] = []
        let trace = UISystem.CallbackTrace(style) { lines.append($0) }
        let app = try TestApp().launched()
        trace.attach(to: app.system)
        try body(app)
        trace.flush()
        return lines
    }

    func testBriefFoldsTheMiddleOfAResizeAndNothingElse() async throws {
        let sizes = (1...5).map { CGSize(width: 700 + $0, height: 500) }
        let name = "   0.000 s  window    didUpdateEffectiveGeometry  "
        XCTAssertEqual(
            try trace(.brief) { try $0.drag(through: sizes) },
            [
                " \(name)resizing begins", " \(name)5 sizes, 1024×1366 → 705×500, resizing",
                " \(name)resizing ends",
            ])
        XCTAssertEqual(try trace(.full) { try $0.drag(through: sizes) }.count, 7)
        XCTAssertEqual(
            try trace(.brief) { app in for size in sizes { try app.resize(size.width, size.height) } }.count, 5)
        XCTAssertEqual(
            try trace(.brief) { try $0.drag(through: [sizes[0]]) }[1],
            " \(name)1024×1366 → 701×500, resizing")
    }

    func testScenesWithoutANameAreCountedByRole() async throws {
        let lines = try trace(.full) { app in
            try app.system.connect()
            try app.system.connect()
        }
        XCTAssertEqual(
            lines.filter { $0.contains("sceneDidBecomeActive") },
            ["window", "window 2"].map {
                "    0.000 s  \($0.padding(toLength: 10, withPad: " ", startingAt: 0))sceneDidBecomeActive"
            })
    }

    /// A deadline between two events is traced at its own time.
    func testTimesCountFromTheFirstSceneAndDeadlinesHaveTheirOwn() async throws {
        var lines: [String] = []
        let app = try TestApp().launched(connectsScene: false)
        UISystem.CallbackTrace(.full) { lines.append($0) }.attach(to: app.system)
        let log = """
            {"settle":"events","version":1}
            {"t_ns":5000000000,"scene":"a","width":800,"height":600,"resizing":false,"locked":true}
            {"t_ns":9000000000,"scene":"a","width":900,"height":600}
            """
        try app.system.replay(LogReader(ByteInput(bytes: Array(log.utf8), name: "log")))
        XCTAssertEqual(
            lines.suffix(2),
            [
                "    0.100 s  a         didUpdateEffectiveGeometry  locked",
                "    4.000 s  a         didUpdateEffectiveGeometry  800×600 → 900×600",
            ])
    }

    func testSettingsThatMakeNoSenseAreNamed() async {
        XCTAssertThrowsError(try HostEnvironment(["UIKIT_TRACE": "loud"]).trace()) { error in
            XCTAssertEqual("\(error)", "UIKIT_TRACE is \"loud\"; it must be full, brief or svg:FOLDER")
        }
        XCTAssertThrowsError(try HostEnvironment(["UIKIT_SCRIPT": "s", "UIKIT_REPLAY": "l"]).script()) { error in
            XCTAssertEqual("\(error)", "UIKIT_SCRIPT is \"s\"; it must be unset while UIKIT_REPLAY is set")
        }
        XCTAssertNil(try HostEnvironment(["UIKIT_TRACE": ""]).trace())
    }
}
