internal import Settle

/// When a timer fires next, so that it is set only when it must be.
///
/// An earlier time than asked for stays set: a wake-up is a hint, and setting the timer less
/// often saves system calls.
struct Alarm {
    private(set) var firesAt: Timestamp?

    /// Whether the timer has to be set to `deadline`.
    mutating func mustSet(to deadline: Timestamp, now: @autoclosure () -> Timestamp) -> Bool {
        if let firesAt, firesAt <= deadline, now() < firesAt { return false }
        firesAt = deadline
        return true
    }
}
