public import Settle
internal import SettlePlatform

/// A clock for tests, which stands still until the test advances it.
///
/// ```swift
/// let clock = ManualClock()
/// let geometries = GeometryStream(frameInterval: .milliseconds(16), clock: clock)
/// // … a task iterates over the geometries
/// await clock.waitForSleepers()
/// clock.advance(by: .milliseconds(16))
/// ```
///
/// All members may be used from any thread.
public final class ManualClock: Clock {
    /// Times of the clock are events' times.
    public typealias Instant = Timestamp

    private struct Sleeper: Sendable {
        var deadline: Timestamp
        /// Orders sleepers with the same deadline.
        var number: UInt64
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State: Sendable {
        var now: Timestamp
        /// Earliest deadline first.
        var sleepers: [Sleeper] = []
        var cancelled: Set<UInt64> = []
        var numbers: UInt64 = 0
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

        /// Removes the waiters whose number of sleepers is reached.
        mutating func removeReadyWaiters() -> [CheckedContinuation<Void, Never>] {
            let ready = waiters.filter { $0.count <= sleepers.count }.map(\.continuation)
            waiters.removeAll { $0.count <= sleepers.count }
            return ready
        }
    }

    private enum Begin {
        case sleeping([CheckedContinuation<Void, Never>])
        case over, cancelled
    }

    private let state: LockedValueBox<State>

    /// - Parameter now: The time that the clock shows first, at most `Timestamp.latest`; a
    ///   later one counts as that.
    public init(now: Timestamp = .zero) {
        state = LockedValueBox(State(now: min(now, .latest)))
    }

    /// The time that the clock shows.
    public var now: Timestamp { state.withLock { $0.now } }

    public var minimumResolution: Duration { .nanoseconds(1) }

    /// The times that tasks sleep until, earliest first.
    public var deadlines: [Timestamp] { state.withLock { $0.sleepers.map(\.deadline) } }

    /// Returns once the clock shows the deadline or a later time. A deadline after
    /// `Timestamp.latest` counts as that. The tolerance is ignored.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    public func sleep(until deadline: Timestamp, tolerance: Duration? = nil) async throws {
        let number = state.withLock { state in
            state.numbers += 1
            return state.numbers
        }
        defer { state.withLock { _ = $0.cancelled.remove(number) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let sleeper = Sleeper(deadline: min(deadline, .latest), number: number, continuation: continuation)
                switch begin(sleeper) {
                case .sleeping(let waiters): for waiter in waiters { waiter.resume() }
                case .over: continuation.resume()
                case .cancelled: continuation.resume(throwing: CancellationError())
                }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                state.cancelled.insert(number)
                return state.sleepers.firstIndex { $0.number == number }.map { state.sleepers.remove(at: $0) }
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    private func begin(_ sleeper: Sleeper) -> Begin {
        state.withLock { state in
            if state.cancelled.contains(sleeper.number) { return .cancelled }
            if state.now >= sleeper.deadline { return .over }
            let index = state.sleepers.firstIndex { $0.deadline > sleeper.deadline } ?? state.sleepers.count
            state.sleepers.insert(sleeper, at: index)
            return .sleeping(state.removeReadyWaiters())
        }
    }

    /// Returns once so many tasks sleep on this clock. If fewer ever do, it waits for ever.
    public func waitForSleepers(_ count: Int = 1) async {
        await withCheckedContinuation { waiter in
            let isEnough = state.withLock { state in
                if state.sleepers.count < count { state.waiters.append((count, waiter)) }
                return state.sleepers.count >= count
            }
            if isEnough { waiter.resume() }
        }
    }

    /// Moves the clock forward and wakes the tasks whose deadlines it reaches. They run on
    /// their executors, in any order and perhaps after this call has returned: one that sleeps
    /// again does so from the new time. For a fixed order, advance to one deadline at a time
    /// and wait for its task.
    public func advance(by duration: Duration) { advance { $0.advanced(by: duration) } }

    /// Moves the clock forward to a time; see `advance(by:)`. An earlier time than now changes
    /// nothing. A later one than `Timestamp.latest` counts as that.
    public func advance(to time: Timestamp) { advance { _ in time } }

    /// Reads the clock and moves it with one lock, so that simultaneous advances add up.
    private func advance(_ target: (_ now: Timestamp) -> Timestamp) {
        let due = state.withLock { state in
            state.now = max(state.now, min(target(state.now), .latest))
            let count = state.sleepers.prefix { $0.deadline <= state.now }.count
            defer { state.sleepers.removeFirst(count) }
            return Array(state.sleepers.prefix(count))
        }
        for sleeper in due { sleeper.continuation.resume() }
    }
}
