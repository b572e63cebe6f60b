package import CSettle

/// Counts the rebuilds of two common ways of handling resizes on a log's events, for comparison.
package struct BaselineCounter {
    private var scenes: [settle_baseline_scene] = []
    private var counts = settle_baselines()

    /// No event yet.
    package init() {}

    /// Applies a log's next events.
    ///
    /// - Parameters:
    ///   - events: The events, whose scenes are numbers of names.
    ///   - names: How many names the log has so far.
    package mutating func add(_ events: UnsafeMutableBufferPointer<settle_event>, names: Int) {
        if names > scenes.count {
            var new = [settle_baseline_scene](repeating: settle_baseline_scene(), count: names - scenes.count)
            settle_baselines_start(&new, new.count)
            scenes += new
        }
        settle_baselines_add(&scenes, events.baseAddress, events.count, &counts)
    }

    /// Applies the log's end. Returns all counts.
    package mutating func finish() -> settle_baselines {
        settle_baselines_finish(scenes, scenes.count, &counts)
        return counts
    }
}
