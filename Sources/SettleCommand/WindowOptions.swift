import Settle
import SettleLog

/// The options that choose a part of a log, for replay and report.
enum WindowOptions {
    static let specs: [OptionSpec] = [.value("scene"), .value("start"), .value("duration")]
}

extension Options {
    /// The part of a log that the options choose.
    func window() throws -> ReplayWindow {
        ReplayWindow(
            scenes: all("scene"), start: try duration("start") ?? .zero, duration: try duration("duration"))
    }
}

extension ReplayWindow {
    /// A start after the end of every log is an error rather than an empty result.
    ///
    /// - Parameter spans: The time of each log from its first event to its last; `nil` for one without
    ///   events.
    func checkStart(_ spans: [Duration?]) throws {
        guard let longest = spans.compactMap(\.self).max(), start > longest else { return }
        var (start, end) = (start.text, longest.text)
        if start == end { (start, end) = ("\(self.start.wholeNanoseconds) ns", "\(longest.wholeNanoseconds) ns") }
        let logs = spans.count == 1 ? "the log ends" : "the longest log ends"
        throw Failure.usage("--start is \(start), but \(logs) \(end) after its first event")
    }

    /// A name that no log has is an error rather than an empty result.
    func checkScenes(_ logs: [(name: String, scenes: SceneNames)]) throws {
        let known = logs.flatMap { log in
            (0..<log.scenes.count).map { log.scenes[SceneNumber(rawValue: UInt32($0))] }
        }
        // Names are bytes: to Swift's ==, an é of one scalar is one of two.
        for name in scenes where !known.contains(where: { $0.utf8.elementsEqual(name.utf8) }) {
            let some = known.prefix(8).joined(separator: ", ") + (known.count > 8 ? ", …" : "")
            let (file, has) = logs.count == 1 ? (logs[0].name, "the log has") : ("the logs", "they have")
            throw Failure(code: .findings, message: "\(file): there is no scene '\(name)'; \(has) \(some)")
        }
    }
}
