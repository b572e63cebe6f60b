import CSettle
import Settle
import SettleLog

/// What happens to scenes while it happens: their states, and what they cost a program that
/// rebuilds at every change, one that debounces by 100 ms, and one that uses Settle. One thread
/// at a time.
final class LiveScenes {
    /// A scene as it is now.
    struct Row: Hashable, Sendable {
        var scene: SceneNumber
        var name: String
        var title: String
        /// What no other one of the same title has; `nil` if there is none.
        var id: String?
        var size: Size?
        var phase: ScenePhase
        /// The events of each of the last seconds, the latest one last.
        var rates: [Int]
        var eventsPerSecond: Int { rates.last ?? 0 }
        var counts: Counts
        /// Why the last rebuild was decided, and how long after the change or the interaction's end.
        var last: LastRebuild?
    }

    /// A rebuild's reason and lag.
    struct LastRebuild: Hashable, Sendable {
        var reason: Rebuild.Reason
        var lag: Duration
        var isFeedback = false
    }

    /// Rebuilds of one scene, or of all.
    struct Counts: Hashable, Sendable {
        /// Of a program that rebuilds at every changed size.
        var naive = 0
        /// Of a program that debounces changed sizes by 100 ms.
        var debounce = 0
        /// Those that the engine decided.
        var settle = 0
        var previews = 0
        /// The rebuilds that a program without the engine does at changed sizes, and one with it does not.
        var saved: Int { naive - settle }

        fileprivate mutating func add(_ other: Counts) {
            naive += other.naive
            debounce += other.debounce
            settle += other.settle
            previews += other.previews
        }
    }

    private struct Scene {
        var name = ""
        var title: String?
        var counts = Counts()
        var rate = EventRate()
        var last: LastRebuild?
        /// Whether a rebuild has been feedback.
        var isFeedback = false
        var baseline = settle_baseline_scene()

        init() { settle_baselines_start(&baseline, 1) }

        /// The counts, with a debounce timer that has fired since the last event.
        func counts(at now: Timestamp) -> Counts {
            var counts = counts
            if baseline.fires_ns <= now.nanoseconds { counts.debounce += 1 }
            return counts
        }
    }

    private let steps: LogSteps
    private var scenes: [Scene] = []
    /// Events so far.
    private(set) var events = 0
    /// Called once with the title of a window whose builds change its size.
    var hasFeedback: (String) -> Void = { _ in }

    /// - Throws: What `Engine.init` throws.
    init(policy: Policy) throws(EngineError) {
        steps = try LogSteps(policy: policy, log: "the live events")
    }

    /// Decides about an event.
    ///
    /// - Parameter deliver: Receives the decisions that are due before it, and those that it makes.
    /// - Throws: `.malformed` when more scenes are connected than an engine can have.
    func add(
        _ event: LogEvent, names: SceneNames, _ deliver: (Decision, SceneNumber) -> Void
    ) throws(LogError) {
        events += 1
        try steps.add(event) { note($0, names, deliver) }
    }

    /// Fires every deadline up to a time.
    func advance(to now: Timestamp, names: SceneNames, _ deliver: (Decision, SceneNumber) -> Void) {
        steps.advance(to: now) { note($0, names, deliver) }
    }

    /// Fires all armed deadlines at their own times. Once, at the end.
    func finish(names: SceneNames, _ deliver: (Decision, SceneNumber) -> Void) {
        steps.finish { note($0, names, deliver) }
    }

    /// When `advance` has something to do next.
    var nextDeadline: Timestamp? { steps.nextDeadline }

    /// Gives a scene a title for people.
    func setTitle(_ title: String, of scene: SceneNumber, names: SceneNames) {
        scenes[index(of: scene, names)].title = title
    }

    private func note(_ step: LogStep, _ names: SceneNames, _ deliver: (Decision, SceneNumber) -> Void) {
        switch step {
        case .event(let event, let at, _):
            if event.kind == .pointer { return }
            let index = index(of: event.name, names)
            scenes[index].rate.add(at: at)
            var raw = event.raw
            let did = settle_baseline_step(&scenes[index].baseline, &raw)
            if did & SETTLE_BASELINE_FIRED.rawValue != 0 { scenes[index].counts.debounce += 1 }
            if did & SETTLE_BASELINE_CHANGED.rawValue != 0 { scenes[index].counts.naive += 1 }
        case .decision(let decision, let scene, let lag):
            let index = index(of: scene, names)
            switch decision.kind {
            case .rebuild(let rebuild):
                scenes[index].counts.settle += 1
                scenes[index].last = LastRebuild(
                    reason: rebuild.reason, lag: lag ?? .zero, isFeedback: rebuild.isFeedback)
                if rebuild.isFeedback, !scenes[index].isFeedback {
                    hasFeedback(scenes[index].title ?? scenes[index].name)
                }
                scenes[index].isFeedback = scenes[index].isFeedback || rebuild.isFeedback
            case .preview: scenes[index].counts.previews += 1
            default: break
            }
            deliver(decision, scene)
        }
    }

    private func index(of scene: SceneNumber, _ names: SceneNames) -> Int {
        let index = Int(scene.rawValue)
        while index >= scenes.count {
            var new = Scene()
            new.name = names[SceneNumber(rawValue: UInt32(scenes.count))]
            scenes.append(new)
        }
        return index
    }

    /// The connected scenes, in the order in which they appeared, as they are at a time that is
    /// not before the last event.
    func rows(at now: Timestamp) -> [Row] {
        var rows = rowsByTitle(at: now)
        let titles = Dictionary(rows.map { ($0.title, 1) }, uniquingKeysWith: +)
        for index in rows.indices where titles[rows[index].title, default: 0] > 1 {
            // A scene's name ends with what no other one has.
            rows[index].id = rows[index].name.split(separator: " ").last.map(String.init)
        }
        return rows
    }

    /// How many windows there have been.
    var windows: Int { scenes.count }

    private func rowsByTitle(at now: Timestamp) -> [Row] {
        scenes.indices.compactMap { index in
            let number = SceneNumber(rawValue: UInt32(index))
            let phase = steps.phase(of: number)
            if phase == .disconnected { return nil }
            let scene = scenes[index]
            return Row(
                scene: number, name: scene.name, title: scene.title ?? scene.name, size: steps.size(of: number),
                phase: phase, rates: scene.rate.perSecond(at: now), counts: scene.counts(at: now),
                last: scene.last)
        }
    }

    /// The counts of all scenes, also of those that are gone.
    func total(at now: Timestamp) -> Counts {
        scenes.reduce(into: Counts()) { $0.add($1.counts(at: now)) }
    }
}
