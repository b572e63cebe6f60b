import Settle
import TestSupport
import XCTest

/// Rule 16: how long a scene without any end signal must be quiet. Waits are in microseconds.
final class QuietRulesTests: XCTestCase {
    /// A change at a time, and the wait that it arms; `nil` where nothing is pending.
    private struct Step {
        var at: Duration
        var size: Size
        var wait: Duration?

        init(_ at: Duration, _ width: Double, _ height: Double = 400, wait: Duration?) {
            self.at = at
            size = Size(width: width, height: height)
            self.wait = wait
        }
    }

    private let policy = Policy(interactionTimeout: nil)

    /// A scene of 400 × 400, which is built at time 0. Times count from there.
    private func start(_ policy: Policy, _ size: Size = Size(width: 400, height: 400), line: UInt = #line) throws -> (
        CheckedEngine, SceneID
    ) {
        let engine = try CheckedEngine(policy, line: line)
        let scene = try engine.connect()
        engine.submit(.geometry(scene, at: .zero, size: size), .flush(scene, at: .zero))
        return (engine, scene)
    }

    private func run(
        _ policy: Policy, _ steps: [Step], from size: Size = Size(width: 400, height: 400), line: UInt = #line
    ) throws {
        let (engine, scene) = try start(policy, size, line: line)
        for (index, step) in steps.enumerated() {
            let at = Timestamp.zero + step.at
            engine.submit(.geometry(scene, at: at, size: step.size))
            XCTAssertEqual(engine.nextDeadline.map { $0 - at }, step.wait, "step \(index)", line: line)
            XCTAssertEqual(engine.isPending(scene), step.wait != nil, "step \(index)", line: line)
        }
    }

    // MARK: Out of calm

    func testRule16_aSmallChangeOutOfCalmWaitsQuietDelay() throws {
        try run(policy, [Step(.seconds(10), 401, wait: .milliseconds(200))])
        try run(
            policy,
            [Step(.seconds(10), 401, wait: .milliseconds(200)), Step(.seconds(20), 402, wait: .milliseconds(200))])
    }

    func testRule16_anEighthOfBothSidesIsAJump() throws {
        let (jump, other) = (Duration.milliseconds(50), Duration.milliseconds(200))
        let sizes: [(Double, Double, Duration)] = [
            (500, 400, jump), (499, 400, other), (400, 500, jump), (400, 499.999, other), (300, 400, jump),
            (301, 400, other), (450, 450, jump), (449, 450, other), (350, 450, jump), (351, 450, other),
            (500.0.nextDown, 400, other), (500.0.nextUp, 400, jump),
        ]
        for (width, height, wait) in sizes { try run(policy, [Step(.seconds(10), width, height, wait: wait)]) }
    }

    /// The same 100 are an eighth of 400 × 400 and less of 500 × 400.
    func testRule16_aJumpIsMeasuredByTheSizeBefore() throws {
        try run(
            policy,
            [
                Step(.seconds(10), 500, wait: .milliseconds(50)), Step(.seconds(20), 400, wait: .milliseconds(200)),
                Step(.seconds(30), 500, wait: .milliseconds(50)),
            ])
    }

    func testRule16_aJumpIsMeasuredInDoublesAsWritten() throws {
        let huge = Size(width: 1e308, height: 1e308)
        // Both sides are infinite, then only the right one.
        try run(policy, [Step(.seconds(1), 1.5e308, 1e308, wait: .milliseconds(50))], from: huge)
        try run(policy, [Step(.seconds(1), 1.1e308, 1e308, wait: .milliseconds(200))], from: huge)
        let tiny = Double.leastNonzeroMagnitude
        try run(
            policy, [Step(.seconds(1), 2 * tiny, tiny, wait: .milliseconds(50))], from: Size(width: tiny, height: tiny))
    }

    func testRule16_withoutJumpDelayALargeChangeIsLikeAnyOther() throws {
        var policy = policy
        policy.jumpDelay = nil
        try run(policy, [Step(.seconds(10), 4_000, wait: .milliseconds(200))])
    }

