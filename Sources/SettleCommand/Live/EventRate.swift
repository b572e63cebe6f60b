import Settle

/// How many events came in the last second, in steps of a tenth of a second.
struct EventRate {
    private static let step: UInt64 = 100_000_000
    /// Events by tenths of seconds; the last element is of the tenth `latest`.
    private var counts = InlineArray<10, UInt32>(repeating: 0)
    private var latest: UInt64 = 0

    /// Counts an event.
    mutating func add(at time: Timestamp) {
        move(to: time)
        counts[Int(latest % 10)] += 1
    }

    /// The events of the second before a time, which is not earlier than the events'.
    func perSecond(at now: Timestamp) -> Int {
        var moved = self
        moved.move(to: now)
        return (0..<10).reduce(0) { $0 + Int(moved.counts[$1]) }
    }

    private mutating func move(to time: Timestamp) {
        let next = max(latest, time.nanoseconds / Self.step)
        for passed in 0..<min(next - latest, 10) { counts[Int((next - passed) % 10)] = 0 }
        latest = next
    }
}
