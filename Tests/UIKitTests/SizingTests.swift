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
        try app.drag(through: [CGSize(width: 300, height: 900)])
        XCTAssertEqual(size(app), CGSize(width: 500, height: 900))
        let rebuilds = app.delegate.rebuilds.count
        try app.drag(through: [480, 320, 100].map { CGSize(width: $0, height: 900) })
        XCTAssertEqual(app.delegate.rebuilds.count, rebuilds)
        app.system.submit(
            .at(1, app.system.identity(of: app.scene), Size(width: -5, height: 5)))
        XCTAssertEqual(app.system.statistics.rejectedSizes, 1, "what no scene can have is not made valid")
    }

    func testRestrictionsHoldAtOnceAlsoForTheFirstSize() async throws {
        let app = try app(minimumWidth: 1100, platform: .mac)
        XCTAssertEqual(size(app), CGSize(width: 1100, height: 768))
        XCTAssertEqual(app.delegate.rebuilds, [CGSize(width: 1100, height: 768)], "one call, with the size as it is")
        app.scene.sizeRestrictions?.maximumSize.height = 700
        XCTAssertEqual(size(app), CGSize(width: 1100, height: 700))
    }

    func testTheMinimumWinsOverTheMaximum() async throws {
        let app = try app(minimumWidth: 800)
        app.scene.sizeRestrictions?.maximumSize.width = 600
        for width in [100.0, 700, 2000] {
            try app.resize(width, 900)
            XCTAssertEqual(size(app).width, 800)
        }
    }

    func testARotationIsNeverBlocked() async throws {
        let app = try app(minimumWidth: 800)
        app.scene.sizeRestrictions?.maximumSize.height = 1000
        try app.resize(900, 1000)
        app.system.rotate(to: .landscapeLeft)
        XCTAssertEqual(app.scene.effectiveGeometry.interfaceOrientation, .landscapeLeft)
        try app.resize(300, 2000)
        XCTAssertEqual(size(app), CGSize(width: 800, height: 1000), "the restrictions hold after it")
        app.system.rotate(to: .portrait)
        XCTAssertEqual(app.scene.effectiveGeometry.interfaceOrientation, .portrait)
        XCTAssertEqual(size(app), CGSize(width: 800, height: 1000))
    }

    func testOnAPhoneThereIsNothingToRestrict() async throws {
        let app = try app(platform: .phone)
        XCTAssertNil(app.scene.sizeRestrictions)
        assertRefused(try app.resize(300, 300), .windowsCannotVary)
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

    func testAFullScreenAppIsScaledAndNeverResized() async throws {
        for key in ["UIRequiresFullScreen", "UIRequiresFullscreen"] {
            let app = try TestApp(extra: [key: true]).launched()
            XCTAssertTrue(app.system.messages.contains { $0.contains("deprecated") }, key)
            XCTAssertNil(app.scene.sizeRestrictions)
            try app.drag(through: [CGSize(width: 700, height: 600), CGSize(width: 512, height: 683)])
            assertCalls([])
            XCTAssertEqual(app.delegate.rebuilds, [CGSize(width: 1024, height: 1366)])
            XCTAssertEqual(
                app.system.presentation(of: app.scene),
                UISystem.Presentation(
                    frame: CGRect(x: 0, y: 0, width: 512, height: 683), scale: 0.5, isLetterboxed: false))
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
            XCTAssertEqual(size(app) == CGSize(width: 700, height: 600), isFree, "\(os)")
        }
    }

    func testAnOldAppKeepsItsSizeAlsoWhenItRequiresTheFullScreen() async throws {
        var platform = UISystem.Platform.pad
        platform.screenIntroduced = 26
        platform.linkedSDK = 18
        platform.osVersion = 18
        let app = try TestApp(platform: platform, extra: ["UIRequiresFullScreen": true]).launched()
        let before = size(app)
        assertRefused(try app.resize(700, 600), .windowsCannotVary)
        XCTAssertEqual(size(app), before)
    }

    func testAnOldAppOnANewScreenKeepsItsSizeAndIsScaled() async throws {
        var platform = UISystem.Platform.phone
        platform.screenIntroduced = 26
        platform.linkedSDK = 18
        let old = try TestApp(platform: platform).launched()
        XCTAssertEqual(size(old), CGSize(width: 375, height: 667))
        let shown = old.system.presentation(of: old.scene)
        XCTAssertTrue(shown.isLetterboxed)
        XCTAssertEqual(shown.scale, 402.0 / 375, accuracy: 1e-9)
        XCTAssertEqual(shown.frame.midX, 201, accuracy: 1e-9)
        XCTAssertEqual(shown.frame.midY, 437, accuracy: 1e-9)

        platform.linkedSDK = 26
        let new = try TestApp(platform: platform).launched()
        XCTAssertEqual(size(new), CGSize(width: 402, height: 874))
        XCTAssertEqual(new.system.presentation(of: new.scene).scale, 1)

        platform.linkedSDK = 18
        platform.screenIntroduced = 17
        XCTAssertEqual(size(try TestApp(platform: platform).launched()), CGSize(width: 402, height: 874))
    }
}
