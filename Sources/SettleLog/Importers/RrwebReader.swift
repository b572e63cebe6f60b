internal import CSettle
internal import FoundationEssentials
internal import Settle

/// Reads a web page's recording by rrweb: a JSON array of events, an object with such an
/// array under `events`, or a sequence of events (usually one per line).
///
/// Sizes are in Meta events (type 4) and in incremental snapshots (type 3) of the source
/// ViewportResize (4). The numbers are those of `EventType` and `IncrementalSource` in
/// rrweb's packages/types/src/index.ts. Time stamps are in milliseconds since 1970. The
/// 200 ms in the note are those of `initViewportResizeObserver`
/// (packages/rrweb/src/record/observer.ts).
///
/// Keeps one event in memory at a time, whatever the length of the array.
final class RrwebReader: FormatReader {
    let header = LogHeader(clock: "realtime", unit: "px", source: "rrweb")
    let scenes = SceneNames()
    let notes = [
        "rrweb records a page's size at most every 200 ms, so changes in between are missing.",
        "rrweb does not say when the user was resizing, and its mouse events, which only the page itself sees,"
            + " were left out.",
    ]
    private let input: ByteInput
    private var phase = Phase.top

    private enum Phase {
        /// Outside any array, between events.
        case top
        case array(isInWrapper: Bool)
        /// In the object around the array, behind the array.
        case wrapperEnd(JSONSpan)
        /// In an event that is larger than `eventLengthMax`.
        case oversized(JSONSpan, isInArray: Bool, isInWrapper: Bool)
    }

    /// The largest event in bytes.
    private let eventLengthMax: Int

    /// A page's first snapshot can have several megabytes.
    static let eventLengthMaxDefault = 64 << 20

    init(_ input: ByteInput, eventLengthMax: Int = eventLengthMaxDefault) {
        self.input = input
        self.eventLengthMax = eventLengthMax
    }

    func read(into batch: EventBatch) throws(LogError) -> Bool {
        // Return the events that have arrived before waiting for more: a pipe may be live.
        while !batch.isFull {
            switch phase {
            case .top, .array:
                guard let byte = try nextByte(waiting: batch.count == 0) else {
                    if batch.count > 0 { return true }
                    return try end()
                }
                if try !read(byte, into: batch) { return true }
            case _ where batch.count > 0:
                return true
            case .wrapperEnd(var span):
                if try !discard(&span) { return try end() }
                phase = .top
            case .oversized(var span, let isInArray, let isInWrapper):
                if try !discard(&span) { return try end() }
                phase = isInArray ? .array(isInWrapper: isInWrapper) : .top
            }
        }
        return true
    }

    private var isInArray: Bool {
        if case .array = phase { true } else { false }
    }

    private var isInWrapper: Bool {
        if case .array(isInWrapper: true) = phase { true } else { false }
    }

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
        if case .top = phase { return false }
        phase = .top
        throw fault("the recording ends before its array is closed", .truncated)
    }

    /// Reads the value that begins with the byte. False if the rest of it has not arrived and
    /// the batch has events to return first.
    private func read(_ byte: UInt8, into batch: EventBatch) throws(LogError) -> Bool {
        switch (byte, isInArray) {
        case (0x7B, _):
            return try readObject(into: batch)
        case (0x5B, false):
            input.consume(1)
            phase = .array(isInWrapper: false)
        case (0x5D, true):
            input.consume(1)
            phase = isInWrapper ? .wrapperEnd(JSONSpan(depth: 1)) : .top
        default:
            throw try skipForeign()
        }
        return true
    }

    /// Skips a value that is not an object, and returns the fault.
    private func skipForeign() throws(LogError) -> LogError {
        let problem = fault("no rrweb event; packed or compressed recordings have to be unpacked first")
        var span = JSONSpan(depth: 0)
        if input.available[0] == 0x5B || input.available[0] == 0x22 {
            _ = try discard(&span)
            return problem
        }
        let ends: Set<UInt8> = [0x20, 0x0A, 0x0D, 0x09, 0x2C, 0x5B, 0x5D, 0x7B, 0x22]
        input.consume(1)
        while true {
            let rest = input.available.prefix { !ends.contains($0) }
            let isWhole = rest.count < input.available.count
            input.consume(rest.count)
            if isWhole { return problem }
            if try !input.more() { return problem }
        }
    }

    /// Consumes bytes up to the end of a value; false if the input ends first.
    private func discard(_ span: inout JSONSpan) throws(LogError) -> Bool {
        while true {
            let available = input.available
            if let length = span.find(in: available, from: 0, stopAtEvents: false) {
                input.consume(length)
                return true
            }
            input.consume(available.count)
            if try !input.more() { return false }
        }
    }

    private func readObject(into batch: EventBatch) throws(LogError) -> Bool {
        var span = JSONSpan(depth: 0)
        var searched = 0
        while true {
            let available = input.available
            if let length = span.find(in: available, from: searched, stopAtEvents: !isInArray) {
                try readObject(length: length, span, into: batch)
                return true
            }
            searched = available.count
            if searched > eventLengthMax {
                let problem = oversized
                input.consume(searched)
                phase = .oversized(span, isInArray: isInArray, isInWrapper: isInWrapper)
                throw problem
            }
            if batch.count > 0 { return false }
            if try !input.more() { break }
        }
        let problem = fault("the last event is cut off", .truncated)
        input.consume(searched)
        phase = .top
        throw problem
    }

    private func readObject(length: Int, _ span: JSONSpan, into batch: EventBatch) throws(LogError) {
        defer { input.consume(length) }
        if length > eventLengthMax { throw oversized }
        switch span.stop {
        case .events:
            phase = .array(isInWrapper: true)
        case .brokenString:
            throw fault("a line ends in the middle of a string")
        case .end:
            // Snapshots of a page are large and may be nested too deeply for the decoder.
            if let type = span.type, type != RrwebEvent.metaType, type != RrwebEvent.incrementalType { return }
            let bytes = UnsafeRawBufferPointer(rebasing: input.available[0..<length])
            guard let event = try? JSONDecoder().decode(RrwebEvent.self, from: Data(bytes)) else {
                throw fault("an event that is no valid JSON object with a \"type\"")
            }
            try append(event, to: batch)
        }
    }

    private func append(_ event: RrwebEvent, to batch: EventBatch) throws(LogError) {
        guard event.hasSize else { return }
        guard let width = event.data?.width, let height = event.data?.height else {
            throw fault("a size event without \"width\" and \"height\"")
        }
        guard let at = event.at else { throw fault("a size event without a usable \"timestamp\"") }
        let size = Size(width: width, height: height)
        batch.append(.geometry(scenes.number(of: "viewport"), at: at, size: size), at: .byte(input.offset))
    }

    private var oversized: LogError { fault("an event is larger than \(eventLengthMax) bytes") }

    private func fault(_ problem: String, _ kind: LogError.Kind = .malformed) -> LogError {
        LogError(kind, file: input.name, at: .byte(input.offset), problem)
    }
}

extension LogFormat {
    /// A web page's recording.
    public static let rrweb = LogFormat(
        SETTLE_FORMAT_RRWEB, makeReader: { input throws(LogError) in RrwebReader(input) })
}
