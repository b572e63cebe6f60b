internal import CSettle
internal import FoundationEssentials
internal import Settle

/// Reads a web page's recording by rrweb: events in arrays, arrays of arrays, lines, or anywhere in the objects that
/// exports have around them; as text or packed in strings.
///
/// Sizes are in Meta events (type 4) and in incremental snapshots (type 3) of the source ViewportResize (4). The numbers
/// are those of `EventType` and `IncrementalSource` in rrweb's packages/types/src/index.ts. Time stamps are in
/// milliseconds since 1970. The 200 ms in the note are those of `initViewportResizeObserver`
/// (packages/rrweb/src/record/observer.ts).
///
/// Keeps one event in memory at a time, whatever the length of an array.
final class RrwebReader: FormatReader {
    let header = LogHeader(clock: "realtime", unit: "px", source: "rrweb")
    let scenes: SceneNames
    private let input: ByteInput
    /// Arrays and objects that have begun, from the outside in.
    private var containers: [Container] = []
    /// An event that is larger than `eventLengthMax`, or a value that is passed over, as far as it was read.
    private var passed: JSONSpan?
    /// What was packed in a string.
    private var packed: RrwebReader?
    /// Where the string begins in the log that this was packed in.
    private var start: UInt64?
    private var at: LogPosition { .byte(start ?? input.offset) }
    private var count = ForeignCount("events of rrweb")
    private var pages = RrwebPages()
    /// The window of events around which nothing names one.
    private var window: String?

    private struct Container {
        var isObject: Bool
        /// The name of the browser's window that the events are of.
        var window: String?
        /// Where an object began that is around an event or a fault, and how many events there were then.
        var start: UInt64?
        var known: Int
        var isEmpty = true
        /// In an object, a key was read, and its value was not.
        var isAtValue = false
    }

    /// The largest event in bytes.
    private let eventLengthMax: Int

    /// A page's first snapshot can have several megabytes.
    static let eventLengthMaxDefault = 64 << 20
    private static let containersMax = 16
    /// How deep strings may be within strings.
    private var nesting = 0
    private static let nestingMax = 3
    /// The longest key, or name of a window, in bytes with its escapes.
    private static let wordMax = 1 << 10

    init(_ input: ByteInput, eventLengthMax: Int = eventLengthMaxDefault, scenes: SceneNames = SceneNames()) {
        self.input = input
        self.eventLengthMax = eventLengthMax
        self.scenes = scenes
    }

    var foreign: ForeignCount? { count }

    var notes: [String] {
        [
            "rrweb records a page's size at most every 200 ms, so changes in between are missing.",
            "rrweb does not say when the user was resizing, and its mouse events, which only the page itself sees,"
                + " were left out.",
        ] + [pages.note].compactMap(\.self)
    }

    func read(into batch: EventBatch) throws(LogError) -> Bool {
        // Return the events that have arrived before waiting for more: a pipe may be live.
        while !batch.isFull {
            if let packed {
                if try readPacked(packed, into: batch) { return true }
                count.known += packed.count.known
                self.packed = nil
            }
            if var span = passed {
                if batch.count > 0 { return true }
                if try !discard(&span) { return try end() }
                passed = nil
            }
            guard let byte = try nextByte(waiting: batch.count == 0) else {
                if batch.count > 0 { return true }
                return try end()
            }
            if try !read(byte, into: batch) { return true }
        }
        return true
    }

    /// Reads what was packed; its faults are those of the string.
    private func readPacked(_ packed: RrwebReader, into batch: EventBatch) throws(LogError) -> Bool {
        do throws(LogError) {
            return try packed.read(into: batch)
        } catch {
            throw LogError(.malformed, file: input.name, at: packed.at, "in a packed event, \(error.problem)")
        }
    }

    // MARK: Places

    private var currentWindow: String? { containers.last?.window ?? window }
    private var isInArray: Bool { containers.last.map { !$0.isObject } ?? false }

    /// Returns the next byte that is neither white space nor a comma, without consuming it;
    /// `nil` at the end of the input.
    ///
    /// - Parameter waiting: Whether to read from the input, which may block. If false, `nil`
    ///   can also mean that the byte is not buffered yet.
    private func nextByte(waiting: Bool) throws(LogError) -> UInt8? {
        while true {
            let available = input.available
            let blank = available.prefix { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 || $0 == 0x2C }
            let byte = blank.count < available.count ? available[blank.count] : nil
            input.consume(blank.count)
            if let byte { return byte }
            if !waiting { return nil }
            if try !input.more() { return nil }
        }
    }

    private func end() throws(LogError) -> Bool {
        if containers.isEmpty, passed == nil { return false }
        (containers, passed) = ([], nil)
        throw fault("the recording ends before its array is closed", .truncated)
    }

