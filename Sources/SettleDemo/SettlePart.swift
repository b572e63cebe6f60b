import Settle
import SettleClock
import SettleLoop
import SettlePlatform

/// Builds when Settle decides so: the engine runs on a thread of its own, and its rebuilder
/// runs the builds. This is all that a program has to write. One thread, the window's.
final class SettlePart {
    private let engine: LiveEngine
    private let rebuilder: AssetRebuilder
    private let scene: SceneID
    private var events: EventSource
    private let interactions = LockedValueBox((began: 0, ended: 0))

    /// Interactions that began, and that ended so far, such as drags.
    var began: Int { interactions.withLock { $0.began } }
    var drags: Int { interactions.withLock { $0.ended } }
    /// Whether a person resizes the window now, as far as the engine knows.
    var isDragged: Bool { interactions.withLock { $0.began > $0.ended } }

    /// - Parameters:
    ///   - policy: `prepared` begins builds while the size rests.
    ///   - changed: Made readable whenever a drag begins or ends.
    ///   - recording: Receives the reports of live builds.
    ///   - dragged: Called on the engine's thread when a drag begins, and with the time when it ends.
    init(
        _ part: Part, _ policy: Policy, changed: EventDescriptor, recording: Recording,
        dragged: @escaping @Sendable (Timestamp?) -> Void = { _ in }
    ) throws {
        let interactions = interactions
        let engine = try LiveEngine(policy: policy) { decision in
            switch decision.kind {
            case .interactionBegan:
                interactions.withLock { $0.began += 1 }
                dragged(nil)
            case .interactionEnded:
                interactions.withLock { $0.ended += 1 }
                dragged(decision.at)
            default: return
            }
            changed.signal()
        }
        rebuilder =
            policy.pauseDelay == nil
            ? try engine.makeRebuilder { [weak engine] scene, rebuild in
                let cost = part.build(PixelSize(rebuild.size))
                guard let engine else { return }
                let now = MonotonicClock.now
                engine.post(.finished(scene, at: now, generation: rebuild.generation, cost: cost))
                recording.finished(rebuild.generation, at: now, cost: cost)
            }
            : try engine.makeRebuilder { _, size in
                let made = part.make(PixelSize(size)) { Task.isCancelled }
                guard let picture = made.picture else { throw CancellationError() }
                return picture
            } show: { _, _, picture in
                part.show(picture)
            }
        try engine.start()
        scene = try engine.connect()
        events = try engine.makeSource()
        self.engine = engine
    }

    /// What the rebuilder's previews came to.
    var previews: AssetRebuilder.Previews { rebuilder.statistics.previews }

    /// - Parameter isResizing: What the window system states; `nil` if it states nothing.
    func geometry(_ size: PixelSize, isResizing: Bool?, at time: Timestamp) {
        events.send(
            .geometry(
                scene, at: time, size: Size(width: Double(size.width), height: Double(size.height)),
                isInteractivelyResizing: isResizing))
    }

    func pointer(button: UInt32, at time: Timestamp, isPressed: Bool) {
        events.send(.pointer(button: button, at: time, isPressed: isPressed))
    }
}

extension PixelSize {
    init(_ size: Size) { self.init(width: Int(size.width), height: Int(size.height)) }
}
