import CSettle
import Settle
import SettleLog
import TestSupport
import XCTest

/// `settle_window` beside an engine of one scene, given the same events.
final class WindowTests: XCTestCase {
    fileprivate enum Action: Equatable {
        case rebuild(Size, isPrepared: Bool)
        case preview(Size)
    }

    private final class Pair {
        var window = settle_window()
        var engine: Engine
        let scene: SceneID
        var returned: [Action] = []
        var decided: [Action] = []
        private var generation: UInt32 = 0
        private var preview: UInt32 = 0

        init(_ policy: Policy) throws {
            engine = try Engine(.init(policy: policy, scenesMax: 1))
            scene = try engine.connect()
            var raw = settle_policy(policy)
            XCTAssertEqual(settle_window_init(&window, &raw), SETTLE_OK.rawValue)
        }

        func poll(at now: Timestamp) {
            var size = settle_window_size()
            while true {
                let action = settle_window_poll(&window, now.nanoseconds, &size)
                let asked = Size(width: size.width, height: size.height)
                if action == SETTLE_WINDOW_NOTHING { break }
                let isPrepared = settle_window_is_prepared(&window)
                returned.append(
                    action == SETTLE_WINDOW_PREVIEW ? .preview(asked) : .rebuild(asked, isPrepared: isPrepared))
                // Also of what a late question returns.
                XCTAssertEqual(asked, engine.size(of: scene), "another size than the window's is returned")
            }
            var decisions: [Decision] = []
            engine.advance(to: now) { decisions.append($0) }
            note(decisions)
        }

        /// Asks at each time that the window names, as a program's loop does.
        func pollInTime(until now: Timestamp) {
            while case let wait = settle_window_timeout_ns(&window, engine.now.nanoseconds), wait != .max,
                engine.now.nanoseconds + wait <= now.nanoseconds
            {
                poll(at: Timestamp(nanoseconds: engine.now.nanoseconds + wait))
            }
            poll(at: now)
        }

        /// Sends the events that a window has a function for.
        func send<Scene>(_ event: SceneEvent<Scene>) {
            let (now, size) = (event.at.nanoseconds, event.size ?? .zero)
            var moved = window
            let result: Int32
            let sent: Event
            switch settle_event_kind(UInt32(event.raw.kind)) {
            case SETTLE_GEOMETRY:
                let drag = event.isInteractivelyResizing.map { $0 ? SETTLE_DRAG_YES : SETTLE_DRAG_NO }
                result = settle_window_resize(&moved, now, size.width, size.height, drag ?? SETTLE_DRAG_UNKNOWN)
                sent = .geometry(
                    scene, at: event.at, size: event.size, isInteractivelyResizing: event.isInteractivelyResizing)
            case SETTLE_POINTER:
                result = settle_window_button(&moved, now, event.raw.button, event.isPressed)
                sent = .pointer(button: event.raw.button, at: event.at, isPressed: event.isPressed)
            case SETTLE_FINISHED:
                let cost = event.build!.cost
                result = settle_window_finished(&moved, now, UInt64(cost / .nanoseconds(1)))
                sent = .finished(scene, at: event.at, generation: generation, cost: cost)
            case SETTLE_PREVIEWED:
                let (_, cost, isKept) = event.work!
                result = settle_window_previewed(&moved, now, UInt64(cost / .nanoseconds(1)), isKept)
                sent = .previewed(scene, at: event.at, generation: preview, cost: cost, isKept: isKept)
            case SETTLE_REALLY_BUILT:
                result = settle_window_really_built(&moved, now, size.width, size.height)
                sent = .reallyBuilt(scene, at: event.at, size: event.size)
            default: return
            }
            window = moved
            var decisions: [Decision] = []
            let rejection = engine.submit(sent) { decisions.append($0) }
            note(decisions)
            XCTAssertEqual(result == SETTLE_OK.rawValue, rejection == nil, "\(sent)")
        }

        func timeouts() -> (UInt64, UInt64) {
            let (now, next) = (engine.now, engine.nextDeadline)
            let expected = next.map { $0.nanoseconds - min(now.nanoseconds, $0.nanoseconds) } ?? UInt64.max
            return (settle_window_timeout_ns(&window, now.nanoseconds), expected)
        }

