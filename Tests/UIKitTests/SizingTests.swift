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

    func testASizeThatNoSceneCanHaveIsNotMadeValid() async throws {
        let app = try app()
        app.system.submit(.at(1, app.system.identity(of: app.scene), Size(-5, 5)))
        XCTAssertEqual(app.system.statistics.rejectedSizes, 1)
    }

    func testRestrictionsHoldForTheFirstSize() async throws {
        let app = try app(minimumWidth: 1100, platform: .mac)
        XCTAssertEqual(app.delegate.rebuilds, [CGSize(1100, 768)], "one call, with the size as it is")
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

    func testABoundChangesNothingOfAnEventButItsSize() async throws {
        let app = try app()
        let identity = app.system.identity(of: app.scene)
        func state() -> String {
            let geometry = app.scene.effectiveGeometry
            return "\(size(app).text) \(geometry.isInteractivelyResizing) \(geometry.interfaceOrientation)"
        }
        app.system.submit(.at(1, identity, Size(400, 300), resizing: true))
        XCTAssertEqual(state(), "500×300 true portrait")
        app.system.submit(.at(2, identity, Size(600, 300), resizing: false, locked: true, orientation: .landscapeLeft))
        XCTAssertEqual(state(), "600×300 false landscapeLeft")
        app.system.advance(by: .seconds(1))
        XCTAssertTrue(app.scene.effectiveGeometry.isInterfaceOrientationLocked)
        app.system.submit(.at(2000, identity, locked: false))
        app.system.advance(by: .seconds(1))
        app.system.submit(.at(4000, identity, Size(-5, 5), resizing: true, orientation: .portrait))
        XCTAssertEqual(state(), "600×300 false landscapeLeft", "what is rejected changes nothing")
    }

    /// That a scene of fixed size ignores pointer buttons is no interaction of a person's.
    func testNothingBeginsInASceneThatNobodyResizes() async throws {
        let app = try TestApp(platform: .phone)
        var kinds: [String] = []
        app.system.onDecision = { _, decision in kinds.append("\(decision.kind)".components(separatedBy: " ")[0]) }
        try app.system.launch(PlainAppDelegate.self)
        app.system.submit(.pointer(button: 1, at: app.system.now, isPressed: true))
        app.system.rotate(to: .landscapeLeft)
        app.system.submit(.pointer(button: 1, at: app.system.now, isPressed: false))
        XCTAssertEqual(kinds, ["rebuild", "rebuild"])
    }
}