    func testRule16_jumpDelayMayBeLongerThanQuietMaximumOrZero() throws {
        for delay in [Duration.zero, .seconds(7_200)] {
            var policy = policy
            policy.jumpDelay = delay
            try run(policy, [Step(.seconds(10), 4_000, wait: delay)])
        }
    }

    /// What is built counts as nothing where no size is known.
    func testRule16_aFirstSizeBesideAReturnedBuildIsAJump() throws {
        let engine = try CheckedEngine(policy)
        let scene = try engine.connect()
        engine.submit(.reallyBuilt(scene, at: .ms(0), size: .a), .at(1_000, scene, .b))
        XCTAssertEqual(engine.finish().map(\.text), ["1050 rebuild 110×100 quiet"])
    }

    // MARK: The cadence

    func testRule16_aGapBelowQuietMaximumIsTheCadence() throws {
        let first = Step(.seconds(10), 401, wait: .milliseconds(200))
        let gaps: [(Duration, Duration)] = [
            (.microseconds(1), .milliseconds(200)), (.milliseconds(100), .milliseconds(200)),
            (.microseconds(100_001), .microseconds(200_002)), (.milliseconds(150), .milliseconds(300)),
            (.milliseconds(250), .milliseconds(500)), (.milliseconds(251), .milliseconds(500)),
            (.microseconds(499_999), .milliseconds(500)), (.nanoseconds(499_999_999), .milliseconds(500)),
            // Calm again: there is no cadence.
            (.milliseconds(500), .milliseconds(200)), (.milliseconds(501), .milliseconds(200)),
        ]
        for (gap, wait) in gaps { try run(policy, [first, Step(first.at + gap, 402, wait: wait)]) }
    }

    func testRule16_aJumpWithinAGapIsNone() throws {
        let first = Step(.seconds(10), 401, wait: .milliseconds(200))
        try run(policy, [first, Step(first.at + .microseconds(499_999), 4_000, wait: .milliseconds(500))])
        try run(policy, [first, Step(first.at + .milliseconds(500), 4_000, wait: .milliseconds(50))])
    }

    func testRule16_theCadenceIsAMovingAverageRoundedDown() throws {
        try run(
            policy,
            [
                Step(.milliseconds(1_000), 401, wait: .milliseconds(200)),
                Step(.milliseconds(1_120), 402, wait: .milliseconds(240)),
                // (7 × 120 + 160) / 8 = 125, (7 × 125 + 80) / 8 = 119.375.
                Step(.milliseconds(1_280), 403, wait: .milliseconds(250)),
                Step(.milliseconds(1_360), 404, wait: .microseconds(238_750)),
            ])
        try run(
            policy,
            [
                Step(.microseconds(1_000_000), 401, wait: .milliseconds(200)),
                Step(.microseconds(1_120_001), 402, wait: .microseconds(240_002)),
                // (7 × 120,001 + 120,000) / 8 = 120,000.875.
                Step(.microseconds(1_240_001), 403, wait: .microseconds(240_000)),
            ])
    }

    func testRule16_aGapIsInWholeMicroseconds() throws {
        try run(
            policy,
            [
                Step(.nanoseconds(1_000_000_999), 401, wait: .milliseconds(200)),
                // 120,000,998 ns, over 120,001 borders of a microsecond.
                Step(.nanoseconds(1_120_001_997), 402, wait: .milliseconds(240)),
                // 120,000,004 ns after that.
                Step(.nanoseconds(1_240_002_001), 403, wait: .milliseconds(240)),
            ])
    }

    func testRule16_aGapIsComparedInWholeMicroseconds() throws {
        var policy = policy
        (policy.quietDelay, policy.quietMaximum) = (.zero, .nanoseconds(1_500))
        let first = Step(.seconds(1), 401, wait: .zero)
        try run(policy, [first, Step(first.at + .nanoseconds(999), 402, wait: .zero)])
        try run(policy, [first, Step(first.at + .nanoseconds(1_999), 402, wait: .nanoseconds(1_500))])
        try run(policy, [first, Step(first.at + .nanoseconds(2_000), 402, wait: .zero)])
    }

