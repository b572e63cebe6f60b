internal import Settle
internal import SettleLog

/// The JSON text of a trace: see `TraceWriter`.
struct TraceText {
    var text = ExportText()
    /// The names of the log's scenes.
    var scenes = SceneNames()
    private let source: LogExportSource
    private var isEmpty = true
    /// The first time at which the engine applied an event: the trace's zero.
    private var first: Timestamp?
    private var last = Timestamp.zero
    private var tracks: [Track] = []
    /// When the buttons that are held were pressed.
    private var buttons: [UInt32: Timestamp] = [:]

    private struct Track {
        var isNamed = false
        var isInteracting = false
    }

    init(_ source: LogExportSource) { self.source = source }

    mutating func add(_ step: LogStep) {
        switch step {
        case .event(let event, let at, let change):
            // An engine that rejects the first event has no time yet.
            begin(at == .zero ? min(event.at, .latest) : at)
            last = max(last, at)
            add(event, at, change)
        case .decision(let decision, let scene, let lag):
            last = max(last, decision.at)
            add(decision, scene, lag)
        }
    }

    /// Ends what is open at the log's end, and the text.
    mutating func finish() {
        begin(.zero)
        for index in tracks.indices {
            interaction("E", SceneNumber(rawValue: UInt32(index)), last, #""open":true"#)
        }
        for button in buttons.keys.sorted() { release(button, at: last) }
        text.add("\n]}\n")
    }

    // MARK: Steps

    private mutating func add(_ event: LogEvent, _ at: Timestamp, _ change: Size?) {
        switch event.kind {
        case .pointer:
            if !event.isPressed { return release(event.button, at: at) }
            if buttons.updateValue(at, forKey: event.button) != nil { return }
            pointer("b", event.button, at)
        case .connect, .disconnect: instant("\(event.kind)", "event", event.name, at, "")
        case .geometry:
            guard let change else { return }
            name(event.name)
            let label = JSONText.quoted("size of " + scenes[event.name])
            let sides = "\"width\":\(JSONText.length(change.width)),\"height\":\(JSONText.length(change.height))"
            entry("C", label, track: Self.track(event.name), at, ",\"args\":{\(sides)}")
        }
    }

    private mutating func add(_ decision: Decision, _ scene: SceneNumber, _ lag: Duration?) {
        let fields = DecisionFields(decision)
        var arguments: [String] = []
        if let reason = fields.reason { arguments.append("\"reason\":\"\(reason)\"") }
        if let size = fields.size {
            arguments.append("\"width\":\(JSONText.length(size.width)),\"height\":\(JSONText.length(size.height))")
        }
        if let isLocked = fields.isLocked { arguments.append("\"locked\":\(isLocked)") }
        if let generation = fields.generation { arguments.append("\"generation\":\(generation)") }
        if let events = fields.coalescedEvents { arguments.append("\"coalescedEvents\":\(events)") }
        if let lag { arguments.append("\"lag_ns\":\(lag.wholeNanoseconds)") }
        if let interaction = fields.interaction {
            arguments.append("\"interaction_ns\":\(interaction.wholeNanoseconds)")
        }
        instant(fields.kind, "decision", scene, decision.at, arguments.joined(separator: ","))
        let reason = "\"reason\":\"\(fields.reason ?? "")\""
        switch decision.kind {
        case .interactionBegan: interaction("B", scene, decision.at, "")
        case .interactionEnded: interaction("E", scene, decision.at, reason)
        case .rebuild: self.lag(lag ?? .zero, scene, until: decision.at, reason)
        default: break
        }
    }

    private mutating func release(_ button: UInt32, at: Timestamp) {
        if buttons.removeValue(forKey: button) != nil { pointer("e", button, at) }
    }

    // MARK: Entries

    /// The thread of the pointer, which belongs to no scene.
    private static let pointerTrack: UInt32 = 1

    /// A scene's thread.
    private static func track(_ scene: SceneNumber) -> UInt32 { scene.rawValue + 2 }

    private mutating func pointer(_ phase: String, _ button: UInt32, _ at: Timestamp) {
        entry(phase, "\"button \(button)\"", track: Self.pointerTrack, at, ",\"cat\":\"pointer\",\"id\":\(button)")
    }

    /// Begins or ends an interaction. Its two entries are in order, and where a lag begins at its end,
    /// their times are equal also to a reader that adds up inexact numbers.
    private mutating func interaction(_ phase: String, _ scene: SceneNumber, _ at: Timestamp, _ arguments: String) {
        let index = Int(scene.rawValue)
        if tracks[index].isInteracting == (phase == "B") { return }
        tracks[index].isInteracting.toggle()
        entry(
            phase, "\"interaction\"", track: Self.track(scene), at, ",\"cat\":\"interaction\",\"args\":{\(arguments)}")
    }

    /// A lag began before entries that are written already, which only complete events may.
    private mutating func lag(_ lag: Duration, _ scene: SceneNumber, until end: Timestamp, _ arguments: String) {
        let duration = microseconds(lag.wholeNanoseconds)
        entry(
            "X", "\"lag\"", track: Self.track(scene), end - lag,
            ",\"dur\":\(duration),\"cat\":\"lag\",\"args\":{\(arguments)}")
    }

    private mutating func instant(
        _ label: String, _ category: String, _ scene: SceneNumber, _ at: Timestamp, _ arguments: String
    ) {
        name(scene)
        entry(
            "i", "\"\(label)\"", track: Self.track(scene), at,
            ",\"s\":\"t\",\"cat\":\"\(category)\",\"args\":{\(arguments)}")
    }

    /// Names a scene's thread before its first entry.
    private mutating func name(_ scene: SceneNumber) {
        let index = Int(scene.rawValue)
        if index >= tracks.count {
            tracks.append(contentsOf: repeatElement(Track(), count: index + 1 - tracks.count))
        }
        if tracks[index].isNamed { return }
        tracks[index].isNamed = true
        metadata("thread_name", track: Self.track(scene), "\"name\":\(JSONText.quoted(scenes[scene]))")
        metadata("thread_sort_index", track: Self.track(scene), "\"sort_index\":\(index + 1)")
    }

    private mutating func metadata(_ label: String, track: UInt32, _ arguments: String) {
        separate()
        // speedscope opens a trace only if every entry has a time.
        text.add(#"{"ph":"M","name":"\#(label)","pid":1,"tid":\#(track),"ts":0.000,"args":{\#(arguments)}}"#)
    }

    private mutating func entry(_ phase: String, _ label: String, track: UInt32, _ at: Timestamp, _ rest: String) {
        separate()
        let since = at.duration(since: first ?? .zero)
        let time = since < .zero ? "0.000" : microseconds(since.wholeNanoseconds)
        text.add(#"{"ph":"\#(phase)","name":\#(label),"pid":1,"tid":\#(track),"ts":\#(time)\#(rest)}"#)
    }

    private mutating func separate() {
        text.add(isEmpty ? "\n" : ",\n")
        isEmpty = false
    }

    /// Writes the text's beginning before the first entry.
    private mutating func begin(_ at: Timestamp) {
        if first != nil { return }
        first = at
        let header = source.header
        let fields = [
            ("generator", "settle \(Engine.version)"), ("log", source.log), ("clock", header.clock),
            ("unit", header.unit), ("source", header.source), ("name", header.name),
            ("first_ns", "\(at.nanoseconds)"),
        ]
        let data = fields.map { "\"\($0)\":\(JSONText.quoted($1))" }.joined(separator: ",")
        text.add("{\"displayTimeUnit\":\"ms\",\"otherData\":{\(data),\"policy\":\(source.policy.json)},")
        text.add("\"traceEvents\":[")
        metadata("process_name", track: Self.pointerTrack, "\"name\":\(JSONText.quoted(source.log))")
        metadata("thread_name", track: Self.pointerTrack, "\"name\":\"pointer\"")
    }

    private func microseconds(_ nanoseconds: UInt64) -> String {
        let fraction = String(nanoseconds % 1000)
        return "\(nanoseconds / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
    }
}
