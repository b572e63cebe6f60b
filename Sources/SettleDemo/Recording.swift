import Settle
import SettleLog
import SettlePlatform

/// The events that the parts were given, and the reports of Settle's builds, as a log. Any thread.
final class Recording: Sendable {
    private let events = LockedValueBox([(at: Timestamp, line: String)]())
    private let system: String
    private let isOn: Bool

    init(system: String, isOn: Bool) {
        self.system = system
        self.isOn = isOn
    }

    private func add(_ at: Timestamp, _ rest: String) {
        guard isOn else { return }
        events.withLock { $0.append((at, "{\"t_ns\":\(at.nanoseconds),\(rest)}")) }
    }

    func geometry(_ size: PixelSize, isResizing: Bool?, at: Timestamp) {
        let resizing = isResizing.map { ",\"resizing\":\($0)" } ?? ""
        add(at, "\"scene\":\"demo\",\"width\":\(size.width),\"height\":\(size.height)\(resizing)")
    }

    func pointer(button: UInt32, at: Timestamp, isPressed: Bool) {
        add(at, "\"kind\":\"pointer\",\"button\":\(button),\"pressed\":\(isPressed)")
    }

    func finished(_ generation: UInt32, at: Timestamp, cost: Duration) {
        let cost = cost.components.seconds * 1_000_000_000 + cost.components.attoseconds / 1_000_000_000
        add(at, "\"scene\":\"demo\",\"kind\":\"finished\",\"generation\":\(generation),\"cost_ns\":\(cost)")
    }

    /// The log so far, in JSON Lines. What several threads noted is in the order of its times.
    var text: String {
        let header =
            "{\"settle\":\"events\",\"version\":1,\"clock\":\"monotonic\",\"unit\":\"px\",\"source\":\"\(system)\""
            + ",\"name\":\"settle-demo\"}\n"
        let lines = events.withLock { $0 }.enumerated().sorted {
            ($0.element.at, $0.offset) < ($1.element.at, $1.offset)
        }
        return header + lines.map { $0.element.line + "\n" }.joined()
    }

    /// Writes the log so far, in the encoding that the output's name has, and completes the output.
    func write(to output: ByteOutput) throws(LogError) {
        let format = LogFormat.allCases.first { $0.canBeWritten && $0.matches(path: output.name) }
        guard let format, format != LogFormat(named: "jsonl") else {
            try output.write(text)
            return try output.finish()
        }
        let reader = try LogReader(ByteInput(bytes: Array(text.utf8), name: output.name))
        let batch = EventBatch()
        var isMore = try reader.read(into: batch)
        let writer = try format.makeWriter(output, header: reader.header)
        while isMore {
            try writer.write(batch, scenes: reader.scenes)
            isMore = try reader.read(into: batch)
        }
        try writer.finish()
    }
}
