import Settle
import UIKit
import XCTest

@MainActor final class OrientationLockTests: AppTestCase {
    private final class Driver: UIViewController {
        var isDriving = false
        var reads = 0
        var child: UIViewController?
        override var prefersInterfaceOrientationLocked: Bool {
            reads += 1
            return isDriving
        }
        override var childViewControllerForInterfaceOrientationLock: UIViewController? { child }

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

    private func isLocked(_ app: TestApp) -> Bool { app.scene.effectiveGeometry.isInterfaceOrientationLocked }

    func testAControllerPrefersNoLockByItself() async throws {
        let plain = UIViewController()
        XCTAssertFalse(plain.prefersInterfaceOrientationLocked)
        XCTAssertNil(plain.childViewControllerForInterfaceOrientationLock)
        let driver = show(app)
        driver.drive(true)
        app.system.advance(by: .seconds(1))
        XCTAssertTrue(isLocked(app))
        assertCalls(["geometry"])
    }

    func testTheKeyWindowsControllerCounts() async throws {
        let quiet = show(app)
        let eager = show(app)
        eager.drive(true)
        app.system.advance(by: .seconds(1))
        XCTAssertTrue(isLocked(app))
        try XCTUnwrap(quiet.viewIfLoaded?.window ?? app.scene.windows.first).makeKey()
        app.system.advance(by: .seconds(1))
        XCTAssertFalse(isLocked(app))
    }

    func testASceneOffTheScreenTurnsAlthoughItsLockStillStands() async throws {
        show(app).drive(true)
        app.system.advance(by: .seconds(1))
        XCTAssertTrue(isLocked(app))
        try app.system.bring(app.scene, to: .background)
        app.system.rotate(to: .landscapeLeft)
        app.system.advance(by: .seconds(1))
        try app.system.bring(app.scene, to: .foregroundActive)
        XCTAssertEqual(app.scene.effectiveGeometry.interfaceOrientation, .landscapeLeft)
    }

    func testThePreferenceIsReadAgainOnlyWhenRequested() async throws {
        let driver = show(app)
        let reads = driver.reads
        driver.isDriving = true
        try app.resize(700, 700)
        app.system.rotate(to: .landscapeLeft)
        app.system.advance(by: .seconds(1))
        XCTAssertEqual(driver.reads, reads)
        XCTAssertFalse(isLocked(app))
        driver.setNeedsUpdateOfPrefersInterfaceOrientationLocked()
        XCTAssertEqual(driver.reads, reads + 1)
    }

    func testAChildMayDecide() async throws {
        final class Outer: UIViewController {
            let inner = Driver()
            override var childForInterfaceOrientationLock: UIViewController? { inner }
        }
        let app = try TestApp().launched()
        let outer = Outer()
        outer.addChild(outer.inner)
        UIWindow.show(outer, in: app.scene)
        outer.inner.drive(true)
        app.system.advance(by: .seconds(1))
        XCTAssertTrue(isLocked(app))
    }

    func testWhatDropsTheLock() async throws {
        let whole = CGRect(x: 0, y: 0, width: 1024, height: 1366)
        let drops: [(String, (TestApp) throws -> Void, (TestApp) throws -> Void)] = [
            (
                "off centre", { try $0.system.place($0.scene, in: whole.offsetBy(dx: 10, dy: 0)) },
                { try $0.system.place($0.scene, in: whole) }
            ),
            ("smaller than the screen", { try $0.resize(900, 1366) }, { try $0.resize(1024, 1366) }),
            ("occluded", { try $0.system.setOccluded($0.scene, true) }, { try $0.system.setOccluded($0.scene, false) }),
            ("hidden", { $0.scene.windows[0].isHidden = true }, { $0.scene.windows[0].isHidden = false }),
            (
                "replaced", { $0.scene.windows[0].rootViewController = UIViewController() },
                { app in
                    let driver = Driver()
                    driver.isDriving = true
                    app.scene.windows[0].rootViewController = driver
                }
            ),
        ]
        for (name, drop, restore) in drops {
            let app = try TestApp().launched()
            show(app).drive(true)
            app.system.advance(by: .seconds(1))
            XCTAssertTrue(isLocked(app), name)
            try drop(app)
            DelegateCalls.all = []
            app.system.advance(by: .seconds(1))
            XCTAssertFalse(isLocked(app), name)
            assertCalls(["geometry"], "\(name): one call")
            try restore(app)
            app.system.advance(by: .seconds(1))
            XCTAssertTrue(isLocked(app), "granted again: \(name)")
        }
    }

    func testTheBackgroundDropsTheLock() async throws {
        show(app).drive(true)
        app.system.advance(by: .seconds(1))
        try app.system.bring(app.scene, to: .background)
        app.system.advance(by: .seconds(1))
        XCTAssertTrue(isLocked(app), "a scene in the background gets no call")
        try app.system.bring(app.scene, to: .foregroundInactive)
        XCTAssertFalse(isLocked(app))
        app.system.advance(by: .seconds(1))
        XCTAssertTrue(isLocked(app))
    }

    func testABounceIsNotDelivered() async throws {
        let driver = show(app)
        for _ in 0..<10 {
            driver.drive(true)
            app.system.advance(by: .milliseconds(40))
            driver.drive(false)
            app.system.advance(by: .milliseconds(40))
        }
        app.system.advance(by: .seconds(1))
        assertCalls([])
        driver.drive(true)
        app.system.advance(by: .milliseconds(99))
        assertCalls([])
        app.system.advance(by: .milliseconds(1))
        assertCalls(["geometry"])
        let last = try XCTUnwrap(app.delegate.geometries.last)
        XCTAssertFalse(last.previous.isInterfaceOrientationLocked)
        XCTAssertTrue(last.current.isInterfaceOrientationLocked)
    }

