import Settle
import TestSupport
import XCTest

@testable import SettleLog

/// The log rule, and that the replay, the validator and the engine read it the same way.
final class SceneBindingsTests: XCTestCase {
    private let folder = TemporaryFolder()
    private func at(_ nanoseconds: UInt64) -> Timestamp { Timestamp(nanoseconds: nanoseconds) }

    private func binding(_ bindings: inout SceneBindings<Int>, _ event: LogEvent, _ next: Int) -> String {
        switch bindings.bind(event, connect: { next }) {
        case .pointer: "pointer"
        case .bound(let target): "bound \(target)"
        case .newlyBound(let target): "new \(target)"
        case .rejected: "rejected"
        }
    }

    func testAnEventOfAnUnknownOrDisconnectedSceneConnectsItAnew() {
        var bindings = SceneBindings<Int>()
        let (a, b) = (SceneNumber(rawValue: 0), SceneNumber(rawValue: 7))
        XCTAssertEqual(binding(&bindings, .disconnect(a, at: at(1)), 1), "rejected")
        XCTAssertEqual(binding(&bindings, .geometry(a, at: at(1)), 2), "new 2")
        XCTAssertEqual(binding(&bindings, .connect(a, at: at(1)), 3), "bound 2")
        XCTAssertEqual(binding(&bindings, .connect(b, at: at(1)), 4), "new 4")
        XCTAssertEqual(binding(&bindings, .pointer(button: 0, at: at(1), isPressed: true), 5), "pointer")
        XCTAssertEqual(bindings.connected, [a, b])
        XCTAssertEqual(binding(&bindings, .disconnect(a, at: at(1)), 6), "bound 2")
        XCTAssertEqual(binding(&bindings, .disconnect(a, at: at(1)), 7), "rejected")
        XCTAssertEqual(binding(&bindings, .geometry(a, at: at(1)), 8), "new 8")
        XCTAssertEqual(bindings.connected, [a, b])
    }

    func testASceneWhoseTargetIsRefusedStaysUnknown() {
        struct Refusal: Error {}
        var bindings = SceneBindings<Int>()
        let a = SceneNumber(rawValue: 3)
        XCTAssertThrowsError(try bindings.bind(.connect(a, at: at(1))) { throw Refusal() })
        XCTAssertEqual(bindings.connected, [])
        XCTAssertEqual(binding(&bindings, .disconnect(a, at: at(1)), 1), "rejected")
    }

    /// A disconnect that every engine rejects, for its time, leaves its scene connected: in bindings, and in an engine.
    func testARejectedDisconnectDisconnectsNothing() throws {
        let a = SceneNumber(rawValue: 0)
        let late = LogEvent.disconnect(a, at: at(.max))
        var bindings = SceneBindings<Int>()
        XCTAssertEqual(binding(&bindings, .connect(a, at: at(1)), 1), "new 1")
        XCTAssertEqual(binding(&bindings, late, 2), "bound 1")
        XCTAssertEqual(binding(&bindings, .connect(a, at: at(1)), 3), "bound 1")
        var engine = try LogEngine(policy: .uikit, scenesMax: 2, decisionsMax: 8)
        var rebuilds = 0
        for event in [
            LogEvent.geometry(a, at: at(1), size: Size(width: 3, height: 4)), late,
            .geometry(a, at: at(2), size: Size(width: 3, height: 4)),
        ] {
            try engine.submit(event) { decision, _ in if case .rebuild = decision.kind { rebuilds += 1 } }
        }
        engine.advance(to: at(3)) { decision, _ in if case .rebuild = decision.kind { rebuilds += 1 } }
        XCTAssertEqual(rebuilds, 1, "the same scene, of the size that is built")
        XCTAssertEqual(engine.statistics.rejectedEvents, 1)
        XCTAssertEqual(engine.connected, [a])
    }

    /// A build's report connects no scene and is none; it is counted as an event, and rejected by the engine.
    func testAReportOfASceneThatIsNotConnectedConnectsNothing() throws {
        let (a, b) = (SceneNumber(rawValue: 0), SceneNumber(rawValue: 3))
        var engine = try LogEngine(policy: .uikit, scenesMax: 2, decisionsMax: 8)
        let batch = EventBatch()
        batch.append(.connect(a, at: at(1)), at: .line(0))
        batch.append(.finished(b, at: at(2), generation: 1, cost: .zero), at: .line(0))
        batch.append(.finished(a, at: at(3), generation: 1, cost: .zero), at: .line(0))
        try engine.submit(batch) { _, _ in }
        XCTAssertEqual(engine.connected, [a])
        XCTAssertEqual(engine.statistics.rejectedScenes, 1)
        XCTAssertEqual([engine.counts.events, engine.counts.scenes], [3, 1])
    }

    func testTheSizeOfASceneIsKnownWhileItIsConnected() throws {
        let (a, b) = (SceneNumber(rawValue: 1), SceneNumber(rawValue: 7))
        var engine = try LogEngine(policy: .uikit, scenesMax: 2, decisionsMax: 8)
        XCTAssertNil(engine.size(of: a))
        try engine.submit(.geometry(a, at: at(1), size: Size(width: 3, height: 4))) { _, _ in }
        XCTAssertEqual(engine.size(of: a), Size(width: 3, height: 4))
        XCTAssertEqual([0, 7].map { engine.size(of: SceneNumber(rawValue: $0)) }, [nil, nil])
        try engine.submit(.connect(b, at: at(2))) { _, _ in }
        try engine.submit(.disconnect(a, at: at(3))) { _, _ in }
        XCTAssertNil(engine.size(of: a))
    }

