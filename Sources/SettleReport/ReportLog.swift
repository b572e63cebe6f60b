internal import Settle
package import SettleLog

/// A log as a report has it: its events within a window, and what is wrong with it.
package struct ReportLog {
    /// The most events of all logs of a report.
    package static let eventsMax = 1_000_000

    /// The log's name as it was given.
    package var name: String
    /// The format's name, `nil` for a log whose beginning cannot be read.
    package var format: String?
    /// The log's metadata.
    package var header = LogHeader()
    /// The events up to the first part behind which nothing can be read, or to the window's end.
    package var events: [LogEvent] = []
    /// The names of the events' scenes.
    package var scenes = SceneNames()
    /// The faults of the whole log, in the lines of `settle validate`.
    package var findings: [String] = []
    /// The number of faults.
    package var findingsCount = 0
    /// Why the events end before the log's end and the window's; `nil` if they do not.
    package var fault: LogError?
    /// What the format could not represent, in sentences.
    package var notes: [String] = []
    /// Whether events are left out as they are too many; a note says which.
    package var isSample = false
    /// The time from the log's first event to its last; known for a window only.
    package var span: Duration?

    /// Reads an open log to its end.
    ///
    /// - Parameters:
    ///   - reader: The log, nothing of which was read.
    ///   - window: The events to keep; the faults are the whole log's.
    ///   - eventsMax: The most events to keep. Of more, some of the scenes are kept, or the first part of a single
    ///     scene; a note says so.
    ///   - progress: Called with the number of events read so far.
    /// - Throws: `.io` when the log cannot be read.
    package init(
        _ reader: LogReader, window: ReplayWindow = ReplayWindow(), eventsMax: Int = Self.eventsMax,
        progress: (Int) -> Void = { _ in }
    ) throws(LogError) {
        name = reader.name
        format = reader.format.name
        var kept = KeptEvents(window, eventsMax: eventsMax)
        var lines = FindingLines()
        var (findings, fault): ([String], LogError?) = ([], nil)
        var read = 0
        var validator = LogValidator(path: reader.name)
        let result = try validator.run(reader) { batch throws(LogError) in
            read += batch.count
            progress(read)
            if fault == nil { kept.add(batch, reader) }
        } report: { (problem, kind) throws(LogError) in
            // What follows the window is no part of it.
            if kind == .unreadable, fault == nil, !kept.isOver, !reader.hasSkippedLast { fault = problem }
            if let line = lines.line(problem, kind) { findings.append(line) }
        }
        header = reader.header
        events = kept.events
        scenes = reader.scenes
        self.findings = findings + lines.totals(reader.name, result, advice: "")
        findingsCount = result.faults
        self.fault = fault
        var feedback = FeedbackSearch(reader.header.policy)
        for event in kept.events { feedback.add(event) }
        notes = result.notes + [kept.note, feedback.finish().note(reader.scenes)].compactMap(\.self)
        isSample = kept.note != nil
        span = kept.span
    }

    /// The name without its folders.
    package var fileName: String { name.split(separator: "/").last.map(String.init) ?? name }

    /// A log whose beginning cannot be read.
    package init(name: String, unreadable fault: LogError) {
        self.name = name
        findings = [fault.description.escaped]
        findingsCount = 1
        self.fault = fault
    }
}
