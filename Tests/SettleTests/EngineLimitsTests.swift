import Settle
import TestSupport
import XCTest

/// Every bound of the engine, at the bound and one beyond it.
final class EngineLimitsTests: XCTestCase {
    private func assertRefused(_ expected: EngineError, line: UInt = #line, _ call: () throws -> Void) {
        XCTAssertThrowsError(try call(), line: line) { XCTAssertEqual($0 as? EngineError, expected, line: line) }
    }

    // MARK: Policies

    /// Each duration is out of range, until it is repaired.
    func testPolicy_theFirstDurationOutOfRangeIsRefusedByName() throws {
        try expectRepairs(of: .nanoseconds(-1))
        try expectRepairs(of: Policy.longestDelay + .nanoseconds(1))
    }

    private func expectRepairs(of wrong: Duration) throws {
        var engine = try Engine()
        var policy = Policy(
            firstDelay: wrong, reportedEndDelay: wrong, releasedEndDelay: wrong, discreteDelay: wrong,
            quietDelay: wrong, jumpDelay: wrong, calmDelay: wrong, lockDelay: wrong, pauseDelay: wrong,
            pauseSharePercent: 0, maximumWait: wrong, interactionTimeout: wrong, liveSharePercent: 0, liveLimit: wrong,
            liveInterval: wrong, livePause: wrong)
        let repairs: [(name: String, most: Duration, repair: (inout Policy) -> Void)] = [
            ("firstDelay", Policy.longestDelay, { $0.firstDelay = .zero }),
            ("reportedEndDelay", Policy.longestDelay, { $0.reportedEndDelay = .zero }),
            ("releasedEndDelay", Policy.longestDelay, { $0.releasedEndDelay = .zero }),
            ("discreteDelay", Policy.longestDelay, { $0.discreteDelay = .zero }),
            ("quietDelay", Policy.longestDelay, { $0.quietDelay = Policy.longestDelay }),
            ("jumpDelay", Policy.longestDelay, { $0.jumpDelay = nil }),
            ("calmDelay", Policy.longestDelay, { $0.calmDelay = .zero }),
            ("lockDelay", Policy.longestDelay, { $0.lockDelay = Policy.longestDelay }),
            ("pauseDelay", Policy.longestDelay, { $0.pauseDelay = .zero }),
            ("pauseShare", .zero, { $0.pauseSharePercent = 100 }),
            ("maximumWait", Policy.longestDelay, { $0.maximumWait = Policy.longestDelay }),
            ("interactionTimeout", Policy.longestDelay, { $0.interactionTimeout = nil }),
            ("liveShare", .zero, { $0.liveSharePercent = 1 }),
            ("liveLimit", Policy.longestDelay, { $0.liveLimit = nil }),
            ("liveInterval", Policy.longestDelay, { $0.liveInterval = .zero }),
            ("livePause", Policy.longestDelay, { $0.livePause = nil }),
        ]
        XCTAssertEqual(repairs.map(\.name), Policy.names)
        for (name, most, repair) in repairs {
            let error = EngineError.durationOutOfRange(name: name, value: wrong, most: most)
            let isShare = name.hasSuffix("Share")
            let refusal = isShare ? EngineError.boundOutOfRange(name: name, value: 0, allowed: 1...100) : error
            assertRefused(refusal) { try policy.validate() }
            assertRefused(refusal) { _ = try Engine(policy: policy) }
            assertRefused(refusal) { _ = try engine.connect(policy: policy) }
            repair(&policy)
        }
        XCTAssertEqual(engine.statistics.scenes, 0)
        try policy.validate()
        _ = try Engine(policy: policy)
    }

    func testPolicy_theLongestDelayIs2To60Nanoseconds() throws {
        XCTAssertEqual(Policy.longestDelay, .nanoseconds(1 << 60))
        let longest = Policy.longestDelay
        let engine = try CheckedEngine(
            Policy(
                firstDelay: longest, reportedEndDelay: longest, releasedEndDelay: longest, discreteDelay: longest,
                jumpDelay: longest, lockDelay: longest, pauseDelay: longest, maximumWait: longest,
                interactionTimeout: longest))
        let scene = try engine.connect()
        engine.submit(.at(0, scene, .a, locked: true))
        XCTAssertEqual(engine.nextDeadline, Timestamp(nanoseconds: 1 << 60))
        engine.finish()
        XCTAssertEqual(engine.decisions.count, 2)
    }

    func testPolicy_policiesMaxCountsDifferentPoliciesAndTheEnginesOwn() throws {
        var engine = try Engine(.init(policy: .default, policiesMax: 2))
        _ = try engine.connect(policy: .default)
        _ = try engine.connect(policy: .uikit)
        _ = try engine.connect(policy: .uikit)
        assertRefused(.tooManyPolicies(2)) { _ = try engine.connect(policy: .drawn) }
        XCTAssertEqual(engine.statistics.scenes, 3)
    }

