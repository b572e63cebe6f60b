internal import Settle
internal import SettlePlatform

/// What a live engine reads its clock from and waits with: `EventLoop`, or a test's own.
///
/// There are two loops of that name, of which Package.swift chooses one: in `Libuv` for Linux, and in `Poll` for any
/// POSIX system.
protocol LoopWaiting: AnyObject {
    var now: Timestamp { get }
    /// Ends the waiting. Any thread may signal it, also after the loop is closed.
    var bell: EventDescriptor { get }
    /// The descriptor that a host's own loop watches for reading, until `close`.
    var backendDescriptor: Int32 { get }
    /// Asks for a wake-up at a time, not before. An earlier one that was asked for may stay.
    func wake(at deadline: Timestamp)
    /// Runs the loop once, and waits for the bell or the deadline in the mode `.once`.
    func run(_ mode: LoopMode)
    /// Frees the loop and closes its descriptors. Must not be called while the loop runs.
    /// Idempotent.
    func close()
}

enum LoopMode {
    case once
    /// For a host, which has waited for the `backendDescriptor`.
    case withoutWaiting
}
