internal import Settle
internal import SettleClock
internal import SettlePlatform

/// The engine, and the system's time.
@MainActor final class TimedEngine {
    // `@exclusivity(unchecked)`: see UISystem.swift.
    /// No closure that it runs uses it.
    @exclusivity(unchecked) var core: Engine
    /// What was decided and not taken yet.
    @exclusivity(unchecked) var decisions: [Decision] = []
    private let clock: UISystem.Clock
    /// The latest reading of the monotonic clock for an event's time.
    @exclusivity(unchecked) private var lastReading = Timestamp.zero

    init(_ configuration: UISystem.Configuration) throws {
        clock = configuration.clock
        var policy = configuration.policy
        // What an app rebuilds, it rebuilds in callbacks for a size that has settled, and nothing measures them.
        policy.liveSharePercent = nil
        core = try Engine(
            .init(policy: policy, scenesMax: configuration.scenesMax + configuration.columnsBound))
    }

    /// The present time, by the configuration's clock.
    var now: Timestamp { clock == .virtual ? core.now : max(core.now, MonotonicClock.now) }

    /// - Returns: Why the engine rejected the event; `nil` if it was applied.
    func submit(_ event: Event) -> Rejection? {
        let rejection = core.submit(event) { decisions.append($0) }
        // No event can come before the end of a delay of zero.
        if let wake = core.nextWake, wake <= core.now { advance(to: core.now) }
        return rejection
    }

    func advance(to moment: Timestamp) {
        core.advance(to: moment) { decisions.append($0) }
    }

    /// The event, at most at the present time if the clock is the monotonic one. The clock
    /// is read only for an event later than the last reading.
    func clamped(_ event: Event) -> Event {
        guard clock == .monotonic, event.at > lastReading else { return event }
        lastReading = MonotonicClock.now
        var event = event
        event.clamp(to: lastReading)
        return event
    }
}
