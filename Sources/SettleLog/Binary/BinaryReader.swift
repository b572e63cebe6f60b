internal import CSettle
internal import Settle

/// Reads the binary encoding. A log without an index, or cut anywhere, gives every
/// whole chunk; after a damaged chunk the next intact one is looked for.
final class BinaryReader: FormatReader {
    private(set) var header = LogHeader()
    let scenes: SceneNames
    private(set) var notes: [String] = []
    private let frames: BinaryFrames
    /// Of the chunk at hand: its dictionary's numbers in `scenes`, and its decoder's room.
    private var numbers: [SceneID] = []
    private var sizes: [settle_log_size] = []
    /// Whether the place of the index was reached, whole or not, or the log is torn.
    private var sawEnd = false
    /// Everything that was passed over so far.
    private(set) var losses = LogLosses()
    /// What the index says of the chunks before it; `nil` until it was read.
    private(set) var index: [settle_log_index_entry]?

    static func isMagic(_ start: UnsafeRawBufferPointer) -> Bool {
        start.count >= 8 && (0..<8).allSatisfy { start[$0] == magic[$0] }
    }

    static let magic = BinaryFrames.fileMagic

    /// - Parameter salvaging: A damaged file header is a loss like any other, and
    ///   reading begins at the first chunk.
    init(_ input: ByteInput, salvaging: Bool = false, isStream: Bool = false) throws(LogError) {
        frames = BinaryFrames(input, isStream: isStream)
        scenes = SceneNames(isStream: isStream)
        do throws(LogError) {
            header = try frames.readHeader()
        } catch {
            if case .io = error.kind { throw error }
            guard salvaging else { throw error }
            losses.add(try frames.passHeader(error))
        }
    }

    func read(into batch: EventBatch) throws(LogError) -> Bool {
        // A batch holds a chunk; a second one may not fit any more.
        guard batch.count == 0 else { return true }
        while true {
            switch try frames.next() {
            case .chunk(let chunk, let body, let offset):
                try decode(chunk, body, at: offset, into: batch)
                return true
            case .index(let entries, let offset):
                sawEnd = true
                // Of a log whose bytes were put behind another's, it tells other places.
                if entries.last?.end ?? offset == offset { index = entries }
            case .streamIndex: sawEnd = true
            case .damage(let loss, let claimedEnd):
                if loss.isTorn || loss.part == .index { sawEnd = true }
                losses.add(loss, claimedEnd: claimedEnd)
                throw loss.error(frames.input.name)
            case .end:
                if !sawEnd {
                    notes.append(
                        "The log has no index at its end: its writer did not finish. Every whole chunk was read.")
                }
                return false
            }
        }
    }

    private func decode(
        _ chunk: settle_log_chunk, _ body: UnsafePointer<UInt8>, at offset: UInt64, into batch: EventBatch
    ) throws(LogError) {
        if readDictionary(chunk, body), decodeEvents(chunk, body, at: .byte(offset), into: batch) { return }
        let problem =
            scenes.fullProblem ?? "a chunk's content is malformed behind event \(batch.count) of \(chunk.events)"
        losses.add(
            LogLoss(
                part: .chunks, bytes: settle_log_index_entry(chunk, at: offset).range, problem: problem, isTorn: false,
                events: Int(chunk.events) - batch.count, times: chunk.times))
        throw LogError(.malformed, file: frames.input.name, at: .byte(offset), problem)
    }

    private func readDictionary(_ chunk: settle_log_chunk, _ body: UnsafePointer<UInt8>) -> Bool {
        numbers.removeAll(keepingCapacity: true)
        var chunk = chunk
        var offset = 0
        for _ in 0..<chunk.scenes {
            var name: UnsafePointer<UInt8>?
            var length = 0
            guard settle_log_next_name(&chunk, body, &offset, &name, &length) == SETTLE_LOG_OK.rawValue,
                let number = scenes.number(ofUTF8: UnsafeRawBufferPointer(start: name, count: length))
            else { return false }
            numbers.append(number)
        }
        return offset == chunk.dictionary_bytes
    }

    private func decodeEvents(
        _ chunk: settle_log_chunk, _ body: UnsafePointer<UInt8>, at position: LogPosition, into batch: EventBatch
    ) -> Bool {
        if sizes.count < numbers.count {
            sizes = Array(repeating: settle_log_size(), count: max(numbers.count, 2 * sizes.count))
        }
        var chunk = chunk
        var result = SETTLE_LOG_OK.rawValue
        batch.append(at: position) { events in
            var decoded: UInt32 = 0
            events.withMemoryRebound(to: settle_event.self, capacity: Int(chunk.events)) { raw in
                result = settle_log_decode(&chunk, body, &sizes, raw, &decoded)
                for index in 0..<Int(decoded) where raw[index].kind != SETTLE_POINTER.rawValue {
                    raw[index].scene = numbers[Int(raw[index].scene)].rawValue
                }
            }
            return Int(decoded)
        }
        return result == SETTLE_LOG_OK.rawValue
    }
}
