import Settle
import SettleLog
import UIKit
import XCTest

@MainActor final class GeometryTests: AppTestCase {
    /// Buttons report a drag until the system itself does.
    func testAPointersDragOfALaunchedScenesWindowIsReportedAsADrag() async throws {
        let identity = app.system.identity(of: app.scene)
        var rebuilt: [Size] = []
        app.system.onDecision = { _, decision in
            if case .rebuild(let rebuild) = decision.kind { rebuilt.append(rebuild.size) }
        }
        app.system.submit(.pointer(button: 1, at: app.system.now, isPressed: true))
        for width in [600.0, 610, 620] {
            app.system.submit(.geometry(identity, at: app.system.now, size: Size(width, 400)))
            XCTAssertTrue(app.scene.effectiveGeometry.isInteractivelyResizing)
        }
        XCTAssertEqual(rebuilt, [])
        app.system.submit(.pointer(button: 1, at: app.system.now, isPressed: false))
        XCTAssertFalse(app.scene.effectiveGeometry.isInteractivelyResizing)
        XCTAssertEqual(rebuilt, [Size(620, 400)])
    }

    /// Before its first callback a scene has the geometry with which it connects.
    func testASceneThatConnectsHasItsFirstEventsGeometry() async throws {
        var seen: [UIWindowScene.Geometry] = []
        let frame = CGRect(10, 20, 500, 400)
        let live = try TestApp().launched(connectsScene: false)
        RecordingSceneDelegate.onConnect = { scene, _ in seen.append(scene.effectiveGeometry) }
        let scene = try XCTUnwrap(live.system.connect(frame: frame, state: .background) as? UIWindowScene)
        seen.append(scene.effectiveGeometry)
        for geometry in seen {
            XCTAssertEqual(geometry.systemFrame, frame)
            XCTAssertEqual(geometry.interfaceOrientation, .portrait)
            XCTAssertFalse(geometry.isInteractivelyResizing)
        }
        XCTAssertEqual(seen.count, 2)
        try live.system.resize(scene, to: CGSize(600, 400))
        XCTAssertEqual(scene.effectiveGeometry, seen[0], "no callback has followed")

        let log = """
            {"settle":"events","version":1}
            {"t_ns":0,"scene":"a","width":700,"height":300,"resizing":true,"orientation":"landscapeRight"}
            """
        let replayed = try TestApp().launched(connectsScene: false)
        seen = []
        RecordingSceneDelegate.onConnect = { scene, _ in seen.append(scene.effectiveGeometry) }
        try replayed.system.replay(LogReader(ByteInput(bytes: Array(log.utf8), name: "log")))
        XCTAssertEqual(seen.map(\.coordinateSpace.bounds.size), [CGSize(700, 300)])
        XCTAssertEqual(seen.map(\.interfaceOrientation), [.landscapeRight])
        XCTAssertEqual(seen.map(\.isInteractivelyResizing), [true])
    }

