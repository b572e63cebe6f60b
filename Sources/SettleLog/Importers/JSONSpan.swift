internal import SettlePlatform

/// Finds the end of a JSON object by its nesting depth, without keeping or validating its content. When more bytes
/// arrive, it continues where it stopped.
struct JSONSpan {
    enum Stop {
        /// The value is complete.
        case end
        /// An array of values under one of the object's keys, or under one of an object within it; the object has no
        /// `type` so far, so it is something around events.
        case container
        /// A newline in a string, which JSON does not allow: the line is cut off.
        case brokenString
    }

    private(set) var stop = Stop.end
    /// The number under the top-level key `type`; `nil` if it is not a short decimal number.
    private(set) var type: Int?

    private var depth = 0
    private var isInString = false
    /// The beginning of the latest string at the top level or the one below it, long enough to compare it with keys.
    private var latest: [UInt8] = []
    private var isAfterColon = false
    private var key = Key.other
    /// An array under a key that may be one around events has begun.
    private var isInDoubt = false

    private enum Key { case type, data, other }

    private static let stringLengthMax = 9

    /// How many of the value's bytes were searched.
    private(set) var searched = 0

    /// The searched bytes were consumed.
    mutating func restart() { searched = 0 }

    /// Returns the number of bytes up to the value's end, `nil` if it is not among `bytes`.
    ///
    /// - Parameters:
    ///   - bytes: From the value's beginning on, or from where it was restarted.
    ///   - isLine: Whether a newline in a string ends the value.
    ///   - entersContainers: Whether something around events is a stop.
    mutating func find(
        in bytes: UnsafeRawBufferPointer, isLine: Bool, entersContainers: Bool = false
    ) -> Int? {
        guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return nil }
        var index = searched
        defer { searched = index }
        let count = bytes.count
        while index < count {
            if isInString {
                guard let end = string(base, from: &index, count, isLine) else { return nil }
                if end { return index }
                continue
            }
            let byte = base[index]
            index += 1
            // What is nested deeper than keys that count is but brackets and strings.
            if depth > 2 && !isInDoubt || byte > 0x7D {
                if byte == 0x22 {
                    isInString = true
                } else if byte | 0x20 == 0x7B {
                    depth += 1
                } else if byte | 0x20 == 0x7D {
                    depth -= 1
                }
                continue
            }
            if step(byte, entersContainers) { return index }
        }
        return nil
    }

    /// Moves behind a string; true at the end of the value or at a broken string, `nil` if its end has not arrived.
    private mutating func string(
        _ base: UnsafePointer<UInt8>, from index: inout Int, _ count: Int, _ isLine: Bool
    ) -> Bool? {
        let from = index
        while index < count {
            guard let quote = memchr(base + index, 0x22, count - index) else {
                // A backslash at the end may escape what follows: look again from there.
                var end = count
                while end > from, base[end - 1] == 0x5C { end -= 1 }
                index = end
                break
            }
            let at = UnsafeRawPointer(base).distance(to: UnsafeRawPointer(quote))
            var slashes = 0
            while at - slashes > from, base[at - slashes - 1] == 0x5C { slashes += 1 }
            index = at + 1
            if slashes % 2 == 1 { continue }
            if isLine, breaks(base, from, at, at: &index) { return true }
            keep(base, from, at)
            isInString = false
            return depth == 0
        }
        keep(base, from, index)
        return isLine && breaks(base, from, index, at: &index) ? true : nil
    }

    private mutating func breaks(_ base: UnsafePointer<UInt8>, _ from: Int, _ end: Int, at index: inout Int) -> Bool {
        guard let newline = memchr(base + from, 0x0A, end - from) else { return false }
        index = UnsafeRawPointer(base).distance(to: UnsafeRawPointer(newline)) + 1
        stop = .brokenString
        return true
    }

    private mutating func keep(_ base: UnsafePointer<UInt8>, _ from: Int, _ end: Int) {
        guard depth <= 2, latest.count <= Self.stringLengthMax else { return }
        latest.append(
            contentsOf: UnsafeBufferPointer(start: base + from, count: min(end - from, Self.stringLengthMax + 1)))
    }

    /// Reads a byte outside strings. True at the end of the value or at a container.
    private mutating func step(_ byte: UInt8, _ entersContainers: Bool) -> Bool {
        if isInDoubt, byte > 0x20 {
            isInDoubt = false
            if [0x7B, 0x5B, 0x22].contains(byte) {
                stop = .container
                return true
            }
        }
        switch byte {
        case 0x22:
            isInString = true
            latest.removeAll(keepingCapacity: true)
            isAfterColon = false
        case 0x7B, 0x5B:
            if entersContainers, type == nil, byte == 0x5B, isAfterColon, depth <= 2 {
                isInDoubt = depth == 1 || key != .data || isAroundEvents
            }
            isAfterColon = false
            depth += 1
        case 0x7D, 0x5D:
            depth -= 1
            return depth <= 0
        case 0x3A where depth <= 2:
            if depth == 1 {
                key = latest.elementsEqual("type".utf8) ? .type : latest.elementsEqual("data".utf8) ? .data : .other
                if key == .type { type = nil }
            }
            isAfterColon = true
        case 0x20, 0x0A, 0x0D, 0x09:
            break
        case 0x2C where depth == 1:
            key = .other
            isAfterColon = false
        default:
            if depth == 1 { addDigit(byte) }
        }
        return false
    }

    /// Events have arrays of their own in `data`; what exports have around events is called so.
    private var isAroundEvents: Bool {
        latest.elementsEqual("snapshots".utf8) || latest.elementsEqual("events".utf8)
    }

    /// Reads a digit of `type`. For any other value `type` is `nil`, and the decoder decides.
    private mutating func addDigit(_ byte: UInt8) {
        defer { isAfterColon = false }
        guard key == .type else { return }
        guard byte.isASCIIDigit, isAfterColon || type != nil, (type ?? 0) < 1000 else {
            key = .other
            type = nil
            return
        }
        type = (type ?? 0) * 10 + Int(byte & 0x0F)
    }
}
