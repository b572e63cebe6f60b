import Settle
import SettleLoop

/// Rebuilds when Settle decides so: the engine runs on a thread of its own, and its rebuilder
/// runs the builds. This is all that a program has to write. One thread, the window's.
final class SettleHalf {
    private let engine: LiveEngine
    private let scene: SceneID
    private var events: EventSource
    private let ended = LockedValueBox(0)

    /// Interactions that ended so far, such as drags.
    var drags: Int { ended.withLock { $0 } }

    init(_ half: Half) throws {
        let ended = ended
        engine = try LiveEngine { decision in
            if case .interactionEnded = decision.kind { ended.withLock { $0 += 1 } }
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
