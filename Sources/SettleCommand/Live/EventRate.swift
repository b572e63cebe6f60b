import Settle

/// How many events came in each of the last eight seconds, in steps of a tenth of a second.
struct EventRate {
    static let seconds = 8
    private static let step: UInt64 = 100_000_000
    private static let steps = UInt64(10 * seconds)
    /// Events by tenths of seconds; that of the tenth `latest` is the last one. No source sends more.
    private var counts = InlineArray<80, UInt16>(repeating: 0)
    private var latest: UInt64 = 0

    /// Counts an event.
    mutating func add(at time: Timestamp) {
        move(to: time)
        let index = Int(latest % Self.steps)
        counts[index] = max(counts[index], counts[index] &+ 1)
    }

    /// The events of each second before a time, which is not earlier than the events'; the latest one last.
    func perSecond(at now: Timestamp) -> [Int] {
        var moved = self
        moved.move(to: now)
        return (0..<Self.seconds).map { second in
            // The tenth behind the latest one is the oldest.
            (1...10).reduce(0) { $0 + Int(moved.counts[(Int(moved.latest % Self.steps) + 10 * second + $1) % 80]) }
        }
    }

    private mutating func move(to time: Timestamp) {
        let next = max(latest, time.nanoseconds / Self.step)
        for passed in 0..<min(next - latest, Self.steps) { counts[Int((next - passed) % Self.steps)] = 0 }
        latest = next
    }
}
