import Settle
import UIKit
import XCTest

@MainActor final class SizingTests: XCTestCase {
    private func app(minimumWidth: CGFloat = 500, platform: UISystem.Platform = .pad) throws -> TestApp {
        let app = try TestApp(platform: platform)
        RecordingSceneDelegate.onConnect = { scene, _ in scene.sizeRestrictions?.minimumSize.width = minimumWidth }
        return try app.launched()
    }

    private func size(_ app: TestApp) -> CGSize { app.scene.effectiveGeometry.coordinateSpace.bounds.size }

    func testADragStopsAtTheMinimumAndRebuildsNothingThere() async throws {
        let app = try app()
        try app.drag(through: [CGSize(300, 900)])
        XCTAssertEqual(size(app), CGSize(500, 900))
        let rebuilds = app.delegate.rebuilds.count
        try app.drag(through: [480, 320, 100].map { CGSize($0, 900) })
        XCTAssertEqual(app.delegate.rebuilds.count, rebuilds)
        app.system.submit(.at(1, app.system.identity(of: app.scene), Size(-5, 5)))
        XCTAssertEqual(app.system.statistics.rejectedSizes, 1, "what no scene can have is not made valid")
    }

    func testRestrictionsHoldAtOnceAlsoForTheFirstSize() async throws {
        let app = try app(minimumWidth: 1100, platform: .mac)
        XCTAssertEqual(app.delegate.rebuilds, [CGSize(1100, 768)], "one call, with the size as it is")
        app.scene.sizeRestrictions?.maximumSize.height = 700
        XCTAssertEqual(size(app), CGSize(1100, 700))
        app.scene.sizeRestrictions?.maximumSize.width = 600
        for width in [100.0, 700, 2000] {
            try app.resize(width, 900)
            XCTAssertEqual(size(app).width, 1100, "the minimum wins over the maximum")
        }
        let phone = try self.app(platform: .phone)
        XCTAssertNil(phone.scene.sizeRestrictions)
        assertRefused(try phone.resize(300, 300), .windowsCannotVary)
    }

    func testFullScreenMayBeForbidden() async throws {
        let app = try app()
        try app.resize(600, 600)
        app.scene.sizeRestrictions?.allowsFullScreen = false
        assertRefused(try app.system.enterFullScreen(app.scene), .fullScreenNotAllowed)
        app.scene.sizeRestrictions?.allowsFullScreen = true
        try app.system.enterFullScreen(app.scene)
        XCTAssertTrue(app.scene.isFullScreen)
    }

    func testARotationIsNeverBlocked() async throws {
        let app = try app(minimumWidth: 800)
        app.scene.sizeRestrictions?.maximumSize.height = 1000
        try app.resize(900, 1000)
        app.system.rotate(to: .landscapeLeft)
        XCTAssertEqual(app.scene.effectiveGeometry.interfaceOrientation, .landscapeLeft)
        try app.resize(300, 2000)
        XCTAssertEqual(size(app), CGSize(800, 1000), "the restrictions hold after it")
        app.system.rotate(to: .portrait)
        XCTAssertEqual(app.scene.effectiveGeometry.interfaceOrientation, .portrait)
        XCTAssertEqual(size(app), CGSize(800, 1000))
    }

    func testAFullScreenAppIsScaledAndNeverResized() async throws {
        for key in ["UIRequiresFullScreen", "UIRequiresFullscreen"] {
            let app = try TestApp(extra: [key: true]).launched()
            XCTAssertTrue(app.system.messages.contains { $0.contains("deprecated") }, key)
            XCTAssertNil(app.scene.sizeRestrictions)
            try app.drag(through: [CGSize(700, 600), CGSize(512, 683)])
            assertCalls("")
            XCTAssertEqual(app.delegate.rebuilds, [CGSize(1024, 1366)])
            XCTAssertEqual(
                app.system.presentation(of: app.scene),
                UISystem.Presentation(
                    frame: CGRect(0, 0, 512, 683), scale: 0.5, isLetterboxed: false))
            app.system.rotate(to: .landscapeLeft)
            XCTAssertEqual(app.delegate.rebuilds.count, 2, "a rotation is the screen's, and no window's")
        }
    }

    func testTheKeyIsIgnoredFromAVersionOn() async throws {
        let keys: [String: Any] = [
            "UIRequiresFullScreen": true, "UIRequiresFullScreenIgnoredStartingWithVersion": "26.2",
        ]
        for (os, isFree) in [(UISystem.Version(26, 1), false), (UISystem.Version(26, 2), true), (27, true)] {
            var platform = UISystem.Platform.pad
            platform.osVersion = os
            let app = try TestApp(platform: platform, extra: keys).launched()
            try app.resize(700, 600)
            XCTAssertEqual(size(app) == CGSize(700, 600), isFree, "\(os)")
        }
    }

    func testAnOldAppOnANewScreenKeepsItsSizeAndIsScaled() async throws {
        func app(
            _ platform: UISystem.Platform, introduced: UISystem.Version, linked: UISystem.Version,
            extra: [String: Any] = [:]
        ) throws -> TestApp {
            var platform = platform
            (platform.screenIntroduced, platform.linkedSDK) = (introduced, linked)
            return try TestApp(platform: platform, extra: extra).launched()
        }
        let old = try app(.phone, introduced: 26, linked: 18)
        XCTAssertEqual(size(old), CGSize(375, 667))
        let shown = old.system.presentation(of: old.scene)
        XCTAssertTrue(shown.isLetterboxed)
        XCTAssertEqual(shown.scale, 402.0 / 375, accuracy: 1e-9)
        XCTAssertEqual(shown.frame.midX, 201, accuracy: 1e-9)
        XCTAssertEqual(shown.frame.midY, 437, accuracy: 1e-9)
        let new = try app(.phone, introduced: 26, linked: 26)
        XCTAssertEqual(size(new), CGSize(402, 874))
        XCTAssertEqual(new.system.presentation(of: new.scene).scale, 1)
        XCTAssertEqual(size(try app(.phone, introduced: 17, linked: 18)), CGSize(402, 874), "the screen is as old")
        let pad = try app(.pad, introduced: 26, linked: 18, extra: ["UIRequiresFullScreen": true])
        let before = size(pad)
        assertRefused(try pad.resize(700, 600), .windowsCannotVary)
        XCTAssertEqual(size(pad), before)
    }
}
