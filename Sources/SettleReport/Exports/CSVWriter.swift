internal import Settle
internal import SettleLog

/// Writes a log's events and the decisions about them as comma-separated values (RFC 4180): one
/// header row, then a row for each event and each decision, in order.
final class CSVWriter: LogWriting {
    private let output: ByteOutput
    private let steps: LogSteps
    private var scenes = SceneNames()
    private var text = ExportText()

    /// The header row. What an event or decision does not state is empty.
    static let columns = [
        "t_ns", "scene", "kind", "width", "height", "resizing", "locked", "orientation", "button", "pressed", "reason",
        "generation", "coalesced_events", "lag_ns", "interaction_ns", "cost_ns", "kept", "prepared",
    ]

    init(_ output: ByteOutput, _ input: LogExportInput) throws(LogError) {
        self.output = output
        steps = try input.steps()
        text.add(text: Self.columns.joined(separator: ",") + "\r\n")
    }

    func write(_ batch: EventBatch, scenes: SceneNames) throws(LogError) {
        self.scenes = scenes
        for index in 0..<batch.count {
            try steps.add(batch[index]) { add($0) }
            try text.write(to: output)
        }
    }

    func finish() throws(LogError) {
        steps.finish { add($0) }
        try text.write(to: output, all: true)
        try output.finish()
    }

    private func add(_ step: LogStep) {
        switch step {
        case .event(let event, _, _): add(event)
        case .decision(let decision, let scene, let lag): add(DecisionFields(decision), decision.at, scene, lag)
        }
    }

    private func add(_ fields: DecisionFields, _ at: Timestamp, _ scene: SceneNumber, _ lag: Duration?) {
        text.add(at.nanoseconds)
        add(scene)
        text.add(",")
        text.add(text: fields.kind)
        add(fields.size)
        text.add(",,")
        if let isLocked = fields.isLocked { text.add(isLocked) }
        text.add(",,,,")
        if let reason = fields.reason { text.add(text: reason) }
        for number in [
            fields.generation.map(UInt64.init), fields.coalescedEvents.map(UInt64.init), lag?.wholeNanoseconds,
            fields.interaction?.wholeNanoseconds,
        ] {
            text.add(",")
            if let number { text.add(number) }
        }
        text.add(",,,")
        if fields.kind == "rebuild" { text.add(fields.isPrepared) }
        text.add("\r\n")
    }

    private func add(_ event: LogEvent) {
        text.add(event.at.nanoseconds)
        let isPointer = event.kind == .pointer
        if isPointer { text.add(",") } else { add(event.name) }
        switch event.kind {
        case .geometry: text.add(",geometry")
        case .connect: text.add(",connect")
        case .disconnect: text.add(",disconnect")
        case .pointer: text.add(",pointer")
        case .finished: text.add(",finished")
        case .previewed: text.add(",previewed")
        }
        add(event.size)
        text.add(",")
        if let isResizing = event.isInteractivelyResizing { text.add(isResizing) }
        text.add(",")
        if let isLocked = event.isInterfaceOrientationLocked { text.add(isLocked) }
        text.add(",")
        if let orientation = event.orientation { text.add(text: orientation.logName) }
        text.add(",")
        if isPointer { text.add(UInt64(event.button)) }
        text.add(",")
        if isPointer { text.add(event.isPressed) }
        text.add(",,")
        let report = event.build ?? event.work.map { ($0.generation, $0.cost) }
        if let report { text.add(UInt64(report.generation)) }
        text.add(",,,,")
        if let report { text.add(report.cost.wholeNanoseconds) }
        text.add(",")
        if let work = event.work { text.add(work.isKept) }
        text.add(",\r\n")
    }

    private func add(_ scene: SceneNumber) {
        text.add(",")
        text.add(text: Self.quoted(scenes[scene]))
    }

    private func add(_ size: Size?) {
        text.add(",")
        if let size { add(size.width) }
        text.add(",")
        if let size { add(size.height) }
    }

    /// A length as JSON has it; `nan`, `inf` and `-inf` for what an engine rejects.
    private func add(_ length: Double) {
        if length.isFinite { text.add(length: length) } else { text.add(text: "\(length)") }
    }

    /// A field, in quotes if it needs them.
    static func quoted(_ field: String) -> String {
        let needsQuotes = field.utf8.contains { $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D }
        if !needsQuotes { return field }
        return "\"" + field.unicodeScalars.reduce(into: "") { $0 += $1 == "\"" ? "\"\"" : String($1) } + "\""
    }
}
