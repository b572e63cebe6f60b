import CSettle
import SettleLog

/// The C functions that read a log in memory, judged by the reader of files: the same events, and
/// damage where that has a fault. All memory has exactly the size that is asked for.
enum WholeLogJudge {
    private struct Whole {
        var damage: UInt32
        var damagedAt: Int
        var events: [settle_log_event]
        var names: [String]

        var isDamaged: Bool { damage & ~SETTLE_LOG_NO_INDEX.rawValue != 0 }
        var isHeaderDamaged: Bool { damage & SETTLE_LOG_HEADER_DAMAGED.rawValue != 0 }
    }

    static func run(_ bytes: [UInt8]) {
        let reading = Reading(bytes, .settle)
        let whole = read(bytes, salvages: false)
        let salvaged = read(bytes, salvages: true)
        if let salvaged { demand(salvaged.isDamaged || whole != nil, "a refused log that is salvaged is damaged") }
        guard let whole, !whole.isHeaderDamaged else {
            return demand(reading.events.isEmpty && !reading.faults.isEmpty, "a header without a fault is read")
        }
        // The header's text is read by others, and has no damage.
        if reading.faults.count == 1, reading.faults.first?.position == .byte(16), reading.events.isEmpty { return }
        guard let salvaged else { return demand(false, "a log that is read can be salvaged") }
        for one in [whole, salvaged] {
            demand(one.isDamaged == !reading.faults.isEmpty, "damage \(one.damage), but \(reading.faults)")
        }
        if let first = reading.faults.first {
            let position = LogPosition.byte(UInt64(bitPattern: Int64(whole.damagedAt)))
            demand(first.position == position, "damaged at \(whole.damagedAt), but \(first)")
        }
        compare(salvaged, reading, count: reading.events.count)
        demand(whole.events.count <= reading.events.count, "no event is behind damage")
        compare(whole, reading, count: whole.isDamaged ? whole.events.count : reading.events.count)
    }

    private static func compare(_ whole: Whole, _ reading: Reading, count: Int) {
        demand(whole.events.count == count, "\(whole.events.count) events, and not \(count)")
        for (event, expected) in zip(whole.events, reading.events) {
            var renamed = expected.raw
            if renamed.kind != SETTLE_POINTER.rawValue {
                demand(Int(event.name) < whole.names.count, "a scene has a name: \(event)")
                let isSame = whole.names[Int(event.name)] == reading.names[expected.name]
                demand(isSame, "scene \(whole.names[Int(event.name)]), and not \(reading.names[expected.name])")
                renamed.name = event.name
            }
            let isSame = withUnsafeBytes(of: event) { a in withUnsafeBytes(of: renamed) { a.elementsEqual($0) } }
            demand(isSame, "\(event), and not \(renamed)")
        }
    }

    private static func read(_ bytes: [UInt8], salvages: Bool) -> Whole? {
        let log = GuardedMemory(byteCount: bytes.count)
        UnsafeMutableRawBufferPointer(start: log.start, count: bytes.count).copyBytes(from: bytes)
        var whole = settle_log_whole()
        let start = log.start.assumingMemoryBound(to: UInt8.self)
        guard settle_log_measure(start, bytes.count, salvages, &whole) == SETTLE_LOG_OK.rawValue else { return nil }
        let size = settle_log_whole_size(&whole)
        demand(size <= 32 * bytes.count, "claims cost nothing: \(size) bytes for \(bytes.count)")
        let memory = GuardedMemory(byteCount: size)
        var contents = settle_log_contents()
        demand(
            settle_log_read_whole(&whole, [3, 5], memory.start, size, &contents) == 0, "the measured memory is enough")
        let names = (0..<Int(contents.names_count)).map { number in
            let place = contents.names.names[number]
            let name = UnsafeBufferPointer(start: contents.names.bytes + place.from, count: place.count)
            let found = settle_log_find_name(&contents.names, name.baseAddress, name.count)
            demand(Int(found) == number, "a name is found by its bytes")
            let text = String(validating: name, as: UTF8.self)
            demand(text != nil, "a name is UTF-8")
            return text ?? ""
        }
        return Whole(
            damage: contents.damage, damagedAt: contents.damaged_at,
            events: Array(UnsafeBufferPointer(start: contents.events, count: contents.count)), names: names)
    }
}
