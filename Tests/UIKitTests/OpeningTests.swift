import UIKit
import XCTest

/// Records what a scene is opened for. It has every method itself, as one that a subclass adds
/// to another delegate is not called.
final class OpenedSceneDelegate: UIResponder, UIWindowSceneDelegate {
    static var options: [UIScene.ConnectionOptions] = []
    static var worked = true
    /// The scene that was opened for something last.
    static weak var last: UIScene?

    private func record(_ scene: UIScene, _ words: String...) {
        Self.last = scene
        DelegateCalls.all.append(words.joined(separator: " "))
    }

    func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions) {
        Self.options.append(options)
        record(scene, "willConnectTo")
    }
    func sceneWillEnterForeground(_ scene: UIScene) { DelegateCalls.all.append("willEnterForeground") }
    func sceneDidBecomeActive(_ scene: UIScene) { DelegateCalls.all.append("didBecomeActive") }
    func scene(_ scene: UIScene, openURLContexts urlContexts: Set<UIOpenURLContext>) {
        record(scene, "open", urlContexts.map(\.url.absoluteString).sorted().joined(separator: " "))
    }
    func windowScene(
        _ windowScene: UIWindowScene, performActionFor shortcutItem: UIApplicationShortcutItem,
        completionHandler: @escaping (Bool) -> Void
    ) {
        record(windowScene, "perform", shortcutItem.type)
        completionHandler(Self.worked)
    }
    func scene(_ scene: UIScene, willContinueUserActivityWithType userActivityType: String) {
        record(scene, "willContinue", userActivityType)
    }
    func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {
        record(scene, "continue", userActivity.activityType)
    }
    func scene(
        _ scene: UIScene, didFailToContinueUserActivityWithType userActivityType: String, error: any Error
    ) { record(scene, "failed", userActivityType) }
}

/// What the system opens an app for, and what an app opens.
@MainActor final class OpeningTests: XCTestCase {
    private let item = UIApplicationShortcutItem(type: "compose", localizedTitle: "New Message")

    private func app(hasMany: Bool = true) throws -> TestApp {
        OpenedSceneDelegate.options = []
        OpenedSceneDelegate.worked = true
        let entry = [
            "UISceneConfigurationName": "Main",
            "UISceneDelegateClassName": "$(PRODUCT_MODULE_NAME).OpenedSceneDelegate",
        ]
        return try TestApp(scenes: [TestApp.window: [entry]], hasMany: hasMany)
    }

    private func url(_ text: String) -> URL { URL(string: text)! }

    // MARK: Connection options

    func testConnectionOptionsInFull() async throws {
        let app = try app()
        let content = UNMutableNotificationContent()
        content.title = "Mail"
        content.userInfo = ["id": 5]
        let response = UISystem.notificationResponse(to: content, identifier: "n")
        let activity = NSUserActivity(activityType: "read")
        try app.system.launch(
            PlainAppDelegate(),
            for: UISystem.OpeningRequest(
                urls: [url("a:1")], userActivities: [activity], handoffUserActivityType: "read", shortcutItem: item,
                notificationResponse: response, sourceApplication: "com.example.asks"))
        let options = try XCTUnwrap(OpenedSceneDelegate.options.first)
        XCTAssertEqual(options.urlContexts.map(\.url), [url("a:1")])
        XCTAssertEqual(options.urlContexts.first?.options.sourceApplication, "com.example.asks")
        XCTAssertEqual(options.userActivities, [activity])
        XCTAssertEqual(options.handoffUserActivityType, "read")
        XCTAssertTrue(options.shortcutItem === item)
        XCTAssertTrue(options.notificationResponse === response)
        XCTAssertEqual(options.notificationResponse?.notification.request.content.title, "Mail")
        XCTAssertEqual(options.notificationResponse?.notification.request.content.userInfo["id"] as? Int, 5)
        XCTAssertEqual(options.notificationResponse?.actionIdentifier, UNNotificationDefaultActionIdentifier)
        XCTAssertEqual(options.sourceApplication, "com.example.asks")
        XCTAssertFalse(DelegateCalls.drain().contains { $0.hasPrefix("perform") }, "the options have it")
    }