    /// A cadence of zero is one: the next gap counts for an eighth.
    func testRule16_twoChangesAtATimeHaveACadenceOfZero() throws {
        try run(
            policy,
            [
                Step(.seconds(1), 401, wait: .milliseconds(200)), Step(.seconds(1), 402, wait: .milliseconds(200)),
                Step(.milliseconds(1_400), 403, wait: .milliseconds(200)),
            ])
    }

    func testRule16_theCadenceOutlivesCalm() throws {
        try run(
            policy,
            [
                Step(.milliseconds(1_000), 401, wait: .milliseconds(200)),
                Step(.milliseconds(1_150), 402, wait: .milliseconds(300)),
                Step(.milliseconds(9_000), 403, wait: .milliseconds(300)),
                Step(.milliseconds(20_000), 4_030, wait: .milliseconds(50)),
                // (7 × 150 + 100) / 8 = 143.75.
                Step(.milliseconds(20_100), 4_031, wait: .microseconds(287_500)),
            ])
    }

    func testRule16_aChangeBackToTheBuiltSizeIsConsulted() throws {
        try run(
            policy,
            [
                Step(.milliseconds(1_000), 401, wait: .milliseconds(200)),
                Step(.milliseconds(1_150), 400, wait: nil),
                Step(.milliseconds(1_450), 401, wait: .microseconds(337_500)),
            ])
    }

    func testRule16_eventsThatChangeNothingAreNotConsulted() throws {
        let (engine, scene) = try start(policy)
        let size = Size(width: 401, height: 400)
        engine.submit(.at(1_000, scene, size), .at(1_090, scene, size), .at(1_100, scene, .zero, locked: true))
        engine.submit(.at(1_150, scene, Size(width: 402, height: 400)))
        XCTAssertEqual(engine.finish().last?.text, "1450 rebuild 402×400 quiet")
    }

    func testRule16_anEarlierEventHasAGapOfZero() throws {
        let (engine, scene) = try start(policy)
        engine.submit(.at(1_000, scene, .a), .at(700, scene, .b))
        XCTAssertEqual(engine.nextDeadline, .ms(1_200))
        // A cadence of zero: 400 ms count for an eighth.
        engine.submit(.at(1_150, scene, .a), .at(1_600, scene, .b))
        XCTAssertEqual(engine.nextDeadline, .ms(1_800))
    }

    // MARK: Where it is not consulted

    func testRule16_changesBeforeTheFirstBuildAreNotConsulted() throws {
        var policy = policy
        policy.firstDelay = .milliseconds(100)
        let engine = try CheckedEngine(policy)
        let scene = try engine.connect()
        engine.submit(.at(0, scene, .a), .at(50, scene, .b), .at(400, scene, .c))
        XCTAssertEqual(engine.decisions.map(\.text), ["150 rebuild 110×100 first"])
        XCTAssertEqual(engine.nextDeadline, .ms(600), "350 ms are no cadence")
    }

    func testRule16_changesInAnInteractionAreNotConsulted() throws {
        let (engine, scene) = try start(policy)
        engine.submit(.at(1_000, scene, Size(width: 401, height: 400)), .press(1_010))
        engine.submit(
            .at(1_020, scene, Size(width: 402, height: 400)), .at(1_100, scene, Size(width: 403, height: 400)))
        engine.submit(.release(1_110))
        // Stems from the interaction, so it is not consulted either.
        engine.submit(.at(1_120, scene, Size(width: 404, height: 400)))
        XCTAssertEqual(engine.nextDeadline, .ms(1_136))
        engine.submit(.at(1_240, scene, Size(width: 405, height: 400)))
        XCTAssertEqual(engine.nextDeadline, .ms(1_240 + 480), "240 ms since the change at 1 s")
        XCTAssertEqual(engine.finish().last?.text, "1720 rebuild 405×400 quiet")
    }

