internal import Settle

/// Saves the intact part of a damaged binary log.
///
/// ```swift
/// let recovery = try LogRecovery(path: "torn.settle")
/// try recovery.run(to: ByteOutput(OutputFile("whole.settle", input: recovery.file)))
/// for loss in recovery.losses { print(loss) }
/// ```
///
/// Keeps every chunk with a correct checksum, and writes the events in chunks of the usual
/// size with a new index. Use it from one thread at a time.
public final class LogRecovery {
    private let input: ByteInput
    private let reader: BinaryReader
    /// The other kind of content that the input begins like, for the error message if nothing
    /// can be recovered. Damage may look like anything, so this alone is no error.
    private let foreign: String?
    /// Whether events are missing from the output.
    public enum Outcome: Hashable, Sendable {
        /// The log's index lists exactly the chunks that were saved.
        case complete
        /// Something is lost; see `losses`.
        case lossy
        /// Every chunk that was found is saved, but no index shows that these were all.
        case unknown
    }

    /// The number of events written so far.
    public private(set) var events = 0
    /// The parts that could not be read, in the order of the file; complete after `run`. A
    /// lost `index` loses no events.
    public private(set) var losses: [LogLoss] = []
    /// Whether the log had an intact index; known after `run`.
    public private(set) var hadIndex = false
    /// Contradictions between an index and the chunks before it; complete after `run`.
    public private(set) var contradictions: [LogError] = []
    /// The number of lost events; known after `run`. Exact only if an index lists all events:
    /// without one, more chunks may be missing.
    public private(set) var eventsLost: (atLeast: Int, isExact: Bool) = (0, false)
    /// Whether events are missing; known after `run`.
    public private(set) var outcome = Outcome.unknown

    /// Opens a damaged log; `-` is standard input.
    ///
    /// - Throws: `.io` when it cannot be read; `.newerVersion` for a newer version.
    public convenience init(path: String) throws(LogError) {
        try self.init(ByteInput(path: path))
    }

    /// Recovers from an input; see `init(path:)`.
    public init(_ input: ByteInput) throws(LogError) {
        self.input = input
        foreign = try ForeignContent.error(input)?.problem
        reader = try BinaryReader(input, salvaging: true)
    }

    /// Which file is read, `nil` for a pipe.
    public var file: FileIdentity? { input.file }

    /// The bytes read so far, and the input's length in bytes, `nil` for a pipe.
    public var progress: (read: UInt64, of: UInt64?) { (input.offset, input.length) }

    /// Writes the intact chunks and finishes the output. Call it once.
    ///
    /// - Parameters:
    ///   - output: Where the recovered log goes.
    ///   - wasWritten: Called repeatedly, to show `progress`.
    /// - Throws: `.io` when reading or writing fails; `.malformed` when the input has neither
    ///   a header nor a chunk of a binary log. The output is then not finished.
    public func run(to output: ByteOutput, wasWritten: () -> Void = {}) throws(LogError) {
        let writer = try BinaryWriter(output, header: reader.header)
        let batch = EventBatch()
        var isMore = true
        while isMore {
            batch.removeAll()
            do throws(LogError) {
                isMore = try reader.read(into: batch)
            } catch {
                if case .io = error.kind { throw error }
            }
            // The batch has the events before the fault of a malformed chunk.
            try writer.write(batch, scenes: reader.scenes)
            events += batch.count
            wasWritten()
        }
        losses = reader.losses.all
        contradictions = reader.contradictions
        hadIndex = reader.index != nil
        let counts = losses.filter { $0.part == .chunks }.map(\.events)
        eventsLost = (counts.reduce(0) { $0 + ($1 ?? 0) }, !reader.lacksEnd && !counts.contains(nil))
        if losses.contains(where: { $0.part != .index }) {
            outcome = .lossy
        } else {
            outcome = reader.lacksEnd || !contradictions.isEmpty || !losses.isEmpty ? .unknown : .complete
        }
        if losses.first?.part == .header, events == 0, !hadIndex {
            throw LogError(
                .malformed, file: input.name,
                foreign ?? "there is neither a header nor a whole chunk of a binary log in it")
        }
        try writer.finish()
    }
}
