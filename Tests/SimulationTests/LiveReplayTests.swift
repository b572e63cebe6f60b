import Settle
import SettleLog
import TestSupport
import XCTest

@testable import SettleLoop

/// Live engines that get a recording's events at their times decide as its replay in virtual
/// time, previews and watchdog included, however late the loop's thread runs.
final class LiveReplayTests: XCTestCase {
    private struct Decided: Equatable {
        var decision: Decision.Kind
        var at: Timestamp
        var scene: String
    }

    private struct Named {
        var event: LogEvent
        var scene: String
    }

    /// Pauses, ends without a report, and quiet times are all within these recordings' reach.
    private let policies = [
        Policy.default, Policy(pauseDelay: .milliseconds(30), interactionTimeout: .milliseconds(120)),
        Policy(
            firstDelay: .milliseconds(5), reportedEndDelay: .milliseconds(20), quietDelay: .milliseconds(40),
            pauseDelay: .milliseconds(7), maximumWait: .milliseconds(300), interactionTimeout: .milliseconds(40)),
    ]

    private func events(_ path: String) throws -> [Named] {
        let reader = try LogReader(path: path)
        let batch = EventBatch()
        var events: [Named] = []
        while try reader.read(into: batch) {
            for index in 0..<batch.count {
                let event = batch[index]
                events.append(Named(event: event, scene: event.kind == .pointer ? "" : reader.scenes[event.name]))
            }
        }
        return events
    }

    private func replay(_ path: String, _ policy: Policy) throws -> [Decided] {
        let replay = try LogReplay(try LogReader(path: path), policy: policy)
        var decided: [Decided] = []
        let take = { (decision: Decision, scene: String) in
            decided.append(Decided(decision: decision.kind, at: decision.at, scene: scene))
        }
        while try replay.readNext() { replay.submit(deliver: take) }
        replay.finish(deliver: take)
        return decided
    }

    /// - Parameter latePercent: How often the loop does not wake up when it should.
    private func live(_ events: [Named], _ policy: Policy, latePercent: Int) throws -> [Decided] {
        var random = SplitMix64(seed: UInt64(events.count))
        let (names, decided) = (Locked<[SceneID: String]>([:]), Locked<[Decided]>([]))
        let loop = SimulatedLoop(time: 0)
        let engine = try LiveEngine(.init(policy: policy), loop: loop) { decision in
            let scene = names.value[decision.scene] ?? "unknown"
            decided.change { $0.append(Decided(decision: decision.kind, at: decision.at, scene: scene)) }
        }
        var source = try engine.makeSource(capacity: 1 << 14, overload: .block)
        var bindings = SceneBindings<SceneID>()
        for (number, named) in events.enumerated() {
            // The deadlines before the event have wake-ups of their own.
            while let timer = loop.timer, timer < named.event.at, !random.chance(latePercent) {
                loop.time = max(loop.time, timer.nanoseconds)
                engine.runOnce(lead: 0)
            }
            loop.time = max(loop.time, named.event.at.nanoseconds)
            let scene: SceneID
            switch try bindings.bind(named.event, connect: { try engine.connect() }) {
            case .pointer: scene = SceneID(rawValue: 0)
            case .bound(let bound): scene = bound
            case .newlyBound(let bound):
                scene = bound
                names.change { $0[bound] = named.scene }
            case .unknownDisconnect: continue
            }
            source.send(named.event.event(for: scene))
            if !random.chance(latePercent) || number % 8192 == 8191 { engine.runOnce(lead: 0) }
        }
        engine.stop(draining: true)
        return decided.value
    }

    func testALiveEngineDecidesAsTheReplay() throws {
        var previews = 0
        var timeouts = 0
        for name in ["w06_weston_long", "w12_mutter_nasty", "r01_openbox_xdotool_xterm"] {
            let path = Recordings.log(name)
            let events = try events(path)
            for (number, policy) in policies.enumerated() {
                let expected = try replay(path, policy)
                for late in [0, 50, 99] {
                    let decided = try live(events, policy, latePercent: late)
                    let differs = zip(expected, decided).first { $0 != $1 }
                    XCTAssertNil(differs, "\(name), policy \(number), \(late) % late")
                    XCTAssertEqual(decided.count, expected.count, "\(name), policy \(number), \(late) % late")
                }
                for decided in expected {
                    switch decided.decision {
                    case .preview: previews += 1
                    case .interactionEnded(.timeout, _): timeouts += 1
                    default: break
                    }
                }
            }
        }
        XCTAssertGreaterThan(previews, 100)
        XCTAssertGreaterThan(timeouts, 100)
    }
}
