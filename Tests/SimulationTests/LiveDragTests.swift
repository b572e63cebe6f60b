import Settle
import TestSupport
import XCTest

/// What live rebuilds take and show while a person drags, with the engine, the loop and the rebuilder as they
/// are: rule 18's share and limit, and the budget of several scenes.
final class LiveDragTests: XCTestCase {
    private static let millisecond = LiveDragWorld.millisecond

    /// A window's first build, and a drag.
    private func drag(
        _ world: LiveDragWorld, seconds: Int, period: UInt64 = LiveDragTests.millisecond,
        file: StaticString = #filePath, line: UInt = #line
    ) {
        world.show()
        world.drag(seconds: seconds, period: period)
        world.rest()
        XCTAssertTrue(world.isIdle, file: file, line: line)
        XCTAssertTrue(world.isShown, "another size than the last is shown", file: file, line: line)
    }

    private func milliseconds(_ nanoseconds: UInt64) -> String { "\(Double(nanoseconds) / 1e6) ms" }

    private func assertWork(
        _ world: LiveDragWorld, atMost percent: UInt64, plus build: UInt64, file: StaticString = #filePath,
        line: UInt = #line
    ) {
        let work = world.mostWork(within: 10)
        print("live drag: live builds work \(milliseconds(work)) within 10 s, \(world.lives()) of them")
        XCTAssertLessThanOrEqual(
            work, 100 * percent * Self.millisecond + build, milliseconds(work), file: file, line: line)
    }

    func testShortBuildsKeepWhatIsShownYoung() throws {
        for period in [Self.millisecond, Self.millisecond * 1000 / 60] {
            let world = try LiveDragWorld(.live) { _, _ in (2 * Self.millisecond, false) }
            drag(world, seconds: 12, period: period)
            let age = world.age(percent: 95)
            print("live drag: shown for \(milliseconds(age)) at p95, at most \(milliseconds(world.age(percent: 100)))")
            XCTAssertLessThanOrEqual(age, 40 * Self.millisecond, milliseconds(age))
            assertWork(world, atMost: 30, plus: 2 * Self.millisecond)
            XCTAssertGreaterThan(world.lives(), 12 * 1000 / 40)
        }
    }

    func testLongBuildsWithoutALimitKeepTheShare() throws {
        var policy = Policy.live
        policy.liveLimit = nil
        for period in [Self.millisecond, Self.millisecond * 1000 / 60] {
            let world = try LiveDragWorld(policy) { _, _ in (80 * Self.millisecond, false) }
            drag(world, seconds: 25, period: period)
            assertWork(world, atMost: 30, plus: 80 * Self.millisecond)
            XCTAssertGreaterThan(world.mostWork(within: 10), 2_500 * Self.millisecond, "it is used")
        }
    }

    func testBuildsOfAnyLengthKeepTheShare() throws {
        var policy = Policy.live
        policy.liveLimit = nil
        for seed: UInt64 in 0..<4 {
            var random = SplitMix64(seed: seed)
            let world = try LiveDragWorld(policy) { _, _ in
                (UInt64(random.below(60_000)) * 1_000, false)
            }
            drag(world, seconds: 15)
            assertWork(world, atMost: 30, plus: 60 * Self.millisecond)
        }
    }

    func testBuildsThatFailPayAsWell() throws {
        let world = try LiveDragWorld(.live) { number, now in
            (8 * Self.millisecond, number % 3 == 1 && now < 12_500 * Self.millisecond)
        }
        drag(world, seconds: 12)
        assertWork(world, atMost: 30, plus: 8 * Self.millisecond)
        XCTAssertGreaterThan(world.lives(), 100)
    }

    func testABuildOfSeveralLimitsCountsSeveralTimes() throws {
        // 80 ms are five limits: while the hand moves, each is paid for in 5 × 80 / 0.3 ms.
        let slow = try LiveDragWorld(.live) { _, _ in (80 * Self.millisecond, false) }
        drag(slow, seconds: 12)
        XCTAssertTrue((8...10).contains(slow.lives()), "\(slow.lives())")
        // Builds that become longer within the drag.
        let slowing = try LiveDragWorld(.live) { _, now in
            (now < 5_000 * Self.millisecond ? 2 * Self.millisecond : 80 * Self.millisecond, false)
        }
        drag(slowing, seconds: 12)
        XCTAssertGreaterThan(slowing.lives(), 50)
        XCTAssertTrue((5...7).contains(slowing.lives(longerThan: 16 * Self.millisecond)))
    }

    func testOneBuildIsInFlightAndTheEndCancelsIt() throws {
        var policy = Policy.live
        (policy.liveSharePercent, policy.liveLimit, policy.liveInterval) = (100, nil, .zero)
        let world = try LiveDragWorld(policy) { _, _ in (7 * Self.millisecond, false) }
        drag(world, seconds: 2)
        let live = world.builds.filter { $0.reason == .live }
        for (before, after) in zip(live, live.dropFirst()) {
            XCTAssertGreaterThanOrEqual(after.start, before.end)
            XCTAssertFalse(before.isCancelled, "no live decision cancels a build")
        }
        // The drag ends within a build, at another size: that is built at once, and alone.
        XCTAssertEqual(world.builds.last?.reason, .interactionEnded)
        XCTAssertEqual(world.builds.last?.start, live.last?.end)
        XCTAssertEqual(live.last?.isCancelled, true)
    }

    func testTwoScenesTakeTwiceTheShareUnlessTheyHaveABudget() throws {
        var policy = Policy.live
        policy.liveInterval = .zero
        for (budget, atLeast, atMost) in [(nil, 55, 60), (30, 27, 30)] as [(Int?, UInt64, UInt64)] {
            let world = try LiveDragWorld(policy, scenes: 2, budget: budget) { _, _ in (10 * Self.millisecond, false) }
            drag(world, seconds: 15)
            let age = milliseconds(world.age(percent: 95))
            print(
                "live drag: two scenes, a budget of \(budget.map { "\($0) %" } ?? "nothing"): shown for \(age) at p95")
            assertWork(world, atMost: atMost, plus: (budget == nil ? 20 : 10) * Self.millisecond)
            XCTAssertGreaterThan(world.mostWork(within: 10), atLeast * 100 * Self.millisecond)
            for scene in 0..<2 {
                let lives = world.builds.count { $0.scene == scene && $0.reason == .live }
                XCTAssertGreaterThan(lives * 5, world.lives() * 2, "each has its part")
            }
        }
    }
}
