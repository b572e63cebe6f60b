import Settle
import SettleLog

extension JSONText {
    /// The scenes whose builds change their own size.
    static func feedback(_ feedback: Feedback, _ names: SceneNames) -> String {
        let scenes = feedback.scenes(names).map {
            object([("scene", quoted($0.name)), ("rebuilds", "\($0.rebuilds)")])
        }
        return "[\(scenes.joined(separator: ","))]"
    }
}

extension LogContents {
    /// The object of a log that cannot be begun, so that nothing but why is known.
    static func json(unreadable log: String, _ fault: LogError) -> String {
        JSONText.object([
            ("log", JSONText.quoted(log)), ("events", "0"), ("scenes", "[]"), ("notes", "[]"),
            ("fault", JSONText.quoted(fault.description)),
        ]) + "\n"
    }

    /// The same as JSON, with every scene.
    ///
    /// - Parameter fault: What ended the log early.
    func json(_ reader: LogReader, _ fault: LogError?) -> String {
        let header = reader.header
        func time(_ time: Timestamp?) -> String { time.map { "\($0.nanoseconds)" } ?? "null" }
        let scenes = scenes.enumerated().map { number, scene in
            JSONText.object([
                ("name", JSONText.quoted(reader.scenes[SceneNumber(rawValue: UInt32(number))])),
                ("events", "\(scene.events)"),
                ("width", scene.size.map { JSONText.length($0.width) } ?? "null"),
                ("height", scene.size.map { JSONText.length($0.height) } ?? "null"), ("reports", "\(scene.reports)"),
            ])
        }
        let policy = header.policy.map { policy in
            JSONText.object(policy.texts.map { ($0.name, $0.text.map(JSONText.quoted) ?? "null") })
        }
        let sum = costs.reduce(0) { $0 &+ $1 }
        return JSONText.object([
            ("log", JSONText.quoted(reader.name)), ("format", JSONText.quoted(reader.format.name)),
            ("source", JSONText.quoted(header.source)), ("name", JSONText.quoted(header.name)),
            ("clock", JSONText.quoted(header.clock)), ("unit", JSONText.quoted(header.unit)),
            ("policy", policy ?? "null"), ("events", "\(events)"),
            ("eventsByKind", JSONText.object(LogEvent.Kind.allCases.map { ("\($0)", "\(kinds[$0] ?? 0)") })),
            ("first_ns", time(first)), ("last_ns", time(last)), ("builds", "\(costs.count)"),
            ("buildCost_ns", "\(sum)"), ("feedback", JSONText.feedback(feedback, reader.scenes)),
            ("scenes", "[\(scenes.joined(separator: ","))]"),
            ("notes", "[\(notes(reader).map(JSONText.quoted).joined(separator: ","))]"),
            ("fault", fault.map { JSONText.quoted($0.description) } ?? "null"),
        ]) + "\n"
    }
}

/// Writes the faults of a log as one JSON object, one by one.
final class FindingsJSON {
    private let output: ByteOutput
    private let log: String
    private var count = 0

    init(_ output: ByteOutput, log: String) { (self.output, self.log) = (output, log) }

    func begin() throws(LogError) { try output.write("{\"log\":\(JSONText.quoted(log)),\"findings\":[") }

    /// Writes the next fault.
    func write(_ fault: LogError, _ kind: LogValidator.FaultKind) throws(LogError) {
        let place: (String, String)? =
            switch fault.position {
            case .line(let number): ("line", "\(number)")
            case .byte(let offset): ("byte", "\(offset)")
            case nil: nil
            }
        let fields = [("kind", JSONText.quoted("\(kind)"))] + [place].compactMap(\.self)
        try output.write(
            (count > 0 ? "," : "") + "\n" + JSONText.object(fields + [("problem", JSONText.quoted(fault.problem))]))
        count += 1
    }

    func end(_ result: LogValidator.Result) throws(LogError) {
        let kinds = LogValidator.FaultKind.allCases.map { ("\($0)", "\(result.faultsByKind[$0] ?? 0)") }
        let fields = [
            ("events", "\(result.events)"), ("faults", "\(result.faults)"), ("faultsByKind", JSONText.object(kinds)),
            ("notes", "[\(result.notes.map(JSONText.quoted).joined(separator: ","))]"),
        ]
        try output.writeLine("\(count > 0 ? "\n" : "")],\(JSONText.object(fields).dropFirst())")
    }
}
