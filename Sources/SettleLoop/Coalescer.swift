internal import Settle

/// Coalesces the events of a producer whose ring is full: it keeps each scene's latest
/// state, and the end of an interaction before it.
///
/// Events keep the order of their last change. Nothing is lost that the engine must know in
/// the end: every scene's last size, flag and lock, every disconnect, every button's last
/// state, and an end edge that a new interaction follows. Its size is bounded: at most two
/// geometry events per scene, two events per button, one request of each kind per scene,
/// and one event per scene that the engine will reject, which replaces only its like.
struct Coalescer {
    private var entries: [Entry?] = []
    /// Where in `entries` the event of a key is.
    private var positions: [Key: Int] = [:]
    /// Events that were replaced by another and will not be sent themselves.
    private(set) var coalesced: UInt64 = 0

    private enum Role: UInt8 {
        case latest, end, flush, cancel, reallyBuilt, finished, previewed, connect, disconnect, pressed, released,
            rejected
    }
    private struct Key: Hashable {
        var number: UInt32
        var role: Role
    }

    private struct Entry {
        var event: Event
        var key: Key
    }

    var isEmpty: Bool { positions.isEmpty }
    var count: Int { positions.count }

    mutating func add(_ event: Event) {
        let number = event.scene.rawValue
        switch event.isValid ? event.kind : nil {
        case .geometry: addGeometry(event)
        case .pointer: addPointer(event)
        case .connect: append(event, Key(number: number, role: .connect))
        case .disconnect: append(event, Key(number: number, role: .disconnect))
        case .flush: append(event, Key(number: number, role: .flush))
        case .cancel: append(event, Key(number: number, role: .cancel))
        case .reallyBuilt: append(event, Key(number: number, role: .reallyBuilt))
        // A report of an older rebuild or preview than the last changes nothing.
        case .finished: append(event, Key(number: number, role: .finished))
        case .previewed: append(event, Key(number: number, role: .previewed))
        case nil: append(event, Key(number: number, role: .rejected))
        }
        if entries.count > 2 * positions.count + 64 { compact() }
    }

    private mutating func addGeometry(_ event: Event) {
        let latest = Key(number: event.scene.rawValue, role: .latest)
        guard let position = positions[latest], let before = entries[position]?.event else {
            append(event, latest)
            return
        }
        let end = Key(number: event.scene.rawValue, role: .end)
        // The engine may be in an interaction that `before` ends: that end is kept.
        if before.isInteractivelyResizing == false, event.isInteractivelyResizing == true, positions[end] == nil {
            positions[end] = position
            entries[position]?.key = end
            positions[latest] = nil
            append(event, latest)
        } else {
            append(event.filled(from: before), latest)
        }
    }

    /// A press and its release that both wait cancel each other out; an older release stays.
    private mutating func addPointer(_ event: Event) {
        let pressed = Key(number: event.button, role: .pressed)
        let released = Key(number: event.button, role: .released)
        if event.isPressed {
            append(event, pressed)
        } else if positions[pressed] != nil, positions[released] != nil {
            remove(pressed)
            coalesced += 2
        } else {
            append(event, released)
        }
    }

    /// Appends an event, in place of an earlier one with the same key.
    private mutating func append(_ event: Event, _ key: Key) {
        if positions[key] != nil {
            remove(key)
            coalesced += 1
        }
        positions[key] = entries.count
        entries.append(Entry(event: event, key: key))
    }

    private mutating func remove(_ key: Key) {
        guard let position = positions.removeValue(forKey: key) else { return }
        entries[position] = nil
    }

    private mutating func compact() {
        var count = 0
        for position in entries.indices {
            guard let entry = entries[position] else { continue }
            positions[entry.key] = count
            entries[count] = entry
            count += 1
        }
        entries.removeLast(entries.count - count)
    }

    /// Removes events, in order, for as long as they are accepted; the others stay.
    mutating func drain(_ accept: (Event) -> Bool) {
        var done = 0
        while done < entries.count {
            if let entry = entries[done] {
                guard accept(entry.event) else { break }
                positions[entry.key] = nil
                entries[done] = nil
            }
            done += 1
        }
        if done == entries.count { entries.removeAll(keepingCapacity: true) } else { compact() }
    }
}

extension Event {
    /// This event, with what it does not state copied from an older one.
    fileprivate func filled(from older: Event) -> Event {
        .geometry(
            scene, at: at, size: statedSize ?? older.size,
            isInteractivelyResizing: isInteractivelyResizing ?? older.isInteractivelyResizing,
            isInterfaceOrientationLocked: isInterfaceOrientationLocked ?? older.isInterfaceOrientationLocked,
            orientation: orientation ?? older.orientation)
    }
}
