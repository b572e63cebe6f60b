package import Settle

/// The scenes of a log whose builds change their own size, so that each asks for the next: `Rebuild.isFeedback`.
package struct Feedback {
    /// How many rebuilds of each scene are.
    package private(set) var rebuilds: [SceneNumber: Int] = [:]

    package init() {}

    package mutating func add(_ decision: Decision, _ scene: SceneNumber) {
        if case .rebuild(let rebuild) = decision.kind, rebuild.isFeedback { rebuilds[scene, default: 0] += 1 }
    }

    /// The most scenes that the note names.
    private static let scenesNamed = 3

    /// What to do about it.
    package static let advice =
        "builds change the size that they are for, so that each asks for the next; report the new size within the build:"
        + " docs/guide/embedding.md, 'A build that changes its own size'"

    /// The scenes with their rebuilds, those with the most first.
    package func scenes(_ names: SceneNames) -> [(name: String, rebuilds: Int)] {
        rebuilds.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }.map { (names[$0.key], $0.value) }
    }

    /// A sentence that names them; `nil` if there are none.
    package func note(_ names: SceneNames) -> String? {
        if rebuilds.isEmpty { return nil }
        let scenes = scenes(names)
        let named = scenes.prefix(Self.scenesNamed).map { "'\($0.name)' (\(counted($0.rebuilds, "rebuild")))" }
        let others = scenes.count - named.count
        let rest = others > 0 ? " and \(counted(others, "other scene"))" : ""
        return "feedback in \(named.joined(separator: ", "))\(rest): \(Self.advice)"
    }
}

/// Looks for feedback in a log without being told its policy: under that of its header, or else as a program that has
/// the default one and as one that has the preset `live`.
package struct FeedbackSearch: ~Copyable {
    private var engines: [Engine] = []

    private final class Engine {
        var log: LogEngine
        var found = Feedback()

        init(_ policy: Policy) throws(EngineError) {
            log = try LogEngine(policy: policy, scenesMax: Settle.Engine.scenesLimit, decisionsMax: 64)
        }

        func add(_ event: LogEvent) throws(EngineError) { try log.submit(event) { found.add($0, $1) } }

        func finish() { log.finish { found.add($0, $1) } }
    }

    /// - Parameter policy: That of the log's header.
    package init(_ policy: Policy?) {
        engines = (policy.map { [$0] } ?? [.default, .live]).compactMap { try? Engine($0) }
    }

    package mutating func add(_ event: LogEvent) {
        // One with more scenes than an engine can have looks no further.
        engines.removeAll { engine in
            do throws(EngineError) { try engine.add(event) } catch { return true }
            return false
        }
    }

    /// What the policy finds that finds the most. Once, at the log's end.
    package consuming func finish() -> Feedback {
        for engine in engines { engine.finish() }
        return engines.map(\.found).max { $0.rebuilds.values.reduce(0, +) < $1.rebuilds.values.reduce(0, +) }
            ?? Feedback()
    }
}
