import UIKit
import XCTest

/// Has the older method for changes of a window scene.
final class UpdatedSceneDelegate: UIResponder, UIWindowSceneDelegate {
    var updates: [(size: CGSize, orientation: UIInterfaceOrientation, traits: UITraitCollection)] = []

    func windowScene(
        _ windowScene: UIWindowScene, didUpdate previousCoordinateSpace: any UICoordinateSpace,
        interfaceOrientation previousInterfaceOrientation: UIInterfaceOrientation,
        traitCollection previousTraitCollection: UITraitCollection
    ) {
        DelegateCalls.all.append("update")
        updates.append((previousCoordinateSpace.bounds.size, previousInterfaceOrientation, previousTraitCollection))
    }
    func windowScene(_ windowScene: UIWindowScene, didUpdateEffectiveGeometry previous: UIWindowScene.Geometry) {
        DelegateCalls.all.append("geometry")
    }
}

/// `windowScene(_:didUpdate:interfaceOrientation:traitCollection:)`.
@MainActor final class UpdateCallbackTests: XCTestCase {
    private func app() throws -> TestApp {
        let entry = [
            "UISceneConfigurationName": "Main",
            "UISceneDelegateClassName": "$(PRODUCT_MODULE_NAME).UpdatedSceneDelegate",
        ]
        return try TestApp(scenes: [TestApp.window: [entry]]).launched()
    }

    func testItComesBeforeTheGeometryAndNotForTheFirst() async throws {
        let app = try app()
        let delegate = try XCTUnwrap(app.scene.delegate as? UpdatedSceneDelegate)
        XCTAssertEqual(delegate.updates.count, 0)
        let before = app.scene.traitCollection
        try app.resize(500, 700)
        assertCalls("update, geometry")
        guard delegate.updates.count == 1 else { return XCTFail("one update") }
        XCTAssertEqual(delegate.updates[0].size, CGSize(1024, 1366))
        XCTAssertEqual(delegate.updates[0].orientation, .portrait)
        XCTAssertEqual(delegate.updates[0].traits, before)
        XCTAssertEqual(app.scene.traitCollection.horizontalSizeClass, .compact)
        try app.resize(510, 700)
        guard delegate.updates.count == 2 else { return XCTFail("two updates") }
        XCTAssertEqual(delegate.updates[1].traits, app.scene.traitCollection, "they have not changed")
        app.system.rotate(to: .landscapeLeft)
        XCTAssertEqual(delegate.updates.last?.orientation, .portrait)
        XCTAssertEqual(delegate.updates.count, 3)
    }

    func testFlagsAndPlacesAreNoUpdates() async throws {
        let app = try app()
        try app.system.beginResize(app.scene)
        try app.system.endResize(app.scene)
        try app.system.place(app.scene, in: CGRect(0, 10, 1024, 1366))
        assertCalls("geometry, geometry, geometry")
    }

    func testTraitsAloneAreAnUpdate() async throws {
        let app = try app()
        let delegate = try XCTUnwrap(app.scene.delegate as? UpdatedSceneDelegate)
        let window = UIWindow(windowScene: app.scene)
        window.makeKeyAndVisible()
        DelegateCalls.all = []
        app.turn { app.scene.traitOverrides.userInterfaceStyle = .dark }
        assertCalls("update")
        XCTAssertEqual(delegate.updates.last?.traits.userInterfaceStyle, .light)
        XCTAssertEqual(delegate.updates.last?.size, app.scene.coordinateSpace.bounds.size)
    }
}

/// What an app's activities have beside their content.
@MainActor final class UserActivityTests: XCTestCase {
    func testTheDefaults() async throws {
        let activity = NSUserActivity(activityType: NSUserActivityTypeBrowsingWeb)
        XCTAssertEqual(activity.activityType, "NSUserActivityTypeBrowsingWeb")
        XCTAssertNil(activity.targetContentIdentifier)
        XCTAssertNil(activity.webpageURL)
        XCTAssertTrue(activity.isEligibleForHandoff)
        XCTAssertFalse(activity.isEligibleForSearch || activity.isEligibleForPublicIndexing)
        XCTAssertFalse(activity.isEligibleForPrediction || activity.needsSave)
        XCTAssertEqual(activity.keywords, [])
    }

    func testOneActivityIsCurrent() async throws {
        let (a, b) = (NSUserActivity(activityType: "a"), NSUserActivity(activityType: "b"))
        a.becomeCurrent()
        b.becomeCurrent()
        XCTAssertTrue(UISystem.currentUserActivity === b)
        a.resignCurrent()
        XCTAssertTrue(UISystem.currentUserActivity === b, "it was not current")
        b.invalidate()
        XCTAssertNil(UISystem.currentUserActivity)
        b.becomeCurrent()
        XCTAssertNil(UISystem.currentUserActivity, "it is over")
    }

    func testThePageAndTheContentAreStored() async throws {
        let activity = NSUserActivity(activityType: "read")
        activity.targetContentIdentifier = "inbox"
        activity.webpageURL = URL(string: "https://example.com/5")
        RecordingSceneDelegate.restorable = { _ in nil }
        let app = try TestApp().launched()
        RecordingSceneDelegate.restorable = { _ in activity }
        let session = app.scene.session
        try app.system.disconnect(app.scene)
        try app.system.connect(session)
        let restored = try XCTUnwrap(RecordingSceneDelegate.of(session.scene!).activity)
        XCTAssertFalse(restored === activity)
        XCTAssertEqual(restored.targetContentIdentifier, "inbox")
        XCTAssertEqual(restored.webpageURL, activity.webpageURL)
    }
}
