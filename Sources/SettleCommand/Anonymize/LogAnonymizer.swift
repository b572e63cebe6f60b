import Settle
import SettleLog
import SettlePlatform

/// Takes from a log what identifies a person, a machine or a program.
///
/// The smallest time is known only at the log's end, and a pipe cannot be read twice. So the events,
/// already without names and exact sizes, are kept in memory in the binary encoding: 6 bytes per
/// event of a mouse, twice that for a moment at the end.
final class LogAnonymizer {
    /// What was changed.
    private(set) var summary = AnonymizeSummary()

    private let form: AnonymousForm
    private var coarse: CoarseEvents?
    private let replacements: NameReplacements
    private let kept = LockedValueBox<[UInt8]>([])
    private let keeper: BinaryWriter
    private let anonymized = EventBatch()
    private let log: String
    /// The smallest time but for 0, which some programs write of windows that were there before.
    private var earliest: Timestamp?
    /// The most that follows a time of 0 as late as before: by then, all but the longest waits are over.
    private static let gapMax: UInt64 = 60_000_000_000

    /// - Parameters:
    ///   - key: Replaces the names.
    ///   - form: What is left of sizes and times.
    ///   - log: The log's name in messages.
    init(_ key: NameKey, _ form: AnonymousForm, log: String) throws {
        self.form = form
        self.log = log
        replacements = NameReplacements(key.replacement)
        let output = ByteOutput(name: log) { [kept] bytes in kept.withLock { $0.append(contentsOf: bytes) } }
        keeper = try BinaryWriter(output, header: LogHeader())
        if case .coarse = form { coarse = try CoarseEvents() }
    }

    /// Takes the log's next events.
    ///
    /// - Throws: `Failure` if two names have the same replacement; `.malformed` for an event whose
    ///   time is out of range; `EngineError.tooManyScenes` if a coarse log has more than an engine.
    func take(_ batch: EventBatch, _ scenes: SceneNames) throws {
        try replacements.extend(from: scenes)
        anonymized.removeAll()
        for index in 0..<batch.count {
            let event = try anonymous(batch[index])
            if event.at == .zero { summary.hasZero = true } else { earliest = min(earliest ?? event.at, event.at) }
            anonymized.append(event, at: .byte(0))
        }
        try keeper.write(anonymized, scenes: replacements.names)
        summary.events += batch.count
        summary.names = replacements.names.count
    }

    /// Writes the log's events, the earliest at 0. Call it once, at the log's end.
    ///
    /// - Parameters:
    ///   - output: Where the anonymized log goes.
    ///   - format: Its encoding.
    ///   - header: The header of the log that was read.
    func finish(to output: ByteOutput, as format: LogFormat, _ header: LogHeader) throws {
        let header = AnonymousHeader(header)
        summary.dropped = header.dropped
        // A time of 0 says nothing, but those after it may be a machine's since its start.
        let first = earliest?.nanoseconds ?? 0
        let shift = first - (summary.hasZero ? min(first, Self.gapMax) : 0)
        summary.shift = .nanoseconds(Int64(shift))
        try keeper.finish()
        let bytes = kept.withLock { bytes in
            defer { bytes = [] }
            return bytes
        }
        let reader = try LogReader(ByteInput(bytes: bytes, name: log))
        let writer = try format.makeWriter(output, header: header.header)
        let batch = EventBatch()
        while try reader.read(into: batch) {
            for index in 0..<batch.count {
                let time = batch[index].at.nanoseconds
                if time > 0 { batch[index].at = Timestamp(nanoseconds: time - shift) }
            }
            try writer.write(batch, scenes: reader.scenes)
        }
        try writer.finish()
    }

    /// The event without its exact size. It is made anew, of what a log states, so that nothing else
    /// in the bytes that it was read from gets into the output.
    private func anonymous(_ event: LogEvent) throws -> LogEvent {
        if let size = event.size { count(size) }
        if let coarse { return try coarse.next(event) }
        return switch event.kind {
        case .geometry:
            .geometry(
                event.name, at: event.at, size: event.size.map { anonymous($0) },
                isInteractivelyResizing: event.isInteractivelyResizing,
                isInterfaceOrientationLocked: event.isInterfaceOrientationLocked, orientation: event.orientation)
        case .connect: .connect(event.name, at: event.at)
        case .disconnect: .disconnect(event.name, at: event.at)
        case .pointer: .pointer(button: event.button, at: event.at, isPressed: event.isPressed)
        case .finished:
            event.build.map { .finished(event.name, at: event.at, generation: $0.generation, cost: $0.cost) } ?? event
        case .previewed:
            event.work.map {
                .previewed(event.name, at: event.at, generation: $0.generation, cost: $0.cost, isKept: $0.isKept)
            } ?? event
        }
    }

    private func anonymous(_ size: Size) -> Size {
        guard case .rounded(let step) = form else { return size }
        let rounded = step.rounded(size)
        if size.isValid, rounded != size { summary.sizesChanged += 1 }
        return rounded
    }

    private func count(_ size: Size) {
        summary.sizes += 1
        if !size.isValid { summary.sizesRejected += 1 }
    }
}

/// What is left of sizes and times.
enum AnonymousForm {
    /// Rounded sizes, and times from 0 on.
    case rounded(SizeStep)
    /// What rebuilds depend on (`CoarseEvents`).
    case coarse
}
