import Foundation
import Settle
import SettlePlatform
import XCTest

@testable import SettleCommand

/// The verifier reports each planted fault, and nothing else.
final class StressVerifierTests: XCTestCase {
    private let scene = SceneID(rawValue: 1)
    private let size = Size(width: 4, height: 3)

    private func decision(_ at: UInt64, _ kind: Decision.Kind) -> Decision {
        Decision(at: Timestamp(nanoseconds: at), scene: scene, kind: kind)
    }

    private func rebuild(_ size: Size, _ generation: UInt32 = 1) -> Decision.Kind {
        .rebuild(Rebuild(size: size, reason: generation == 1 ? .first : .interactionEnded, generation: generation))
    }

    private func rebuild(_ reason: Rebuild.Reason, _ generation: UInt32) -> Decision.Kind {
        .rebuild(Rebuild(size: Size(width: Double(generation), height: 1), reason: reason, generation: generation))
    }

    private func violations(_ decisions: [Decision], lateBy: Int64 = 5, lateLimit: Duration? = nil, sent: Size? = nil)
        -> [String]
    {
        var verifier = StressVerifier(scenes: 1, lateLimit: lateLimit)
        for decision in decisions {
            let delivered = Timestamp(nanoseconds: UInt64(Int64(decision.at.nanoseconds) + lateBy))
            verifier.check(decision, scene: 0, delivered: delivered)
        }
        verifier.checkEnd(scene: 0, sent: sent ?? size)
        XCTAssertEqual(verifier.violationsCount, verifier.violations.count)
        return verifier.violations
    }

    private var drag: [Decision] {
        [
            decision(10, .interactionBegan), decision(20, .interactionEnded(.reported, duration: .zero)),
            decision(30, rebuild(size)),
        ]
    }

    func testALiveRebuildThatIsNotPaidFor() {
        let policy = Policy(liveSharePercent: 25, liveLimit: .nanoseconds(20), liveInterval: .nanoseconds(100))
        let build = StressBuilder.Build(
            generation: 1, end: Timestamp(nanoseconds: 150), cost: .nanoseconds(20))
        func violations(
            at time: UInt64, _ policy: Policy = policy, _ change: (inout StressBuilder.Build) -> Void = { _ in }
        ) -> [String] {
            var (verifier, build) = (StressVerifier(scenes: 1, policy: policy), build)
            change(&build)
            verifier.check(decision(110, rebuild(.first, 1)), scene: 0, delivered: nil)
            verifier.check(decision(time, rebuild(.live, 2)), scene: 0, delivered: nil, lastBuild: build)
            return verifier.violations
        }
        XCTAssertEqual(violations(at: 210), [], "20 ns are paid for after 60")
        XCTAssertEqual(
            violations(at: 209),
            [
                "scene 0: a live rebuild 1 ns before the last build is paid for",
                "scene 0: a live rebuild 1 ns early after the last one",
            ])
        // The first build counts once, as a cold start; another of two limits twice.
        XCTAssertEqual(violations(at: 214) { $0.cost = .nanoseconds(21) }, [])
        func again(at time: UInt64, _ policy: Policy = policy) -> [String] {
            var verifier = StressVerifier(scenes: 1, policy: policy)
            verifier.check(decision(0, rebuild(.first, 1)), scene: 0, delivered: nil)
            verifier.check(decision(1, rebuild(.quiet, 2)), scene: 0, delivered: nil)
            let build = StressBuilder.Build(
                generation: 2, end: Timestamp(nanoseconds: 150), cost: .nanoseconds(21))
            verifier.check(decision(time, rebuild(.live, 3)), scene: 0, delivered: nil, lastBuild: build)
            return verifier.violations
        }
        XCTAssertEqual(again(at: 150 + 2 * 4 * 21 - 21), [])
        XCTAssertEqual(
            again(at: 150 + 2 * 4 * 21 - 22), ["scene 0: a live rebuild 1 ns before the last build is paid for"])
        XCTAssertEqual(again(at: 150 + 4 * 21 - 21, Policy(liveSharePercent: 25, liveInterval: .zero)), [])
        var resting = policy
        resting.livePause = .zero
        XCTAssertEqual(again(at: 150 + 4 * 21 - 21, resting), [])
        XCTAssertEqual(
            violations(at: 999) { $0.generation = 0 },
            ["scene 0: a live rebuild while the build of rebuild 1 is in flight"])
        XCTAssertEqual(violations(at: 999, .default), ["scene 0: a live rebuild without a liveShare"])
    }

