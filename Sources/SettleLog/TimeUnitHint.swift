internal import Settle

/// Finds logs whose times are probably of another unit than nanoseconds: somebody has written
/// milliseconds or microseconds as `t_ns`.
package enum TimeUnitHint {
    /// Events of a scene that are this close to each other on average come from no hand: a mouse reports
    /// at most every 125 µs, which are 125 ns if they are written as microseconds.
    private static let closest = Duration.microseconds(20)
    /// Fewer events of a scene may come at once.
    private static let eventsLeast = 10

    /// A sentence, or `nil` if the times may be right.
    ///
    /// - Parameters:
    ///   - format: The log's format: importers know their units.
    ///   - events: Their number.
    ///   - scenes: The number of their scenes.
    ///   - span: From the first event to the last one.
    package static func note(_ format: LogFormat, events: Int, scenes: Int, span: Duration) -> String? {
        guard format.canBeWritten, scenes > 0, events / scenes >= eventsLeast, span < closest * (events / scenes)
        else { return nil }
        return
            "\(counted(events, "event")) span only \(span.text); t_ns counts nanoseconds: times in milliseconds are to be"
            + " multiplied by 1,000,000, those in microseconds by 1,000"
    }
}
