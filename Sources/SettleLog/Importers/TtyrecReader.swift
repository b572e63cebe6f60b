internal import CSettle
internal import Settle

/// Reads a terminal's recording by `ttyrec`: frames of output, each behind 12 bytes with the seconds, the microseconds
/// and the length, in the order of x86's bytes (io.c of ttyrec). The size is in the output, where a program or a
/// recorder that writes it there sends `ESC [ 8 ; ROWS ; COLS t`.
final class TtyrecReader: FormatReader {
    let header = LogHeader(clock: "realtime", unit: "cell", source: "ttyrec")
    let scenes = SceneNames()
    let notes = [
        "A terminal recording does not say when the user was resizing. Its sizes are in character cells, and only those"
            + " that its output has (ESC [ 8 ; ROWS ; COLS t)."
    ]
    private let input: ByteInput
    private var count = ForeignCount("frames")
    private var isOver = false
    /// What of the frame is still to come.
    private var rest = 0
    /// Where the frame begins.
    private var frame: UInt64 = 0
    private var at = Timestamp(nanoseconds: 0)
    private var scan = TerminalSizeReport()

    private static let headerBytes = 12
    /// A longer frame is damage.
    private static let frameBytesMax: UInt32 = 1 << 24

    init(_ input: ByteInput) { self.input = input }

    var foreign: ForeignCount? { count }

    func read(into batch: EventBatch) throws(LogError) -> Bool {
        while !isOver, !batch.isFull {
            if rest == 0 {
                guard try begin(waits: batch.count == 0) else { return !isOver }
                continue
            }
            if input.available.isEmpty {
                if batch.count > 0 { return true }
                guard try input.more() else { throw fault("the last frame is cut off", .truncated) }
            }
            let bytes = UnsafeRawBufferPointer(rebasing: input.available.prefix(rest))
            let taken = scan.take(bytes)
            if let size = taken.size {
                batch.append(.geometry(scenes.number(of: "terminal"), at: at, size: size), at: .byte(frame))
            }
            input.consume(taken.bytes)
            rest -= taken.bytes
        }
        return !isOver
    }

    /// Reads a frame's header. False at the end, or if it has not arrived and there are events to return first.
    private func begin(waits: Bool) throws(LogError) -> Bool {
        if input.available.count < Self.headerBytes, !waits { return false }
        guard try input.require(Self.headerBytes) else {
            if input.available.isEmpty {
                isOver = true
                return false
            }
            throw fault("the last frame is cut off", .truncated)
        }
        let bytes = input.available
        func number(_ offset: Int) -> UInt32 {
            UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        }
        let (seconds, microseconds, length) = (number(0), number(4), number(8))
        guard microseconds < 1_000_000, length <= Self.frameBytesMax else {
            throw fault("no frame of ttyrec; nothing behind it can be found", .malformed)
        }
        at = Timestamp(nanoseconds: UInt64(seconds) * 1_000_000_000 + UInt64(microseconds) * 1000)
        rest = Int(length)
        count.known += 1
        frame = input.offset
        input.consume(Self.headerBytes)
        return true
    }

    private func fault(_ problem: String, _ kind: LogError.Kind) -> LogError {
        isOver = true
        return LogError(kind, file: input.name, at: .byte(input.offset), problem)
    }
}

extension LogFormat {
    /// A terminal's recording by `ttyrec`.
    public static let ttyrec = LogFormat(
        SETTLE_FORMAT_TTYREC, makeReader: { input throws(LogError) in TtyrecReader(input) })
}
