public import Settle
public import SettleLog
public import SettleLoop

/// Sends a source's events to a live engine, and connects a scene of the engine for each scene of
/// the source. Run it on a thread of its own:
///
/// ```swift
/// let sink = try EngineSink(engine) { scene, name in print("\(name) is scene \(scene)") }
/// try SourceRunner(X11Source(), into: sink).run()
/// ```
public final class EngineSink: SourceSink {
    private let engine: LiveEngine
    private let connected: (SceneID, String) -> Void
    private var events: EventSource
    private var bindings = SceneBindings<SceneID>()

    /// Events whose scene could not be connected: the engine has too many, or was stopped.
    public private(set) var refused = 0

    /// - Parameters:
    ///   - engine: The engine that decides.
    ///   - connected: Called on the runner's thread with the handle and the name of each scene,
    ///     before its first event is sent.
    /// - Throws: What `LiveEngine.makeSource` throws.
    public init(_ engine: LiveEngine, connected: @escaping (SceneID, String) -> Void = { _, _ in }) throws(LoopError) {
        self.engine = engine
        self.connected = connected
        events = try engine.makeSource()
    }

    public func receive(_ batch: EventBatch, scenes: SceneNames, news: [SourceNews]) {
        // The batch's events become the engine's in place.
        batch.events.withMemoryRebound(to: Event.self) { bound in
            var (sent, count) = (0, 0)
            func send() {
                events.send(Span(_unsafeElements: UnsafeBufferPointer(bound.extracting(sent..<count))))
                sent = count
            }
            for index in bound.indices {
                let event = LogEvent(bound[index].raw)
                do throws(EngineError) {
                    let binding = try bindings.bind(event) { () throws(EngineError) in
                        // A disconnect among the events before may free the capacity that is needed.
                        send()
                        let scene = try engine.connect()
                        connected(scene, scenes[event.name])
                        return scene
                    }
                    switch binding {
                    case .pointer: bound[count] = event.event(for: SceneID(rawValue: 0))
                    case .bound(let scene), .newlyBound(let scene): bound[count] = event.event(for: scene)
                    case .rejected: continue
                    }
                    count += 1
                } catch {
                    refused += 1
                }
            }
            send()
        }
    }
}
