internal import Settle
internal import SettleLog

/// The JSON text of a trace: see `TraceWriter`.
struct TraceText {
    var text = ExportText()
    /// The names of the log's scenes.
    var scenes = SceneNames()
    private let input: LogExportInput
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
        /// When its last interaction began.
        var began = Timestamp.zero
    }

    init(_ input: LogExportInput) { self.input = input }

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
            interaction("E", SceneNumber(rawValue: UInt32(index)), last) { $0.add(#""open":true"#) }
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
        case .connect, .disconnect:
            instant(event.kind == .connect ? "connect" : "disconnect", "event", event.name, at)
            text.add("}}")
        // Their rebuild or preview is drawn.
        case .finished, .previewed: break
        case .geometry:
            guard let change else { return }
            name(event.name)
            begin("C")
            text.add(text: JSONText.quoted("size of " + scenes[event.name]))
            place(Self.track(event.name), at)
            text.add(",\"args\":{")
            add(change)
            text.add("}}")
        }
    }

    private mutating func add(_ decision: Decision, _ scene: SceneNumber, _ lag: Duration?) {
        let fields = DecisionFields(decision)
        instant(fields.kind, "decision", scene, decision.at)
        addArguments(fields, lag)
        text.add("}}")
        switch decision.kind {
        case .interactionBegan: interaction("B", scene, decision.at) { _ in }
        case .interactionEnded: interaction("E", scene, decision.at) { $0.add(reason: fields.reason) }
        case .rebuild: self.lag(lag ?? .zero, scene, until: decision.at, reason: fields.reason)
        default: break
        }
    }

    private mutating func addArguments(_ fields: DecisionFields, _ lag: Duration?) {
        var isFirst = true
        func separate(_ text: inout ExportText) {
            if !isFirst { text.add(",") }
            isFirst = false
        }
        if let reason = fields.reason {
            separate(&text)
            text.add(reason: reason)
        }
        if let size = fields.size {
            separate(&text)
            add(size)
        }
        if let isLocked = fields.isLocked {
            separate(&text)
            text.add("\"locked\":")
            text.add(isLocked)
        }
        let numbers: [(StaticString, UInt64?)] = [
            ("\"generation\":", fields.generation.map(UInt64.init)),
            ("\"coalescedEvents\":", fields.coalescedEvents.map(UInt64.init)),
            ("\"lag_ns\":", lag?.wholeNanoseconds), ("\"interaction_ns\":", fields.interaction?.wholeNanoseconds),
        ]
        for case (let name, let number?) in numbers {
            separate(&text)
            text.add(name)
            text.add(number)
        }
    }

    private mutating func add(_ size: Size) {
        text.add("\"width\":")
        text.add(length: size.width)
        text.add(",\"height\":")
        text.add(length: size.height)
    }

    private mutating func release(_ button: UInt32, at: Timestamp) {
        if buttons.removeValue(forKey: button) != nil { pointer("e", button, at) }
    }

    // MARK: Entries

    /// The thread of the pointer, which belongs to no scene.
    private static let pointerTrack: UInt32 = 1

    /// A scene's thread.
    private static func track(_ scene: SceneNumber) -> UInt32 { scene.rawValue + 2 }

    private mutating func pointer(_ phase: StaticString, _ button: UInt32, _ at: Timestamp) {
        begin(phase)
        text.add("\"button ")
        text.add(UInt64(button))
        text.add("\"")
        place(Self.pointerTrack, at)
        text.add(",\"cat\":\"pointer\",\"id\":")
        text.add(UInt64(button))
        text.add("}")
    }

    /// Begins or ends an interaction. Its two entries are in order, and where a lag begins at its end,
    /// their times are equal also to a reader that adds up inexact numbers.
    private mutating func interaction(
        _ phase: StaticString, _ scene: SceneNumber, _ at: Timestamp, arguments: (inout ExportText) -> Void
    ) {
        let index = Int(scene.rawValue)
        if tracks[index].isInteracting == (phase.utf8Start.pointee == UInt8(ascii: "B")) { return }
        tracks[index].isInteracting.toggle()
        if tracks[index].isInteracting { tracks[index].began = at }
        begin(phase)
        text.add("\"interaction\"")
        place(Self.track(scene), at)
        text.add(",\"cat\":\"interaction\",\"args\":{")
        arguments(&text)
        text.add("}}")
    }

    /// A lag began before entries that are written already, which only complete events may. That of a live
    /// rebuild begins within its interaction, as spans lie apart or within each other.
    private mutating func lag(_ lag: Duration, _ scene: SceneNumber, until end: Timestamp, reason: String?) {
        let track = tracks[Int(scene.rawValue)]
        let start = track.isInteracting ? max(end - lag, track.began) : end - lag
        begin("X")
        text.add("\"lag\"")
        place(Self.track(scene), start)
        text.add(",\"dur\":")
        text.add(microsecondsOf: end.duration(since: start).wholeNanoseconds)
        text.add(",\"cat\":\"lag\",\"args\":{")
        text.add(reason: reason)
        text.add("}}")
    }

    /// An instant without its arguments and its end.
    private mutating func instant(_ label: String, _ category: StaticString, _ scene: SceneNumber, _ at: Timestamp) {
        name(scene)
        begin("i")
        text.add("\"")
        text.add(text: label)
        text.add("\"")
        place(Self.track(scene), at)
        text.add(",\"s\":\"t\",\"cat\":\"")
        text.add(category)
        text.add("\",\"args\":{")
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
        text.add(text: #"{"ph":"M","name":"\#(label)","pid":1,"tid":\#(track),"ts":0.000,"args":{\#(arguments)}}"#)
    }

    /// An entry up to its name.
    private mutating func begin(_ phase: StaticString) {
        separate()
        text.add("{\"ph\":\"")
        text.add(phase)
        text.add("\",\"name\":")
    }

    /// What stands between an entry's name and the rest of it.
    private mutating func place(_ track: UInt32, _ at: Timestamp) {
        text.add(",\"pid\":1,\"tid\":")
        text.add(UInt64(track))
        text.add(",\"ts\":")
        let first = (first ?? .zero).nanoseconds
        text.add(microsecondsOf: at.nanoseconds > first ? at.nanoseconds - first : 0)
    }

    private mutating func separate() {
        isEmpty ? text.add("\n") : text.add(",\n")
        isEmpty = false
    }

    /// Writes the text's beginning before the first entry.
    private mutating func begin(_ at: Timestamp) {
        if first != nil { return }
        first = at
        let header = input.header
        let fields = [
            ("generator", "settle \(Engine.version)"), ("log", input.log), ("clock", header.clock),
            ("unit", header.unit), ("source", header.source), ("name", header.name),
            ("first_ns", "\(at.nanoseconds)"),
        ]
        let data = fields.map { "\"\($0)\":\(JSONText.quoted($1))" }.joined(separator: ",")
        text.add(text: "{\"displayTimeUnit\":\"ms\",\"otherData\":{\(data),\"policy\":\(input.policy.json)},")
        text.add("\"traceEvents\":[")
        metadata("process_name", track: Self.pointerTrack, "\"name\":\(JSONText.quoted(input.log))")
        metadata("thread_name", track: Self.pointerTrack, "\"name\":\"pointer\"")
    }
}

extension ExportText {
    /// Adds a member with the reason of a decision.
    fileprivate mutating func add(reason: String?) {
        add("\"reason\":\"")
        add(text: reason ?? "")
        add("\"")
    }
}