    /// Events that the engine rejects move no time and connect no scene: the validator finds
    /// exactly what the replay counts.
    func testTheValidatorFindsWhatTheReplayRejects() throws {
        let lines = [
            #"{"t_ns":100,"scene":"a","kind":"disconnect"}"#,
            #"{"t_ns":90,"scene":"a","width":-1,"height":5}"#,
            #"{"t_ns":50,"scene":"a","kind":"disconnect"}"#,
            #"{"t_ns":40,"scene":"a","kind":"disconnect"}"#,
            #"{"t_ns":45,"scene":"b","width":1,"height":5}"#,
            #"{"t_ns":44,"scene":"b","width":1,"height":5}"#,
        ]
        let path = folder.file("faults.jsonl")
        try (jsonHeader + lines.joined(separator: "\n") + "\n").write(toFile: path, atomically: true, encoding: .utf8)
        let replay = try LogReplay(LogReader(path: path), policy: .default)
        while try replay.readNext() { replay.submit { _, _ in } }
        replay.finish { _, _ in }
        var validator = LogValidator(path: path)
        let faults = try validator.run { _, _ in }.faultsByKind
        XCTAssertEqual(faults[.disconnectedScene], replay.summary.rejectedScenes)
        XCTAssertEqual(faults[.disconnectedScene], 3)
        XCTAssertEqual(faults[.rejectedSize], replay.summary.rejectedSizes)
        XCTAssertEqual(faults[.rejectedSize], 1)
        XCTAssertEqual(faults[.timeGoesBack] ?? 0, replay.summary.regressions)
        XCTAssertEqual(replay.summary.regressions, 1)
    }

    func testALogsEventIsAsLargeAsAnEnginesAndSaysTheSame() {
        XCTAssertEqual(MemoryLayout<LogEvent>.size, 32)
        XCTAssertEqual(MemoryLayout<LogEvent>.size, MemoryLayout<Event>.size)
        let (name, scene) = (SceneNumber(rawValue: 4), SceneID(rawValue: 9))
        let size = Size(width: 3, height: 4)
        let event = Event.geometry(
            scene, at: at(5), size: size, isInteractivelyResizing: false, isInterfaceOrientationLocked: true,
            orientation: .landscapeRight)
        let logged = LogEvent.geometry(
            name, at: at(5), size: size, isInteractivelyResizing: false, isInterfaceOrientationLocked: true,
            orientation: .landscapeRight)
        XCTAssertEqual(logged.event(for: scene), event)
        XCTAssertEqual(LogEvent(event, name: name), logged)
        XCTAssertEqual(logged.orientation, .landscapeRight)
        let button = LogEvent.pointer(button: 9, at: at(6), isPressed: true)
        XCTAssertEqual(button.event(for: SceneID(rawValue: 1)), .pointer(button: 9, at: at(6), isPressed: true))
        XCTAssertNil(LogEvent(.flush(scene, at: at(1)), name: name), "a request is no event of a log")
    }

    /// A scene that disconnects in a batch makes room for one that connects in it.
    func testAScenesCapacityIsFreeOnceItsDisconnectWasSubmitted() throws {
        var engine = try LogEngine(policy: .uikit, scenesMax: 1, decisionsMax: 8)
        var built: [UInt32] = []
        let batch = EventBatch()
        for number in 0..<1000 {
            let name = SceneNumber(rawValue: UInt32(number))
            batch.append(.geometry(name, at: at(UInt64(number)), size: Size(width: 3, height: 4)), at: .line(0))
            batch.append(.disconnect(name, at: at(UInt64(number + 1))), at: .line(0))
        }
        try engine.submit(batch) { decision, scene in
            if case .rebuild = decision.kind { built.append(scene.rawValue) }
        }
        XCTAssertEqual(built, Array(0..<1000))
        try engine.submit(.connect(SceneNumber(rawValue: 1), at: at(2000))) { _, _ in }
        XCTAssertThrowsError(try engine.submit(.connect(SceneNumber(rawValue: 2), at: at(2000))) { _, _ in })
    }

    /// Where an engine is full, each event is submitted once all the same.
    func testADisconnectLeavesItsPlaceToTheNextSceneOfABatch() throws {
        let scenes = SceneNames()
        let events = (0..<20).map { number -> LogEvent in
            let scene = scenes.number(of: "\(number / 4)")
            let at = Timestamp(nanoseconds: UInt64(number) * 1_000_000)
            if number % 4 == 3 { return .disconnect(scene, at: at) }
            return .geometry(
                scene, at: at, size: Size(width: Double(1 + number), height: 5), isInteractivelyResizing: number % 4 < 2
            )
        }
        func decided(inBatchesOf count: Int) throws -> [String] {
            var engine = try LogEngine(policy: .default, scenesMax: 1, decisionsMax: 64)
            var decisions: [String] = []
            for start in stride(from: 0, to: events.count, by: count) {
                let batch = EventBatch()
                for event in events[start...].prefix(count) { batch.append(event) }
                try engine.submit(batch) { decisions.append("\($1): \($0.at) \($0.kind)") }
            }
            XCTAssertEqual(engine.counts.events, events.count)
            XCTAssertEqual(engine.statistics.rejectedScenes, 0)
            return decisions
        }
        let alone = try decided(inBatchesOf: 1)
        XCTAssertGreaterThan(alone.count, 9)
        for count in [2, 3, 5, 20] { XCTAssertEqual(try decided(inBatchesOf: count), alone) }
    }
}
