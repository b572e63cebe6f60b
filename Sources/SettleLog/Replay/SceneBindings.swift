internal import CSettle
public import Settle

/// The scenes of a log by the contract's log rule: an event of an unknown or disconnected scene connects it
/// anew, unless an engine rejects the event. The rule is the C function `settle_log_applies`.
///
/// Maps the scenes of one log to what stands for them while they are connected: an engine's
/// handles, an app's scenes, or nothing (`Void`) where only the connection matters.
public struct SceneBindings<Target> {
    /// What an event is about.
    public enum Binding {
        /// A pointer event belongs to no scene.
        case pointer
        /// An event of a connected scene. A disconnect is the last one with this target, unless an engine rejects it.
        case bound(Target)
        /// The event has just connected its scene.
        case newlyBound(Target)
        /// An event that an engine rejects, of a scene that is not connected: its disconnect
        /// (rule 10), a report (rules 17 and 18), or a size that rule 2 rejects. It changes nothing and moves no time,
        /// so it connects nothing either.
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
        if event.kind == .pointer { return .pointer }
        let index = event.name.index
        let bound = index < targets.count ? targets[index] : nil
        var isConnected = bound != nil
        let applies = withUnsafePointer(to: event.raw) { settle_log_applies($0, &isConnected) }
        if let bound {
            if !isConnected { targets[index] = nil }
            return .bound(bound)
        }
        if !applies { return .rejected }
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
