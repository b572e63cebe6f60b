import Settle
import SettleLog
import SettlePlatform

/// `settle anonymize --framed`: many logs from standard input to standard output, for the Python package, which reads
/// and writes Parquet. Before each log is its length in bytes, 8 bytes in little-endian order. A log with a fault comes
/// back as a length of 2^63 and more, of which the rest is that of the fault's text, which follows.
enum AnonymizeFrames {
    private static let faultBit: UInt64 = 1 << 63
    /// The most bytes of a log: what `settle pack` takes.
    private static let bytesMax: UInt64 = 512 << 20

    static func run(_ options: Options, _ form: AnonymousForm) throws -> ExitCode {
        guard options.positional.isEmpty else {
            throw Failure.usage("--framed reads standard input and writes standard output, and takes no names")
        }
        let given = try options.nameKey()
        let input = try ByteInput(path: "-")
        let output = try Outputs.open(OutputFile("-", input: input.file))
        while let bytes = try log(input) {
            let (answer, fault) = try anonymized(bytes, given?.key ?? NameKey.random(), form)
            let length = UInt64(answer.count) | (fault ? faultBit : 0)
            try output.write((0..<8).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) } + answer)
            try output.flush()
        }
        try output.finish()
        return .fine
    }

    /// The next log, `nil` at the end.
    private static func log(_ input: ByteInput) throws -> [UInt8]? {
        let head = try input.take(8)
        if head.isEmpty { return nil }
        let length = head.reversed().reduce(0) { $0 << 8 | UInt64($1) }
        guard head.count == 8, length <= bytesMax else {
            throw Failure(code: .io, message: "standard input: a log's length is cut or above \(bytesMax)")
        }
        let bytes = try input.take(Int(length))
        guard bytes.count == Int(length) else { throw Failure(code: .io, message: "standard input: a log is cut") }
        return bytes
    }

    /// A binary log's bytes anonymized, or the text of its fault.
    private static func anonymized(
        _ bytes: [UInt8], _ key: NameKey, _ form: AnonymousForm
    ) throws -> ([UInt8], isFault: Bool) {
        do {
            let reader = try LogReader(ByteInput(bytes: bytes, name: "the log"))
            let anonymizer = try LogAnonymizer(key, form, log: "the log")
            let batch = EventBatch()
            while try reader.read(into: batch) { try anonymizer.take(batch, reader.scenes) }
            let written = LockedValueBox<[UInt8]>([])
            let output = ByteOutput(name: "the log") { part in written.withLock { $0.append(contentsOf: part) } }
            try anonymizer.finish(to: output, as: .settle, reader.header)
            try output.finish()
            return (written.withLock { $0 }, false)
        } catch let error as LogError {
            return (Array(error.description.utf8), true)
        } catch let error as EngineError {
            return (Array("the log: \(error)".utf8), true)
        }
    }
}
