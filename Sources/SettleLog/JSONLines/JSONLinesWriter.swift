internal import Settle

/// Writes an event log in one of its encodings.
public protocol LogWriting: AnyObject {
    /// Appends events.
    ///
    /// - Parameters:
    ///   - batch: The events.
    ///   - scenes: The names of their scenes.
    /// - Throws: `.malformed` for an event whose time is after `Timestamp.latest` (binary
    ///   encoding); `.io` when writing fails.
    func write(_ batch: EventBatch, scenes: SceneNames) throws(LogError)
    /// Completes the log and gives the file its name.
    func finish() throws(LogError)
}

/// Writes the contract's JSON Lines encoding.
public final class JSONLinesWriter: LogWriting {
    private let output: ByteOutput
    private var line: [UInt8] = []

    /// Writes the header.
    ///
    /// - Throws: `.io` when writing fails.
    public init(_ output: ByteOutput, header: LogHeader) throws(LogError) {
        self.output = output
        try output.write(header.line + "\n")
    }

    /// Appends events as lines.
    public func write(_ batch: EventBatch, scenes: SceneNames) throws(LogError) {
        for index in 0..<batch.count {
            line.removeAll(keepingCapacity: true)
            append(batch[index], scenes)
            try output.write(line)
        }
    }

    /// Passes buffered lines to the system, so that a reader sees them now.
    public func flush() throws(LogError) { try output.flush() }

    /// Completes the log and gives the file its name.
    public func finish() throws(LogError) { try output.finish() }

    private func append(_ event: LogEvent, _ scenes: SceneNames) {
        add(#"{"t_ns":"#)
        add(event.at.nanoseconds)
        switch event.kind {
        case .geometry:
            addScene(event, scenes)
            addGeometry(event)
        case .connect:
            addScene(event, scenes)
            add(#","kind":"connect""#)
        case .disconnect:
            addScene(event, scenes)
            add(#","kind":"disconnect""#)
        case .pointer:
            add(#","kind":"pointer","button":"#)
            add(UInt64(event.button))
            add(event.isPressed ? #","pressed":true"# : #","pressed":false"#)
        case .finished:
            addScene(event, scenes)
            let (generation, cost) = event.build ?? (0, .zero)
            add(#","kind":"finished""#)
            addReport(generation, cost)
        case .previewed:
            addScene(event, scenes)
            let (generation, cost, isKept) = event.work ?? (0, .zero, true)
            add(#","kind":"previewed""#)
            addReport(generation, cost)
            if !isKept { add(#","kept":false"#) }
        }
        add("}\n")
    }

    private func addScene(_ event: LogEvent, _ scenes: SceneNames) {
        add(#","scene":"#)
        line.append(contentsOf: JSONText.quoted(scenes[event.name]).utf8)
    }

    private func addReport(_ generation: UInt32, _ cost: Duration) {
        add(#","generation":"#)
        add(UInt64(generation))
        add(#","cost_ns":"#)
        add(cost.wholeNanoseconds)
    }

    private func addGeometry(_ event: LogEvent) {
        if let size = event.size {
            add(#","width":"#)
            add(size.width)
            add(#","height":"#)
            add(size.height)
        }
        if let resizing = event.isInteractivelyResizing {
            add(resizing ? #","resizing":true"# : #","resizing":false"#)
        }
        if let locked = event.isInterfaceOrientationLocked {
            add(locked ? #","locked":true"# : #","locked":false"#)
        }
        if let orientation = event.orientation {
            add(#","orientation":""#)
            line.append(contentsOf: orientation.logName.utf8)
            line.append(UInt8(ascii: "\""))
        }
    }

    private func add(_ text: StaticString) {
        line.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private func add(_ length: Double) {
        if length >= 1, length < 1e15, let whole = UInt64(exactly: length) { return add(whole) }
        line.append(contentsOf: JSONText.length(length).utf8)
    }

    private func add(_ number: UInt64) {
        var rest = number
        let start = line.count
        repeat {
            line.append(UInt8(truncatingIfNeeded: rest % 10) + 0x30)
            rest /= 10
        } while rest > 0
        line[start...].reverse()
    }
}

extension LogHeader {
    /// The JSON Lines log's first line.
    var line: String {
        #"{"settle":"events","version":1,"clock":\#(JSONText.quoted(clock)),"#
            + #""unit":\#(JSONText.quoted(unit)),"source":\#(JSONText.quoted(source)),"name":\#(JSONText.quoted(name))"#
            + (policy.map { #","policy":\#($0.jsonLine)"# } ?? "") + "}"
    }
}
