public import Settle

/// What the scenes of streams are called: `client:scene`. For handlers, which know a
/// scene by its `SceneID` only. Any thread.
public final class StreamNames: @unchecked Sendable {
    private let lock = Lock()
    private var indices: Engine.SceneIndices?
    private var rooms: [Room] = []

    /// A scene, and those before it in the same room of the engine whose decisions may
    /// still be on their way to the handler; at least the last of them is kept.
    private struct Room {
        var scene: SceneID?
        var name = ""
        var older: [(scene: SceneID, name: String, goneAt: UInt64)] = []

        /// The scene before was disconnected when the engine had made `passes`. What was
        /// decided for it is delivered by the pass after these, so before the second one.
        mutating func enter(_ scene: SceneID, _ name: String, passes: UInt64) {
            if let before = self.scene {
                older.removeAll { passes >= $0.goneAt + 2 }
                older.append((before, self.name, passes))
            }
            (self.scene, self.name) = (scene, name)
        }
    }

    public init() {}

    /// The name of a scene that a stream connected, for as long as decisions for it
    /// can come, and some time longer.
    public func name(of scene: SceneID) -> String? {
        lock.locked {
            guard let indices, indices[scene] < rooms.count else { return nil }
            let room = rooms[indices[scene]]
            return room.scene == scene ? room.name : room.older.last { $0.scene == scene }?.name
        }
    }

    /// Names a scene before its first event is sent.
    ///
    /// - Parameter passes: The engine's, read after the scene was connected.
    func record(_ name: String, of scene: SceneID, _ indices: Engine.SceneIndices, passes: UInt64) {
        lock.locked {
            self.indices = indices
            let index = indices[scene]
            if index >= rooms.count { rooms.append(contentsOf: repeatElement(Room(), count: index + 1 - rooms.count)) }
            rooms[index].enter(scene, name, passes: passes)
        }
    }
}
