import CSettle
import Settle
import SettleLog
import TestSupport
import XCTest

/// Builds that change the size that they are for are found, and nothing else is taken for them: the cases of
/// Tests/Cases/rules/feedback.cases as programs.
final class FeedbackTests: XCTestCase {
    /// A program with one window, whose build gives that another size.
    private struct Program {
        /// How long a build takes, and a turn of the loop, in nanoseconds.
        var build: UInt64
        var turn: UInt64
        /// Whether it reports its builds, sleeps until something is due, grows rather than goes back and forth, and
        /// says what is really built.
        var reports = false, sleeps = false, grows = false, isCured = false

        /// The builds of two minutes, the first one that is feedback, and when that was asked for.
        func run(_ policy: Policy) -> (builds: Int, found: Int?, at: UInt64) {
            var (window, raw, size) = (settle_window(), settle_policy(policy), settle_window_size())
            var (now, next, builds, found, foundAt): (UInt64, Double?, Int, Int?, UInt64) = (0, 800, 0, nil, 0)
            settle_window_init(&window, &raw)
            while now < 120_000_000_000 {
                if let width = next.take() { settle_window_resize(&window, now, width, 600, SETTLE_DRAG_UNKNOWN) }
                if settle_window_poll(&window, now, &size) == SETTLE_WINDOW_REBUILD {
                    builds += 1
                    if settle_window_is_feedback(&window), found == nil { (found, foundAt) = (builds, now) }
                    let width = grows ? size.width + 4 : size.width == 800 ? 815 : 800
                    next = width
                    now += build
                    if isCured { settle_window_really_built(&window, now, width, 600) }
                    if reports { settle_window_finished(&window, now, build) }
                } else if sleeps, next == nil {
                    let timeout = settle_window_timeout_ns(&window, now)
                    now = timeout == .max ? .max / 4 : now + max(timeout, turn) - turn
                }
                now += turn
            }
            return (builds, found, foundAt)
        }
    }

    private static let turns: [UInt64] = [1_000_000, 16_666_667]
    private static let costs: [UInt64] = [100_000, 2_000_000, 20_000_000, 100_000_000, 1_000_000_000]

    func testAProgramThatResizesItsWindowInItsBuilds_isFound() {
        for policy in [Policy.default, .prepared, .live] {
            for cost in Self.costs {
                for turn in Self.turns {
                    for (sleeps, grows) in [(false, false), (false, true), (true, true)] {
                        var program = Program(build: cost, turn: turn)
                        // A loop that sleeps has called before the size comes, so a report says when the build ended.
                        (program.reports, program.sleeps, program.grows) = (policy == .live || sleeps, sleeps, grows)
                        let (builds, found, at) = program.run(policy)
                        XCTAssertGreaterThan(builds, 80, "\(policy), \(program)")
                        // By waiting builds 21, of live ones those of five seconds without a build.
                        XCTAssertGreaterThanOrEqual(found ?? 0, 21, "\(policy), \(program)")
                        XCTAssertLessThan(at, 8_000_000_000 + 20 * cost, "\(policy), \(program)")
                    }
                }
            }
        }
    }

    func testWhatIsReallyBuilt_endsIt() {
        for policy in [Policy.default, .prepared, .live] {
            let program = Program(build: 20_000_000, turn: 1_000_000, reports: true, sleeps: true, isCured: true)
            let (builds, found, _) = program.run(policy)
            XCTAssertEqual(builds, 1, "\(policy)")
            XCTAssertNil(found, "\(policy)")
        }
    }

    /// As recorded, without what ends interactions, and as builds of several costs would have been reported: under `live`
    /// each size then follows a build.
    func testNoRecordingIsTakenForIt() throws {
        var rebuilds = 0
        for name in Recordings.names {
            for isOfSizes in [false, true] {
                let log = try events(Recordings.log(name), isOfSizes: isOfSizes)
                for policy in [Policy.default, .uikit, .prepared, .live] {
                    for cost in [nil, 1, 4, 20, 100, 500] as [UInt64?] {
                        let found = try feedback(log, policy, cost: cost.map { $0 * 1_000_000 }, &rebuilds)
                        XCTAssertEqual(found, 0, "\(name), \(policy), builds of \(cost ?? 0) ms")
                    }
                }
            }
        }
        XCTAssertGreaterThan(rebuilds, 20_000)
    }

