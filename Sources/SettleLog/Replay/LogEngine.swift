package import Settle

/// An engine that decides about one log's events: it connects the log's scenes by the
/// contract's log rule (`SceneBindings`) and names the scene of each decision by its number
/// in the log. Use it from one thread at a time.
///
/// Events are bound one by one and submitted in blocks:
///
/// ```swift
/// for event in events where try !engine.append(event) {
///     engine.submitAppended { decision, scene in … }
///     _ = try engine.append(event)
/// }
/// engine.submitAppended { decision, scene in … }
/// ```
package struct LogEngine: ~Copyable {
    private var engine: Engine
    private var bindings = SceneBindings<SceneID>()
    /// Has every scene that the engine can decide about.
    private var names: SceneTable<SceneNumber>
    private let block: UnsafeMutableBufferPointer<Event>
    private var count = 0

    /// Events that wait at most: 8 KiB, so that a block is still in the first-level cache
    /// when the engine reads it.
    private static let blockCapacity = 256

    /// - Throws: What `Engine.init` throws.
    package init(policy: Policy, scenesMax: Int, decisionsMax: Int, policiesMax: Int = 1) throws(EngineError) {
        engine = try Engine(
            .init(policy: policy, scenesMax: scenesMax, decisionsMax: decisionsMax, policiesMax: policiesMax))
        names = engine.makeSceneTable()
        block = .allocate(capacity: Self.blockCapacity)
    }

    deinit { block.deallocate() }

    /// Adds an event to the block, and connects its scene if it is not connected.
    ///
    /// - Returns: False if the event was not added because the events before it must be
    ///   submitted first: the block is full, or a disconnect among them frees the capacity
    ///   that this event's scene needs.
    /// - Throws: `.tooManyScenes` if the scene exceeds the engine's capacity; the event is
    ///   not added.
    package mutating func append(_ event: LogEvent) throws(EngineError) -> Bool {
        if count == Self.blockCapacity { return false }
        let scene: SceneID
        do throws(EngineError) {
            switch try bindings.bind(event, connect: { () throws(EngineError) in try engine.connect() }) {
            case .bound(let known): scene = known
            case .newlyBound(let new):
                scene = new
                names[new] = event.name
            // The engine counts what it rejects; a pointer event has no scene.
            case .pointer, .rejected: scene = SceneID(rawValue: 0)
            }
        } catch {
            if count > 0 { return false }
            throw error
        }
        block.initializeElement(at: count, to: event.event(for: scene))
        count += 1
        return true
    }

    /// Submits the events that were added.
    ///
    /// - Parameter deliver: Receives each decision with its scene's number in the log.
    package mutating func submitAppended(deliver: (Decision, SceneNumber) -> Void) {
        let events = Span(_unsafeElements: UnsafeBufferPointer(block.extracting(..<count)))
        count = 0
        engine.submit(events) { deliver($0, names[$0.scene]!) }
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

    /// What the engine counted.
    package var statistics: Engine.Statistics { engine.statistics }
}
