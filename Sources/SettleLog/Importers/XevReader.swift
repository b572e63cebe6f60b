internal import CSettle
internal import Settle

/// Reads the text of `xev`, as its functions `prologue` and `do_…` (xev.c) print it: a line
/// `ConfigureNotify event, serial 18, synthetic NO, window 0x1,`, indented lines with the
/// event's fields, and an empty line before the next event.
///
/// ConfigureNotify has no time stamp in the X protocol, so its times are synthetic; see
/// `XevClock`.
final class XevReader: FormatReader {
    let header = LogHeader(clock: "synthetic", unit: "px", source: "xev")
    let scenes = SceneNames()
    private let lines: LineInput
    private var clock = XevClock()
    private var record: XevRecord?
    private var lastLineIsWhole = true
    private var count = ForeignCount("lines of events")
    private var wheelCount = 0
    /// The windows that had a size and were not destroyed.
    private var sized: Set<String> = []
    /// The wheel's buttons are pressed and released by each step of it, so they are no drag.
    private static let wheelButtons: ClosedRange<UInt32> = 4...7

    init(_ input: ByteInput) {
        lines = LineInput(input)
    }

    var foreign: ForeignCount? { count }

    func read(into batch: EventBatch) throws(LogError) -> Bool {
        while !batch.isFull {
            // Return the events that have arrived before waiting for more: a pipe may be live.
            guard let line = try lines.next(waiting: batch.count == 0) else {
                if !lines.isAtEnd { return true }
                try finishAtEnd(into: batch)
                return false
            }
            lastLineIsWhole = !lines.isLastAndUnfinished || line.isEmpty || XevRecord.endsWithAnswer(line)
            if let started = XevRecord(line, number: lines.number) {
                count.known += 1
                let finished = record
                record = started
                try finish(finished, into: batch)
            } else if let rest = record?.withoutPrefix(line) {
                if rest.isEmpty, line.isEmpty || !lines.isLastAndUnfinished {
                    let finished = record
                    record = nil
                    try finish(finished, into: batch)
                } else {
                    count.known += 1
                    record?.add(rest)
                }
            } else if line.contains(where: { $0 != 0x20 && $0 != 0x3E }) {
                count.skip(line: lines.number)
            }
        }
        return true
    }

    var notes: [String] {
        var notes = [
            "xev prints no time with a change of size, so the times are made up, \(XevClock.spacingMilliseconds) ms"
                + " apart, and durations in the result mean nothing.",
            "Sizes that follow one another in the text count as one change, however long apart they were, unless the"
                + " same size comes twice or an event with a time (a button, a key) stands between: rebuilds are"
                + " missing. To see them all, write the sizes with their times as JSON Lines (docs/reference/log-format.md).",
            "X11 does not say that a window is being resized; only pointer buttons that xev saw can show it.",
        ]
        if wheelCount > 0 {
            notes.append("The wheel's buttons, 4 to 7, are no drag, and were left out (\(wheelCount) events).")
        }
        return notes + [count.note].compactMap(\.self)
    }

    private func finishAtEnd(into batch: EventBatch) throws(LogError) {
        let last = record
        let isWhole = lastLineIsWhole && last?.isWhole ?? true
        record = nil
        lastLineIsWhole = true
        guard isWhole else {
            let line = last?.line ?? lines.number
            throw LogError(.truncated, file: lines.bytes.name, at: .line(line), "the last event is cut off")
        }
        try finish(last, into: batch)
    }

    private func finish(_ record: XevRecord?, into batch: EventBatch) throws(LogError) {
        guard let record else { return }
        if let time = record.timeMilliseconds, !record.isSynthetic { clock.anchor(atServerTime: time) }
        switch record.kind {
        case .configure:
            guard let window = record.window, let width = record.width, let height = record.height else {
                throw fault(record, "ConfigureNotify without a readable window, width and height")
            }
            let size = Size(width: Double(width), height: Double(height))
            sized.insert(window)
            append(.geometry(scenes.number(of: window), at: clock.timeOfChange(), size: size), record, to: batch)
        case .button(let isPressed):
            guard let button = record.button else { throw fault(record, "a button event without a readable button") }
            if Self.wheelButtons.contains(button) {
                wheelCount += 1
                return
            }
            append(.pointer(button: button, at: clock.now, isPressed: isPressed), record, to: batch)
        case .destroy:
            guard let window = record.window else { throw fault(record, "DestroyNotify without a readable window") }
            // Of a window within, or one that had no size here.
            guard sized.remove(window) != nil else { return }
            append(.disconnect(scenes.number(of: window), at: clock.now), record, to: batch)
        case .other:
            return
        }
    }

    private func append(_ event: LogEvent, _ record: XevRecord, to batch: EventBatch) {
        batch.append(event, at: .line(record.line))
    }

    private func fault(_ record: XevRecord, _ problem: String) -> LogError {
        LogError(.malformed, file: lines.bytes.name, at: .line(record.line), problem)
    }
}

/// Synthetic times. They begin at 0. Each change of size is half the default quiet delay
/// after the previous one, so that a size that is reported twice is rebuilt, and one that
/// changes again is not. On recordings of real windows without their times, this spacing
/// finds 7 of 10 rebuilds; 16 ms (a frame) finds 5, and more than the quiet delay makes each
/// size a rebuild. Events with a server time advance the clock by the difference of their
/// times, unless the changes between them have advanced it further: it never goes back.
struct XevClock {
    static let spacingMilliseconds: Int64 = 100
    /// More than a century, and far from an overflow.
    private static let latestMilliseconds: Int64 = 1 << 42
    private var milliseconds: Int64 = 0
    private var isFresh = true
    private var anchor: (serverTime: UInt32, milliseconds: Int64)?

    var now: Timestamp { Timestamp(nanoseconds: UInt64(milliseconds) * 1_000_000) }

    /// Returns the time of a change of size. Directly after a server time, it is that time.
    mutating func timeOfChange() -> Timestamp {
        if !isFresh { advance(to: milliseconds + Self.spacingMilliseconds) }
        isFresh = false
        return now
    }

    /// Advances the clock to a server time. Server times are milliseconds modulo 2^32
    /// (X Window System Protocol, TIMESTAMP) and wrap around after 49.7 days, hence the
    /// signed difference.
    mutating func anchor(atServerTime time: UInt32) {
        guard let anchor else {
            self.anchor = (time, milliseconds)
            return
        }
        let moved = anchor.milliseconds + Int64(Int32(bitPattern: time &- anchor.serverTime))
        guard moved >= 0, moved < Self.latestMilliseconds else { return }
        self.anchor = (time, moved)
        guard moved > milliseconds else { return }
        advance(to: moved)
        isFresh = true
    }

    private mutating func advance(to time: Int64) {
        milliseconds = min(max(milliseconds, time), Self.latestMilliseconds)
    }
}

extension LogFormat {
    /// The text of `xev`.
    public static let xev = LogFormat(
        SETTLE_FORMAT_XEV, makeReader: { input throws(LogError) in XevReader(input) })
}