    func testTheNoteNamesTheScenesWithTheMost() {
        let names = SceneNames()
        let scenes = ["a", "b", "c", "d"].map { names.number(of: $0) }
        var feedback = Feedback()
        XCTAssertNil(feedback.note(names))
        for (scene, count) in zip(scenes, [1, 3, 1, 2]) {
            for isFeedback in [false] + Array(repeating: true, count: count) {
                let rebuild = Rebuild(size: Size(width: 1, height: 1), reason: .quiet, isFeedback: isFeedback)
                feedback.add(Decision(at: .zero, scene: SceneID(rawValue: 9), kind: .rebuild(rebuild)), scene)
            }
        }
        XCTAssertEqual(feedback.scenes(names).map { "\($0.name)\($0.rebuilds)" }, ["b3", "d2", "a1", "c1"])
        XCTAssertEqual(
            feedback.note(names),
            "feedback in 'b' (3 rebuilds), 'd' (2 rebuilds), 'a' (1 rebuild) and 1 other scene: \(Feedback.advice)")
    }

    /// A log without a policy, of two programs: one with the default policy and two windows, and one with the preset
    /// `live`, whose builds take 54 ms and ask for the next after 6 more. The policy counts that finds the most rebuilds,
    /// and not the most scenes.
    func testASearchAnswersWhatThePolicyWithTheMostRebuildsFinds() {
        func at(_ milliseconds: Int) -> Timestamp { Timestamp(nanoseconds: UInt64(milliseconds) * 1_000_000) }
        func found(_ policy: Policy?, builds: Int) -> [String] {
            let names = SceneNames()
            var log: [LogEvent] = []
            for (start, name) in [(0, "d"), (3, "e")] {
                let scene = names.number(of: name)
                for build in 0..<24 {
                    let (begin, size) = (start + 210 * build, Size(width: Double(100 + build % 2), height: 1))
                    log.append(.geometry(scene, at: at(begin), size: size))
                    log.append(
                        .finished(scene, at: at(begin + 205), generation: UInt32(build + 1), cost: .milliseconds(1)))
                }
            }
            let live = names.number(of: "live")
            log.append(.geometry(live, at: at(0), size: Size(width: 100, height: 1)))
            for build in 0..<builds {
                let size = Size(width: Double(101 + build % 2), height: 1)
                log.append(
                    .finished(live, at: at(180 * build + 54), generation: UInt32(build + 1), cost: .milliseconds(54)))
                log.append(.geometry(live, at: at(180 * build + 60), size: size))
            }
            var search = FeedbackSearch(policy)
            for event in log.sorted(by: { $0.at < $1.at }) { search.add(event) }
            return search.finish().scenes(names).map { "\($0.name)\($0.rebuilds)" }
        }
        XCTAssertEqual(found(nil, builds: 45), ["d4", "e4"])
        XCTAssertEqual(found(nil, builds: 60), ["live21"])
        XCTAssertEqual(found(.default, builds: 60), ["d4", "e4"])
        XCTAssertEqual(found(.live, builds: 45), ["live6"])
        XCTAssertEqual(found(.uikit, builds: 60), [], "the log's own policy alone counts")
    }

    private func events(_ path: String, isOfSizes: Bool) throws -> [Event] {
        let (reader, batch) = (try LogReader(path: path), EventBatch())
        if isOfSizes { reader.dropped = [.pointer, .flags] }
        var events: [Event] = []
        while try reader.read(into: batch) { events += (0..<batch.count).map { Event(batch[$0].raw) } }
        return events
    }

    /// The rebuilds that are feedback, where each scene builds one size at a time and reports it; without a cost it
    /// reports nothing. A scene's raw value is the number of its name.
    private func feedback(_ events: [Event], _ policy: Policy, cost: UInt64?, _ rebuilds: inout Int) throws -> UInt64 {
        var engine = try Engine(policy: policy)
        var scenes: [SceneID: SceneID] = [:]
        var (generations, ends): ([SceneID: UInt32], [SceneID: UInt64]) = ([:], [:])
        func take(_ decision: Decision) {
            guard case .rebuild(let rebuild) = decision.kind else { return }
            rebuilds += 1
            generations[decision.scene] = rebuild.generation
            if let cost { ends[decision.scene] = max(ends[decision.scene] ?? 0, decision.at.nanoseconds) + cost }
        }
        for var event in events {
            // Few builds run at once, and a report of one that was superseded says nothing.
            while let (scene, end) = ends.min(by: { ($0.value, $0.key.rawValue) < ($1.value, $1.key.rawValue) }),
                end <= event.at.nanoseconds
            {
                ends[scene] = nil
                engine.advance(to: Timestamp(nanoseconds: end), deliver: take)
                let (at, generation) = (Timestamp(nanoseconds: end), generations[scene]!)
                engine.submit(
                    .finished(scene, at: at, generation: generation, cost: .nanoseconds(cost!)), deliver: take)
            }
            if event.kind != .pointer {
                if scenes[event.scene] == nil { scenes[event.scene] = try engine.connect() }
                let scene = scenes[event.scene]!
                if event.kind == .disconnect { (scenes[event.scene], ends[scene]) = (nil, nil) }
                event.scene = scene
            }
            engine.submit(event, deliver: take)
        }
        engine.finish(deliver: take)
        return engine.statistics.feedback
    }
}
