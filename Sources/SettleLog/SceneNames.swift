internal import CSettle

/// The names of a log's scenes, numbered in order of appearance.
///
/// Names are looked up by their UTF-8 bytes, without a `String` per event. Memory grows with
/// the scenes of a log, not with its events. Use a table from one thread at a time.
public final class SceneNames {
    /// The longest name in UTF-8 bytes.
    public static let nameLengthMax = 1024

    private var names: [String] = []
    /// The names' bytes, and each name's place in them.
    private var bytes: [UInt8] = []
    private var places: [settle_log_name] = []
    /// Numbers of removed names, which the next new ones get.
    private var free: [UInt32] = []
    /// Bytes of removed names.
    private var unusedBytes = 0
    /// The hash table of `settle_log_names`; at most half of it is used.
    private var slots: [UInt32] = Array(repeating: 0, count: 64)
    /// Of the hash. Whoever writes a log does not know it, and so cannot choose names that collide.
    private let seed = (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max))

    private let isStream: Bool
    /// Why a new name was refused that nothing is wrong with.
    private(set) var fullProblem: String?

    /// An empty table.
    public convenience init() { self.init(isStream: false) }

    /// - Parameter isStream: Whether the bounds of a live stream hold.
    init(isStream: Bool) {
        self.isStream = isStream
    }

    /// One more than the largest number in use.
    public var count: Int { names.count }

    /// The name of a number.
    ///
    /// - Precondition: The number is below `count`.
    public subscript(scene: SceneNumber) -> String { names[Int(scene.rawValue)] }

    /// The number of a name; a new name gets a new number.
    public func number(of name: String) -> SceneNumber {
        var name = name
        // A string is valid UTF-8.
        return name.withUTF8 { number(ofUTF8: UnsafeRawBufferPointer($0)) }!
    }

    /// The number of a name's bytes; `nil` for a new name that is no valid UTF-8, or that
    /// exceeds a bound of live streams.
    func number(ofUTF8 name: UnsafeRawBufferPointer) -> SceneNumber? {
        let start = name.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let known = withTable { settle_log_find_name($0, start, name.count) }
        if Int(known) != SETTLE_LOG_NO_NAME { return SceneNumber(rawValue: known) }
        guard let text = String(validating: name, as: UTF8.self), isWithinLimits(name) else { return nil }
        let place = settle_log_name(
            first: settle_log_name_first(start, name.count), from: bytes.count, count: name.count)
        bytes.append(contentsOf: name)
        let number: UInt32
        if let unused = free.popLast() {
            number = unused
            names[Int(number)] = text
            places[Int(number)] = place
        } else {
            number = UInt32(names.count)
            names.append(text)
            places.append(place)
        }
        if names.count * 2 > slots.count {
            slots = Array(repeating: 0, count: slots.count * 2)
            for other in names.indices { insert(other) }
        } else {
            insert(Int(number))
        }
        return SceneNumber(rawValue: number)
    }

    /// The table in which the C functions look names up; valid during the call.
    func withTable<Result>(_ body: (UnsafePointer<settle_log_names>) -> Result) -> Result {
        bytes.withUnsafeBufferPointer { bytes in
            places.withUnsafeBufferPointer { places in
                slots.withUnsafeBufferPointer { slots in
                    var table = settle_log_names(
                        bytes: bytes.baseAddress, names: places.baseAddress, slots: slots.baseAddress,
                        slots_mask: slots.count - 1, seed: seed)
                    return body(&table)
                }
            }
        }
    }

    /// Removes names, at the cost of these names alone. New names reuse their numbers.
    ///
    /// - Precondition: None of them was removed before.
    func remove(_ scenes: some Sequence<SceneNumber>) {
        for scene in scenes {
            let number = Int(scene.rawValue)
            clearSlot(of: number)
            unusedBytes += places[number].count
            names[number] = ""
            places[number] = settle_log_name()
            free.append(scene.rawValue)
        }
        // Each compaction is paid for by the bytes that were removed since the one before.
        if unusedBytes > max(bytes.count / 2, places.count) { compact() }
    }

    private func isWithinLimits(_ name: UnsafeRawBufferPointer) -> Bool {
        guard isStream else { return true }
        if names.count == StreamLimits.scenes {
            fullProblem = "it names more than \(StreamLimits.scenes) scenes"
        } else if bytes.count + name.count > StreamLimits.nameBytes {
            fullProblem = "the names of its scenes have more than \(StreamLimits.nameBytes) bytes together"
        }
        return fullProblem == nil
    }

    /// The UTF-8 bytes of a name, for writers.
    func withUTF8<Result>(of scene: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[range(of: scene)])) }
    }

    private func range(of scene: Int) -> Range<Int> {
        places[scene].from..<places[scene].from + places[scene].count
    }

    private func compact() {
        var kept: [UInt8] = []
        for number in places.indices {
            let start = kept.count
            kept += bytes[range(of: number)]
            places[number].from = start
        }
        bytes = kept
        unusedBytes = 0
    }

    /// Puts a name into the first free slot for its bytes.
    private func insert(_ number: Int) {
        var slot = firstSlot(for: number)
        while slots[slot] != 0 { slot = next(slot) }
        slots[slot] = UInt32(number) + 1
    }

    /// Frees a name's slot, and moves later names of its run up, so that each is still found from
    /// its first slot on.
    private func clearSlot(of number: Int) {
        var empty = firstSlot(for: number)
        while slots[empty] != UInt32(number) + 1 { empty = next(empty) }
        var slot = next(empty)
        while slots[slot] != 0 {
            let first = firstSlot(for: Int(slots[slot]) - 1)
            if distance(first, slot) >= distance(empty, slot) {
                slots[empty] = slots[slot]
                empty = slot
            }
            slot = next(slot)
        }
        slots[empty] = 0
    }

    /// The slot at which the search for a name begins.
    private func firstSlot(for number: Int) -> Int {
        let hash = withUTF8(of: number) { name in
            withTable { settle_log_name_hash($0, name.baseAddress?.assumingMemoryBound(to: UInt8.self), name.count) }
        }
        return Int(truncatingIfNeeded: hash) & (slots.count - 1)
    }

    private func next(_ slot: Int) -> Int { (slot + 1) & (slots.count - 1) }

    private func distance(_ first: Int, _ slot: Int) -> Int { (slot - first) & (slots.count - 1) }
}
