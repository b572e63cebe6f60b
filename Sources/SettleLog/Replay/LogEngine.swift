internal import CSettle
package import Settle

/// An engine that decides about one log's events: it connects the log's scenes by the
/// contract's log rule (`SceneBindings`) and names the scene of each decision by its number
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
    private var bindings = SceneBindings<SceneID>()
    /// The handles in `bindings`, by the numbers of the scenes' names; 0 while one is not connected.
    private var handles: [settle_scene] = []
    /// Has every scene that the engine can decide about.
    private var names: SceneTable<SceneNumber>
    private(set) var counts = LogCounts()

    /// - Throws: What `Engine.init` throws.
    package init(policy: Policy, scenesMax: Int, decisionsMax: Int, policiesMax: Int = 1) throws(EngineError) {
        engine = try Engine(
            .init(policy: policy, scenesMax: scenesMax, decisionsMax: decisionsMax, policiesMax: policiesMax))
        names = engine.makeSceneTable()
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
            bound += bindRun(events.extracting(bound...))
            if bound == events.count { break }
            do throws(EngineError) {
                try bindNext(&events[bound])
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

    /// Binds events up to one that may connect or disconnect a scene; returns how many.
    private mutating func bindRun(_ events: UnsafeMutableBufferPointer<settle_event>) -> Int {
        settle_log_bind(events.baseAddress, events.count, handles, handles.count, &counts.raw)
    }

    /// Binds an event that may connect or disconnect its scene.
    private mutating func bindNext(_ raw: inout settle_event) throws(EngineError) {
        let event = LogEvent(raw)
        let name = event.name
        var scene = SceneID(rawValue: 0)
        switch try bindings.bind(event, connect: { () throws(EngineError) in try engine.connect() }) {
        case .bound(let known): scene = known
        case .newlyBound(let new):
            scene = new
            names[new] = name
        // The engine counts what it rejects; a pointer event has no scene.
        case .pointer, .rejected: break
        }
        counts.add(event)
        if name.index >= handles.count {
            handles.append(contentsOf: repeatElement(0, count: name.index + 1 - handles.count))
        }
        handles[name.index] = event.kind == .disconnect ? 0 : scene.rawValue
        raw.scene = scene.rawValue
    }

    private mutating func submitBound(
        _ events: UnsafeMutableBufferPointer<settle_event>, _ deliver: (Decision, SceneNumber) -> Void
    ) {
        events.withMemoryRebound(to: Event.self) { bound in
            // Here and below: a scene is decided about only once it is bound, which gives it its name.
            engine.submit(Span(_unsafeElements: UnsafeBufferPointer(bound))) { deliver($0, names[$0.scene]!) }
        }
    }

    /// Fires every deadline up to a time; see `Engine.advance(to:deliver:)`.
    package mutating func advance(to time: Timestamp, deliver: (Decision, SceneNumber) -> Void) {
        engine.advance(to: time) { deliver($0, names[$0.scene]!) }
    }

    /// Fires all armed deadlines at their own times: the end of the log.
    package mutating func finish(deliver: (Decision, SceneNumber) -> Void) {
        engine.finish { deliver($0, names[$0.scene]!) }
    }

    /// The time of the next armed deadline, `nil` if none is armed.
    package var nextDeadline: Timestamp? { engine.nextDeadline }

    /// The engine's time: that of the latest event or deadline.
    package var now: Timestamp { engine.now }

    /// The connected scenes, in the order of their names.
    package var connected: [SceneNumber] { bindings.connected }

    /// The scene's last known size; `nil` while none is known, or the scene is not connected.
    package func size(of scene: SceneNumber) -> Size? {
        scene.index < handles.count ? engine.size(of: SceneID(rawValue: handles[scene.index])) : nil
    }

    /// What the engine says of a scene now.
    package func phase(of scene: SceneNumber) -> ScenePhase {
        guard scene.index < handles.count, handles[scene.index] != 0 else { return .disconnected }
        let handle = SceneID(rawValue: handles[scene.index])
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

/// What the events of a log say, whether an engine rejects them or not.
struct LogCounts {
    fileprivate var raw = settle_log_counts(first_ns: .max, last_ns: 0, events: 0, pointers: 0)
    private var isSeen: [Bool] = []
    /// Different names of scenes.
    private(set) var scenes = 0

    var events: Int { Int(raw.events) }
    /// Pointer events among them.
    var pointerEvents: Int { Int(raw.pointers) }
    /// The earliest time, `nil` without events.
    var first: Timestamp? { raw.events == 0 ? nil : Timestamp(nanoseconds: raw.first_ns) }
    /// The latest time, `nil` without events.
    var last: Timestamp? { raw.events == 0 ? nil : Timestamp(nanoseconds: raw.last_ns) }

    /// Counts an event whose scene may not be connected; `settle_log_bind` counts the others.
    fileprivate mutating func add(_ event: LogEvent) {
        raw.events += 1
        raw.first_ns = min(raw.first_ns, event.at.nanoseconds)
        raw.last_ns = max(raw.last_ns, event.at.nanoseconds)
        let scene = event.name.index
        if scene >= isSeen.count { isSeen.append(contentsOf: repeatElement(false, count: scene + 1 - isSeen.count)) }
        if isSeen[scene] { return }
        isSeen[scene] = true
        scenes += 1
    }
}
