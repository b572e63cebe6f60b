import Settle
import TestSupport
import XCTest

/// Rule 16 where changes follow one another so quickly that most of them only move the deadline.
/// Each counts for the cadence as it does alone, one by one and in a batch.
final class QuietRunTests: XCTestCase {
    /// The last wait of changes after these gaps, the first of which is out of calm.
    private func checkWait(
        _ wait: Duration, _ policy: Policy, gaps: [Duration], file: StaticString = #filePath, line: UInt = #line
    ) throws {
        var (at, events) = (Timestamp.zero + .seconds(10_000), [Event]())
        let checked = try CheckedEngine(policy, file: file, line: line)
        let scene = try checked.connect()
        for (index, gap) in ([.zero] + gaps).enumerated() {
            at = at + gap
            events.append(.geometry(scene, at: at, size: Size(width: 401 + Double(index), height: 400)))
        }
        try check(checked, scene, [events], file: file, line: line) { XCTAssertEqual($0 - at, wait, $1, line: line) }
    }

    /// Submits events one by one, and in batches to another engine, where the scene is built at time
    /// 0, and gives the deadline of each to `body`.
    private func check(
        _ checked: CheckedEngine, _ scene: SceneID, _ batches: [[Event]], file: StaticString = #filePath,
        line: UInt = #line, _ body: (Timestamp, String) throws -> Void
    ) throws {
        var batched = try Engine(.init(policy: checked.policy, scenesMax: 64))
        XCTAssertEqual(try batched.connect(), scene, "a scene has the same name in each engine")
        let size = Size(width: 400, height: 400)
        var decisions: [Decision] = []
        for batch in [[.geometry(scene, at: .zero, size: size), .flush(scene, at: .zero)]] + batches {
            for event in batch { checked.submit(event) }
            batched.submit(batch.span) { decisions.append($0) }
        }
        try body(XCTUnwrap(checked.nextDeadline, file: file, line: line), "one by one")
        try body(XCTUnwrap(batched.nextDeadline, file: file, line: line), "in a batch")
        checked.finish()
        batched.finish { decisions.append($0) }
        XCTAssertEqual(decisions, checked.decisions, file: file, line: line)
    }

    /// Gaps of 2^32 ns and more, which are too long to be divided by a multiplication: with it, each
    /// of these would be a microsecond longer.
    func testRule16_gapsOfManySecondsCountForTheCadence() throws {
        let policy = Policy(
            quietDelay: .seconds(6), quietMaximum: .seconds(3_600), jumpDelay: nil, interactionTimeout: nil)
        let gaps =
            Array(repeating: Duration.microseconds(1_000_001), count: 8)
            + Array(repeating: .nanoseconds(5_900_000_999), count: 8)
        try checkWait(.microseconds(2 * cadence(gaps)), policy, gaps: gaps)
    }

    /// 2^26 ns: as bits, a gap may have nothing but zeros below.
    func testRule16_aGapThatIsAPowerOfTwoCountsForTheCadence() throws {
        let policy = Policy(
            quietDelay: .milliseconds(100), quietMaximum: .seconds(10), jumpDelay: nil, interactionTimeout: nil)
        let gaps =
            Array(repeating: Duration.milliseconds(1), count: 4)
            + Array(repeating: .nanoseconds(67_108_864), count: 12)
        try checkWait(.microseconds(2 * cadence(gaps)), policy, gaps: gaps)
    }

    /// The last gap makes a cadence visible that is short, and one that is 1 µs longer.
    func testRule16_aGapInARunIsInWholeMicroseconds() throws {
        let policy = Policy(
            quietDelay: .seconds(2), quietMaximum: .seconds(10), jumpDelay: nil, interactionTimeout: nil)
        let gaps: [[Duration]] = [
            // (7 × 500,000 + 500,007) / 8 is 500,000, and with 1 µs more 500,001.
            [.milliseconds(500), .nanoseconds(500_007_999), .microseconds(5_500_001)],
            Array(repeating: .microseconds(1), count: 6) + [.microseconds(9_000_001)],
        ]
        for gaps in gaps { try checkWait(.microseconds(2 * cadence(gaps)), policy, gaps: gaps) }
    }

    /// As rule 16 has it.
    private func cadence(_ gaps: [Duration]) -> Int64 {
        let microseconds = gaps.map { Int64($0 / .microseconds(1)) }
        return microseconds.dropFirst().reduce(microseconds[0]) { (7 * $0 + $1) / 8 }
    }

