import Settle
import SettleLog
import UIKit
import XCTest

/// Scenes of fixed size: it is the screen's, however an event is submitted.
@MainActor final class FixedSizeTests: XCTestCase {
    private typealias Way = (TestApp, Event) async throws -> Void

    /// The ways of an event from outside, whatever `UISystem` offers for a person's hands.
    private let ways: [(String, Way)] = [
        ("submit", { app, event in app.system.submit(event) }),
        (
            "submit of several",
            { app, event in
                let events = [event, event]
                events.withUnsafeBufferPointer { app.system.submit(Span(_unsafeElements: $0)) }
            }
        ),
        (
            "post",
            { app, event in
                app.system.post(event)
                await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
            }
        ),
    ]

    private var old: UISystem.Platform {
        var platform = UISystem.Platform.phone
        platform.screenIntroduced = 26
        platform.linkedSDK = 18
        return platform
    }

    private var unwindowed: UISystem.Platform {
        var platform = UISystem.Platform.pad
        platform.isWindowed = false
        return platform
    }

    private var fixed: [(String, UISystem.Platform, [String: Any])] {
        [
            ("the full-screen key", .pad, ["UIRequiresFullScreen": true]), ("a phone", .phone, [:]),
            ("a letterbox", old, [:]), ("a pad without windows", unwindowed, [:]),
        ]
    }

    func testNoEventResizesASceneThatOnlyItsScreenSizes() async throws {
        for (name, platform, extra) in fixed {
            for (way, feed) in ways {
                let app = try TestApp(platform: platform, extra: extra).launched()
                let identity = app.system.identity(of: app.scene)
                let before = app.scene.effectiveGeometry
                for event in [
                    Event.at(1, identity, resizing: true), .at(2, identity, Size(300, 200)),
                    .at(3, identity, Size(310, 210), resizing: true), .at(4, identity, resizing: false),
                ] { try await feed(app, event) }
                app.system.advance(by: .seconds(1))
                assertCalls("", "\(name) by \(way)")
                XCTAssertEqual(app.scene.effectiveGeometry, before, "\(name) by \(way)")
                XCTAssertEqual(app.delegate.rebuilds.count, 1, "\(name) by \(way)")
            }
        }
    }

    func testNoReplayedEventResizesThemEither() async throws {
        let log = """
            {"settle":"events","version":1}
            {"t_ns":0,"scene":"a","width":500,"height":400}
            {"t_ns":1,"scene":"a","resizing":true}
            {"t_ns":2,"scene":"a","width":600,"height":400}
            {"t_ns":3,"scene":"a","width":650,"height":400,"resizing":false}
            """
        for (name, platform, extra) in fixed {
            let app = try TestApp(platform: platform, extra: extra).launched(connectsScene: false)
            try app.system.replay(LogReader(ByteInput(bytes: Array(log.utf8), name: "log")))
            let size = app.system.mainScreen.bounds.size
            XCTAssertEqual(app.scene.effectiveGeometry.coordinateSpace.bounds.size, size, name)
            XCTAssertEqual(app.delegate.rebuilds, [size], name)
            XCTAssertEqual(app.delegate.geometries.count, 1, name)
        }
    }

    func testAnEventScalesTheWindowOfAFullScreenApp() async throws {
        for (way, feed) in ways {
            let app = try TestApp(extra: ["UIRequiresFullScreen": true]).launched()
            let size = Size(512, 683)
            try await feed(app, .at(1, app.system.identity(of: app.scene), size))
            XCTAssertEqual(app.system.presentation(of: app.scene).scale, 0.5, way)
            app.system.submit(.at(2, app.system.identity(of: app.scene), Size(1024, 1366)))
            XCTAssertEqual(app.system.presentation(of: app.scene).scale, 1, way)
        }
    }

    func testNoEventResizesAnExternalDisplaysScene() async throws {
        let entries = [TestApp.window: [TestApp.recorded], TestApp.external: [TestApp.recorded]]
        for (way, feed) in ways {
            let app = try TestApp(platform: .mac, scenes: entries).launched()
            let display = app.system.attachDisplay(size: CGSize(1280, 720))
            let scene = try XCTUnwrap(app.system.windowScenes.first { $0.screen === display })
            try await feed(app, .at(1, app.system.identity(of: scene), Size(300, 200), resizing: true))
            XCTAssertEqual(scene.effectiveGeometry.systemFrame, display.bounds, way)
            XCTAssertFalse(scene.effectiveGeometry.isInteractivelyResizing, way)
        }
    }

    func testAPhoneHasNoWindowsOfVaryingSizeHoweverItIsMade() async throws {
        var platform = UISystem.Platform.phone
        platform.isWindowed = true
        var other = UISystem.Platform.pad
        other.kind = .phone
        for platform in [platform, other] {
            XCTAssertFalse(platform.isWindowed)
            let app = try TestApp(platform: platform).launched()
            XCTAssertNil(app.scene.sizeRestrictions)
            XCTAssertThrowsError(try app.resize(100, 100))
        }
    }

    func testRestrictionsHoldForEveryWay() async throws {
        for (way, feed) in ways {
            let app = try TestApp().launched()
            app.scene.sizeRestrictions?.minimumSize.width = 500
            try await feed(app, .at(1, app.system.identity(of: app.scene), Size(300, 900)))
            XCTAssertEqual(app.scene.effectiveGeometry.coordinateSpace.bounds.size, CGSize(500, 900), way)
        }
    }

    func testARotationStillTurnsThem() async throws {
        for (name, platform, extra) in fixed {
            let app = try TestApp(platform: platform, extra: extra).launched()
            // A held button makes no interaction of a rotation.
            app.system.submit(.pointer(button: 1, at: app.system.now, isPressed: true))
            app.system.rotate(to: .landscapeLeft)
            let size = app.system.mainScreen.bounds.size
            XCTAssertGreaterThan(size.width, size.height, name)
            XCTAssertEqual(app.scene.effectiveGeometry.coordinateSpace.bounds.size, size, name)
            XCTAssertEqual(app.delegate.rebuilds.count, 2, name)
        }
    }
}
