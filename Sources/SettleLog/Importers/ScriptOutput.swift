internal import Settle

/// Reads a session by `script` in its classic format: the file of its times has the seconds since the line before and how
/// many bytes were printed then; the bytes are in another file, the typescript. A size is in that one's first line, which
/// `script` of util-linux writes since version 2.35, and where the output has one (`ESC [ 8 ; ROWS ; COLS t`).
final class ScriptOutput: FormatReader {
    let header = LogHeader(clock: "monotonic", unit: "cell", source: "script")
    let scenes = SceneNames()
    private let lines: LineInput
    private let output: ByteInput
    private var count = ForeignCount("lines of times")
    private var scan = TerminalSizeReport()
    private var elapsedNanoseconds: UInt64 = 0
    /// What of the last line's output is still to come.
    private var rest: UInt64 = 0
    private var isBegun = false
    private var isOver = false

    private static let mark = "Script started on "
    /// A first line is shorter.
    private static let headerMax = 1 << 12

    init(_ input: ByteInput, output: ByteInput) {
        lines = LineInput(input)
        self.output = output
    }

    var foreign: ForeignCount? { count }
    var notes: [String] {
        [
            "The times of script in its classic format do not say when the terminal was resized. Its sizes are in character"
                + " cells: that at the start, and those that the output has (ESC [ 8 ; ROWS ; COLS t). The output was read"
                + " from \(output.name)."
        ] + [count.note].compactMap(\.self)
    }

    func read(into batch: EventBatch) throws(LogError) -> Bool {
        if !isBegun { try begin(batch) }
        while !isOver, !batch.isFull {
            if rest == 0 {
                // Return the events that have arrived before waiting for more: a pipe may be live.
                guard let line = try lines.next(waiting: batch.count == 0) else { return !lines.isAtEnd }
                if !line.isEmpty { try read(line) }
                continue
            }
            if output.available.isEmpty, try !output.more() {
                isOver = true
                throw lines.fault("\(output.name) ends before these times do", .truncated)
            }
            let bytes = UnsafeRawBufferPointer(rebasing: output.available.prefix(Int(min(rest, 1 << 30))))
            let taken = scan.take(bytes)
            if let size = taken.size { append(size, to: batch) }
            output.consume(taken.bytes)
            rest -= UInt64(taken.bytes)
        }
        return !isOver
    }

    private func read(_ line: UnsafeRawBufferPointer) throws(LogError) {
        var text = TextScanner(line)
        guard let nanoseconds = ScriptTimingReader.nanoseconds(&text), text.skip(" "), let bytes = text.unsigned(),
            text.isAtEnd
        else { return count.skip(line: lines.number) }
        guard nanoseconds <= ScriptTimingReader.nanosecondsMax - elapsedNanoseconds else {
            throw lines.fault(
                "the times add up to more than \(ScriptTimingReader.nanosecondsMax / 1_000_000_000) seconds")
        }
        count.known += 1
        elapsedNanoseconds += nanoseconds
        rest = bytes
    }

    /// Reads the first line of the output, which no time counts.
    private func begin(_ batch: EventBatch) throws(LogError) {
        isBegun = true
        let available = try output.peek(Self.headerMax)
        let line = UnsafeRawBufferPointer(rebasing: available.prefix(Self.headerMax).prefix { $0 != 0x0A })
        func side(_ name: StaticString) -> Double? {
            guard let place = line.find(name) else { return nil }
            var text = TextScanner(UnsafeRawBufferPointer(rebasing: line[(place + name.utf8CodeUnitCount)...]))
            return text.unsigned().map { Double($0) }
        }
        if let width = side(" COLUMNS=\""), let height = side(" LINES=\"") {
            append(Size(width: width, height: height), to: batch)
        }
        output.consume(min(line.count + 1, available.count))
    }

    private func append(_ size: Size, to batch: EventBatch) {
        let at = Timestamp(nanoseconds: elapsedNanoseconds)
        batch.append(
            .geometry(scenes.number(of: "terminal"), at: at, size: size), at: .line(max(lines.number, 1)))
    }

    // MARK: The other file

    /// Opens the typescript that lies beside the file of its times.
    static func output(of input: ByteInput) throws(LogError) -> ByteInput {
        let paths = input.file == nil ? [] : paths(beside: input.name)
        for path in paths {
            guard let output = try? ByteInput(path: path), let start = try? output.peek(mark.utf8.count) else {
                continue
            }
            if start.prefix(mark.utf8.count).elementsEqual(mark.utf8) { return output }
        }
        let names = paths.isEmpty ? "" : " (\(paths.joined(separator: ", ")))"
        throw LogError(
            .malformed, file: input.name,
            "this looks like the times of script in its classic format, and there is no typescript beside it\(names): name"
                + " the file that scriptreplay takes with it so, or record with 'script --logging-format advanced"
                + " --log-timing FILE', whose times have the sizes; see \(Stranger.page)#script")
    }

    /// Where a typescript may be: `session.timing` has `session`, or `session.typescript`; `timing` has `typescript`.
    static func paths(beside path: String) -> [String] {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let folder = parts.dropLast().map { $0 + "/" }.joined()
        let name = String(parts.last ?? "")
        let stem = name.split(separator: ".").dropLast().joined(separator: ".")
        let names = stem.isEmpty ? ["typescript"] : [stem, stem + ".typescript", "typescript"]
        return names.filter { $0 != name }.map { folder + $0 }
    }
}