    func testOptionsOfAnOrdinaryLaunchAreEmpty() async throws {
        try app().system.launch(PlainAppDelegate.self)
        let options = try XCTUnwrap(OpenedSceneDelegate.options.first)
        XCTAssertTrue(options.urlContexts.isEmpty && options.userActivities.isEmpty)
        XCTAssertNil(options.shortcutItem)
        XCTAssertNil(options.handoffUserActivityType)
        XCTAssertNil(options.notificationResponse)
        XCTAssertNil(options.sourceApplication)
    }

    func testASceneThatConnectsLaterHasItsOwnOptions() async throws {
        let app = try app().launched()
        let scene = try app.system.connect(for: UISystem.OpeningRequest(shortcutItem: item))
        XCTAssertEqual(OpenedSceneDelegate.options.count, 2)
        XCTAssertTrue(OpenedSceneDelegate.options[1].shortcutItem === item)
        DelegateCalls.all = []
        let activity = NSUserActivity(activityType: "read")
        try app.system.connect(
            for: UISystem.OpeningRequest(urls: [url("a:1")], userActivities: [activity], shortcutItem: item),
            session: scene.session)
        assertCalls(
            ["open a:1", "willContinue read", "continue read", "perform compose"],
            "a connected one does what it is asked")
    }

    // MARK: Quick actions

    func testAQuickActionIsRunByTheSceneInFront() async throws {
        let app = try app().launched()
        try app.system.bring(app.scene, to: .background)
        DelegateCalls.all = []
        var answers: [Bool] = []
        for worked in [true, false] {
            OpenedSceneDelegate.worked = worked
            try app.system.performAction(for: item) { answers.append($0) }
        }
        XCTAssertEqual(answers, [true, false])
        assertCalls("willEnterForeground, didBecomeActive, perform compose, perform compose")
    }

    func testWithoutASceneOneConnectsWithTheQuickAction() async throws {
        let app = try app().launched()
        try app.system.disconnect(app.scene)
        DelegateCalls.all = []
        try app.system.performAction(for: item)
        XCTAssertEqual(DelegateCalls.drain().first, "willConnectTo")
        XCTAssertTrue(OpenedSceneDelegate.options.last?.shortcutItem === item)
        XCTAssertEqual(UIApplication.shared.openSessions.count, 1)
    }

    func testADelegateWithoutTheMethodSaysNo() async throws {
        let app = try TestApp().launched()
        var answers: [Bool] = []
        try app.system.performAction(for: item) { answers.append($0) }
        XCTAssertEqual(answers, [false])
    }

    func testAnAppWithoutScenesRunsQuickActions() async throws {
        final class Delegate: AppDelegateMethods, UIApplicationDelegate {
            func application(
                _ application: UIApplication, performActionFor shortcutItem: UIApplicationShortcutItem,
                completionHandler: @escaping (Bool) -> Void
            ) {
                DelegateCalls.all.append("app perform \(shortcutItem.type)")
                completionHandler(true)
            }
            override func application(
                _ application: UIApplication,
                didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
            ) -> Bool {
                let item = launchOptions?[.shortcutItem] as? UIApplicationShortcutItem
                DelegateCalls.all.append("did \(item?.type ?? "nothing")")
                return true
            }
        }
        let app = try TestApp(scenes: nil)
        try app.system.launch(Delegate(), for: UISystem.OpeningRequest(shortcutItem: item))
        assertCalls("did compose, app didBecomeActive, app perform compose")
        try app.system.performAction(for: item)
        assertCalls("app perform compose")
    }

    func testQuickActionsAreValues() async throws {
        let icon = UIApplicationShortcutIcon(systemImageName: "pencil")
        let item = UIMutableApplicationShortcutItem(
            type: "a", localizedTitle: "A", localizedSubtitle: "B", icon: icon, userInfo: ["id": "5" as NSString])
        item.localizedTitle = "C"
        item.targetContentIdentifier = "inbox"
        XCTAssertEqual([item.type, item.localizedTitle, item.localizedSubtitle], ["a", "C", "B"])
        XCTAssertTrue(item.icon === icon)
        XCTAssertEqual(item.userInfo?["id"] as? NSString, "5")
    }

    // MARK: Handoff

