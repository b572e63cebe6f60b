import Settle
import TestSupport
import XCTest

/// Thousands of scenes with delays from a nanosecond to hours. What fires and in
/// which order follows from the events alone, without any queue: a deadline stands
/// unless the scene's next event comes before it.
final class DeadlineQueueTests: XCTestCase {
    private struct Rebuilt: Equatable {
        var at: UInt64
        var order: Int
        var scene: Int
        var width: Double
    }

    func testQueue_ordersDelaysOfEveryLengthOverLongSpans() throws {
        for seed: UInt64 in 1...2 { try run(seed: seed, sceneCount: 2_000, eventCount: 30_000) }
    }

    func testQueue_ordersFewScenesOverVeryLongSpans() throws {
        for seed: UInt64 in 1...40 { try run(seed: seed, sceneCount: 1 + Int(seed % 7), eventCount: 300) }
    }

    func testQueue_aNearDeadlineOvertakesTheLocksFarOne() throws {
        // Not asked for its next deadline in between, which would look at every link anew.
        var engine = try Engine(policy: .drawn(lockDelay: .seconds(3_600)))
        var decided: [String] = []
        let scene = try engine.connect()
        // Armed and disarmed before, so that an old deadline might be mistaken for the new one.
        let events: [Event] = [
            .at(0, scene, .a), .at(50, scene, .b), .at(60, scene, .a), .at(70, scene, locked: true),
            .at(1_000, scene), .at(2_000, scene, .b), .at(3_000, scene),
        ]
        for event in events { engine.submit(event) { decided.append($0.text) } }
        XCTAssertEqual(decided, ["40 rebuild 100×100 first", "2040 rebuild 110×100 quiet"])
        engine.finish { decided.append($0.text) }
        XCTAssertEqual(decided.last, "3600070 locked")
    }

    func testQueue_scenesThatLeaveItsMiddleLeaveTheOthersInOrder() throws {
        for seed: UInt64 in 1...40 { try leave(seed: seed, sceneCount: 100) }
    }

    /// Deadlines so close that all of them are sorted at once, of which half go away.
    private func leave(seed: UInt64, sceneCount: Int) throws {
        var random = SplitMix64(seed: seed)
        let delays = (0..<sceneCount).map { _ in UInt64(60_000_000 + random.below(100_000)) }
        var engine = try Engine(.init(policiesMax: sceneCount + 1))
        var scenes = try delays.map { try engine.connect(policy: .waiting($0)) }
        let due = Dictionary(uniqueKeysWithValues: zip(scenes, delays))
        for scene in scenes { engine.submit(Event.at(0, scene, .a)) { XCTFail("\($0)") } }
        XCTAssertEqual(engine.nextDeadline?.nanoseconds, delays.min())
        scenes.shuffle(using: &random)
        for scene in scenes.suffix(sceneCount / 2) {
            engine.submit(Event.disconnect(scene, at: Timestamp(nanoseconds: 0))) { XCTFail("\($0)") }
        }
        var decided: [UInt64] = []
        engine.finish { decision in
            XCTAssertEqual(decision.at.nanoseconds, due[decision.scene], "seed \(seed)")
            decided.append(decision.at.nanoseconds)
        }
        XCTAssertEqual(decided, scenes.dropLast(sceneCount / 2).compactMap { due[$0] }.sorted(), "seed \(seed)")
    }

    /// Hundreds of deadlines in one bucket, so in one heap: of any number of children, some
    /// leave from anywhere in it, and some come back or go to its end.
    func testQueue_aDeepHeapStaysInOrderWhateverLeavesItOrMoves() throws {
        for seed: UInt64 in 1...12 {
            try reorder(seed: seed, sceneCount: 560 + Int(seed), leavingPercent: 5 * Int(seed))
        }
    }

    /// A heap of four children a node, drawn so that the scene that leaves has a neighbour
    /// whose branch begins early: only its own children may take its place.
    func testQueue_aSceneThatLeavesTheMiddleIsReplacedFromItsOwnBranch() throws {
        for sceneCount in 38...60 {
            var delays = (0..<sceneCount).map { 1_000 + 10 * $0 }
            for (position, delay) in [(0, 0), (1, 500), (2, 100), (8, 600), (9, 110), (37, 120)] {
                delays[position] = delay
            }
            let start = 229 << 18
            var engine = try Engine(.init(scenesMax: sceneCount, policiesMax: sceneCount + 1))
            let scenes = try delays.map {
                try engine.connect(policy: .waiting(UInt64(start + $0)))
            }
            for scene in scenes { engine.submit(Event.at(0, scene, .a)) { XCTFail("\($0)") } }
            XCTAssertEqual(engine.nextDeadline?.nanoseconds, UInt64(start))
            engine.submit(Event.disconnect(scenes[8], at: Timestamp(nanoseconds: 0))) { XCTFail("\($0)") }
            delays.remove(at: 8)
            var decided: [Int] = []
            engine.finish { decided.append(Int($0.at.nanoseconds) - start) }
            XCTAssertEqual(decided, delays.sorted(), "\(sceneCount) scenes")
        }
    }

