import Settle
import TestSupport
import XCTest

@testable import SettleHandlers

/// The live lane, its time moved by hand.
final class HandlersGeometryLaneTests: XCTestCase {
    private let frame = Duration.milliseconds(16)

    private func event(_ scene: SceneID = .s, _ width: Int? = nil, _ isResizing: Bool? = nil, at number: Int = 0)
        -> Event
    {
        .geometry(
            scene, at: Timestamp(nanoseconds: UInt64(number)), size: width.map(Size.wide),
            isInteractivelyResizing: isResizing)
    }

    private func makeLane(scenesMax: Int = 8) -> GeometryLane {
        GeometryLane(frameInterval: frame, scenesMax: scenesMax)
    }

    /// Dequeues all geometries at a time, as `scene:width`, with a `+` during an interaction.
    private func dequeueAll(_ lane: inout GeometryLane, at milliseconds: Int) -> [String] {
        var dequeued: [String] = []
        while case .element(let geometry) = lane.dequeue(at: .milliseconds(milliseconds)) {
            dequeued.append(text(geometry))
        }
        return dequeued
    }

    private func text(_ geometry: LatestGeometry) -> String {
        let width = geometry.size.map { String(Int($0.width)) } ?? "-"
        return "\(geometry.scene.rawValue):\(width)\(geometry.isInteractivelyResizing ? "+" : "")"
    }

    func testLane_theLatestWinsOnceAFrame() {
        var lane = makeLane()
        XCTAssertEqual(lane.update(event(.s, 100)), .zero)
        XCTAssertEqual(dequeueAll(&lane, at: 0), ["1:100"])
        for width in 101...110 { XCTAssertEqual(lane.update(event(.s, width)), frame) }
        XCTAssertEqual(dequeueAll(&lane, at: 15), [])
        XCTAssertEqual(dequeueAll(&lane, at: 16), ["1:110"])
        XCTAssertEqual(dequeueAll(&lane, at: 40), [])
        XCTAssertEqual(lane.update(event(.s, 111)), .zero)
        XCTAssertEqual(lane.statistics.superseded, 9)
    }

    func testLane_theTimeIsThatOfTheLatestEventThoughItGoesBack() {
        var lane = makeLane()
        _ = lane.update(event(.s, 100, at: 9))
        _ = lane.update(event(.s, 101, at: 4))
        guard case .element(let geometry) = lane.dequeue(at: .zero) else { return XCTFail("nothing is due") }
        XCTAssertEqual(geometry.at.nanoseconds, 4)
    }

    func testLane_aRejectedDisconnectKeepsTheScene() {
        var lane = makeLane(scenesMax: 1)
        XCTAssertEqual(lane.update(event(.s, 100, true)), .zero)
        XCTAssertNil(lane.update(.disconnect(.s, at: Timestamp(nanoseconds: .max))))
        XCTAssertEqual(lane.statistics.rejected, 1)
        XCTAssertEqual(dequeueAll(&lane, at: 0), ["1:100+"])
        XCTAssertNil(lane.update(.disconnect(.s, at: .latest)))
        XCTAssertEqual(lane.update(event(.t, 7)), .zero, "a valid disconnect makes space for another scene")
        XCTAssertEqual(lane.statistics.rejected, 1)
    }

    func testLane_saysWhenTheNextIsDue() {
        var lane = makeLane()
        _ = lane.update(event(.s, 1))
        _ = dequeueAll(&lane, at: 0)
        _ = lane.update(event(.t, 1))
        _ = dequeueAll(&lane, at: 5)
        guard case .nothing = lane.dequeue(at: .milliseconds(6)) else { return XCTFail("nothing is new") }
        _ = lane.update(event(.t, 2))
        guard case .later(.milliseconds(21)) = lane.dequeue(at: .milliseconds(6)) else {
            return XCTFail("t is due at 21")
        }
        _ = lane.update(event(.s, 2))
        guard case .later(.milliseconds(16)) = lane.dequeue(at: .milliseconds(6)) else {
            return XCTFail("s is due at 16")
        }
    }

    func testLane_scenesTakeTurns() {
        var lane = makeLane()
        for scene in [SceneID.u, .s, .t] { _ = lane.update(event(scene, 1)) }
        _ = lane.update(event(.u, 2))
        XCTAssertEqual(dequeueAll(&lane, at: 0), ["3:2", "1:1", "2:1"])
    }