    func testRule16_aSceneThatReportsWaitsDiscreteDelay() throws {
        let (engine, scene) = try start(policy)
        engine.submit(.at(1_000, scene, resizing: true), .at(1_010, scene, resizing: false))
        engine.submit(.at(1_100, scene, Size(width: 900, height: 400)))
        XCTAssertEqual(engine.nextDeadline, .ms(1_150))
        XCTAssertEqual(engine.finish().last?.text, "1150 rebuild 900×400 discrete")
    }

    func testRule16_aFailedBuildThatLeavesNothingIsNotConsulted() throws {
        let (engine, scene) = try start(policy)
        engine.submit(.at(1_000, scene, .a), .at(1_300, scene), .reallyBuilt(scene, at: .ms(1_300), size: nil))
        XCTAssertEqual(
            engine.submit(.at(1_310, scene, .b), .at(1_310, scene)).map(\.text), ["1310 rebuild 110×100 first"])
        engine.submit(.at(1_450, scene, .c))
        XCTAssertEqual(engine.nextDeadline, .ms(1_950), "450 ms since the change at 1 s")
    }

    // MARK: What else it depends on

    func testRule16_aDisconnectForgetsEverything() throws {
        let engine = try CheckedEngine(policy, scenesMax: 1)
        for life in 0..<3 {
            let (scene, start) = (try engine.connect(), life * 1_000)
            engine.submit(.at(start, scene, .a), .at(start + 10, scene, Size(width: 101, height: 100)))
            XCTAssertEqual(engine.nextDeadline, .ms(start + 210))
            engine.submit(.at(start + 160, scene, Size(width: 102, height: 100)))
            XCTAssertEqual(engine.nextDeadline, .ms(start + 460), "a cadence of 150 ms")
            engine.submit(.disconnect(scene, at: .ms(start + 170)))
        }
    }

    func testRule16_anotherPolicyStartsItAnew() throws {
        let (engine, scene) = try start(policy)
        engine.submit(
            .at(1_000, scene, Size(width: 401, height: 400)), .at(1_150, scene, Size(width: 402, height: 400)))
        XCTAssertEqual(engine.nextDeadline, .ms(1_450))
        try engine.setPolicy(Policy(quietDelay: .milliseconds(70)), of: scene)
        XCTAssertEqual(engine.nextDeadline, .ms(1_450), "what is armed stays")
        engine.submit(.at(1_250, scene, Size(width: 403, height: 400)))
        XCTAssertEqual(engine.nextDeadline, .ms(1_320))
        engine.submit(.at(1_300, scene, Size(width: 404, height: 400)))
        XCTAssertEqual(engine.nextDeadline, .ms(1_400), "a cadence of 50 ms")
    }

    func testRule16_aFixedWaitIsAlwaysTheSame() throws {
        let gaps = [0, 1, 99, 100, 101, 199, 200, 201, 5_000]
        var (at, steps) = (1_000, [Step]())
        for (index, gap) in gaps.enumerated() {
            at += gap
            steps.append(Step(.milliseconds(at), Double(500 + 300 * index), wait: .milliseconds(100)))
        }
        try run(.fixed(.milliseconds(100)), steps)
        try run(.uikit, steps.map { Step($0.at, $0.size.width, wait: .zero) })
    }

    func testRule16_maximumWaitCapsItAsWell() throws {
        var policy = policy
        policy.maximumWait = .milliseconds(350)
        let (engine, scene) = try start(policy)
        engine.submit(
            .at(1_000, scene, Size(width: 401, height: 400)), .at(1_150, scene, Size(width: 402, height: 400)))
        XCTAssertEqual(engine.finish().last?.text, "1350 rebuild 402×400 maximumWait")
    }

