/// The names of a log's scenes, numbered in order of appearance.
///
/// Names are looked up by their UTF-8 bytes, without a `String` per event. Memory grows with
/// the scenes of a log, not with its events. Use a table from one thread at a time.
public final class SceneNames {
    /// The longest name in UTF-8 bytes.
    public static let nameLengthMax = 1024

    private var names: [String] = []
    /// The names' bytes, and each name's range in them.
    private var bytes: [UInt8] = []
    private var ranges: [Range<Int>] = []
    /// Numbers of removed names, which the next new ones get.
    private var free: [UInt32] = []
    /// Bytes of removed names.
    private var unusedBytes = 0
    /// Open addressing; 0 is free, else a name's number plus one.
    private var slots: [UInt32] = Array(repeating: 0, count: 64)
    private var last: UInt32 = 0

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
        // Events come in runs of one scene.
        if Int(last) < names.count, isName(Int(last), name) { return SceneNumber(rawValue: last) }
        var slot = Self.hash(name) & (slots.count - 1)
        while slots[slot] != 0 {
            let number = slots[slot] - 1
            if isName(Int(number), name) {
                last = number
                return SceneNumber(rawValue: number)
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        guard let text = String(validating: name, as: UTF8.self), isWithinLimits(name) else { return nil }
        let range = bytes.count..<bytes.count + name.count
        bytes.append(contentsOf: name)
        if let number = free.popLast() {
            last = number
            names[Int(number)] = text
            ranges[Int(number)] = range
        } else {
            last = UInt32(names.count)
            names.append(text)
            ranges.append(range)
        }
        slots[slot] = last + 1
        if names.count * 2 > slots.count { grow() }
        return SceneNumber(rawValue: last)
    }

    /// Removes names. New names reuse their numbers.
    ///
    /// - Precondition: None of them was removed before.
    func remove(_ scenes: some Sequence<SceneNumber>) {
        for scene in scenes {
            let number = Int(scene.rawValue)
            unusedBytes += ranges[number].count
            names[number] = ""
            ranges[number] = 0..<0
            free.append(scene.rawValue)
        }
        // It may be removed, and has no name then.
        last = .max
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
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[ranges[scene]])) }
    }

    private func isName(_ number: Int, _ name: UnsafeRawBufferPointer) -> Bool {
        let start = ranges[number].lowerBound
        guard ranges[number].count == name.count else { return false }
        return bytes.withUnsafeBytes { known in
            for index in 0..<name.count where known[start + index] != name[index] { return false }
            return true
        }
    }

    /// FNV-1a: names are short, and a log that collides on purpose only slows itself.
    private static func hash(_ name: UnsafeRawBufferPointer) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in name { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return Int(truncatingIfNeeded: hash ^ (hash >> 32))
    }

    private func grow() {
        slots = Array(repeating: 0, count: slots.count * 2)
        rebuildSlots()
    }

    private func compact() {
        var kept: [UInt8] = []
        for number in ranges.indices {
            let start = kept.count
            kept += bytes[ranges[number]]
            ranges[number] = start..<kept.count
        }
        bytes = kept
        unusedBytes = 0
    }

    private func rebuildSlots() {
        for slot in slots.indices { slots[slot] = 0 }
        let removed = Set(free)
        for number in names.indices where !removed.contains(UInt32(number)) {
            var slot = withUTF8(of: number) { Self.hash($0) } & (slots.count - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = UInt32(number) + 1
        }
    }
}
