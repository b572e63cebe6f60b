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
            rebuildSlots()
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
                        slots_mask: slots.count - 1)
                    return body(&table)
                }
            }
        }
    }

    /// Removes names. New names reuse their numbers.
    ///
    /// - Precondition: None of them was removed before.
    func remove(_ scenes: some Sequence<SceneNumber>) {
        for scene in scenes {
            let number = Int(scene.rawValue)
            unusedBytes += places[number].count
            names[number] = ""
            places[number] = settle_log_name()
            free.append(scene.rawValue)
        }
        if unusedBytes * 2 > bytes.count { compact() }
        rebuildSlots()
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

    private func rebuildSlots() {
        for slot in slots.indices { slots[slot] = 0 }
        let removed = Set(free)
        for number in names.indices where !removed.contains(UInt32(number)) { insert(number) }
    }

    /// Puts a name into the first free slot for its bytes.
    private func insert(_ number: Int) {
        let hash = withUTF8(of: number) {
            settle_log_name_hash($0.baseAddress?.assumingMemoryBound(to: UInt8.self), $0.count)
        }
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = UInt32(number) + 1
    }
}