    func testRule16_theLongestQuietMaximumIsAnHour() throws {
        var policy = policy
        policy.quietMaximum = .seconds(3_600)
        try run(
            policy,
            [
                Step(.seconds(10_000), 401, wait: .milliseconds(200)),
                Step(.seconds(11_700), 402, wait: .seconds(3_400)),
                // (7 × 1,700 + 3,000) / 8 = 1,862.5 s.
                Step(.seconds(14_700), 403, wait: .seconds(3_600)),
            ])
    }

    /// Neither other scenes nor wake-ups, locks and buttons change a wait, and neither does how
    /// the events are submitted.
    func testRule16_dependsOnTheScenesOwnSizesAndTimesAlone() throws {
        for seed: UInt64 in 0..<300 {
            var random = SplitMix64(seed: seed)
            let (quietDelay, policyUnit) = (random.below(3) * 100, random.pick([1, 1_000, 1_000_000]))
            let policy = Policy(
                quietDelay: .nanoseconds(quietDelay * policyUnit),
                quietMaximum: .nanoseconds((quietDelay + random.pick([0, 1, 300])) * policyUnit),
                jumpDelay: random.chance(50) ? .nanoseconds(50 * policyUnit) : nil, interactionTimeout: nil)
            let alone = try CheckedEngine(policy)
            var batched = try Engine(.init(policy: policy, scenesMax: 64))
            var crowded = try Engine(.init(policy: policy, scenesMax: 64))
            let scene = try alone.connect()
            let others = (try batched.connect(), try crowded.connect(), try crowded.connect())
            XCTAssertTrue(others.0 == scene && others.1 == scene, "a scene has the same name in each engine")
            var (at, width, events) = (UInt64(0), 400.0, [Event]())
            for _ in 0..<60 {
                at += UInt64(random.pick([0, 1, 16, 99, 100, 101, 299, 300, 301, 400, 900]) * policyUnit)
                width = random.chance(10) ? 400 : max(1, width * random.pick([1.0, 1.01, 0.99, 1.3, 0.5]))
                let size = Size(width: width, height: 400)
                events.append(.geometry(scene, at: Timestamp(nanoseconds: at), size: size))
            }
            var decided: (batched: [Decision], crowded: [Decision]) = ([], [])
            batched.submit(events.span) { decided.batched.append($0) }
            batched.finish { decided.batched.append($0) }
            for event in events {
                let isLocked = random.chance(50)
                crowded.submit(
                    .geometry(others.2, at: event.at, size: .a, isInterfaceOrientationLocked: isLocked)
                ) { if $0.scene == scene { decided.crowded.append($0) } }
                crowded.submit(event) { if $0.scene == scene { decided.crowded.append($0) } }
                alone.submit(event)
            }
            crowded.finish { if $0.scene == scene { decided.crowded.append($0) } }
            alone.finish()
            XCTAssertEqual(decided.batched, alone.decisions, "seed \(seed)")
            XCTAssertEqual(decided.crowded, alone.decisions, "seed \(seed)")
        }
    }

    /// A longer gap below quietMaximum never shortens the wait, and the wait is in its range.
    func testRule16_aLongerGapNeverShortensTheWait() throws {
        for seed: UInt64 in 0..<100 {
            var random = SplitMix64(seed: seed)
            let history = (0..<random.below(6)).map { _ in random.below(499_999) }
            var last = Duration.zero
            for gap in [0, 1, 50_000, 100_000, 200_000, 300_000, 400_000, 499_999] {
                let (engine, scene) = try start(policy)
                var (at, width) = (Timestamp.ms(10_000), 400.0)
                for gap in [0] + history + [gap] {
                    at = at + .microseconds(gap)
                    width += 1
                    engine.submit(.geometry(scene, at: at, size: Size(width: width, height: 400)))
                }
                let wait = try XCTUnwrap(engine.nextDeadline) - at
                XCTAssertGreaterThanOrEqual(wait, max(last, policy.quietDelay), "seed \(seed), gap \(gap)")
                XCTAssertLessThanOrEqual(wait, policy.quietMaximum, "seed \(seed), gap \(gap)")
                last = wait
            }
        }
    }
}