    func testARightRunHasNoViolation() { XCTAssertEqual(violations(drag), []) }

    func testAnEarlyDecision() {
        XCTAssertEqual(violations([drag[2]], lateBy: -3), ["scene 0: a decision of 3 ns later was delivered early"])
    }

    func testALateDecision() {
        let limit = Duration.milliseconds(100)
        XCTAssertEqual(violations(drag, lateBy: 100_000_000, lateLimit: limit), [])
        XCTAssertEqual(
            violations([drag[2]], lateBy: 101_000_000, lateLimit: limit),
            ["scene 0: a decision was delivered 101 ms late; the limit is 100 ms"])
        XCTAssertEqual(violations([drag[2]], lateBy: 101_000_000), [], "there is no limit")
        var verifier = StressVerifier(scenes: 1, lateLimit: .zero)
        verifier.check(drag[2], scene: 0, delivered: nil)
        XCTAssertEqual(verifier.violationsCount, 0, "what the final stop decides has no lateness")
    }

    func testADecisionAheadOfItsTimeAtTheEndIsNotEarly() {
        var verifier = StressVerifier(scenes: 1)
        verifier.check(drag[2], scene: 0, delivered: nil)
        XCTAssertEqual(verifier.violationsCount, 0)
    }

    func testARebuildWithinAnInteraction() {
        let decisions = [drag[0], decision(15, rebuild(size)), drag[1]]
        XCTAssertEqual(violations(decisions), ["scene 0: a rebuild for 4×3 within an interaction"])
    }

    func testAWrongOrMissingLastSize() {
        XCTAssertEqual(
            violations(drag, sent: Size(width: 5, height: 3)), ["scene 0: 5×3 was sent last, and 4×3 is built"])
        XCTAssertEqual(violations([]), ["scene 0: 4×3 was sent last, and 0×0 is built"])
    }

    func testInteractionsThatDoNotAlternate() {
        XCTAssertEqual(violations([drag[0]] + drag), ["scene 0: an interaction began within another"])
        XCTAssertEqual(violations([drag[1], drag[2]]), ["scene 0: an interaction ended that had not begun"])
        XCTAssertEqual(
            violations([drag[2], decision(40, .interactionBegan)]), ["scene 0: an interaction is still open at the end"]
        )
    }

    func testOrderRepetitionAndGenerations() {
        XCTAssertEqual(
            violations([decision(40, .lockChanged(isLocked: true)), drag[2]]),
            ["scene 0: a decision is earlier than the one before it"])
        XCTAssertEqual(
            violations([drag[2], drag[0].at(32), drag[1].at(33), decision(40, rebuild(size, 2))]),
            ["scene 0: 4×3 is built again"])
        XCTAssertEqual(
            violations([drag[0], drag[1], decision(40, rebuild(.flush, 2))], sent: Size(width: 2, height: 1)),
            ["scene 0: generation 2 follows 0"])
    }

