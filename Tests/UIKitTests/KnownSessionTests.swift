import TestSupport
import XCTest

@testable import UIKit

/// A delegate that an app chooses itself; no Info.plist names it.
class ChosenSceneDelegate: UIResponder, UIWindowSceneDelegate {}
class ChosenScene: UIWindowScene {}

/// A session that the system knows keeps its configuration, and the app
/// is asked for a new session's only. Another system on the same folder stands for the next
/// launch.
@MainActor final class KnownSessionTests: XCTestCase {
    private let folder = TemporaryFolder()
    override func tearDown() async throws { folder.remove() }
    private var state: URL { URL(fileURLWithPath: folder.file("state"), isDirectory: true) }

    private static let inspector = [
        "UISceneConfigurationName": "Inspector",
        "UISceneDelegateClassName": "$(PRODUCT_MODULE_NAME).ChosenSceneDelegate",
    ]

    private func app(
        _ configurations: [[String: String]] = [TestApp.recorded, inspector],
        external: [[String: String]] = []
    ) throws -> TestApp {
        let app = try TestApp(scenes: [TestApp.window: configurations, TestApp.external: external], stateFolder: state)
        // As apps do it: by what the scene is to show, and else the default.
        ConfiguringAppDelegate.answer = { session, options in
            let isInspector = options.userActivities.first?.activityType == "inspect"
            return UISceneConfiguration(name: isInspector ? "Inspector" : "Main", sessionRole: session.role)
        }
        return app
    }

    private let inspect: Set = [NSUserActivity(activityType: "inspect")]
    private let asked = "configurationForConnecting window"

    func testAKnownSessionIsNotAskedForAgain() async throws {
        let first = try app()
        try first.system.launch(ConfiguringAppDelegate.self, userActivities: inspect)
        XCTAssertEqual(DelegateCalls.drain().filter { $0 == asked }.count, 1)
        let session = first.scene.session
        func check(_ app: TestApp, _ why: String) {
            XCTAssertFalse(DelegateCalls.drain().contains(asked), why)
            XCTAssertEqual(app.scene.session.configuration.name, "Inspector", why)
            XCTAssert(app.scene.delegate is ChosenSceneDelegate, why)
        }
        for _ in 0..<3 {
            try first.system.disconnect(first.scene)
            try first.system.connect(session)
            check(first, "its scene comes back")
        }
        first.system.terminate()
        for _ in 0..<2 {
            let next = try app()
            try next.system.launch(ConfiguringAppDelegate.self)
            check(next, "in the next launch")
            XCTAssertEqual(next.system.messages, [])
            next.system.terminate()
        }
        let last = try app()
        try last.system.launch(ConfiguringAppDelegate.self)
        try last.system.connect()
        XCTAssert(DelegateCalls.drain().contains(asked), "a new session's is asked for")
        last.system.terminate()
    }

    func testWhatTheAppChoseItselfIsKnownInTheNextLaunch() async throws {
        var storyboards: [String] = []
        for name in ["Own", "Declared"] { UISystem.registerStoryboard(name) { _ in UIViewController() } }
        defer { for name in ["Own", "Declared"] { UISystem.registerStoryboard(name, make: nil) } }
        var declared = Self.inspector
        declared["UISceneStoryboardFile"] = "Declared"
        // Over the manifest's entry, without one, and against its storyboard.
        let answers: [(UISceneSession.Role) -> UISceneConfiguration] = [
            {
                let configuration = UISceneConfiguration(name: "Main", sessionRole: $0)
                configuration.delegateClass = ChosenSceneDelegate.self
                configuration.sceneClass = ChosenScene.self
                configuration.storyboard = UIStoryboard(name: "Own", bundle: nil)
                return configuration
            },
            {
                let configuration = UISceneConfiguration(name: "of nobody", sessionRole: $0)
                configuration.delegateClass = ChosenSceneDelegate.self
                return configuration
            },
            {
                let configuration = UISceneConfiguration(name: "Inspector", sessionRole: $0)
                configuration.storyboard = nil
                return configuration
            },
        ]
        for answer in answers {
            let first = try app([TestApp.recorded, declared])
            ConfiguringAppDelegate.answer = { session, _ in answer(session.role) }
            try first.system.launch(ConfiguringAppDelegate.self)
            let made = first.scene.session.configuration
            first.system.terminate()

            let next = try app([TestApp.recorded, declared])
            try next.system.launch(ConfiguringAppDelegate.self)
            XCTAssertFalse(DelegateCalls.drain().contains(asked))
            let known = next.scene.session.configuration
            XCTAssertEqual(known.name, made.name)
            XCTAssert(known.delegateClass == made.delegateClass)
            XCTAssert(next.scene.delegate is ChosenSceneDelegate)
            XCTAssert(type(of: next.scene) == made.sceneClass ?? UIWindowScene.self)
            XCTAssertEqual(known.storyboard?.name, made.storyboard?.name)
            storyboards.append(known.storyboard?.name ?? "none")
            next.system.discard(next.scene.session)
            next.system.terminate()
        }
        XCTAssertEqual(storyboards, ["Own", "none", "none"])
    }

    func testAConfigurationThatIsGoneIsAskedForAgainAndTheStateStays() async throws {
        final class Nested: UIResponder, UIWindowSceneDelegate {}
        let changes: [(chosen: AnyClass?, then: [[String: String]])] = [
            // The manifest has no such entry any more, or one whose class is gone.
            (nil, [TestApp.recorded]),
            (
                nil,
                [
                    TestApp.recorded,
                    ["UISceneConfigurationName": "Inspector", "UISceneDelegateClassName": "UIKitTests.Gone"],
                ]
            ),
            // No name leads back to the class.
            (Nested.self, [TestApp.recorded, Self.inspector]),
        ]
        for (chosen, then): (AnyClass?, [[String: String]]) in changes {
            let first = try app()
            ConfiguringAppDelegate.answer = { session, _ in
                let configuration = UISceneConfiguration(name: "Inspector", sessionRole: session.role)
                if let chosen { configuration.delegateClass = chosen }
                return configuration
            }
            try first.system.launch(ConfiguringAppDelegate.self)
            let session = first.scene.session
            session.userInfo = ["page": 7]
            first.system.terminate()

            let next = try app(then)
            try next.system.launch(ConfiguringAppDelegate.self)
            XCTAssertEqual(DelegateCalls.drain().filter { $0 == asked }.count, 1)
            XCTAssertEqual(next.scene.session.persistentIdentifier, session.persistentIdentifier)
            XCTAssertEqual(next.scene.session.configuration.name, "Main")
            XCTAssertEqual(next.scene.session.userInfo?["page"] as? Int, 7)
            XCTAssertEqual(next.system.messages.filter { $0.contains("gets a new configuration") }.count, 1)
            next.system.discard(next.scene.session)
            next.system.terminate()
        }
    }

    func testAnExternalDisplaysKnownSessionIsNotAskedForAgain() async throws {
        let app = try app(external: [Self.inspector])
        try app.system.launch(ConfiguringAppDelegate.self)
        ConfiguringAppDelegate.answer = { session, _ in UISceneConfiguration(name: nil, sessionRole: session.role) }
        _ = DelegateCalls.drain()
        for visit in 0..<2 {
            let display = app.system.attachDisplay()
            let count = DelegateCalls.drain().filter { $0 == "configurationForConnecting external" }.count
            XCTAssertEqual(count, visit == 0 ? 1 : 0)
            XCTAssertEqual(app.system.scenes.count, 2)
            try app.system.detachDisplay(display)
        }
        app.system.terminate()
    }
}
