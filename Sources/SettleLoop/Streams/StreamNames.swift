public import Settle

/// What the scenes of streams are called: `client:scene`. For handlers, which know a
/// scene by its `SceneID` only. Any thread.
public final class StreamNames: @unchecked Sendable {
    private let lock = Lock()
    private var indices: Engine.SceneIndices?
    private var rooms: [Room] = []

    /// A scene and the one before it in the same room of the engine. Decisions for
    /// that one may still be on their way to the handler, but for none before it: the
    /// loop delivers what it decided before it frees another room.
    private struct Room {
        var scene: SceneID?
        var name = ""
        var olderScene: SceneID?
        var olderName = ""
    }

    public init() {}

    /// The name of a scene that a stream connected, for as long as decisions for it
    /// can come, and some time longer.
    public func name(of scene: SceneID) -> String? {
        lock.locked {
            guard let indices, indices[scene] < rooms.count else { return nil }
            let room = rooms[indices[scene]]
            return room.scene == scene ? room.name : room.olderScene == scene ? room.olderName : nil
        }
    }

    /// Names a scene before its first event is sent.
    func record(_ name: String, of scene: SceneID, _ indices: Engine.SceneIndices) {
        lock.locked {
            self.indices = indices
            let index = indices[scene]
            if index >= rooms.count { rooms.append(contentsOf: repeatElement(Room(), count: index + 1 - rooms.count)) }
            let older = rooms[index]
            rooms[index] = Room(scene: scene, name: name, olderScene: older.scene, olderName: older.name)
        }
    }
}