    /// Each scene has five deadlines: two rebuilds', its lock's, its preview's, and its interaction's timeout.
    func testVirtualTimeEndsAfterAllDeadlinesOfManyHeldScenes() async throws {
        let count = 120
        let lines =
            (0..<count).map { #"{"t_ns":\#($0),"scene":"\#($0)","width":600,"height":300}"# + "\n" }
            + (0..<count).map {
                #"{"t_ns":5000000,"scene":"\#($0)","width":700,"height":300,"resizing":true,"locked":true}"# + "\n"
            }
        let log = #"{"settle":"events","version":1}"# + "\n" + lines.joined()
        let app = try TestApp(
            policy: Policy(
                firstDelay: .milliseconds(4), lockDelay: .milliseconds(1), pauseDelay: .milliseconds(2),
                interactionTimeout: .milliseconds(3))
        ).launched(connectsScene: false)
        var decided: [String: Int] = [:]
        app.system.onDecision = { _, decision in
            switch decision.kind {
            case .interactionBegan: decided["began", default: 0] += 1
            case .lockChanged: decided["lock", default: 0] += 1
            case .preview: decided["preview", default: 0] += 1
            case .interactionEnded(let reason, _): decided["\(reason)", default: 0] += 1
            case .rebuild(let rebuild): decided["\(rebuild.reason)", default: 0] += 1
            }
        }
        try app.system.replay(LogReader(ByteInput(bytes: Array(log.utf8), name: "log")))
        XCTAssertEqual(
            decided, ["began": count, "lock": count, "preview": count, "timeout": 2 * count, "first": count])
        XCTAssertFalse(app.system.messages.contains { $0.contains("arm another deadline") }, "\(app.system.messages)")
    }

    func testARejectedEventInADecisionsHandlerLeavesTheOrientationOfTheEventThatIsApplied() async throws {
        let identity = app.system.identity(of: app.scene)
        var rejected: UInt64 = 0
        app.system.onDecision = { [system = app.system] _, _ in
            system.submit(.geometry(identity, at: system.now, size: Size(.nan, 1)))
            rejected += 1
        }
        app.system.submit(.at(1, identity, Size(500, 400), resizing: true, orientation: .landscapeRight))
        XCTAssertGreaterThan(rejected, 0)
        XCTAssertEqual(app.system.statistics.rejected, rejected)
        XCTAssertEqual(app.scene.interfaceOrientation, .landscapeRight)
        app.system.onDecision = nil
        app.system.submit(.at(2, identity, Size(.nan, 400), orientation: .portrait))
        XCTAssertEqual(app.scene.interfaceOrientation, .landscapeRight, "the event was rejected")
    }

    func testASnapshotNeverChangesAndItsOriginIsZero() async throws {
        try app.system.place(app.scene, in: CGRect(30, 40, 500, 400))
        let snapshot = app.scene.effectiveGeometry
        try app.system.beginResize(app.scene)
        try app.resize(600, 400)
        XCTAssertEqual(snapshot.coordinateSpace.bounds, CGRect(0, 0, 500, 400))
        XCTAssertEqual(snapshot.systemFrame, CGRect(30, 40, 500, 400))
        XCTAssertEqual(snapshot.interfaceOrientation, .portrait)
        XCTAssertFalse(snapshot.isInteractivelyResizing || snapshot.isInterfaceOrientationLocked)
        XCTAssertEqual(app.scene.effectiveGeometry.coordinateSpace.bounds.width, 600)
        XCTAssertTrue(app.scene.effectiveGeometry.isInteractivelyResizing)
        XCTAssertNotEqual(snapshot, app.scene.effectiveGeometry)
    }

    func testPointsConvertBetweenScenes() async throws {
        let other = try XCTUnwrap(app.system.connect(frame: CGRect(100, 50, 300, 300)) as? UIWindowScene)
        let point = app.scene.coordinateSpace.convert(CGPoint(110, 60), to: other.coordinateSpace)
        XCTAssertEqual(point, CGPoint(10, 10))
        XCTAssertEqual(app.scene.coordinateSpace.convert(point, from: other.coordinateSpace), CGPoint(110, 60))
    }

    func testEveryDifferenceIsDeliveredAndNothingElse() async throws {
        let id = app.system.identity(of: app.scene)
        let size = Size(700, 600)
        func calls(_ event: Event) -> Int {
            app.system.submit(event)
            return DelegateCalls.drain().count
        }
        XCTAssertEqual(calls(.at(1, id, size)), 1)
        XCTAssertEqual(calls(.at(2, id, size)), 0, "the same size")
        XCTAssertEqual(calls(.at(3, id, .zero)), 0, "a size of zero keeps the size")
        XCTAssertEqual(calls(.at(4, id, resizing: true)), 1, "a flag alone")
        XCTAssertEqual(calls(.at(5, id, resizing: true)), 0, "the same flag")
        XCTAssertEqual(calls(.at(6, id, Size(.nan, 5), resizing: false)), 0, "rejected as a whole")
        XCTAssertEqual(calls(.at(7, id, Size(-1, 5), orientation: .landscapeLeft)), 0, "rejected")
        XCTAssertEqual(calls(.at(8, id, resizing: false)), 1, "a flag alone")
        XCTAssertEqual(calls(.at(9, id, orientation: .landscapeLeft)), 1, "an orientation alone")
        XCTAssertEqual(app.system.statistics.rejectedSizes, 2)
    }

    func testThePreviousGeometryIsTheOneDeliveredBefore() async throws {
        let id = app.system.identity(of: app.scene)
        for step in 0..<40 {
            // Batches of 1 … 5 events, so that some share a callback.
            let events = (0...step % 5).map { number in
                Event.at(UInt64(step), id, Size(Double(300 + step * 7 + number), 500), resizing: step % 3 != 0)
            }
            events.withUnsafeBufferPointer { app.system.submit(Span(_unsafeElements: $0)) }
        }
        let delivered = app.delegate.geometries
        XCTAssertEqual(delivered.count, 41, "the first geometry, then one call a batch")
        XCTAssertEqual(delivered[0].previous.coordinateSpace.bounds.size, .zero)
        for (before, after) in zip(delivered, delivered.dropFirst()) {
            XCTAssertTrue(after.previous === before.current)
        }
    }

    func testBeginAndEndBalancePerScene() async throws {
        let other = try XCTUnwrap(app.system.connect() as? UIWindowScene)
        var balance: [UIWindowScene: [String]] = [:]
        app.system.onDecision = { scene, decision in
            switch decision.kind {
            case .interactionBegan: balance[scene, default: []].append("began")
            case .interactionEnded: balance[scene, default: []].append("ended")
            default: break
            }
        }
        try app.system.beginResize(app.scene)
        try app.system.beginResize(other)
        try app.system.beginResize(other)
        try app.system.endResize(app.scene, at: CGSize(500, 500))
        try app.system.endResize(app.scene)
        try app.system.disconnect(other)
        XCTAssertEqual(balance[app.scene], ["began", "ended"])
        XCTAssertEqual(balance[other], ["began", "ended"])
    }

    func testEventsSubmittedTogetherShareACallback() async throws {
        let id = app.system.identity(of: app.scene)
        let events =
            [Event.at(1, id, resizing: true)]
            + (0..<500).map { .at(2, id, Size(300 + Double($0), 400)) }
            + [.at(3, id, Size(900, 450), resizing: false)]
        events.withUnsafeBufferPointer { app.system.submit(Span(_unsafeElements: $0)) }
        assertCalls("geometry")
        XCTAssertEqual(app.scene.effectiveGeometry.coordinateSpace.bounds.size, CGSize(900, 450))
        XCTAssertFalse(app.scene.effectiveGeometry.isInteractivelyResizing)
        XCTAssertEqual(app.delegate.rebuilds.count, 2)
    }
}
