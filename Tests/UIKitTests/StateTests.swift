import Settle
import TestSupport
import UIKit
import XCTest

/// Row 19. Another system on the same folder stands for the next launch.
@MainActor final class StateTests: XCTestCase {
    private let folder = TemporaryFolder()
    override func tearDown() async throws { folder.remove() }
    private var state: URL { URL(fileURLWithPath: folder.file("state"), isDirectory: true) }

    private func page(_ number: Any) -> NSUserActivity {
        let activity = NSUserActivity(activityType: "reading")
        activity.userInfo = ["page": number]
        return activity
    }

    func testRow19_stateComesBackBeforeTheForeground() async throws {
        let app = try TestApp(stateFolder: state)
        RecordingSceneDelegate.restorable = { _ in self.page(7) }
        try app.system.launch(PlainAppDelegate.self)
        let identifier = app.scene.session.persistentIdentifier
        XCTAssertFalse(Heard.take().contains { $0.hasPrefix("restore") }, "nothing was kept yet")
        app.system.terminate()

        let next = try TestApp(stateFolder: state)
        try next.system.launch(PlainAppDelegate.self)
        XCTAssertEqual(
            Heard.take(),
            ["didFinishLaunching", "willConnectTo", "restore 7", "willEnterForeground", "geometry", "didBecomeActive"])
        XCTAssertEqual(next.scene.session.persistentIdentifier, identifier)
        XCTAssertEqual(next.system.messages, [])
        next.system.terminate()
    }

    func testRow19_nothingKeptNothingRestored() async throws {
        let app = try TestApp(stateFolder: state).launched()
        RecordingSceneDelegate.restorable = { _ in self.page(1) }
        try app.system.bring(app.scene, to: .background)
        RecordingSceneDelegate.restorable = { _ in nil }
        try app.system.bring(app.scene, to: .foregroundActive)
        app.system.terminate()
        let next = try TestApp(stateFolder: state)
        try next.system.launch(PlainAppDelegate.self)
        XCTAssertFalse(Heard.take().contains { $0.hasPrefix("restore") })
        next.system.terminate()
    }

    func testRow19_scenesNeverSwap() async throws {
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

    func testRow19_whatCannotBeKeptIsReported() async throws {
        let app = try TestApp(stateFolder: state).launched()
        RecordingSceneDelegate.restorable = { _ in self.page(NSObject()) }
        try app.system.bring(app.scene, to: .background)
        XCTAssertTrue(app.system.messages.contains { $0.contains("page") }, "\(app.system.messages)")
        app.system.terminate()
    }

    func testRow19_aFolderThatCannotBeUsedIsReportedAndTheAppRuns() async throws {
        try Data().write(to: URL(fileURLWithPath: folder.file("file")))
        let app = try TestApp(stateFolder: URL(fileURLWithPath: folder.file("file"))).launched()
        XCTAssertEqual(app.scene.activationState, .foregroundActive)
        XCTAssertTrue(app.system.messages.contains { $0.hasPrefix("State is not kept") })
    }
}