    func testSizesDoNotDeliverTheLock() async throws {
        try app.drag(through: [CGSize(width: 500, height: 500), CGSize(width: 600, height: 600)])
        for (previous, current) in app.delegate.geometries {
            XCTAssertEqual(previous.isInterfaceOrientationLocked, current.isInterfaceOrientationLocked)
        }
    }

    func testALockedInterfaceStaysAndFollowsAfterwards() async throws {
        let app = try TestApp(platform: .phone).launched()
        let driver = show(app)
        driver.drive(true)
        app.system.advance(by: .seconds(1))
        DelegateCalls.all = []
        app.system.rotate(to: .landscapeLeft)
        assertCalls([])
        XCTAssertEqual(app.scene.effectiveGeometry.interfaceOrientation, .portrait)
        XCTAssertEqual(UIDevice.current.orientation, .landscapeRight)
        app.system.submit(.at(5_000, app.system.identity(of: app.scene), orientation: .landscapeRight))
        XCTAssertEqual(app.scene.effectiveGeometry.interfaceOrientation, .portrait)
        driver.drive(false)
        app.system.advance(by: .seconds(1))
        XCTAssertEqual(app.scene.effectiveGeometry.interfaceOrientation, .landscapeLeft)
        XCTAssertEqual(app.scene.effectiveGeometry.coordinateSpace.bounds.size, CGSize(width: 874, height: 402))
    }

    // MARK: Several scenes, and the device turned under a lock

    private func show(in scene: UIWindowScene, drives: Bool) -> Driver {
        let driver = Driver()
        UIWindow.show(driver, in: scene)
        driver.drive(drives)
        return driver
    }

    func testTheInterfaceFollowsTheDeviceOnceTheLockedSceneHasGone() async throws {
        let ways: [(String, (TestApp, UIWindowScene) throws -> Void)] = [
            ("disconnected", { try $0.system.disconnect($1) }),
            ("in the background", { try $0.system.bring($1, to: .background) }),
            ("discarded", { $0.system.discard($1.session) }),
            ("on another screen", { try $0.system.move($1, to: $0.system.attachDisplay()) }),
        ]
        for (name, go) in ways {
            let app = try TestApp().launched()
            let locked = app.scene
            let other = try XCTUnwrap(app.system.connect(frame: CGRect(x: 0, y: 0, width: 400, height: 300)))
            let driver = show(in: locked, drives: true)
            app.system.advance(by: .seconds(1))
            XCTAssertTrue(locked.effectiveGeometry.isInterfaceOrientationLocked, name)
            app.system.rotate(to: .landscapeLeft)
            let screen = app.system.mainScreen
            XCTAssertEqual(screen.bounds.size, CGSize(width: 1024, height: 1366), name)
            try go(app, locked)
            XCTAssertEqual(screen.bounds.size, CGSize(width: 1366, height: 1024), name)
            XCTAssertEqual((other as? UIWindowScene)?.effectiveGeometry.interfaceOrientation, .landscapeLeft, name)
            withExtendedLifetime(driver) {}
        }
    }

    func testASceneBehindAnotherOnTheWholeScreenHasNoLock() async throws {
        let app = self.app!
        let behind = app.scene
        let driver = show(in: behind, drives: true)
        app.system.advance(by: .seconds(1))
        XCTAssertTrue(behind.effectiveGeometry.isInterfaceOrientationLocked)
        // A window before it leaves the lock alone.
        let small = CGRect(x: 0, y: 0, width: 400, height: 300)
        let front = try XCTUnwrap(app.system.connect(frame: small) as? UIWindowScene)
        app.system.advance(by: .seconds(1))
        XCTAssertTrue(behind.effectiveGeometry.isInterfaceOrientationLocked)

        try app.system.enterFullScreen(front)
        app.system.rotate(to: .landscapeLeft)
        app.system.advance(by: .seconds(1))
        XCTAssertFalse(behind.effectiveGeometry.isInterfaceOrientationLocked)
        XCTAssertEqual(front.effectiveGeometry.interfaceOrientation, .landscapeLeft, "the front scene's wish counts")
        let frontDriver = show(in: front, drives: true)
        app.system.advance(by: .seconds(1))
        XCTAssertTrue(front.effectiveGeometry.isInterfaceOrientationLocked)

        // Each way to the front gives the lock back.
        let ways: [(String, () throws -> Void, () throws -> Void)] = [
            (
                "brought", { try app.system.bring(behind, to: .foregroundActive) },
                { try app.system.bring(front, to: .foregroundActive) }
            ),
            ("uncovered", { try app.system.place(front, in: small) }, { try app.system.enterFullScreen(front) }),
            (
                "left", { try app.system.bring(front, to: .background) },
                { try app.system.bring(front, to: .foregroundActive) }
            ),
        ]
        for (name, uncover, cover) in ways {
            try uncover()
            app.system.advance(by: .seconds(1))
            XCTAssertTrue(behind.effectiveGeometry.isInterfaceOrientationLocked, name)
            try cover()
            app.system.advance(by: .seconds(1))
            XCTAssertFalse(behind.effectiveGeometry.isInterfaceOrientationLocked, name)
            XCTAssertTrue(front.effectiveGeometry.isInterfaceOrientationLocked, name)
        }
        withExtendedLifetime((driver, frontDriver)) {}
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
        XCTAssertEqual(plain.geometries.last?.current.coordinateSpace.bounds.size, CGSize(width: 700, height: 600))
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