    func testAnActivityIsContinuedByTheSceneOfItsTargetRatherThanOfItsPage() async throws {
        let app = try app().launched()
        let (first, second) = (app.scene, try app.system.connect())
        first.activationConditions.canActivateForTargetContentIdentifierPredicate = NSPredicate { text, _ in
            text as? String == "inbox"
        }
        second.activationConditions.canActivateForTargetContentIdentifierPredicate = NSPredicate { text, _ in
            (text as? String)?.hasPrefix("https:") == true
        }
        let activity = NSUserActivity(activityType: "read")
        activity.webpageURL = URL(string: "https://example.org/")
        activity.targetContentIdentifier = "inbox"
        try app.system.bring(second, to: .foregroundActive)
        try app.system.bring(first, to: .background)
        DelegateCalls.all = []
        try app.system.continueActivity(activity)
        assertCalls("willEnterForeground, didBecomeActive, willContinue read, continue read")
    }

    func testAnActivityIsContinuedByTheSceneInFront() async throws {
        let app = try app().launched()
        try app.system.bring(app.scene, to: .background)
        DelegateCalls.all = []
        try app.system.continueActivity(NSUserActivity(activityType: "read"))
        assertCalls("willEnterForeground, didBecomeActive, willContinue read, continue read")
        struct Offline: Error {}
        try app.system.failToContinueActivity(ofType: "read", in: app.scene, error: Offline())
        assertCalls("willContinue read, failed read")
        let scene = app.scene
        try app.system.disconnect(scene)
        XCTAssertThrowsError(
            try app.system.failToContinueActivity(ofType: "read", in: scene, error: Offline())
        ) { XCTAssertEqual($0 as? UISystem.Error, .notConnected) }
        try app.system.continueActivity(NSUserActivity(activityType: "read"))
        XCTAssertEqual(OpenedSceneDelegate.options.last?.handoffUserActivityType, "read")
        XCTAssertEqual(OpenedSceneDelegate.options.last?.userActivities.map(\.activityType), ["read"])
    }

    // MARK: Activation conditions

    func testThePredicatesChooseTheScene() async throws {
        let app = try app().launched()
        let (first, second) = (app.scene, try app.system.connect())
        XCTAssertTrue(first.activationConditions === first.activationConditions)
        let url = url("mail:inbox")
        func opened(_ identifier: String? = nil) throws -> UIScene? {
            DelegateCalls.all = []
            let item = UIMutableApplicationShortcutItem(type: "x", localizedTitle: "X")
            item.targetContentIdentifier = identifier
            if identifier == nil { try app.system.open([url]) } else { try app.system.performAction(for: item) }
            return OpenedSceneDelegate.last
        }
        XCTAssertTrue(try opened() === second, "the one in front")
        second.activationConditions.canActivateForTargetContentIdentifierPredicate = NSPredicate { identifier, _ in
            (identifier as? String)?.hasPrefix("calendar") == true
        }
        XCTAssertTrue(try opened() === first, "the only one that can")
        XCTAssertTrue(try opened("calendar.today") === first, "both can, and it is in front now")
        second.activationConditions.prefersToActivateForTargetContentIdentifierPredicate = NSPredicate(value: true)
        XCTAssertTrue(try opened("calendar.today") === second, "it prefers to")
        XCTAssertTrue(try opened("mail.inbox") === first, "it prefers to, and cannot")
        first.activationConditions.canActivateForTargetContentIdentifierPredicate = NSPredicate(value: false)
        XCTAssertEqual(app.system.scenes.count, 2)
        let third = try opened()
        XCTAssertEqual(app.system.scenes.count, 3, "none can")
        XCTAssertFalse(third === first || third === second)
    }

    func testANotificationChoosesItsScene() async throws {
        let app = try app().launched()
        let (first, second) = (app.scene, try app.system.connect())
        first.activationConditions.prefersToActivateForTargetContentIdentifierPredicate = NSPredicate { name, _ in
            name as? String == "inbox"
        }
        let content = UNMutableNotificationContent()
        content.targetContentIdentifier = "inbox"
        (content.title, content.subtitle, content.body) = ("title", "subtitle", "body")
        (content.categoryIdentifier, content.threadIdentifier) = ("category", "thread")
        let its: UNNotificationContent = content
        XCTAssertEqual(
            [its.title, its.subtitle, its.body, its.categoryIdentifier, its.threadIdentifier],
            ["title", "subtitle", "body", "category", "thread"])
        let response = UISystem.notificationResponse(to: content)
        XCTAssertNil(response.targetScene)
        try app.system.bring(first, to: .background)
        try app.system.open(UISystem.OpeningRequest(notificationResponse: response))
        XCTAssertTrue(response.targetScene === first)
        XCTAssertEqual(first.activationState, .foregroundActive)
        for scene in [first, second] { try app.system.disconnect(scene) }
        try app.system.open(UISystem.OpeningRequest(notificationResponse: response))
        XCTAssertTrue(OpenedSceneDelegate.options.last?.notificationResponse === response)
        XCTAssertTrue(response.targetScene === app.scene)
    }

