package import Settle

/// What happened in a log, one after the other: its events, and what an engine decides about them.
package enum LogStep {
    /// An event of the log.
    ///
    /// - Parameters:
    ///   - at: The time at which the engine applied it: that of the event, or of a later one
    ///     before it (rule 1).
    ///   - change: The scene's new size, if the event changes it.
    case event(LogEvent, at: Timestamp, change: Size?)
    /// A decision about a scene.
    ///
    /// - Parameters:
    ///   - lag: For a rebuild: the time from the later of the scene's last size change and its last
    ///     interaction's end.
    case decision(Decision, SceneNumber, lag: Duration?)
}

/// Decides a log's events one by one, so that each decision has its place among them. Use it from
/// one thread at a time.
package final class LogSteps {
    private var engine: LogEngine
    private let log: String
    private var scenes: [Scene] = []

    private struct Scene {
        var changed = Timestamp.zero
        var ended = Timestamp.zero
    }

    /// - Parameter log: The log's name, for errors.
    /// - Throws: What `Engine.init` throws.
    package init(policy: Policy, log: String) throws(EngineError) {
        engine = try LogEngine(policy: policy, scenesMax: Engine.scenesLimit, decisionsMax: 4096)
        self.log = log
    }

    /// Applies the log's next event.
    ///
    /// - Parameter visit: Called with the decisions due before the event, with the event, and with
    ///   the decisions that it makes.
    /// - Throws: `.malformed` when more scenes are connected than an engine can have.
    package func add(_ event: LogEvent, _ visit: (LogStep) -> Void) throws(LogError) {
        var made: [LogStep] = []
        let size = size(of: event)
        do throws(EngineError) {
            try engine.submit(event) { decision, scene in
                let step = step(decision, scene)
                if decision.isMadeByEvent || !made.isEmpty { made.append(step) } else { visit(step) }
            }
        } catch {
            throw LogError(.malformed, file: log, "\(error)")
        }
        visit(.event(event, at: engine.now, change: change(by: event, from: size)))
        for step in made { visit(step) }
    }

    /// Fires every deadline up to a time, while a live log is silent.
    package func advance(to time: Timestamp, _ visit: (LogStep) -> Void) {
        engine.advance(to: time) { visit(step($0, $1)) }
    }

    /// The time of the next armed deadline, `nil` if none is armed.
    package var nextDeadline: Timestamp? { engine.nextDeadline }

    /// What the engine says of a scene now.
    package func phase(of scene: SceneNumber) -> ScenePhase { engine.phase(of: scene) }

    /// The scene's last known size; `nil` while none is known, or the scene is not connected.
    package func size(of scene: SceneNumber) -> Size? { engine.size(of: scene) }

    /// Fires all armed deadlines at their own times: the end of the log. Once.
    package func finish(_ visit: (LogStep) -> Void) {
        engine.finish { visit(step($0, $1)) }
    }

    private func step(_ decision: Decision, _ number: SceneNumber) -> LogStep {
        let index = index(of: number)
        switch decision.kind {
        case .interactionEnded: scenes[index].ended = decision.at
        case .rebuild:
            let since = max(scenes[index].changed, scenes[index].ended)
            return .decision(decision, number, lag: decision.at.duration(since: since))
        default: break
        }
        return .decision(decision, number, lag: nil)
    }

    /// The size of a geometry event's scene, as far as the engine knows it.
    private func size(of event: LogEvent) -> Size? { event.kind == .geometry ? engine.size(of: event.name) : nil }

    /// Notes an event's change of its scene, which had a size before.
    private func change(by event: LogEvent, from before: Size?) -> Size? {
        guard let size = size(of: event), size != before else { return nil }
        scenes[index(of: event.name)].changed = engine.now
        return size
    }

    private func index(of scene: SceneNumber) -> Int {
        let index = scene.index
        if index >= scenes.count {
            scenes.append(contentsOf: repeatElement(Scene(), count: index + 1 - scenes.count))
        }
        return index
    }
}

extension Decision {
    /// Whether an event makes it, at once, rather than a deadline.
    fileprivate var isMadeByEvent: Bool {
        switch kind {
        case .interactionBegan: true
        case .interactionEnded(let reason, _): reason != .timeout
        default: false
        }
    }
}
