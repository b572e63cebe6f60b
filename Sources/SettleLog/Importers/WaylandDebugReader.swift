internal import CSettle
internal import Settle

/// Reads the text that a Wayland client or compositor prints under `WAYLAND_DEBUG`.
///
/// The lines are those of libwayland's `wl_closure_print` (src/connection.c):
/// `[milliseconds.microseconds] interface@id.message(arguments)`, with ` -> ` before
/// what the process sends. Since version 1.22 the message may follow its queue's name in
/// braces, `#` replaces `@`, and messages to destroyed objects are marked `discarded`.
/// wayland-rs marks its lines with `[rs]`. Which side a process is on shows in the arrows.
///
/// libwayland prints an array as its length in bytes at most, so the toplevel's states, such as
/// `resizing`, are not in the text. `array[0]` means that no state is set. But a scene that
/// reports the flag once is taken to report it always, and every later size would be a
/// discrete change. So the flag stays unknown in every event of libwayland's, but for a drag that the client asks the
/// compositor for: its states are longer by `resizing`, and its end is where they are shorter again, or where the
/// compositor gives the pointer back.
final class WaylandDebugReader: FormatReader {
    let header = LogHeader(clock: "realtime", unit: "px", source: "wayland")
    let scenes = SceneNames()
    private let lines: LineInput
    private var clock = WaylandClock()
    private var windows = WaylandWindows()
    private var count = ForeignCount("protocol messages")
    /// The line without its escape sequences.
    private var plain: [UInt8] = []
    /// A line, and where in it what was not read begins: behind a message another thread may have printed one.
    private var rest: [UInt8] = []
    private var restStart = 0
    private var bytesBehind = 0

    init(_ input: ByteInput) {
        lines = LineInput(input)
    }

    var foreign: ForeignCount? { count }

    func read(into batch: EventBatch) throws(LogError) -> Bool {
        while batch.count <= EventBatch.capacity - WaylandWindows.reportsMax {
            if restStart < rest.count {
                try readRest(into: batch)
                continue
            }
            // Return the events that have arrived before waiting for more: a pipe may be live.
            guard let line = try lines.next(waiting: batch.count == 0) else {
                if lines.isAtEnd { windows.finish { append($0, at: $1, to: batch) } }
                return !lines.isAtEnd
            }
            if line.find("\u{1B}") != nil {
                removeEscapes(line)
                try plain.withUnsafeBufferPointer { text throws(LogError) in
                    try readLine(UnsafeRawBufferPointer(text), into: batch)
                }
            } else {
                try readLine(line, into: batch)
            }
        }
        return true
    }

    var notes: [String] {
        var notes: [String] = []
        if windows.configureCount > 0, !windows.hasStates {
            notes.append(
                "The states of the configure events (\(windows.configureCount)) are unreadable, because libwayland"
                    + " prints only their length, so the log "
                    + (windows.dragCount > 0
                        ? "says only of the drags that the client asked for (\(windows.dragCount)) when the user was"
                            + " resizing."
                        : "does not say when the user was resizing."))
        } else if !windows.hasStates, windows.dragCount == 0, scenes.count > 0 {
            notes.append("No message of this log says when the user was resizing.")
        }
        if windows.unsizedCount > 0 {
            notes.append(
                "Windows whose client chose its own size (\(windows.unsizedCount)): the compositor left it to them"
                    + " (configure events of 0×0), and no commit of the log is known to be theirs, so there is nothing"
                    + " to rebuild for. Let the client write the sizes that it draws as JSON Lines"
                    + " (docs/reference/log-format.md).")
        }
        if windows.silentCount > 0 {
            notes.append(
                "Windows without a size (\(windows.silentCount)): the log has neither a configure event of theirs, nor a"
                    + " commit of what their client drew.")
        }
        if windows.buttonCount > 0 {
            notes.append(
                "The pointer button events (\(windows.buttonCount)) were left out, because a client does not receive"
                    + " the release of a button that the compositor uses for a resize.")
        }
        if windows.reusedCount > 0 {
            notes.append(
                "A toplevel took the object number of a living one (\(windows.reusedCount) times), so the log probably"
                    + " mixes several clients, whose windows cannot be told apart.")
        }
        if windows.excessCount > 0 {
            notes.append(
                "Messages of windows beyond \(WaylandWindows.objectsMax) at a time were left out (\(windows.excessCount))."
            )
        }
        if clock.restartCount > 0 {
            notes.append(
                "The time stamps, which show no date, began anew (\(clock.restartCount) times): they do so every 71.6"
                    + " minutes, or at midnight. Where nothing was printed for longer than that, time is missing.")
        }
        return notes + [count.note].compactMap(\.self)
    }

