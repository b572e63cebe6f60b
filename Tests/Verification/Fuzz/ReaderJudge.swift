import Settle
import SettleLog

/// What every reader of logs promises, whatever the bytes: it neither crashes nor
/// stands still; what it reads is in range; how the bytes arrive makes no difference;
/// and what was read can be written and read back.
struct ReaderJudge {
    private let format: LogFormat

    init(_ format: LogFormat) { self.format = format }

    func run(_ bytes: [UInt8]) {
        let whole = Reading(bytes, format)
        for event in whole.events { check(event, whole) }
        for fault in whole.faults {
            demand(!fault.problem.isEmpty && fault.file == "fuzz", "a fault says what and where: \(fault)")
        }
        let pieces = Reading(inPieces: bytes, format)
        whole.demandSameEvents(pieces, "in pieces as in one")
        demand(
            whole.faults.map { Place($0) } == pieces.faults.map { Place($0) },
            "in pieces as in one: faults \(whole.faults), then \(pieces.faults)")

        whole.demandSameEvents(whole.rewritten(as: .settle), "through the binary encoding")
        // JSON cannot say all that the binary encoding can, a NaN for one.
        if format == .settle { return }
        let again = whole.rewritten(as: .jsonl)
        whole.demandSameEvents(again, "through JSON Lines")
        demand(again.faults.isEmpty, "what was written has no fault: \(again.faults)")
        demand(again.header == whole.header, "the header is kept: \(whole.header), then \(again.header)")
    }

    /// The format of a log is detected, or an error says why not; then the log is read in it.
    static func detect(_ bytes: [UInt8]) {
        guard let reader = try? LogReader(ByteInput(bytes: bytes, name: "fuzz")) else {
            demand(!Reading(bytes, nil).faults.isEmpty, "a log of no format has a fault")
            return
        }
        Reading(bytes, nil).demandSameEvents(Reading(bytes, reader.format), "with its format told or found")
    }

    private func check(_ event: LogEvent, _ log: Reading) {
        demand(event.at <= .latest, "a time is in range: \(event)")
        switch event.kind {
        case .pointer: break
        case .geometry, .connect, .disconnect, .finished, .previewed:
            demand(Int(event.name.rawValue) < log.names.count, "a scene has a name: \(event)")
        }
    }

    /// A fault without its words: those may state the length of a file, which a pipe does
    /// not know.
    private struct Place: Equatable {
        let kind: LogError.Kind
        let position: LogPosition?

        init(_ fault: LogError) { (kind, position) = (fault.kind, fault.position) }
    }
}