    private func reorder(seed: UInt64, sceneCount: Int, leavingPercent: Int) throws {
        var random = SplitMix64(seed: seed)
        // A bucket is 2^18 ns long.
        let start: UInt64 = 229 << 18
        var engine = try Engine(.init(scenesMax: sceneCount, policiesMax: sceneCount + 2))
        var due: [SceneID: UInt64] = [:]
        for _ in 0..<sceneCount {
            let delay = start + UInt64(random.below(1 << 18))
            let scene = try engine.connect(policy: .waiting(delay))
            due[scene] = delay
            engine.submit(Event.at(0, scene, .a)) { XCTFail("\($0)") }
        }
        XCTAssertEqual(engine.nextDeadline?.nanoseconds, due.values.min())
        for scene in due.keys.sorted(by: { $0.rawValue < $1.rawValue }).shuffled(using: &random) {
            switch random.below(100) {
            case 0..<leavingPercent:
                engine.submit(Event.disconnect(scene, at: Timestamp(nanoseconds: 0))) { XCTFail("\($0)") }
                due[scene] = nil
            case 90...:
                // Later by a nanosecond, which its place in the heap does not show.
                engine.submit(.geometry(scene, at: Timestamp(nanoseconds: engine.now.nanoseconds + 1), size: .b)) {
                    XCTFail("\($0)")
                }
                due[scene]! += engine.now.nanoseconds
            default: break
            }
            if random.chance(5) { XCTAssertEqual(engine.nextDeadline?.nanoseconds, due.values.min()) }
        }
        var decided: [SceneID: UInt64] = [:]
        var last: UInt64 = 0
        engine.finish { decision in
            XCTAssertGreaterThanOrEqual(decision.at.nanoseconds, last, "seed \(seed)")
            last = decision.at.nanoseconds
            decided[decision.scene] = last
        }
        XCTAssertTrue(decided == due, "seed \(seed)")
    }

    private func run(seed: UInt64, sceneCount: Int, eventCount: Int) throws {
        var random = SplitMix64(seed: seed)
        let delays: [UInt64] = (0..<sceneCount).map { _ in random.anyLength(upTo: 44) }
        var engine = try Engine(
            .init(scenesMax: sceneCount, decisionsMax: 1 + random.below(100), policiesMax: sceneCount + 1))
        let scenes = try delays.map {
            try engine.connect(policy: .waiting($0))
        }
        // Of scenes that report: only the wait of rule 16 is bounded by an hour.
        for scene in scenes {
            for isResizing in [true, false] {
                engine.submit(.geometry(scene, at: .zero, isInteractivelyResizing: isResizing)) { _ in }
            }
        }
        var numbers = engine.makeSceneTable(of: Int.self)
        for (number, scene) in scenes.enumerated() { numbers[scene] = number }
        var decided: [Rebuilt] = []
        let deliver: (Decision) -> Void = { [numbers] decision in
            guard let rebuild = decision.rebuild, let scene = numbers[decision.scene] else {
                return XCTFail("seed \(seed): \(decision)")
            }
            decided.append(
                Rebuilt(at: decision.at.nanoseconds, order: 0, scene: scene, width: rebuild.size.width))
        }

        var armed: [Rebuilt?] = Array(repeating: nil, count: sceneCount)
        var expected: [Rebuilt] = []
        var now: UInt64 = 0
        for order in 1...eventCount {
            now += random.chance(60) ? random.anyLength(upTo: 20) : random.anyLength(upTo: 38)
            let scene = random.below(sceneCount)
            // Every event has a size of its own, so a rebuild is pending for each of them.
            let width = Double(order)
            engine.submit(
                .geometry(
                    scenes[scene], at: Timestamp(nanoseconds: now), size: Size(width: width, height: 1)),
                deliver: deliver)
            if let last = armed[scene], last.at <= now { expected.append(last) }
            armed[scene] = Rebuilt(at: now + delays[scene], order: order, scene: scene, width: width)
            guard order % 100 == 0 else { continue }
            // What this event armed waits even when it is due; all else that is due has fired.
            let next = armed.compactMap { $0 }.filter { $0.at > now || $0.order == order }.map(\.at).min()
            XCTAssertEqual(engine.nextDeadline?.nanoseconds, next, "seed \(seed), event \(order)")
        }
        engine.finish(deliver: deliver)
        expected += armed.compactMap { $0 }
        expected.sort { ($0.at, $0.order) < ($1.at, $1.order) }
        for index in expected.indices { expected[index].order = 0 }
        XCTAssertEqual(decided.count, expected.count, "seed \(seed)")
        if let at = zip(decided, expected).enumerated().first(where: { $1.0 != $1.1 }) {
            XCTFail("seed \(seed), decision \(at.offset): \(at.element)")
        }
    }
}

extension Policy {
    /// So long before a first build, and after a change on a scene that reports.
    fileprivate static func waiting(_ nanoseconds: UInt64) -> Policy {
        let delay = Duration.nanoseconds(Int64(nanoseconds))
        return Policy(firstDelay: delay, discreteDelay: delay, interactionTimeout: nil)
    }
}

extension SplitMix64 {
    /// A length of any magnitude: every number of bits up to `bits` is as likely.
    fileprivate mutating func anyLength(upTo bits: Int) -> UInt64 { next() >> UInt64(64 - 1 - below(bits)) }
}