    private func readLine(_ line: UnsafeRawBufferPointer, into batch: EventBatch) throws(LogError) {
        defer {
            if bytesBehind > 0 { (rest, restStart) = ([UInt8](line.suffix(bytesBehind)), 0) }
        }
        try read(line, into: batch)
    }

    private func readRest(into batch: EventBatch) throws(LogError) {
        let start = restStart
        defer { restStart = rest.count - bytesBehind }
        try rest.withUnsafeBufferPointer { bytes throws(LogError) in
            try read(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[start...])), into: batch)
        }
    }

    /// Reads the first message of a line or of its rest.
    private func read(_ line: UnsafeRawBufferPointer, into batch: EventBatch) throws(LogError) {
        var isCut = false
        bytesBehind = 0
        guard let message = WaylandMessage.read(line, isCut: &isCut) else {
            if isCut { throw fault("the message is cut off") }
            if !line.isEmpty { count.skip(line: lines.number) }
            return
        }
        bytesBehind = message.bytesBehind
        count.known += 1
        let time = clock.time(of: message.stamp)
        // Most messages are about something else.
        let kind = message.isDiscarded ? nil : WaylandKind(message)
        let isRead = kind.map { windows.read(message, $0, at: time) { append($0, at: $1, to: batch) } } ?? true
        if isCut { throw fault("the message is cut off by another one") }
        if isRead { return }
        let name =
            String(decoding: message.interface, as: UTF8.self) + "." + String(decoding: message.name, as: UTF8.self)
        throw fault("the arguments of \(name) cannot be read")
    }

    private func fault(_ problem: String) -> LogError {
        lines.fault(problem, lines.isLastAndUnfinished ? .truncated : .malformed)
    }

    private func append(_ report: WaylandWindows.Report, at time: Timestamp, to batch: EventBatch) {
        let event =
            switch report {
            case .connect(let name): LogEvent.connect(scenes.number(of: name), at: time)
            case .geometry(let name, let size, let isResizing):
                LogEvent.geometry(scenes.number(of: name), at: time, size: size, isInteractivelyResizing: isResizing)
            case .disconnect(let name): LogEvent.disconnect(scenes.number(of: name), at: time)
            }
        batch.append(event, at: .line(lines.number))
    }

    /// Removes the escape sequences, which end in `m`: libwayland prints colours to a terminal.
    private func removeEscapes(_ line: UnsafeRawBufferPointer) {
        plain.removeAll(keepingCapacity: true)
        var rest = line
        while let escape = rest.find("\u{1B}") {
            plain.append(contentsOf: rest[..<escape])
            rest = UnsafeRawBufferPointer(rebasing: rest[escape...])
            guard let end = rest.find("m") else { return }
            rest = UnsafeRawBufferPointer(rebasing: rest[(end + 1)...])
        }
        plain.append(contentsOf: rest)
    }
}

extension LogFormat {
    /// The text that a Wayland client or compositor prints under `WAYLAND_DEBUG`.
    public static let waylandDebug = LogFormat(
        SETTLE_FORMAT_WAYLAND_DEBUG, makeReader: { input throws(LogError) in WaylandDebugReader(input) })
}
