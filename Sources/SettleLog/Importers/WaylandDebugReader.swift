internal import CSettle
internal import Settle

/// Reads the text that a Wayland client prints under `WAYLAND_DEBUG=1`.
///
/// The lines are those of libwayland's `wl_closure_print` (src/connection.c):
/// `[milliseconds.microseconds] interface@id.message(arguments)`, with ` -> ` before
/// messages of the client. Since version 1.22 the message may follow its queue's name in
/// braces, `#` replaces `@`, and messages to destroyed objects are marked `discarded`.
///
/// libwayland prints an array as its length in bytes, so the toplevel's states, such as
/// `resizing`, are not in the text. `array[0]` means that no state is set. But a scene that
/// reports the flag once is taken to report it always, and every later size would be a
/// discrete change. So the flag stays unknown in every event.
final class WaylandDebugReader: FormatReader {
    let header = LogHeader(clock: "realtime", unit: "px", source: "wayland")
    let scenes = SceneNames()
    private let lines: LineInput
    private var clock = WaylandClock()
    private var sceneOfObject: [UInt64: SceneNumber] = [:]
    private var livingObjects: Set<UInt64> = []
    private var configureCount = 0
    /// By scene, whether the compositor has sent it a size.
    private var isSized: [SceneNumber: Bool] = [:]
    private var buttonCount = 0
    private var reusedCount = 0
    private var foreignLineCount = 0

    /// A new toplevel with the number of one that still exists makes two events.
    private static let eventsPerLineMax = 2

    init(_ input: ByteInput) {
        lines = LineInput(input)
    }

    func read(into batch: EventBatch) throws(LogError) -> Bool {
        while batch.count <= EventBatch.capacity - Self.eventsPerLineMax {
            // Return the events that have arrived before waiting for more: a pipe may be live.
            guard let line = try lines.next(waiting: batch.count == 0) else { return !lines.isAtEnd }
            try read(line, into: batch)
        }
        return true
    }

    var notes: [String] {
        var notes = ["The time stamps repeat every 71.6 minutes, so they show no date."]
        if configureCount > 0 {
            notes.append(
                "The states of the configure events (\(configureCount)) are unreadable, because libwayland prints only"
                    + " their length, so the log does not say when the user was resizing.")
        }
        let unsizedCount = isSized.values.count { !$0 }
        if unsizedCount > 0 {
            notes.append(
                "Windows whose client chose its own size (\(unsizedCount)): the compositor left it to them (configure"
                    + " events of 0×0), and a client's own choice is not in the text, so there is nothing to rebuild"
                    + " for. Let the client write the sizes that it draws as JSON Lines (docs/reference/log-format.md)."
            )
        }
        if buttonCount > 0 {
            notes.append(
                "The pointer button events (\(buttonCount)) were left out, because a client does not receive the"
                    + " release of a button that the compositor uses for a resize.")
        }
        if reusedCount > 0 {
            notes.append(
                "A toplevel took the object number of a living one (\(reusedCount) times), so the log probably mixes"
                    + " several clients, whose windows cannot be told apart.")
        }
        if foreignLineCount > 0 {
            notes.append("Lines that are no protocol messages were skipped (\(foreignLineCount)).")
        }
        return notes
    }

    private func read(_ line: UnsafeRawBufferPointer, into batch: EventBatch) throws(LogError) {
        let isColored = line.contains(0x1B)
        let parsed = isColored ? withoutColors(line).withUnsafeBytes(WaylandMessage.init) : WaylandMessage(line)
        guard let message = parsed else {
            foreignLineCount += line.isEmpty ? 0 : 1
            return
        }
        let at = clock.time(of: message.stampMicroseconds)
        switch message.content {
        case .configure(let object, let size):
            guard let size else { throw fault("the arguments of xdg_toplevel.configure cannot be read") }
            configureCount += 1
            livingObjects.insert(object)
            let scene = scene(object)
            isSized[scene] = isSized[scene] == true || size.width > 0 && size.height > 0
            append(.geometry(scene, at: at, size: size), to: batch)
        case .getToplevel(let object):
            guard let object else { throw fault("the arguments of xdg_surface.get_toplevel cannot be read") }
            if !livingObjects.insert(object).inserted {
                reusedCount += 1
                append(.disconnect(scene(object), at: at), to: batch)
            }
            append(.connect(scene(object), at: at), to: batch)
        case .destroy(let object):
            livingObjects.remove(object)
            append(.disconnect(scene(object), at: at), to: batch)
        case .button:
            buttonCount += 1
        case .other:
            return
        }
    }

    private func append(_ event: LogEvent, to batch: EventBatch) {
        batch.append(event, at: .line(lines.number))
    }

    private func fault(_ problem: String) -> LogError {
        lines.fault(problem, lines.isLastAndUnfinished ? .truncated : .malformed)
    }

    private func scene(_ object: UInt64) -> SceneNumber {
        if let scene = sceneOfObject[object] { return scene }
        let scene = scenes.number(of: "xdg_toplevel@\(object)")
        sceneOfObject[object] = scene
        return scene
    }

    /// Removes the escape sequences, which end in `m`: newer versions of libwayland print colours
    /// to a terminal.
    private func withoutColors(_ line: UnsafeRawBufferPointer) -> [UInt8] {
        var plain: [UInt8] = []
        var isInSequence = false
        for byte in line {
            if byte == 0x1B { isInSequence = true }
            if !isInSequence { plain.append(byte) }
            if byte == 0x6D { isInSequence = false }
        }
        return plain
    }
}

extension LogFormat {
    /// The text that a Wayland client prints under `WAYLAND_DEBUG=1`.
    public static let waylandDebug = LogFormat(
        SETTLE_FORMAT_WAYLAND_DEBUG, makeReader: { input throws(LogError) in WaylandDebugReader(input) })
}
