import CSettle

/// The C codec of chunks: any header that passes its own checks, and any body. All
/// memory has exactly the size that the header file asks for, so that the address
/// sanitizer sees a step beyond it.
enum CodecJudge {
    static func run(_ bytes: [UInt8]) {
        var numbers = Numbers(bytes)
        var chunk = settle_log_chunk()
        chunk.events = UInt32(numbers.byte())
        chunk.scenes = min(UInt32(numbers.byte()), chunk.events)
        let dictionary = numbers.byte()
        chunk.first_ns = numbers.number() & UInt64(Int64.max)
        chunk.last_ns =
            chunk.first_ns + (numbers.number() & UInt64(Int64.max)) % (UInt64(Int64.max) - chunk.first_ns + 1)
        let body = exactly(numbers.rest)
        defer { body.deallocate() }
        chunk.body_bytes = UInt32(body.count)
        chunk.dictionary_bytes = min(UInt32(dictionary), chunk.body_bytes)

        walkNames(chunk, body)
        frames(numbers.rest)
        guard let events = decoded(chunk, body) else { return }
        chunk.events = UInt32(events.count)
        let again = encodedAndDecoded(chunk, events)
        demand(again == events.map(Bits.init), "events through the encoder: \(events)")
    }

    /// A copy in memory of exactly its size.
    private static func exactly(_ bytes: ArraySlice<UInt8>) -> UnsafeMutableBufferPointer<UInt8> {
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        _ = copy.initialize(from: bytes)
        return copy
    }

    private static func walkNames(_ chunk: settle_log_chunk, _ body: UnsafeMutableBufferPointer<UInt8>) {
        var chunk = chunk
        var offset = 0
        var name: UnsafePointer<UInt8>?
        var length = 0
        while settle_log_next_name(&chunk, body.baseAddress, &offset, &name, &length) == SETTLE_LOG_OK.rawValue {
            let sum = UnsafeBufferPointer(start: name, count: length).reduce(0) { $0 &+ $1 }
            demand(offset <= Int(chunk.dictionary_bytes) && length <= 1024, "a name lies in the dictionary (\(sum))")
        }
    }

    /// The fixed frames, from as many bytes as each reads.
    private static func frames(_ bytes: ArraySlice<UInt8>) {
        func with(_ count: Int, _ read: (UnsafePointer<UInt8>) -> Void) {
            let copy = exactly(bytes.prefix(count))
            if copy.count == count { read(UnsafePointer(copy.baseAddress!)) }
            copy.deallocate()
        }
        with(SETTLE_LOG_FILE_HEADER_BYTES) { bytes in
            var header = settle_log_file_header()
            guard settle_log_read_file_header(bytes, &header) == SETTLE_LOG_OK.rawValue else { return }
            demand(header.metadata_bytes <= SETTLE_LOG_METADATA_MAX, "a length is in range")
        }
        with(SETTLE_LOG_FOOTER_TAIL_BYTES) { bytes in
            var (crc, length): (UInt32, UInt32) = (0, 0)
            guard settle_log_read_footer_tail(bytes, &crc, &length) == SETTLE_LOG_OK.rawValue else { return }
            demand(length >= 32, "a footer has its fixed parts")
        }
    }

    private static func decoded(
        _ chunk: settle_log_chunk, _ body: UnsafeMutableBufferPointer<UInt8>
    ) -> [settle_event]? {
        var chunk = chunk
        let sizes = UnsafeMutablePointer<settle_log_size>.allocate(capacity: Int(chunk.scenes))
        let events = UnsafeMutablePointer<settle_event>.allocate(capacity: Int(chunk.events))
        defer {
            sizes.deallocate()
            events.deallocate()
        }
        var count: UInt32 = 0
        let result = settle_log_decode(&chunk, body.baseAddress, sizes, events, &count)
        demand(count <= chunk.events, "no more events than announced")
        demand(result != SETTLE_LOG_OK.rawValue || count == chunk.events, "a whole chunk gives all its events")
        let all = (0..<Int(count)).map { events[$0] }
        for event in all {
            demand((chunk.first_ns...chunk.last_ns).contains(event.at_ns), "a time lies within the chunk: \(event)")
            demand(event.kind <= UInt16(SETTLE_POINTER.rawValue), "a kind is known: \(event)")
            demand(event.kind == SETTLE_POINTER.rawValue || event.scene < chunk.scenes, "a scene is named: \(event)")
        }
        return all.isEmpty ? nil : all
    }

    private static func encodedAndDecoded(_ chunk: settle_log_chunk, _ events: [settle_event]) -> [Bits]? {
        var chunk = chunk
        chunk.dictionary_bytes = 0
        let sizes = UnsafeMutablePointer<settle_log_size>.allocate(capacity: Int(chunk.scenes))
        let out = UnsafeMutablePointer<UInt8>.allocate(capacity: events.count * SETTLE_LOG_EVENT_BYTES_MAX)
        defer {
            sizes.deallocate()
            out.deallocate()
        }
        let length = settle_log_encode(&chunk, events, sizes, out)
        demand(length <= events.count * SETTLE_LOG_EVENT_BYTES_MAX, "an event has at most its largest size")
        chunk.body_bytes = UInt32(length)
        let body = exactly(UnsafeBufferPointer(start: out, count: length)[...].map { $0 }[...])
        defer { body.deallocate() }
        return decoded(chunk, body)?.map(Bits.init)
    }

    /// An event in every bit, as a NaN is not equal to itself.
    private struct Bits: Equatable {
        let numbers: [UInt64]

        init(_ event: settle_event) {
            numbers = [
                event.at_ns, event.width.bitPattern, event.height.bitPattern, UInt64(event.scene),
                UInt64(event.kind), UInt64(event.flags),
            ]
        }
    }
}
