import Settle
import SettleLoop

/// Rebuilds when Settle decides so: the engine runs on a thread of its own, and its rebuilder
/// runs the builds. This is all that a program has to write. One thread, the window's.
final class SettleHalf {
    private let engine: LiveEngine
    private let scene: SceneID
    private var events: EventSource
    private let interactions = LockedValueBox((began: 0, ended: 0))

    /// Interactions that ended so far, such as drags.
    var drags: Int { interactions.withLock { $0.ended } }
    /// Whether a person resizes the window now, as far as the engine knows.
    var isDragged: Bool { interactions.withLock { $0.began > $0.ended } }

    init(_ half: Half) throws {
        let interactions = interactions
        engine = try LiveEngine { decision in
            switch decision.kind {
            case .interactionBegan: interactions.withLock { $0.began += 1 }
            case .interactionEnded: interactions.withLock { $0.ended += 1 }
            default: break
            }
        }
        _ = try engine.makeRebuilder { _, rebuild in half.rebuild(PixelSize(rebuild.size)) }
        try engine.start()
        scene = try engine.connect()
        events = try engine.makeSource()
    }

    /// - Parameter isResizing: What the window system states; `nil` if it states nothing.
    func geometry(_ size: PixelSize, isResizing: Bool?, at time: Timestamp) {
        events.send(
            .geometry(
                scene, at: time, size: Size(width: Double(size.width), height: Double(size.height)),
                isInteractivelyResizing: isResizing))
    }

    func pointer(button: UInt32, isPressed: Bool, at time: Timestamp) {
        events.send(.pointer(button: button, isPressed: isPressed, at: time))
    }
}

extension PixelSize {
    init(_ size: Size) { self.init(width: Int(size.width), height: Int(size.height)) }
}
