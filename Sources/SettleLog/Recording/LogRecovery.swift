internal import Settle

/// Saves what is whole in a damaged binary log.
///
/// ```swift
/// let recovery = try LogRecovery(path: "torn.settle")
/// try recovery.run(to: ByteOutput(OutputFile("whole.settle", input: recovery.file, isSynced: true)))
/// for loss in recovery.losses { print(loss) }
/// ```
///
/// Every chunk whose checksum holds is kept, wherever it stands, and written in chunks
/// of the usual size with an index that is made anew. Use it from one thread at a time.
public final class LogRecovery {
    private let input: ByteInput
    private let reader: BinaryReader
    /// What the input seems to be when it holds nothing of a binary log. Damage may look
    /// like anything, so this alone is no reason to refuse it.
    private let foreign: String?
    /// Whether events are missing from what was written.
    public enum Outcome: Hashable, Sendable {
        /// The log's index lists exactly the chunks that were saved.
        case complete
        /// Something is lost; `losses` says what.
        case lossy
        /// Every chunk that was found is saved, but no index says that these were all.
        case unknown
    }

    /// Events that were written.
    public private(set) var events = 0
    /// What could not be read, in the order of the file; complete after `run`. Parts of
    /// kind `index` cost nothing.
    public private(set) var losses: [LogLoss] = []
    /// Whether the log had an index that was whole; known after `run`.
    public private(set) var hadIndex = false
    /// Where an index contradicts what stands before it; complete after `run`.
    public private(set) var contradictions: [LogError] = []
    /// Known after `run`.
    public private(set) var outcome = Outcome.unknown

    /// - Parameter path: The damaged log; `-` is standard input.
    public convenience init(path: String) throws(LogError) {
        try self.init(ByteInput(path: path))
    }

    /// Throws when the input cannot be read, or when a newer version wrote it.
    public init(_ input: ByteInput) throws(LogError) {
        self.input = input
        foreign = try ForeignContent.error(input)?.problem
        reader = try BinaryReader(input, salvaging: true)
    }

    /// Which file is read, `nil` for a pipe.
    public var file: FileIdentity? { input.file }

    /// How much was read and how much there is, in bytes; the latter is `nil` for a pipe.
    public var progress: (read: UInt64, of: UInt64?) { (input.offset, input.length) }

    /// Writes all that is whole. Once.
    ///
    /// - Parameter wasWritten: Called now and then, for `progress`.
    /// - Throws: When reading or writing fails, and when the input has neither a header
    ///   nor a chunk of a binary log; the output is then left unfinished.
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
            // A chunk that is malformed half way has been read up to there.
            try writer.write(batch, scenes: reader.scenes)
            events += batch.count
            wasWritten()
        }
        losses = reader.losses.all
        contradictions = reader.contradictions
        hadIndex = reader.index != nil
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
