import Settle
import UIKit
import XCTest

@MainActor final class OrientationLockTests: AppTestCase {
    private final class Driver: UIViewController {
        var isDriving = false
        var reads = 0
        override var prefersInterfaceOrientationLocked: Bool {
            reads += 1
            return isDriving
        }

        func drive(_ value: Bool) {
            isDriving = value
            setNeedsUpdateOfPrefersInterfaceOrientationLocked()
        }
    }

    private func show(_ app: TestApp) -> Driver {
        let driver = Driver()
        UIWindow.show(driver, in: app.scene)
        DelegateCalls.all = []
        return driver
    }

    func testThePreferenceIsReadAgainOnlyWhenRequested() async throws {
        let driver = show(app)
        let reads = driver.reads
        driver.isDriving = true
        try app.resize(700, 700)
        app.system.rotate(to: .landscapeLeft)
        app.system.advance(by: .seconds(1))
        XCTAssertFalse(app.scene.effectiveGeometry.isInterfaceOrientationLocked)
        XCTAssertEqual(driver.reads, reads)
        driver.setNeedsUpdateOfPrefersInterfaceOrientationLocked()
        XCTAssertEqual(driver.reads, reads + 1)
    }

    func testALockedInterfaceIgnoresTheOrientationOfAnEvent() async throws {
        let app = try TestApp(platform: .phone).launched()
        show(app).drive(true)
        app.system.advance(by: .seconds(1))
        app.system.submit(.at(5_000, app.system.identity(of: app.scene), orientation: .landscapeRight))
        XCTAssertEqual(app.scene.effectiveGeometry.interfaceOrientation, .portrait)
    }

    private func isLocked(_ app: TestApp) -> Bool {
        app.system.advance(by: .seconds(1))
        return app.system.windowScenes[0].effectiveGeometry.isInterfaceOrientationLocked
    }

    /// A lock holds while nothing covers its scene, each time anew.
    func testASceneInFrontTakesTheLockEachTimeItCovers() async throws {
        let app = try TestApp().launched()
        show(app).drive(true)
        XCTAssertTrue(isLocked(app))
        let front = try XCTUnwrap(try app.system.connect() as? UIWindowScene)
        XCTAssertFalse(isLocked(app))
        for _ in 0..<3 {
            try app.system.resize(front, to: CGSize(500, 500))
            XCTAssertTrue(isLocked(app), "it is not covered")
            try app.system.enterFullScreen(front)
            XCTAssertFalse(isLocked(app), "it is covered again")
        }
        try app.system.disconnect(front)
        XCTAssertTrue(isLocked(app))
    }

    func testAnotherDisplaysSceneCoversNothing() async throws {
        let scenes = [TestApp.window: [TestApp.recorded], TestApp.external: [TestApp.recorded]]
        let app = try TestApp(scenes: scenes).launched()
        show(app).drive(true)
        XCTAssertTrue(isLocked(app))
        app.system.attachDisplay()
        XCTAssertEqual(app.system.windowScenes.count, 2)
        XCTAssertTrue(isLocked(app))
    }

    /// What was refused under a lock is not made up for without it.
    func testARefusedOrientationIsForgotten() async throws {
        let app = try TestApp(platform: .phone).launched()
        let driver = show(app)
        driver.drive(true)
        XCTAssertTrue(isLocked(app))
        app.scene.requestGeometryUpdate(UIWindowScene.GeometryPreferences.iOS(interfaceOrientations: .landscapeLeft))
        XCTAssertTrue(isLocked(app))
        driver.drive(false)
        XCTAssertFalse(isLocked(app))
        XCTAssertEqual(app.scene.effectiveGeometry.interfaceOrientation, .portrait)
    }

    /// Changes its preference in every callback, without end.
    private final class Toggler: UIResponder, UIWindowSceneDelegate {
        let driver: Driver
        var calls = 0

        init(_ driver: Driver) {
            self.driver = driver
            super.init()
        }

        func windowScene(_ windowScene: UIWindowScene, didUpdateEffectiveGeometry previous: UIWindowScene.Geometry) {
            calls += 1
            driver.drive(!driver.isDriving)
        }
    }

    func testAnAppThatTogglesItsLockInItsCallbackIsStoppedAtABound() async throws {
        let app = try TestApp(policy: .uikit).launched()
        let driver = show(app)
        let toggler = Toggler(driver)
        app.scene.delegate = toggler
        driver.drive(true)
        XCTAssertGreaterThan(toggler.calls, 2)
        XCTAssertLessThanOrEqual(toggler.calls, 100)
        let logged = app.system.messages.filter { $0.contains("didUpdateEffectiveGeometry") }
        XCTAssertEqual(logged.count, 1, "\(app.system.messages)")
        driver.drive(!driver.isDriving)
        XCTAssertEqual(app.system.messages.filter { $0.contains("didUpdateEffectiveGeometry") }, logged, "said once")
        // The system goes on.
        let plain = RecordingSceneDelegate()
        app.scene.delegate = plain
        try app.resize(700, 600)
        XCTAssertEqual(plain.geometries.last?.current.coordinateSpace.bounds.size, CGSize(700, 600))
        let before = plain.geometries.count
        try app.resize(710, 600)
        XCTAssertEqual(plain.geometries.count, before + 1)
    }

    func testVirtualTimeEndsAlsoForAnAppThatTogglesItsLock() async throws {
        let driver = show(app)
        let toggler = Toggler(driver)
        app.scene.delegate = toggler
        driver.drive(true)
        app.system.finish()
        XCTAssertLessThan(toggler.calls, 200)
        XCTAssertTrue(app.system.messages.contains { $0.contains("arm another deadline") }, "\(app.system.messages)")
    }
}
