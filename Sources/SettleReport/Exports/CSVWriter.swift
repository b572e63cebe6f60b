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
        "generation", "coalesced_events", "lag_ns", "interaction_ns",
    ]

    init(_ output: ByteOutput, _ source: LogExportSource) throws(LogError) {
        self.output = output
        steps = try source.steps()
        text.add(Self.columns.joined(separator: ",") + "\r\n")
    }

    func write(_ batch: EventBatch, scenes: SceneNames) throws(LogError) {
        self.scenes = scenes
        for index in 0..<batch.count {
            try steps.add(batch[index]) { add($0) }
            try text.pass(to: output)
        }
    }

    func finish() throws(LogError) {
        steps.finish { add($0) }
        try text.pass(to: output, all: true)
        try output.finish()
    }

    private func add(_ step: LogStep) {
        switch step {
        case .event(let event, _, _): add(event)
        case .decision(let decision, let scene, let lag):
            let fields = DecisionFields(decision)
            add(decision.at, scenes[scene], fields.kind, fields.size)
            text.add(",,\(fields.isLocked.map { "\($0)" } ?? ""),,,,\(fields.reason ?? "")")
            text.add(",\(fields.generation.map { "\($0)" } ?? "")")
            text.add(",\(fields.coalescedEvents.map { "\($0)" } ?? "")")
            text.add(",\(lag.map { "\($0.wholeNanoseconds)" } ?? "")")
            text.add(",\(fields.interaction.map { "\($0.wholeNanoseconds)" } ?? "")\r\n")
        }
    }

    private func add(_ event: LogEvent) {
        let isPointer = event.kind == .pointer
        add(event.at, isPointer ? "" : scenes[event.name], "\(event.kind)", event.size)
        text.add(",\(event.isInteractivelyResizing.map { "\($0)" } ?? "")")
        text.add(",\(event.isInterfaceOrientationLocked.map { "\($0)" } ?? "")")
        text.add(",\(event.orientation?.logName ?? "")")
        text.add(isPointer ? ",\(event.button),\(event.isPressed)" : ",,")
        text.add(",,,,,\r\n")
    }

    /// The columns that all rows have.
    private func add(_ at: Timestamp, _ scene: String, _ kind: String, _ size: Size?) {
        text.add(at.nanoseconds)
        text.add("," + Self.quoted(scene) + "," + kind)
        text.add(size.map { "," + Self.length($0.width) + "," + Self.length($0.height) } ?? ",,")
    }

    /// A length as JSON has it; `nan`, `inf` and `-inf` for what an engine rejects.
    private static func length(_ value: Double) -> String { value.isFinite ? JSONText.length(value) : "\(value)" }

    /// A field, in quotes if it needs them.
    static func quoted(_ field: String) -> String {
        let needsQuotes = field.utf8.contains { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }
        if !needsQuotes { return field }
        return "\"" + field.unicodeScalars.reduce(into: "") { $0 += $1 == "\"" ? "\"\"" : String($1) } + "\""
    }
}
