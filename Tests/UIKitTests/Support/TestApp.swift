import Settle
import TestSupport
import UIKit
import XCTest

/// The calls that delegates got, in order, since the last system was made.
@MainActor enum DelegateCalls {
    static var all: [String] = []

    static func drain() -> [String] {
        defer { all = [] }
        return all
    }
}

/// Compares the calls that delegates got since this was asked last.
@MainActor func assertCalls(
    _ expected: [String], _ message: String = "", file: StaticString = #filePath, line: UInt = #line
) {
    XCTAssertEqual(DelegateCalls.drain(), expected, message, file: file, line: line)
}

/// Expects that the system refuses a call.
func assertRefused<Result>(
    _ call: @autoclosure () throws -> Result, _ expected: UISystem.Error, file: StaticString = #filePath,
    line: UInt = #line
) {
    XCTAssertThrowsError(try call(), file: file, line: line) {
        XCTAssertEqual($0 as? UISystem.Error, expected, file: file, line: line)
    }
}

/// Records the calls of an app delegate.
class AppDelegateMethods: UIResponder {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        DelegateCalls.all.append("didFinishLaunching")
        return true
    }
    func applicationDidBecomeActive(_ application: UIApplication) { DelegateCalls.all.append("app didBecomeActive") }
    func applicationWillResignActive(_ application: UIApplication) { DelegateCalls.all.append("app willResignActive") }
    func applicationDidEnterBackground(_ application: UIApplication) {
        DelegateCalls.all.append("app didEnterBackground")
    }
    func applicationWillEnterForeground(_ application: UIApplication) {
        DelegateCalls.all.append("app willEnterForeground")
    }
    func applicationWillTerminate(_ application: UIApplication) { DelegateCalls.all.append("app willTerminate") }
    func application(_ application: UIApplication, didDiscardSceneSessions sceneSessions: Set<UISceneSession>) {
        DelegateCalls.all.append("didDiscard \(sceneSessions.count)")
    }
    func application(_ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any]) -> Bool {
        DelegateCalls.all.append("app open \(url)")
        return true
    }
}

/// An app delegate that leaves all configuration to the Info.plist.
final class PlainAppDelegate: AppDelegateMethods, UIApplicationDelegate {}

/// An app delegate that configures sessions by a closure.
final class ConfiguringAppDelegate: AppDelegateMethods, UIApplicationDelegate {
    static var answer: (UISceneSession, UIScene.ConnectionOptions) -> UISceneConfiguration = { session, _ in
        UISceneConfiguration(name: nil, sessionRole: session.role)
    }

    func application(
        _ application: UIApplication, configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration {
        DelegateCalls.all.append("configurationForConnecting \(connectingSceneSession.role.short)")
        return Self.answer(connectingSceneSession, options)
    }
}

/// A scene delegate that counts rebuilds by the predicate that UIKit code tests, and
/// records its calls.
class RecordingSceneDelegate: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?
    var geometries: [(previous: UIWindowScene.Geometry, current: UIWindowScene.Geometry)] = []
    var rebuilds: [CGSize] = []
    var activity: NSUserActivity?

    /// Runs when a scene connects.
    static var onConnect: (UIWindowScene, RecordingSceneDelegate) -> Void = { _, _ in }
    static var restorable: (UIScene) -> NSUserActivity? = { _ in nil }

    /// Records a call of a method, with what the scene is to open or continue.
    func record(_ method: String, _ scene: UIScene, _ details: [String] = []) {
        DelegateCalls.all.append(([method] + details).joined(separator: " "))
    }

    func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions) {
        record("willConnectTo", scene, options.urlContexts.map(\.url.absoluteString).sorted())
        if let scene = scene as? UIWindowScene { Self.onConnect(scene, self) }
    }
    func sceneWillEnterForeground(_ scene: UIScene) { record("willEnterForeground", scene) }
    func sceneDidBecomeActive(_ scene: UIScene) { record("didBecomeActive", scene) }
    func sceneWillResignActive(_ scene: UIScene) { record("willResignActive", scene) }
    func sceneDidEnterBackground(_ scene: UIScene) { record("didEnterBackground", scene) }
    func sceneDidDisconnect(_ scene: UIScene) { record("didDisconnect", scene) }
    func scene(_ scene: UIScene, openURLContexts urlContexts: Set<UIOpenURLContext>) {
        record("open", scene, urlContexts.map(\.url.absoluteString).sorted())
    }
    func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {
        record("continue", scene, [userActivity.activityType])
    }
    func stateRestorationActivity(for scene: UIScene) -> NSUserActivity? { Self.restorable(scene) }
    func scene(_ scene: UIScene, restoreInteractionStateWith stateRestorationActivity: NSUserActivity) {
        activity = stateRestorationActivity
        DelegateCalls.all.append("restore \(stateRestorationActivity.userInfo?["page"] ?? "nothing")")
    }

    func windowScene(_ windowScene: UIWindowScene, didUpdateEffectiveGeometry previous: UIWindowScene.Geometry) {
        let geometry = windowScene.effectiveGeometry
        geometries.append((previous, geometry))
        let size = geometry.coordinateSpace.bounds.size
        if !geometry.isInteractivelyResizing, size != rebuilds.last ?? .zero { rebuilds.append(size) }
        record("geometry", windowScene)
    }
}