    /// - Parameter isAroundEvent: Whether an object without an event in it is a fault.
    private func enter(isObject: Bool, isAroundEvent: Bool = false) throws(LogError) {
        if containers.count == Self.containersMax {
            passed = JSONSpan()
            throw fault("its arrays and objects are nested too deeply")
        }
        noteValue()
        containers.append(
            Container(
                isObject: isObject, window: currentWindow, start: isAroundEvent ? input.offset : nil,
                known: count.known))
        input.consume(1)
    }

    /// Leaves an array or an object. An object in which there was no event, and around which there is none, is a fault.
    private func leave() throws(LogError) {
        let left = containers.removeLast()
        input.consume(1)
        guard let start = left.start, left.known == count.known, !containers.contains(where: \.isObject) else { return }
        throw LogError(.malformed, file: input.name, at: .byte(start), "an object without an event of rrweb")
    }

    // MARK: Values

    private func noteValue() {
        guard let last = containers.indices.last else { return }
        (containers[last].isEmpty, containers[last].isAtValue) = (false, false)
    }

    /// Reads the value that begins with the byte. False if the rest of it has not arrived and
    /// the batch has events to return first.
    private func read(_ byte: UInt8, into batch: EventBatch) throws(LogError) -> Bool {
        if let last = containers.last, last.isObject, !last.isAtValue, byte != 0x7D {
            return try readMember(byte, batch)
        }
        let isFirst = isInArray && containers[containers.count - 1].isEmpty
        switch byte {
        case 0x7B: return try readObject(into: batch)
        case 0x5B: try enter(isObject: false)
        case 0x5D where isInArray, 0x7D where containers.last?.isObject == true: try leave()
        case 0x22 where !containers.isEmpty: return try readString(batch, isFirst: isFirst)
        default:
            let problem = try skipForeign()
            // Others' values beside the events.
            if !containers.contains(where: \.isObject) { throw problem }
        }
        return true
    }

    /// Reads a key of an object around events, and its value if that is none of its own.
    private func readMember(_ byte: UInt8, _ batch: EventBatch) throws(LogError) -> Bool {
        guard byte == 0x22 else { throw try skipForeign() }
        guard let (key, length) = try word(batch) else { return false }
        // Up to the value's first byte.
        var place = length
        while true {
            let available = input.available
            while place < available.count, [0x20, 0x0A, 0x0D, 0x09, 0x3A].contains(available[place]) { place += 1 }
            if place < available.count { break }
            if batch.count > 0 { return false }
            if try !input.more() { return try end() }
        }
        let first = input.available[place]
        input.consume(place)
        switch first {
        case 0x7B:
            containers[containers.count - 1].isAtValue = true
            return try readObject(into: batch)
        case 0x5B:
            try enter(isObject: false)
            // PostHog's exports have an array for each window, under its name.
            if containers.dropLast().last?.window == nil, Self.isName(key) {
                containers[containers.count - 1].window = key
            }
        case 0x22:
            if key == "window_id" || key == "windowId", let (name, length) = try word(nil) {
                containers[containers.count - 1].window = name
                input.consume(length)
                return true
            }
            return try readString(nil, isFirst: false)
        default:
            try skipWord()
        }
        return true
    }

    /// Whether a key is the name of a window and not that of a part of an export.
    private static func isName(_ key: String) -> Bool { key.utf8.count >= 16 && key.utf8.contains(0x2D) }

    /// A short string at the input's place, with its bytes; `nil` if it has not arrived and the batch has events.
    private func word(_ batch: EventBatch?) throws(LogError) -> (text: String, length: Int)? {
        var span = JSONSpan()
        while true {
            let available = input.available
            if let length = span.find(in: available, isLine: false) {
                guard length <= Self.wordMax else { return ("", length) }
                return (RrwebPacking.text(UnsafeRawBufferPointer(rebasing: available[..<length])), length)
            }
            if let batch, batch.count > 0 { return nil }
            let isMore = if span.searched <= eventLengthMax { try input.more() } else { false }
            if isMore { continue }
            input.consume(span.searched)
            throw fault("a string that does not end", .truncated)
        }
    }

    /// Reads a string that may be a packed event, or the name of the window whose events follow.
    ///
    /// - Parameter isFirst: Whether it is the first element of an array, which may name a window.
    private func readString(_ batch: EventBatch?, isFirst: Bool) throws(LogError) -> Bool {
        var span = JSONSpan()
        while true {
            if let length = span.find(in: input.available, isLine: false) {
                defer { input.consume(length) }
                try readString(UnsafeRawBufferPointer(rebasing: input.available[..<length]), isFirst: isFirst)
                return true
            }
            if span.searched > eventLengthMax { throw passLarge(span) }
            if let batch, batch.count > 0 { return false }
            if try !input.more() { return try end() }
        }
    }

