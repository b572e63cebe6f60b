import CSettle

/// The events of a chunk's body, read field by field as docs/reference/log-format.md lists them.
struct NaiveDecoder {
    private(set) var events: [settle_log_event] = []
    private(set) var isWhole = false

    private var bytes: ArraySlice<UInt8>
    private var previous = settle_log_event()
    private var sizes: [settle_log_size]
    private let times: ClosedRange<UInt64>

    /// - Parameter body: The body behind its dictionary.
    init(_ body: [UInt8], events count: Int, scenes: Int, times: ClosedRange<UInt64>) {
        bytes = body[...]
        sizes = Array(repeating: settle_log_size(), count: scenes)
        self.times = times
        previous.at_ns = times.lowerBound
        for _ in 0..<count {
            guard let event = next() else { return }
            events.append(event)
            previous = event
        }
        isWhole = bytes.isEmpty
    }

    private mutating func number(_ length: Int) -> UInt64? {
        guard bytes.count >= length else { return nil }
        defer { bytes = bytes.dropFirst(length) }
        return bytes.prefix(length).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private mutating func next() -> settle_log_event? {
        guard let tag = number(1), tag & 128 == 0, let time = number([2, 3, 4, 8][Int(tag & 3)]) else { return nil }
        var event = previous
        event.at_ns &+= time
        if tag & 16 != 0 {
            guard let kind = number(1), let flags = number(2) else { return nil }
            (event.kind, event.flags) = (UInt16(kind), UInt16(flags))
        }
        let sceneLength = [0, 1, 2, 4][Int(tag >> 5 & 3)]
        if sceneLength > 0 {
            guard let name = number(sceneLength) else { return nil }
            event.name = UInt32(name)
        }
        guard event.kind <= 3, event.flags < 512, event.flags >> 4 & 7 <= 4, times.contains(event.at_ns) else {
            return nil
        }
        if event.kind != 3, event.name >= sizes.count { return nil }
        (event.width, event.height) = (0, 0)
        let sizeCode = tag >> 2 & 3
        guard event.kind == 0, event.flags & 128 != 0 else { return sizeCode == 0 ? event : nil }
        guard let size = nextSize(sizeCode, after: sizes[Int(event.name)]) else { return nil }
        sizes[Int(event.name)] = size
        (event.width, event.height) = (size.width, size.height)
        return event
    }

    private mutating func nextSize(_ code: UInt64, after last: settle_log_size) -> settle_log_size? {
        if code == 0 { return last }
        let length = [0, 1, 2, 8][Int(code)]
        guard let width = number(length), let height = number(length) else { return nil }
        switch code {
        case 1:
            let (dx, dy) = (Int8(truncatingIfNeeded: width), Int8(truncatingIfNeeded: height))
            return settle_log_size(width: last.width + Double(dx), height: last.height + Double(dy))
        case 2:
            let (dx, dy) = (Int16(truncatingIfNeeded: width), Int16(truncatingIfNeeded: height))
            return settle_log_size(width: last.width + Double(dx), height: last.height + Double(dy))
        default:
            return settle_log_size(width: Double(bitPattern: width), height: Double(bitPattern: height))
        }
    }
}
