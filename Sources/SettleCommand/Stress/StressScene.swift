import Settle

/// The simulated user of one scene: random bursts of changes with rests between them, from a
/// seed.
struct StressScene {
    enum Behaviour: CaseIterable {
        /// Interactions that the flag begins and ends.
        case drag
        /// Changes outside interactions, of a scene that reports the flag as false.
        case discrete
        /// Changes of a scene that never reports the flag.
        case silent
        /// Interactions in which the orientation lock changes.
        case lock
        /// Interactions in which the hand holds still for a while, so that sizes are previewed.
        case pause
    }

    private enum Phase {
        case resting(until: UInt64)
        case moving(until: UInt64)
        /// Within an interaction, at the same size.
        case holding(until: UInt64)
    }

    /// The scene's number in the run.
    let number: Int
    let scene: SceneID
    private let behaviour: Behaviour
    private var numbers: SeededNumbers
    private var phase = Phase.resting(until: 0)
    private var isLocked = false
    /// The scene's current size.
    private(set) var size = Size(width: 400, height: 300)
    /// Whether the latest event changed anything but its time.
    private(set) var didChange = false

    private static let burst: ClosedRange<UInt64> = 50_000_000...400_000_000
    private static let rest: ClosedRange<UInt64> = 20_000_000...300_000_000
    private static let hold: ClosedRange<UInt64> = 5_000_000...100_000_000

    /// A policy of the run, with previews for a scene that pauses: after 20 ms, unless the run has
    /// a pause delay of its own.
    static func policy(_ policy: Policy, for behaviour: Behaviour) -> Policy {
        var policy = policy
        if behaviour == .pause { policy.pauseDelay = policy.pauseDelay ?? .milliseconds(20) }
        return policy
    }

    init(number: Int, scene: SceneID, behaviour: Behaviour, seed: UInt64) {
        self.number = number
        self.scene = scene
        self.behaviour = behaviour
        numbers = SeededNumbers(seed: seed)
    }

    /// Whether the scene does not change at a time.
    func isResting(at due: UInt64) -> Bool {
        if case .resting(let until) = phase { due < until } else { false }
    }

    /// Returns the next event, with the time `now`. A scene at rest sends its state again, which
    /// must not change any decision.
    ///
    /// - Parameter due: When the event is due by the schedule, which also times the bursts.
    mutating func next(due: UInt64, at now: Timestamp) -> Event {
        switch phase {
        case .resting(let until) where due < until:
            didChange = false
            return event(at: now, isMoving: false)
        case .resting:
            phase = .moving(until: due + numbers.within(Self.burst))
            return move(at: now)
        case .moving(let until) where due < until:
            return move(at: now)
        case .holding(let until) where due < until:
            didChange = false
            return event(at: now, isMoving: true)
        case .holding where numbers.next() >> 62 > 0:
            phase = .moving(until: due + numbers.within(Self.burst))
            return move(at: now)
        case .moving where behaviour == .pause:
            phase = .holding(until: due + numbers.within(Self.hold))
            return move(at: now)
        case .moving, .holding:
            phase = .resting(until: due + numbers.within(Self.rest))
            didChange = behaviour != .discrete && behaviour != .silent
            return event(at: now, isMoving: false)
        }
    }

    /// The scene's current state, with any interaction ended.
    func last(at now: Timestamp) -> Event { event(at: now, isMoving: false) }

    private mutating func move(at now: Timestamp) -> Event {
        didChange = true
        let number = numbers.next()
        size.width = Double(200 + number % 601)
        size.height = Double(200 + (number >> 32) % 401)
        if behaviour == .lock, number >> 60 == 0 { isLocked.toggle() }
        return event(at: now, isMoving: true)
    }

    private func event(at now: Timestamp, isMoving: Bool) -> Event {
        let flag: Bool? =
            switch behaviour {
            case .drag, .lock, .pause: isMoving
            case .discrete: false
            case .silent: nil
            }
        return .geometry(
            scene, at: now, size: size, isInteractivelyResizing: flag,
            isInterfaceOrientationLocked: behaviour == .lock ? isLocked : nil)
    }
}