    /// The changes that only postpone the rebuild of a released scene are not consulted.
    func testRule16_changesAfterAReleaseAreNotConsultedInABatchEither() throws {
        let policy = Policy(
            releasedEndDelay: .seconds(1), quietDelay: .milliseconds(100), quietMaximum: .seconds(2), jumpDelay: nil,
            interactionTimeout: nil)
        let checked = try CheckedEngine(policy)
        let scene = try checked.connect()
        func changes(_ times: [Int]) -> [Event] {
            times.map { .at($0, scene, Size(width: Double($0), height: 400)) }
        }
        let batches = [
            changes([10_000, 10_049, 10_098, 10_147]),
            [.press(10_300)] + changes([10_300]) + [.release(10_400)],
            changes(Array(10_401...10_410)), changes([20_000, 20_400]),
        ]
        try check(checked, scene, batches) {
            // (7 × 49 + 400) / 8 = 92.875.
            XCTAssertEqual($0 - .ms(20_400), .microseconds(185_750), $1)
        }
    }

    /// The gap of a change counts from the change before, not from a repeated size that a batch begins with.
    func testRule16_aRepeatedSizeAtTheBeginningOfABatchIsNoChange() throws {
        let policy = Policy(
            quietDelay: .milliseconds(100), quietMaximum: .seconds(10), jumpDelay: nil, interactionTimeout: nil)
        let checked = try CheckedEngine(policy)
        let scene = try checked.connect()
        func size(_ ms: Int, _ width: Double) -> Event { .at(ms, scene, Size(width: width, height: 400)) }
        let batches = [
            [size(10_000, 401)], [size(10_050, 402)], [size(10_070, 402), size(10_090, 403), size(10_095, 404)],
            [size(10_495, 405)],
        ]
        let gaps = [50, 40, 5, 400].map { Duration.milliseconds($0) }
        try check(checked, scene, batches) { XCTAssertEqual($0 - .ms(10_495), .microseconds(2 * cadence(gaps)), $1) }
    }

    func testRule16_changesAtTheBeginningOfTimeCountInABatchToo() throws {
        let policy = Policy(
            quietDelay: .milliseconds(100), quietMaximum: .seconds(10), jumpDelay: nil, interactionTimeout: nil)
        let checked = try CheckedEngine(policy)
        let scene = try checked.connect()
        let changes = [0, 0, 0, 50, 90, 490].enumerated().map { index, ms in
            Event.at(ms, scene, Size(width: 401 + Double(index), height: 400))
        }
        let gaps = [0, 0, 0, 50, 40, 400].map { Duration.milliseconds($0) }
        try check(checked, scene, [Array(changes.dropLast()), [changes[5]]]) {
            XCTAssertEqual($0 - .ms(490), .microseconds(2 * cadence(gaps)), $1)
        }
    }

    /// Also where its last change was quietDelay before the deadline, by the old policy.
    func testRule16_anotherPolicyForgetsTheChangeThatArmedTheDeadline() throws {
        let engine = try CheckedEngine(Policy(interactionTimeout: nil))
        let scene = try engine.connect()
        func change(_ ms: Int, _ width: Double) { engine.submit(.at(ms, scene, Size(width: width, height: 400))) }
        change(0, 400)
        change(1_000, 401)
        XCTAssertEqual(engine.nextDeadline, .ms(1_200))
        try engine.setPolicy(Policy(quietDelay: .milliseconds(150)), of: scene)
        change(1_190, 402)
        XCTAssertEqual(engine.nextDeadline, .ms(1_340), "no cadence")
        change(1_290, 403)
        XCTAssertEqual(engine.nextDeadline, .ms(1_490), "a cadence of 100 ms")
    }

    /// A wait that ends at the latest time is one like any other, and makes no scene one that reports.
    func testRule16_aWaitBeyondTheLatestTimeEndsThere() throws {
        let engine = try CheckedEngine(Policy(interactionTimeout: nil))
        let scene = try engine.connect()
        engine.submit(.at(0, scene, .a), .flush(scene, at: .zero))
        let last = Timestamp(nanoseconds: Timestamp.latest.nanoseconds - 1_000_000)
        engine.submit(.geometry(scene, at: last, size: .b))
        engine.submit(.geometry(scene, at: last + .microseconds(1), size: .c))
        XCTAssertEqual(engine.nextDeadline, .latest)
        XCTAssertEqual(engine.finish().map(\.rebuild?.reason), [.quiet])
    }
}