    func testPolicy_fractionsOfANanosecondMakeNoOtherPolicy() throws {
        func policy(_ attoseconds: Int64, _ wait: Int64? = nil) -> Policy {
            let delay = Duration(secondsComponent: 1, attosecondsComponent: attoseconds)
            return Policy(discreteDelay: delay, maximumWait: wait.map { .nanoseconds($0) })
        }
        var engine = try Engine(.init(policy: policy(7), policiesMax: 3))
        for attoseconds: Int64 in [0, 1, 999_999_999] {
            _ = try engine.connect(policy: policy(attoseconds))
            _ = try engine.connect(policy: policy(attoseconds, 0))
            try engine.setPolicy(policy(attoseconds, 5), of: try engine.connect())
        }
        assertRefused(.tooManyPolicies(3)) { _ = try engine.connect(policy: policy(1_000_000_000)) }
    }

    func testPolicy_theOldOneCountsUntilItIsReplaced() throws {
        var engine = try Engine(.init(policy: .default, policiesMax: 2))
        let scene = try engine.connect(policy: .uikit)
        assertRefused(.tooManyPolicies(2)) { try engine.setPolicy(.drawn, of: scene) }
        try engine.setPolicy(engine.configuration.policy, of: scene)
        try engine.setPolicy(.drawn, of: scene)
    }

    func testPolicy_thousandsMayFollowOneAnotherAsScenesComeAndGo() throws {
        var engine = try Engine(.init(policy: .default, policiesMax: 3))
        let lasting = try engine.connect(policy: .uikit)
        for milliseconds in 1...1000 {
            let scene = try engine.connect(policy: .fixed(.milliseconds(milliseconds)))
            engine.submit(.geometry(scene, at: Timestamp(nanoseconds: 0), size: .a)) { _ in }
            XCTAssertEqual(engine.nextDeadline, Timestamp(nanoseconds: UInt64(milliseconds) * 1_000_000))
            engine.submit(.disconnect(scene, at: Timestamp(nanoseconds: 0))) { _ in }
        }
        engine.submit(.geometry(lasting, at: Timestamp(nanoseconds: 5), size: .a)) { _ in }
        XCTAssertEqual(engine.nextDeadline, Timestamp(nanoseconds: 5), "a policy in use is kept")
    }

    func testPolicy_canChangeWhileASceneLives() throws {
        var engine = try Engine(.init(policy: .default, policiesMax: 2))
        let scene = try engine.connect()
        try engine.setPolicy(.uikit, of: scene)
        engine.submit(.geometry(scene, at: Timestamp(nanoseconds: 5), size: .a)) { _ in }
        XCTAssertEqual(engine.nextDeadline, Timestamp(nanoseconds: 5))
        assertRefused(.tooManyPolicies(2)) { try engine.setPolicy(.drawn, of: scene) }
        engine.submit(.disconnect(scene, at: Timestamp(nanoseconds: 5))) { _ in }
        assertRefused(.unknownScene(scene)) { try engine.setPolicy(.default, of: scene) }
    }

    // MARK: Bounds

    func testBounds_outOfRangeAreRefusedByName() {
        for value in [Int.min, -1, 0, Engine.scenesLimit + 1, Int.max] {
            assertRefused(.boundOutOfRange(name: "scenesMax", value: value, allowed: 1...1 << 20)) {
                _ = try Engine(.init(scenesMax: value))
            }
        }
        for value in [-1, 0, 1 << 24 + 1, Int.max] {
            assertRefused(.boundOutOfRange(name: "decisionsMax", value: value, allowed: 1...1 << 24)) {
                _ = try Engine(.init(decisionsMax: value))
            }
        }
        for value in [-1, 0, 1 << 16 + 1, Int.max] {
            assertRefused(.boundOutOfRange(name: "policiesMax", value: value, allowed: 1...1 << 16)) {
                _ = try Engine(.init(policiesMax: value))
            }
        }
    }

    func testBounds_scenesMaxCountsWhatIsConnected() throws {
        for scenesMax in [1, 2, 3, 64, 65] {
            var engine = try Engine(.init(scenesMax: scenesMax))
            let scenes = try (0..<scenesMax).map { _ in try engine.connect() }
            XCTAssertEqual(Set(scenes).count, scenesMax)
            assertRefused(.tooManyScenes(scenesMax)) { _ = try engine.connect() }
            engine.submit(.disconnect(scenes[scenesMax / 2], at: .ms(0))) { _ in }
            let next = try engine.connect()
            XCTAssertFalse(scenes.contains(next))
            assertRefused(.tooManyScenes(scenesMax)) { _ = try engine.connect() }
        }
    }
}