    func testPreviewsOfNewSizes() {
        let (a, b) = (Size(width: 1, height: 1), Size(width: 2, height: 1))
        func preview(_ size: Size, _ generation: UInt32) -> Decision.Kind { .preview(size, generation: generation) }
        let right: [Decision.Kind] = [
            rebuild(size), .interactionBegan, preview(a, 1), preview(b, 2), preview(a, 3),
            .interactionEnded(.timeout, duration: .zero), .interactionBegan, preview(a, 4),
            .interactionEnded(.reported, duration: .zero),
        ]
        func told(_ kinds: [Decision.Kind]) -> [String] {
            violations(kinds.enumerated().map { decision(UInt64($0.offset), $0.element) })
        }
        XCTAssertEqual(told(right), [])
        XCTAssertEqual(told(right + [preview(b, 5), preview(b, 6)]), [], "it came back to what is built meanwhile")
        XCTAssertEqual(told(right + [preview(b, 4)]), ["scene 0: preview 4 follows 4"])
        XCTAssertEqual(
            told(Array(right.prefix(2)) + [preview(size, 1)] + right.suffix(1)),
            ["scene 0: a preview of 4×3, which is built"])
        XCTAssertEqual(
            told(Array(right.prefix(5)) + [preview(a, 4)] + right.suffix(1)),
            ["scene 0: 1×1 is previewed again in its interaction"])
        XCTAssertEqual(
            told([preview(a, 1), rebuild(size)]), ["scene 0: a preview of 1×1 before the first rebuild"])
    }

    func testARebuildIsPreparedOfTheSizeThatWasPreviewedLast() {
        func told(_ policy: Policy, previewed: [Size], _ size: Size) -> [String] {
            var verifier = StressVerifier(scenes: 1, policy: policy)
            verifier.check(decision(0, rebuild(.first, 1)), scene: 0, delivered: nil)
            for (number, size) in previewed.enumerated() {
                let preview = Decision.Kind.preview(size, generation: UInt32(number + 1))
                verifier.check(decision(1, preview), scene: 0, delivered: nil)
            }
            let prepared = Rebuild(size: size, reason: .quiet, generation: 2, isPrepared: true)
            verifier.check(decision(2, .rebuild(prepared)), scene: 0, delivered: nil)
            let again = Rebuild(size: self.size, reason: .quiet, generation: 3)
            verifier.check(decision(3, .rebuild(again)), scene: 0, delivered: nil)
            return verifier.violations
        }
        let (a, b) = (Size(width: 7, height: 1), Size(width: 8, height: 1))
        let problem = ["scene 0: a rebuild for 7×1 says that it is prepared"]
        XCTAssertEqual(told(.prepared, previewed: [a], a), [])
        XCTAssertEqual(told(.prepared, previewed: [b, a], a), [])
        XCTAssertEqual(told(.prepared, previewed: [], a), problem)
        XCTAssertEqual(told(.prepared, previewed: [a, b], a), problem)
        XCTAssertEqual(told(Policy(pauseDelay: .zero), previewed: [a], a), problem)
    }

    func testReasonsAreTrue() {
        let end = { (reason: Decision.EndReason) in
            [Decision.Kind.interactionBegan, .interactionEnded(reason, duration: .zero)]
        }
        func told(_ kinds: [Decision.Kind]) -> [String] {
            var verifier = StressVerifier(scenes: 1)
            for kind in kinds { verifier.check(decision(0, kind), scene: 0, delivered: nil) }
            return verifier.violations
        }
        let first = rebuild(.first, 1)
        for fine in [
            end(.reported) + [first], [rebuild(.maximumWait, 1), rebuild(.flush, 2)],
            [first] + end(.reported) + [rebuild(.interactionEnded, 2), rebuild(.quiet, 3)],
            [first] + end(.released) + [rebuild(.interactionEnded, 2), rebuild(.discrete, 3)],
            [first] + end(.reported) + end(.timeout) + [rebuild(.timeout, 2)],
        ] { XCTAssertEqual(told(fine), []) }
        for (wrong, reason) in [
            ([first, rebuild(.first, 2)], "first"),
            (end(.reported) + [rebuild(.interactionEnded, 1)], "interactionEnded"),
            (end(.timeout) + [rebuild(.timeout, 1)], "timeout"), ([rebuild(.quiet, 1)], "quiet"),
            ([rebuild(.discrete, 1)], "discrete"), ([first, rebuild(.interactionEnded, 2)], "interactionEnded"),
            ([first] + end(.timeout) + [rebuild(.interactionEnded, 2)], "interactionEnded"),
            ([first] + end(.reported) + [rebuild(.timeout, 2)], "timeout"),
        ] { XCTAssertEqual(told(wrong), ["scene 0: a rebuild has the wrong reason \(reason)"]) }
    }

