import Settle
import UIKit
import XCTest

@MainActor final class OrientationLockTests: XCTestCase {
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
        let window = UIWindow(windowScene: app.scene)
        window.rootViewController = driver
        window.makeKeyAndVisible()
        Heard.calls = []
        return driver
    }

    private func isLocked(_ app: TestApp) -> Bool { app.scene.effectiveGeometry.isInterfaceOrientationLocked }

    func testRow06_aControllerPrefersNoLockByItself() async throws {
        let app = try TestApp().launched()
        let plain = UIViewController()
        XCTAssertFalse(plain.prefersInterfaceOrientationLocked)
        XCTAssertNil(plain.childViewControllerForInterfaceOrientationLock)
        let driver = show(app)
        driver.drive(true)
        app.system.advance(by: .seconds(1))
        XCTAssertTrue(isLocked(app))
        XCTAssertEqual(Heard.take(), ["geometry"])
    }

    func testRow06_theKeyWindowsControllerCounts() async throws {
        let app = try TestApp().launched()
        let quiet = show(app)
        let eager = show(app)
        eager.drive(true)
        app.system.advance(by: .seconds(1))
        XCTAssertTrue(isLocked(app))
        try XCTUnwrap(quiet.viewIfLoaded?.window ?? app.scene.windows.first).makeKey()
        app.system.advance(by: .seconds(1))
        XCTAssertFalse(isLocked(app))
    }

    func testRow06_aSceneOffTheScreenTurnsAlthoughItsLockStillStands() async throws {
        let app = try TestApp().launched()
        show(app).drive(true)
        app.system.advance(by: .seconds(1))
        XCTAssertTrue(isLocked(app))
        try app.system.bring(app.scene, to: .background)
        app.system.rotate(to: .landscapeLeft)
        app.system.advance(by: .seconds(1))
        try app.system.bring(app.scene, to: .foregroundActive)
        XCTAssertEqual(app.scene.effectiveGeometry.interfaceOrientation, .landscapeLeft)
    }

    func testRow06_thePreferenceIsReadAgainOnlyWhenToldTo() async throws {
        let app = try TestApp().launched()
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

    func testRow06_aChildMayDecide() async throws {
        final class Outer: UIViewController {
            let inner = Driver()
            override var childForInterfaceOrientationLock: UIViewController? { inner }
        }
        let app = try TestApp().launched()
        let outer = Outer()
        outer.addChild(outer.inner)
        let window = UIWindow(windowScene: app.scene)
        window.rootViewController = outer
        window.makeKeyAndVisible()
        outer.inner.drive(true)
        app.system.advance(by: .seconds(1))
        XCTAssertTrue(isLocked(app))
    }

    func testRow06_whatDropsTheLock() async throws {
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
            Heard.calls = []
            app.system.advance(by: .seconds(1))
            XCTAssertFalse(isLocked(app), name)
            XCTAssertEqual(Heard.take(), ["geometry"], "\(name): told once")
            try restore(app)
            app.system.advance(by: .seconds(1))
            XCTAssertTrue(isLocked(app), "granted again: \(name)")
        }
    }

    func testRow06_theBackgroundDropsTheLock() async throws {
        let app = try TestApp().launched()
        show(app).drive(true)
        app.system.advance(by: .seconds(1))
        try app.system.bring(app.scene, to: .background)
        app.system.advance(by: .seconds(1))
        XCTAssertTrue(isLocked(app), "a scene in the background is not told")
        try app.system.bring(app.scene, to: .foregroundInactive)
        XCTAssertFalse(isLocked(app))
        app.system.advance(by: .seconds(1))
        XCTAssertTrue(isLocked(app))
    }

    func testRow07_aBounceIsNotTold() async throws {
        let app = try TestApp().launched()
        let driver = show(app)
        for _ in 0..<10 {
            driver.drive(true)
            app.system.advance(by: .milliseconds(40))
            driver.drive(false)
            app.system.advance(by: .milliseconds(40))
        }
        app.system.advance(by: .seconds(1))
        XCTAssertEqual(Heard.take(), [])
        driver.drive(true)
        app.system.advance(by: .milliseconds(99))
        XCTAssertEqual(Heard.take(), [])
        app.system.advance(by: .milliseconds(1))
        XCTAssertEqual(Heard.take(), ["geometry"])
        let last = try XCTUnwrap(app.delegate.geometries.last)
        XCTAssertFalse(last.previous.isInterfaceOrientationLocked)
        XCTAssertTrue(last.current.isInterfaceOrientationLocked)
    }

    func testRow07_sizesDoNotTellOfTheLock() async throws {
        let app = try TestApp().launched()
        try app.drag(through: [CGSize(width: 500, height: 500), CGSize(width: 600, height: 600)])
        for (previous, current) in app.delegate.geometries {
            XCTAssertEqual(previous.isInterfaceOrientationLocked, current.isInterfaceOrientationLocked)
        }
    }

    func testRow07_aLockedInterfaceStaysAndFollowsAfterwards() async throws {
        let app = try TestApp(platform: .phone).launched()
        let driver = show(app)
        driver.drive(true)
        app.system.advance(by: .seconds(1))
        Heard.calls = []
        app.system.rotate(to: .landscapeLeft)
        XCTAssertEqual(Heard.take(), [])
        XCTAssertEqual(app.scene.effectiveGeometry.interfaceOrientation, .portrait)
        XCTAssertEqual(UIDevice.current.orientation, .landscapeRight)
        app.system.submit(.at(5_000, app.system.identity(of: app.scene), orientation: .landscapeRight))
        XCTAssertEqual(app.scene.effectiveGeometry.interfaceOrientation, .portrait)
        driver.drive(false)
        app.system.advance(by: .seconds(1))
        XCTAssertEqual(app.scene.effectiveGeometry.interfaceOrientation, .landscapeLeft)
        XCTAssertEqual(app.scene.effectiveGeometry.coordinateSpace.bounds.size, CGSize(width: 874, height: 402))
    }
}
