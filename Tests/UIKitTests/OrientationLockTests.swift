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

    /// Compares the lock once it has settled.
    private func check(
        _ isLocked: Bool, _ app: TestApp, _ why: String = "", line: UInt = #line, in change: () throws -> Void
    ) rethrows {
        try change()
        app.system.advance(by: .seconds(1))
        XCTAssertEqual(self.isLocked(app), isLocked, why, line: line)
    }

    func testAControllerPrefersNoLockByItself() async throws {
        let plain = UIViewController()
        XCTAssertFalse(plain.prefersInterfaceOrientationLocked)
        XCTAssertNil(plain.childViewControllerForInterfaceOrientationLock)
        check(true, app) { show(app).drive(true) }
        assertCalls("geometry")
    }

    func testTheKeyWindowsControllerCounts() async throws {
        let quiet = show(app)
        check(true, app) { show(app).drive(true) }
        try check(false, app) { try XCTUnwrap(quiet.viewIfLoaded?.window ?? app.scene.windows.first).makeKey() }
    }

    /// The controller that a container shows decides.
    func testTheVisibleControllerOfAContainerDecides() async throws {
        let app = try TestApp().launched()
        let (outer, inner, plain) = (Outer(), Driver(), UIViewController())
        outer.addChild(inner)
        outer.inner = inner
        UIWindow.show(outer, in: app.scene)
        check(true, app, "a child that its parent names") { inner.drive(true) }

        let navigation = UINavigationController(rootViewController: plain)
        check(false, app) { app.scene.windows.last!.rootViewController = navigation }
        check(true, app, "the top of a stack") { navigation.pushViewController(inner, animated: false) }
        check(false, app) { _ = navigation.popViewController(animated: false) }

        let tabs = [UITab("a"), UITab(title: "b", image: nil, identifier: "b") { _ in inner }]
        let controller = UITabBarController(tabs: tabs)
        check(false, app) { app.scene.windows.last!.rootViewController = controller }
        check(true, app, "the pane of the selected tab") { controller.selectedTab = tabs[1] }
        check(false, app) { controller.selectedTab = tabs[0] }

        let cover = Driver()
        cover.isDriving = true
        check(false, app, "a sheet covers nothing") { controller.present(cover, animated: false) }
        controller.dismiss(animated: false)
        cover.modalPresentationStyle = .fullScreen
        check(true, app, "what covers the window") { controller.present(cover, animated: false) }
        check(false, app) { cover.dismiss(animated: false) }
    }

    private final class Outer: UIViewController {
        var inner: UIViewController?
        override var childForInterfaceOrientationLock: UIViewController? { inner }
    }

    func testASceneOffTheScreenTurnsAlthoughItsLockStillStands() async throws {
        check(true, app) { show(app).drive(true) }
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
        check(false, app) { app.system.rotate(to: .landscapeLeft) }
        XCTAssertEqual(driver.reads, reads)
        driver.setNeedsUpdateOfPrefersInterfaceOrientationLocked()
        XCTAssertEqual(driver.reads, reads + 1)
    }

    func testWhatDropsTheLock() async throws {
        let whole = CGRect(0, 0, 1024, 1366)
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
            check(true, app, name) { show(app).drive(true) }
            try drop(app)
            assertCalls("geometry", "\(name): one call") { check(false, app, name) {} }
            try restore(app)
            check(true, app, "granted again: \(name)") {}
        }
        let app = try TestApp().launched()
        check(true, app) { show(app).drive(true) }
        try check(true, app, "no call in the background") { try app.system.bring(app.scene, to: .background) }
        try app.system.bring(app.scene, to: .foregroundInactive)
        XCTAssertFalse(isLocked(app), "dropped by the background")
        check(true, app) {}
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
        assertCalls("")
        driver.drive(true)
        app.system.advance(by: .milliseconds(99))
        assertCalls("")
        app.system.advance(by: .milliseconds(1))
        assertCalls("geometry")
        let last = try XCTUnwrap(app.delegate.geometries.last)
        XCTAssertFalse(last.previous.isInterfaceOrientationLocked)
        XCTAssertTrue(last.current.isInterfaceOrientationLocked)
    }

    func testSizesDoNotDeliverTheLock() async throws {
        try app.drag(through: [CGSize(500, 500), CGSize(600, 600)])
        for (previous, current) in app.delegate.geometries {
            XCTAssertEqual(previous.isInterfaceOrientationLocked, current.isInterfaceOrientationLocked)
        }
    }

    func testALockedInterfaceStaysAndFollowsAfterwards() async throws {
        let app = try TestApp(platform: .phone).launched()
        let driver = show(app)
        driver.drive(true)
        app.system.advance(by: .seconds(1))
        assertCalls("") { app.system.rotate(to: .landscapeLeft) }
        XCTAssertEqual(app.scene.effectiveGeometry.interfaceOrientation, .portrait)
        XCTAssertEqual(UIDevice.current.orientation, .landscapeRight)
        app.system.submit(.at(5_000, app.system.identity(of: app.scene), orientation: .landscapeRight))
        XCTAssertEqual(app.scene.effectiveGeometry.interfaceOrientation, .portrait)
        driver.drive(false)
        app.system.advance(by: .seconds(1))
        XCTAssertEqual(app.scene.effectiveGeometry.interfaceOrientation, .landscapeLeft)
        XCTAssertEqual(app.scene.effectiveGeometry.coordinateSpace.bounds.size, CGSize(874, 402))
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
            let other = try XCTUnwrap(app.system.connect(frame: CGRect(0, 0, 400, 300)))
            let driver = show(in: locked, drives: true)
            app.system.advance(by: .seconds(1))
            XCTAssertTrue(locked.effectiveGeometry.isInterfaceOrientationLocked, name)
            app.system.rotate(to: .landscapeLeft)
            let screen = app.system.mainScreen
            XCTAssertEqual(screen.bounds.size, CGSize(1024, 1366), name)
            try go(app, locked)
            XCTAssertEqual(screen.bounds.size, CGSize(1366, 1024), name)
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
        let small = CGRect(0, 0, 400, 300)
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
