/// A table from the scenes of one engine to values of the caller.
///
/// A lookup is an array access: a handle names a slot of its engine, and the table has an
/// entry for each slot. The entry also stores its scene's handle, so a stale handle does
/// not find the value of the scene that now uses its slot. The table grows to the highest
/// slot that was set, so to at most the engine's `scenesMax` entries.
///
/// A table is a value: it is as thread-safe as an array. It may be used in a `deliver`
/// closure, where the engine itself cannot.
///
/// ```swift
/// var titles = engine.makeSceneTable(of: String.self)
/// titles[window] = "Editor"
/// ```
public struct SceneTable<Value> {
    // Lookups are inlined into other modules, where generic code would otherwise be slow.

    @usableFromInline
    struct Entry {
        @usableFromInline var scene: SceneID
        @usableFromInline var value: Value?
    }

    @usableFromInline var entries: [Entry] = []
    /// The bits of a handle that are its slot.
    @usableFromInline let slotMask: UInt32
    /// How many scenes have a value.
    public private(set) var count = 0

    fileprivate init(slotMask: UInt32) {
        self.slotMask = slotMask
    }

    /// True if no scene has a value.
    public var isEmpty: Bool { count == 0 }

    /// The value of a scene, `nil` for a scene without one.
    ///
    /// Setting a value drops that of an earlier scene in the same slot. While a later scene
    /// of the slot has a value, setting one by the stale handle changes nothing. Setting `nil`
    /// removes the scene's own value and no other's.
    ///
    /// Handles of a slot are compared as serial numbers. So remove the value of a scene that
    /// disconnects: once half of its slot's handles were used after it (2,048 with a `scenesMax`
    /// of 2^20, 2 million with 1,024), it counts as the later one.
    public subscript(scene: SceneID) -> Value? {
        @inlinable get {
            let slot = Int(scene.rawValue & slotMask)
            return slot < entries.count && entries[slot].scene == scene ? entries[slot].value : nil
        }
        _modify {
            let slot = Int(scene.rawValue & slotMask)
            var value: Value?
            if slot < entries.count, entries[slot].scene == scene { swap(&value, &entries[slot].value) }
            if value != nil { count -= 1 }
            defer { if let value { store(value, of: scene, at: slot) } }
            yield &value
        }
    }

    /// The value of a scene, or `defaultValue` for a scene without one.
    public subscript(scene: SceneID, default defaultValue: @autoclosure () -> Value) -> Value {
        @inlinable get { self[scene] ?? defaultValue() }
        _modify {
            var value = self[scene].take() ?? defaultValue()
            defer { self[scene] = value }
            yield &value
        }
    }

    private mutating func store(_ value: Value, of scene: SceneID, at slot: Int) {
        while entries.count <= slot { entries.append(Entry(scene: SceneID(rawValue: 0), value: nil)) }
        if entries[slot].value == nil {
            count += 1
        } else if scene.isOlder(than: entries[slot].scene) {
            return
        }
        entries[slot] = Entry(scene: scene, value: value)
    }

    /// Removes the value of a scene and returns it, `nil` for a scene without one.
    @discardableResult
    public mutating func removeValue(for scene: SceneID) -> Value? { self[scene].take() }

    /// Removes all values.
    public mutating func removeAll() {
        entries.removeAll()
        count = 0
    }
}

extension SceneID {
    /// Whether the handle was made before another of the same slot. The slot's bits are equal,
    /// so the difference is that of the generations, which wrap around.
    fileprivate func isOlder(than other: SceneID) -> Bool { Int32(bitPattern: rawValue &- other.rawValue) < 0 }
}

extension SceneTable: Sequence {
    public func makeIterator() -> Iterator { Iterator(entries: entries.makeIterator()) }

    /// Goes through the scenes that have a value, in the order of their slots.
    public struct Iterator: IteratorProtocol {
        fileprivate var entries: IndexingIterator<[Entry]>

        public mutating func next() -> (scene: SceneID, value: Value)? {
            while let entry = entries.next() {
                if let value = entry.value { return (entry.scene, value) }
            }
            return nil
        }
    }
}

extension SceneTable: Sendable where Value: Sendable {}
extension SceneTable.Entry: Sendable where Value: Sendable {}

extension Engine {
    /// An empty table of this engine's scenes.
    public func makeSceneTable<Value>(of type: Value.Type = Value.self) -> SceneTable<Value> {
        SceneTable(slotMask: slotMask)
    }
}
