internal import CSettle
package import Settle

/// An engine that decides about one log's events: it connects the log's scenes by the
/// contract's log rule (`LogScenes`) and names the scene of each decision by its number
/// in the log. Use it from one thread at a time.
///
/// ```swift
/// while try reader.read(into: batch) {
///     try engine.submit(batch) { decision, scene in … }
/// }
/// engine.finish { decision, scene in … }
/// ```
package struct LogEngine: ~Copyable {
    private var engine: Engine
    private var scenes: LogScenes

    /// - Throws: What `Engine.init` throws.
    package init(policy: Policy, scenesMax: Int, decisionsMax: Int, policiesMax: Int = 1) throws(EngineError) {
        engine = try Engine(
            .init(policy: policy, scenesMax: scenesMax, decisionsMax: decisionsMax, policiesMax: policiesMax))
        scenes = LogScenes(engine)
    }

    /// Decides about a batch's events, and connects the scenes that are not connected. Their
    /// names in the batch mean nothing afterwards.
    ///
    /// - Parameter deliver: Receives each decision with its scene's number in the log.
    /// - Throws: `.tooManyScenes` if an event's scene exceeds the engine's capacity; the events
    ///   before it were submitted.
    package mutating func submit(
        _ batch: EventBatch, deliver: (Decision, SceneNumber) -> Void
    ) throws(EngineError) {
        try submit(batch.events, deliver: deliver)
    }

    /// Decides about one event; see above.
    package mutating func submit(
        _ event: LogEvent, deliver: (Decision, SceneNumber) -> Void
    ) throws(EngineError) {
        var raw = event.raw
        try withUnsafeMutablePointer(to: &raw) { event throws(EngineError) in
            try submit(UnsafeMutableBufferPointer(start: event, count: 1), deliver: deliver)
        }
    }

    /// Decides about events, which become the engine's in place: runs of connected scenes in one
    /// pass, the others one by one.
    mutating func submit(
        _ events: UnsafeMutableBufferPointer<settle_event>, deliver: (Decision, SceneNumber) -> Void
    ) throws(EngineError) {
        var submitted = 0
        var bound = 0
        while true {
            bound += scenes.bindRun(events.extracting(bound...))
            if bound == events.count { break }
            do throws(EngineError) {
                try scenes.bind(&events[bound]) { () throws(EngineError) in try engine.connect() }
                bound += 1
            } catch {
                // A disconnect among the events before may free the capacity that is needed.
                if submitted == bound { throw error }
                submitBound(events.extracting(submitted..<bound), deliver)
                submitted = bound
            }
        }
        submitBound(events.extracting(submitted...), deliver)
    }

    private mutating func submitBound(
        _ events: UnsafeMutableBufferPointer<settle_event>, _ deliver: (Decision, SceneNumber) -> Void
    ) {
        events.withMemoryRebound(to: Event.self) { bound in
            engine.submit(Span(_unsafeElements: UnsafeBufferPointer(bound))) { deliver($0, scenes[$0.scene]) }
        }
    }

    /// Fires every deadline up to a time; see `Engine.advance(to:deliver:)`.
    package mutating func advance(to time: Timestamp, deliver: (Decision, SceneNumber) -> Void) {
        engine.advance(to: time) { deliver($0, scenes[$0.scene]) }
    }

    /// Fires all armed deadlines at their own times: the end of the log.
    package mutating func finish(deliver: (Decision, SceneNumber) -> Void) {
        engine.finish { deliver($0, scenes[$0.scene]) }
    }

    /// The time of the next armed deadline, `nil` if none is armed.
    package var nextDeadline: Timestamp? { engine.nextDeadline }

    /// The engine's time: that of the latest event or deadline.
    package var now: Timestamp { engine.now }

    /// What was submitted so far.
    var counts: LogCounts { scenes.counts }

    /// The connected scenes, in the order of their names.
    package var connected: [SceneNumber] { scenes.connected }

    /// The scene's last known size; `nil` while none is known, or the scene is not connected.
    package func size(of scene: SceneNumber) -> Size? { scenes.handle(of: scene).flatMap { engine.size(of: $0) } }

    /// What the engine says of a scene now.
    package func phase(of scene: SceneNumber) -> ScenePhase {
        guard let handle = scenes.handle(of: scene) else { return .disconnected }
        if engine.isInteracting(handle) { return .interacting }
        return engine.isPending(handle) ? .pending : .resting
    }

    /// What the engine counted.
    package var statistics: Engine.Statistics { engine.statistics }
}

/// What an engine says of a scene at one moment.
package enum ScenePhase: Hashable, Sendable {
    /// It is not connected.
    case disconnected
    /// Nothing is going to be decided about its size.
    case resting
    /// It is being resized.
    case interacting
    /// Its rebuild is pending.
    case pending
}