        /// Of what is decided between two questions the latest counts: a rebuild whose preview was never returned is
        /// not prepared.
        private func note(_ decisions: [Decision]) {
            var preview: Action?
            var rebuild: Action?
            for decision in decisions {
                switch decision.kind {
                case .rebuild(let decided):
                    let isPrepared = decided.isPrepared && preview == nil
                    (rebuild, preview) = (.rebuild(decided.size, isPrepared: isPrepared), nil)
                    generation = decided.generation
                case .preview(let size, let generation):
                    preview = .preview(size)
                    self.preview = generation
                default: break
                }
            }
            decided += [rebuild, preview].compactMap { $0 }
        }
    }

    /// Asked in time, the window returns what the engine decides. Asked seldom, it returns only sizes that the
    /// window has, and the last one in the end.
    private func compare<Scene>(_ events: [SceneEvent<Scene>], _ policy: Policy, _ name: String) throws -> [Int] {
        let asked = try Pair(policy)
        let seldom = try Pair(policy)
        for (number, event) in events.enumerated() {
            if event.at <= .latest { asked.pollInTime(until: event.at) }
            asked.send(event)
            asked.poll(at: asked.engine.now)
            let (timeout, expected) = asked.timeouts()
            XCTAssertEqual(timeout, expected, "\(name), \(policy): after event \(number), \(event)")
            let kind = settle_event_kind(UInt32(event.raw.kind))
            if kind == SETTLE_GEOMETRY || kind == SETTLE_POINTER { seldom.send(event) }
            if number % 7 == 6 { seldom.poll(at: seldom.engine.now) }
        }
        for pair in [asked, seldom] { pair.pollInTime(until: .latest) }
        XCTAssertEqual(asked.returned, asked.decided, "\(name), \(policy)")
        XCTAssertEqual(asked.timeouts().0, .max, name)
        if !seldom.engine.isInteracting(seldom.scene), let size = seldom.engine.size(of: seldom.scene) {
            XCTAssertEqual(seldom.returned.last { $0.isRebuild }?.size, size, "\(name), \(policy): asked seldom")
        }
        let rebuilds = asked.returned.filter(\.isRebuild).count
        let prepared = asked.returned.filter(\.isPrepared).count
        return [rebuilds, asked.returned.count - rebuilds, prepared]
    }

    func testRandomLogs_areDecidedAsByAnEngineOfOneScene() throws {
        var counts = [0, 0, 0]
        for seed: UInt64 in 0..<tried(10_000) where testRun!.failureCount < 5 {
            let stream = RandomStream(seed: seed)
            var policy = stream.policy
            var events: [Event] = []
            for case .connect(let own) in stream.actions.prefix(1) { policy = own ?? policy }
            for case .event(let event) in stream.actions where event.kind == .pointer || event.scene.rawValue % 2 == 0 {
                events.append(event)
            }
            counts = zip(counts, try compare(events, policy, "seed \(seed)")).map(+)
        }
        XCTAssert(counts.allSatisfy { $0 > tried(1_000) }, "rebuilds, previews, and prepared rebuilds: \(counts)")
    }

    func testRecordings_areDecidedAsByAnEngineOfOneScene() throws {
        for name in Recordings.names {
            let reader = try LogReader(path: Recordings.log(name))
            var scenes: Set<UInt32> = []
            var all: [LogEvent] = []
            let batch = EventBatch()
            while try reader.read(into: batch) {
                all += (0..<batch.count).map { batch[$0] }
            }
            for event in all where event.kind != .pointer { scenes.insert(event.raw.scene) }
            for scene in scenes {
                let events = all.filter { $0.kind == .pointer || $0.raw.scene == scene }
                for policy in [Policy.default, .uikit, .prepared, .live] {
                    XCTAssertGreaterThan(try compare(events, policy, name)[0], 0, name)
                }
            }
        }
    }

    func testNoWindow_isRefused() { XCTAssertEqual(settle_window_init(nil, nil), SETTLE_INVALID.rawValue) }
}

extension WindowTests.Action {
    fileprivate var isRebuild: Bool { if case .rebuild = self { true } else { false } }
    fileprivate var isPrepared: Bool { if case .rebuild(_, let isPrepared) = self { isPrepared } else { false } }
    fileprivate var size: Size {
        switch self {
        case .rebuild(let size, _), .preview(let size): size
        }
    }
}
