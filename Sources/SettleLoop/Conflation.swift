@_spi(Faults) internal import Settle

/// What a producer holds back while its ring is full: for each scene its latest state,
/// and the end of an interaction that came before it.
///
/// Events keep the order of their last change. So nothing is lost that the engine must
/// know in the end: every scene's last size, flag and lock, every disconnect, every
/// button's last state, and an end edge that a new interaction follows. Bounded: at
/// most two geometry events a scene, two events a button, one of each request, and one
/// event that the engine will refuse, which is merged with nothing but its like.
struct Conflation {
    private var entries: [Entry?] = []
    private var places: [Key: Int] = [:]
    /// Events that were merged into another and will not be sent themselves.
    private(set) var conflated: UInt64 = 0

    private enum Role: UInt8 { case latest, end, flush, cancel, built, connect, disconnect, pressed, released, refused }
    private struct Key: Hashable {
        var number: UInt32
        var role: Role
    }

    private struct Entry {
        var event: Event
        var key: Key
    }

    var isEmpty: Bool { places.isEmpty }
    var count: Int { places.count }

    mutating func add(_ event: Event) {
        let number = event.scene.rawValue
        switch event.isValid || Planted.rejectedEventCoalesced ? event.kind : nil {
        case .geometry: addGeometry(event)
        case .pointer: addPointer(event)
        case .connect: put(event, Key(number: number, role: .connect))
        case .disconnect: put(event, Key(number: number, role: .disconnect))
        case .flush: put(event, Key(number: number, role: .flush))
        case .cancel: put(event, Key(number: number, role: .cancel))
        case .built: put(event, Key(number: number, role: .built))
        case nil: put(event, Key(number: number, role: .refused))
        }
        if entries.count > 2 * places.count + 64 { compact() }
    }

    private mutating func addGeometry(_ event: Event) {
        let latest = Key(number: event.scene.rawValue, role: .latest)
        guard let place = places[latest], let before = entries[place]?.event else {
            put(event, latest)
            return
        }
        let end = Key(number: event.scene.rawValue, role: .end)
        // The engine may be in an interaction that `before` ends: that end is kept.
        if !Planted.coalescedEndDropped, before.isInteractivelyResizing == false,
            event.isInteractivelyResizing == true, places[end] == nil
        {
            places[end] = place
            entries[place]!.key = end
            places[latest] = nil
            put(event, latest)
        } else {
            put(event.filled(from: before), latest)
        }
    }

    /// A press and its release that both wait say nothing; an older release stays.
    private mutating func addPointer(_ event: Event) {
        let pressed = Key(number: event.button, role: .pressed)
        let released = Key(number: event.button, role: .released)
        if event.isPressed {
            put(event, pressed)
        } else if places[pressed] != nil, places[released] != nil {
            take(pressed)
            conflated += 2
        } else {
            put(event, released)
        }
    }

    private mutating func put(_ event: Event, _ key: Key) {
        if places[key] != nil {
            take(key)
            conflated += 1
        }
        places[key] = entries.count
        entries.append(Entry(event: event, key: key))
    }

    private mutating func take(_ key: Key) {
        guard let place = places.removeValue(forKey: key) else { return }
        entries[place] = nil
    }

    private mutating func compact() {
        var count = 0
        for place in entries.indices {
            guard let entry = entries[place] else { continue }
            places[entry.key] = count
            entries[count] = entry
            count += 1
        }
        entries.removeLast(entries.count - count)
    }

    /// Hands events over, in order, for as long as they are accepted; the others stay.
    mutating func handOver(_ accept: (Event) -> Bool) {
        var passed = 0
        while passed < entries.count {
            if let entry = entries[passed] {
                guard accept(entry.event) else { break }
                places[entry.key] = nil
                entries[passed] = nil
            }
            passed += 1
        }
        if passed == entries.count { entries.removeAll(keepingCapacity: true) } else { compact() }
    }
}

extension Event {
    /// This event, with what it leaves open taken from an older one.
    fileprivate func filled(from older: Event) -> Event {
        let says = size.map { $0.width != 0 && $0.height != 0 } ?? false
        return .geometry(
            scene, at: at, size: says ? size : older.size,
            isInteractivelyResizing: isInteractivelyResizing ?? older.isInteractivelyResizing,
            isInterfaceOrientationLocked: isInterfaceOrientationLocked
                ?? (Planted.openFieldsForgotten ? nil : older.isInterfaceOrientationLocked),
            orientation: orientation ?? older.orientation)
    }
}