    func testLane_anEndIsNotHiddenByTheNextBegin() {
        var lane = makeLane()
        _ = lane.update(event(.s, 1, true))
        XCTAssertEqual(dequeueAll(&lane, at: 0), ["1:1+"])
        for (width, isResizing) in [(2, true), (3, false), (4, true), (5, true)] {
            _ = lane.update(event(.s, width, isResizing))
        }
        XCTAssertEqual(dequeueAll(&lane, at: 16), ["1:3"])
        XCTAssertEqual(dequeueAll(&lane, at: 31), [])
        XCTAssertEqual(dequeueAll(&lane, at: 32), ["1:5+"])
        _ = lane.update(event(.s, 5, false))
        XCTAssertEqual(dequeueAll(&lane, at: 48), ["1:5"])
    }

    func testLane_propertiesThatAreNotStatedStay() {
        var lane = makeLane()
        _ = lane.update(
            .geometry(
                .s, at: Timestamp(nanoseconds: 1), size: .wide(5), isInteractivelyResizing: true,
                isInterfaceOrientationLocked: true, orientation: .landscapeLeft))
        _ = lane.update(event(.s, at: 2))
        XCTAssertEqual(lane.statistics.unchanged, 1)
        _ = lane.update(event(.s, nil, false, at: 3))
        guard case .element(let geometry) = lane.dequeue(at: .zero) else { return XCTFail("there is news") }
        XCTAssertEqual(
            geometry,
            LatestGeometry(
                scene: .s, at: Timestamp(nanoseconds: 3), size: .wide(5), isInteractivelyResizing: false,
                isInterfaceOrientationLocked: true, orientation: .landscapeLeft))
    }

    func testLane_refusesWhatTheEngineRefuses() {
        var lane = makeLane(scenesMax: 1)
        for side in [Double.nan, .infinity, -1] {
            XCTAssertNil(lane.update(.geometry(.s, at: Timestamp(nanoseconds: 0), size: Size(width: 0, height: side))))
        }
        _ = lane.update(event(.s, 5))
        _ = lane.update(event(.s, 0, true))
        XCTAssertEqual(dequeueAll(&lane, at: 0), ["1:5+"], "a zero side keeps the size")
        XCTAssertNil(lane.update(event(.t, 5)), "one scene too many")
        XCTAssertEqual(lane.statistics.rejected, 4)
        _ = lane.update(.disconnect(.s, at: Timestamp(nanoseconds: 0)))
        XCTAssertEqual(lane.update(event(.t, 5)), .zero)
    }

    /// Never sooner than a frame, no end is hidden, the last value arrives, and the
    /// counts add up.
    func testLane_randomStreams() {
        for seed in UInt64(0)..<300 {
            var random = SplitMix64(seed: seed)
            var lane = makeLane()
            var now = 0
            var events: [SceneID: [Event]] = [:]
            var dequeued: [SceneID: [(at: Int, geometry: LatestGeometry)]] = [:]
            func drain(_ lane: inout GeometryLane) {
                while case .element(let geometry) = lane.dequeue(at: .milliseconds(now)) {
                    dequeued[geometry.scene, default: []].append((now, geometry))
                }
            }
            for number in 1...200 {
                now += random.below(7)
                let scene = random.pick([SceneID.s, .t, .u])
                let event = event(scene, 1 + random.below(1_000), random.chance(50), at: number)
                events[scene, default: []].append(event)
                _ = lane.update(event)
                if random.chance(40) { drain(&lane) }
                if random.chance(1) {
                    _ = lane.update(.disconnect(scene, at: Timestamp(nanoseconds: 0)))
                    (events[scene], dequeued[scene]) = (nil, nil)
                }
            }
            for _ in 0..<3 {
                drain(&lane)
                now += 16
            }
            let counts = lane.statistics
            XCTAssertEqual(counts.updates - counts.unchanged, counts.delivered + counts.superseded + counts.dropped)
            for (scene, events) in events { check(dequeued[scene]!, events, seed) }
            if testRun!.failureCount > 0 { return }
        }
    }

    private func check(_ dequeued: [(at: Int, geometry: LatestGeometry)], _ events: [Event], _ seed: UInt64) {
        XCTAssertEqual(dequeued.last?.geometry.size, events.last?.size, "seed \(seed)")
        XCTAssertEqual(dequeued.last?.geometry.isInteractivelyResizing, events.last?.isInteractivelyResizing)
        for (a, b) in zip(dequeued, dequeued.dropFirst()) {
            XCTAssertGreaterThanOrEqual(b.at - a.at, 16, "seed \(seed)")
            XCTAssertLessThan(a.geometry.at, b.geometry.at, "seed \(seed)")
            guard a.geometry.isInteractivelyResizing, b.geometry.isInteractivelyResizing else { continue }
            let hidden = events.first {
                $0.at > a.geometry.at && $0.at < b.geometry.at && $0.isInteractivelyResizing == false
            }
            XCTAssertNil(hidden, "seed \(seed): an end is hidden")
        }
    }
}
