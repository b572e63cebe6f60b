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
}