    func testAnAppWithOneSceneHasNoOther() async throws {
        let app = try app(hasMany: false).launched()
        app.scene.activationConditions.canActivateForTargetContentIdentifierPredicate = NSPredicate(value: false)
        try app.system.open([url("a:1")])
        assertCalls("open a:1")
    }

    // MARK: Sessions

    func testTheOlderRequestActivatesASession() async throws {
        let app = try app().launched()
        let session = app.scene.session
        try app.system.bring(app.scene, to: .background)
        UIApplication.shared.requestSceneSessionActivation(session, userActivity: nil, options: nil)
        XCTAssertEqual(app.scene.activationState, .foregroundActive)
        let options = UIWindowScene.ActivationRequestOptions()
        options.preferredPresentationStyle = .prominent
        options.requestingScene = app.scene
        UIApplication.shared.requestSceneSessionActivation(
            nil, userActivity: NSUserActivity(activityType: "read"), options: options)
        XCTAssertEqual(app.system.scenes.count, 2)
        var denied: UISceneError.Code?
        app.system.allowsActivation = { _ in false }
        UIApplication.shared.requestSceneSessionActivation(nil, userActivity: nil, options: nil) {
            denied = ($0 as? UISceneError)?.code
        }
        app.turn()
        XCTAssertEqual(denied, .requestDenied)
        let dismissal = UIWindowSceneDestructionRequestOptions()
        XCTAssertEqual(dismissal.windowDismissalAnimation, .standard)
        dismissal.windowDismissalAnimation = .commit
        UIApplication.shared.requestSceneSessionDestruction(session, options: dismissal)
        XCTAssertEqual(app.system.scenes.count, 1)
    }

    func testARefreshConnectsASessionInTheBackground() async throws {
        let app = try app().launched()
        let session = app.scene.session
        assertCalls("", "a connected one is up to date") { UIApplication.shared.requestSceneSessionRefresh(session) }
        try app.system.disconnect(app.scene)
        assertCalls("willConnectTo") { UIApplication.shared.requestSceneSessionRefresh(session) }
        XCTAssertEqual(session.scene?.activationState, .background)
        app.system.discard(session)
        assertCalls("") { UIApplication.shared.requestSceneSessionRefresh(session) }
    }

    // MARK: URLs outside

    func testURLsForOtherApps() async throws {
        let app = try app().launched()
        var opened: [URL] = []
        app.system.onOpenURL = { opened.append($0) }
        XCTAssertTrue(UIApplication.shared.canOpenURL(url("https://example.com")))
        XCTAssertFalse(UIApplication.shared.canOpenURL(url("music:1")))
        var answers: [Bool] = []
        UIApplication.shared.open(url("https://example.com")) { answers.append($0) }
        UIApplication.shared.open(url("music:1"), options: [:]) { answers.append($0) }
        UIApplication.shared.open(url("https://example.com"), options: [.universalLinksOnly: true]) {
            answers.append($0)
        }
        XCTAssertEqual(answers, [], "not before the calls have returned")
        app.turn()
        XCTAssertEqual(answers, [true, false, false])
        XCTAssertEqual(opened, [url("https://example.com")])
        app.system.canOpenURL = { $0.scheme == "music" }
        UIApplication.shared.open(url("music:1"), completionHandler: nil)
        app.scene.open(url("music:2"), options: nil) { answers.append($0) }
        app.turn()
        XCTAssertEqual(opened.count, 3)
        XCTAssertEqual(answers.last, true)
        let worked = await UIApplication.shared.open(url("music:3"))
        XCTAssertTrue(worked)
    }
}