    func testADecisionAboutAnUnknownScene() {
        var verifier = StressVerifier(scenes: 1)
        verifier.reportUnknownScene(drag[0])
        XCTAssertEqual(verifier.violations, ["a decision is about an unknown scene 1"])
    }

    func testViolationsAreCountedAndTheFirstFewKept() {
        var verifier = StressVerifier(scenes: 1)
        for _ in 0..<50 { verifier.check(drag[0], scene: 0, delivered: nil) }
        XCTAssertEqual(verifier.violationsCount, 49)
        XCTAssertEqual(verifier.violations.count, StressVerifier.violationsKept)
    }

    func testQuantilesAreAtMostOneIn32TooHigh() {
        var histogram = Histogram()
        for value in 1...100_000 { histogram.add(UInt64(value) * 1000) }
        for share in [0.001, 0.5, 0.9, 0.99, 0.999, 1] {
            let exact = share * 100_000_000
            let told = Double(histogram.quantile(share))
            XCTAssertGreaterThanOrEqual(told, exact, "\(share)")
            XCTAssertLessThanOrEqual(told, exact * (1 + 1 / 32), "\(share)")
        }
        XCTAssertEqual(histogram.largest, 100_000_000)
        histogram.add(.max)
        histogram.add(0)
        XCTAssertEqual(histogram.quantile(1), .max)
        XCTAssertEqual(histogram.quantile(0), 0)
    }

    func testWhatWasPreviewedBeforeAnotherRebuildIsNotPreparedAnyMore() {
        var policy = Policy.prepared
        policy.pauseDelay = .milliseconds(1)
        var verifier = StressVerifier(scenes: 1, policy: policy)
        let (a, b) = (Size(width: 7, height: 1), Size(width: 8, height: 1))
        for (size, generation, isPrepared) in [(b, 1, false), (Size(width: 9, height: 1), 2, false), (a, 3, true)] {
            if generation == 2 { verifier.check(decision(2, .preview(a, generation: 1)), scene: 0, delivered: nil) }
            let rebuild = Rebuild(
                size: size, reason: generation == 1 ? .first : .quiet, generation: UInt32(generation),
                isPrepared: isPrepared)
            verifier.check(decision(UInt64(generation), .rebuild(rebuild)), scene: 0, delivered: nil)
        }
        XCTAssertEqual(verifier.violations.filter { $0.contains("prepared") }.count, 1, "\(verifier.violations)")
    }

    func testABuilderBuildsTheNewestThatWaits() throws {
        let builds = LockedValueBox<[String]>([])
        let builder = try StressBuilder(time: .milliseconds(20), scenes: 2) { scene, build in
            builds.withLock { $0.append("\(scene): \(build.generation)") }
        }
        builder.request(1, generation: 1)
        for generation: UInt32 in 1...3 { builder.request(0, generation: generation) }
        let end = Date(timeIntervalSinceNow: 10)
        while builder.lastBuild(of: 0)?.generation != 3, Date() < end { usleep(1000) }
        let counts = builder.stop()
        XCTAssertEqual(builds.withLock { $0.last }, "0: 3")
        XCTAssertEqual(counts.built + counts.superseded, 4)
        XCTAssertEqual(counts.left, 0)
    }
}

extension Decision {
    fileprivate func at(_ time: UInt64) -> Decision {
        Decision(at: Timestamp(nanoseconds: time), scene: scene, kind: kind)
    }
}