extension UISceneSession.Role {
    fileprivate var short: String { self == .windowApplication ? "window" : "external" }
}

/// A system with an Info.plist of its own, and its first scene.
@MainActor final class TestApp {
    let folder: TemporaryFolder
    let infoPlist: URL
    let system: UISystem

    static let window = UISceneSession.Role.windowApplication.rawValue
    static let external = UISceneSession.Role.windowExternalDisplayNonInteractive.rawValue
    static let recorded = ["UISceneConfigurationName": "Main", "UISceneDelegateClassName": recordingClass]
    static let recordingClass = "$(PRODUCT_MODULE_NAME).RecordingSceneDelegate"

    /// - Parameters:
    ///   - scenes: The manifest's configurations by role; `nil` for no manifest.
    ///   - extra: Other keys of the Info.plist.
    init(
        platform: UISystem.Platform = .pad, scenes: [String: [[String: String]]]? = [window: [recorded]],
        hasMany: Bool = true, extra: [String: Any] = [:],
        policy: Policy = .immediate(lockDelay: .milliseconds(100)),
        stateFolder: URL? = nil, clock: UISystem.Clock = .virtual
    ) throws {
        folder = TemporaryFolder()
        DelegateCalls.all = []
        RecordingSceneDelegate.onConnect = { _, _ in }
        RecordingSceneDelegate.restorable = { _ in nil }
        var plist = extra
        if let scenes {
            plist["UIApplicationSceneManifest"] = [
                "UIApplicationSupportsMultipleScenes": hasMany, "UISceneConfigurations": scenes,
            ]
        }
        infoPlist = URL(fileURLWithPath: folder.file("Info.plist"))
        try PropertyListSerialization.data(fromPropertyList: plist, format: .xml, options: 0).write(to: infoPlist)
        system = try UISystem(
            UISystem.Configuration(
                platform: platform, infoPlist: infoPlist, stateFolder: stateFolder, policy: policy, clock: clock,
                log: { _ in }))
    }

    /// Another system with the same Info.plist, for tests that need thousands.
    init(like other: TestApp) throws {
        DelegateCalls.all = []
        folder = other.folder
        infoPlist = other.infoPlist
        system = try UISystem(UISystem.Configuration(infoPlist: infoPlist, log: { _ in }))
    }

    /// Launches, and drops the calls that delegates got.
    func launched(connectsScene: Bool = true) throws -> TestApp {
        try system.launch(PlainAppDelegate.self, connectsScene: connectsScene)
        DelegateCalls.all = []
        return self
    }

    var scene: UIWindowScene { system.windowScenes[0] }
    var delegate: RecordingSceneDelegate { RecordingSceneDelegate.of(scene) }

    func resize(_ width: CGFloat, _ height: CGFloat) throws { try system.resize(scene, to: CGSize(width, height)) }

    func drag(through sizes: [CGSize]) throws {
        try system.beginResize(scene)
        for size in sizes { try system.resize(scene, to: size) }
        try system.endResize(scene)
    }
}

/// Tests with an app for each.
@MainActor class AppTestCase: XCTestCase {
    private(set) var app: TestApp!

    /// The app of a test: on a pad, launched.
    func makeApp() throws -> TestApp { try TestApp().launched() }

    override func setUp() async throws { app = try makeApp() }
    // XCTest keeps the cases until the end.
    override func tearDown() async throws { app = nil }
}

extension RecordingSceneDelegate {
    static func of(_ scene: UIScene) -> RecordingSceneDelegate { scene.delegate as! RecordingSceneDelegate }
}

extension UIScene.ActivationState {
    static let all: [UIScene.ActivationState] = [.unattached, .foregroundActive, .foregroundInactive, .background]
}

extension Event {
    /// An event of a scene at a millisecond.
    static func at(
        _ ms: UInt64, _ scene: SceneID, _ size: Size? = nil, resizing: Bool? = nil, locked: Bool? = nil,
        orientation: InterfaceOrientation? = nil
    ) -> Event {
        .geometry(
            scene, at: Timestamp(nanoseconds: ms * 1_000_000), size: size, isInteractivelyResizing: resizing,
            isInterfaceOrientationLocked: locked, orientation: orientation)
    }
}

/// Expects an error whose text has each of these.
func assertError<Result>(
    _ call: @autoclosure () throws -> Result, _ texts: String..., file: StaticString = #filePath, line: UInt = #line
) {
    XCTAssertThrowsError(try call(), file: file, line: line) { error in
        for text in texts { XCTAssert("\(error)".contains(text), "\(error)", file: file, line: line) }
    }
}
