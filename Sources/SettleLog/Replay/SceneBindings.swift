public import Settle

/// The contract's log rule: an event of an unknown or disconnected scene connects it anew, unless
/// an engine rejects the event.
///
/// Maps the scenes of one log to what stands for them while they are connected: an engine's
/// handles, an app's scenes, or nothing (`Void`) where only the connection matters.
public struct SceneBindings<Target> {
    /// What an event is about.
    public enum Binding {
        /// A pointer event belongs to no scene.
        case pointer
        /// An event of a connected scene. A disconnect is the last one with this target.
        case bound(Target)
        /// The event has just connected its scene.
        case newlyBound(Target)
        /// An event that an engine rejects, of a scene that is not connected: its disconnect
        /// (rule 10), the report of a build (rule 18), or a size that rule 2 rejects. It changes nothing and moves no time, so it
        /// connects nothing either.
        case rejected
    }

    /// By the numbers of the scenes' names; `nil` while a scene is not connected.
    private var targets: [Target?] = []

    /// No scene is connected.
    public init() {}

    /// Applies the rule to the log's next event.
    ///
    /// - Parameters:
    ///   - event: The next event in the log's order.
    ///   - connect: Makes the target of a scene that the event connects.
    /// - Throws: What `connect` throws; the scene is then still not connected.
    @inline(__always)
    public mutating func bind<Failure: Error>(
        _ event: LogEvent, connect: () throws(Failure) -> Target
    ) throws(Failure) -> Binding {
        let kind = event.kind
        if kind == .pointer { return .pointer }
        let index = event.name.index
        if index < targets.count, let target = targets[index] {
            if kind == .disconnect { targets[index] = nil }
            return .bound(target)
        }
        if kind == .disconnect || kind == .finished || !event.isValid { return .rejected }
        let target = try connect()
        if index >= targets.count {
            targets.append(contentsOf: repeatElement(nil, count: index + 1 - targets.count))
        }
        targets[index] = target
        return .newlyBound(target)
    }

    /// The scenes that are connected, in the order of their names.
    package var connected: [SceneNumber] {
        targets.indices.filter { targets[$0] != nil }.map(SceneNumber.init)
    }
}