    private func readString(_ quoted: UnsafeRawBufferPointer, isFirst: Bool) throws(LogError) {
        noteValue()
        if nesting == Self.nestingMax { return }
        switch try RrwebPacking.unpacked(quoted, atMost: eventLengthMax) {
        case .events(let events):
            let reader = RrwebReader(
                ByteInput(bytes: events, name: input.name), eventLengthMax: eventLengthMax, scenes: scenes)
            (reader.pages, reader.window, reader.nesting) = (pages, currentWindow, nesting + 1)
            reader.start = start ?? input.offset
            packed = reader
        case .text where isFirst && quoted.count <= Self.wordMax:
            containers[containers.count - 1].window = RrwebPacking.text(quoted)
        case .text where !containers.contains(where: \.isObject): throw fault("no rrweb event")
        case .text: break
        case .damaged: throw fault("a packed event that cannot be unpacked")
        }
    }

    /// Skips a value that is neither an object nor an array, and returns the fault.
    private func skipForeign() throws(LogError) -> LogError {
        let problem = fault("no rrweb event")
        if input.available[0] == 0x22 {
            passed = JSONSpan()
            return problem
        }
        try skipWord()
        return problem
    }

    /// Skips a number, or whatever else has no quotes and no brackets.
    private func skipWord() throws(LogError) {
        let ends: Set<UInt8> = [0x20, 0x0A, 0x0D, 0x09, 0x2C, 0x5B, 0x5D, 0x7B, 0x7D, 0x22]
        input.consume(1)
        while true {
            let rest = input.available.prefix { !ends.contains($0) }
            let isWhole = rest.count < input.available.count
            input.consume(rest.count)
            if isWhole { return }
            if try !input.more() { return }
        }
    }

    /// Consumes bytes up to the end of a value; false if the input ends first.
    private func discard(_ span: inout JSONSpan) throws(LogError) -> Bool {
        while true {
            if let length = span.find(in: input.available, isLine: false) {
                input.consume(length)
                return true
            }
            input.consume(span.searched)
            span.restart()
            passed = span
            if try !input.more() { return false }
        }
    }

    /// Passes over a value that is too large, and returns the fault.
    private func passLarge(_ span: JSONSpan) -> LogError {
        let problem = oversized
        noteValue()
        input.consume(span.searched)
        var span = span
        span.restart()
        passed = span
        return problem
    }

    // MARK: Events

    private func readObject(into batch: EventBatch) throws(LogError) -> Bool {
        var span = JSONSpan()
        while true {
            let available = input.available
            if let length = span.find(in: available, isLine: containers.isEmpty, entersContainers: true) {
                try readObject(length: length, span, into: batch)
                return true
            }
            if span.searched > eventLengthMax { throw passLarge(span) }
            if batch.count > 0 { return false }
            if try !input.more() { break }
        }
        let problem = fault("the last event is cut off", .truncated)
        input.consume(input.available.count)
        containers = []
        throw problem
    }

    private func readObject(length: Int, _ span: JSONSpan, into batch: EventBatch) throws(LogError) {
        noteValue()
        switch span.stop {
        case .container: return try enter(isObject: true)
        case .brokenString:
            defer { input.consume(length) }
            throw fault("a line ends in the middle of a string")
        case .end: break
        }
        if length > eventLengthMax {
            defer { input.consume(length) }
            throw oversized
        }
        let bytes = UnsafeRawBufferPointer(rebasing: input.available[0..<length])
        guard let type = span.type else {
            // What has no type may be around an event.
            if bytes.find("type") != nil { return try enter(isObject: true, isAroundEvent: true) }
            defer { input.consume(length) }
            // The first line of a segment of Sentry's has its number.
            if containers.contains(where: \.isObject) || bytes.find("\"events\"") != nil
                || bytes.find("\"segment_id\"") != nil
            {
                return
            }
            throw fault("an object without an event of rrweb")
        }
        defer { input.consume(length) }
        count.known += 1
        // Only what has a size is decoded: other events are large, and may be nested too deeply for the decoder.
        let mayMatter =
            type == RrwebEvent.metaType
            || type == RrwebEvent.customType && bytes.find("\"window ", anchor: 1) != nil
            || type == RrwebEvent.incrementalType && bytes.find("\"width\"", anchor: 1) != nil
                && bytes.find("\"source\"", anchor: 1) != nil
        guard mayMatter else { return }
        guard let event = try? JSONDecoder().decode(RrwebEvent.self, from: Data(bytes)) else {
            throw fault("an event that is no valid JSON object with a \"type\"")
        }
        let seen: (scene: String, size: Size, at: Timestamp)?
        do throws(JSONFault) { seen = try pages.size(by: event, window: currentWindow) } catch {
            throw fault(error.problem)
        }
        guard let seen else { return }
        batch.append(
            .geometry(scenes.number(of: seen.scene), at: seen.at, size: seen.size), at: at)
    }

    private var oversized: LogError { fault("an event is larger than \(eventLengthMax) bytes") }

    private func fault(_ problem: String, _ kind: LogError.Kind = .malformed) -> LogError {
        LogError(kind, file: input.name, at: at, problem)
    }
}

extension LogFormat {
    /// A web page's recording.
    public static let rrweb = LogFormat(
        SETTLE_FORMAT_RRWEB, makeReader: { input throws(LogError) in RrwebReader(input) })
}
