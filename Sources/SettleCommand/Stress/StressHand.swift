import Settle

/// What one scene's user does: bursts of changes with rests between them, by a
/// schedule of its own and numbers of a seed.
struct StressHand {
    enum Habit: CaseIterable {
        /// Drags with the flag on, each ended by the flag.
        case drag
        /// Changes outside any interaction, on a scene that reports the flag.
        case discrete
        /// Changes on a scene that never reports the flag.
        case silent
        /// Drags that also turn the orientation lock on and off.
        case lock
    }

    private enum Phase {
        case resting(until: UInt64)
        case moving(until: UInt64)
    }

    /// The scene's number in the run.
    let number: Int
    let scene: SceneID
    private let habit: Habit
    private var numbers: SeededNumbers
    private var phase = Phase.resting(until: 0)
    private var isLocked = false
    /// The size that the scene has come to.
    private(set) var size = Size(width: 400, height: 300)
    /// Whether the latest event changed anything but its time.
    private(set) var didChange = false

    private static let burst: ClosedRange<UInt64> = 50_000_000...400_000_000
    private static let rest: ClosedRange<UInt64> = 20_000_000...300_000_000

    init(number: Int, scene: SceneID, habit: Habit, seed: UInt64) {
        self.number = number
        self.scene = scene
        self.habit = habit
        numbers = SeededNumbers(seed: seed)
    }

    /// Whether the scene has nothing new to say at a time.
    func isResting(at due: UInt64) -> Bool {
        if case .resting(let until) = phase { due < until } else { false }
    }

    /// The next event, due at one time and sent at another. A scene at rest repeats
    /// itself, which must not move anything.
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
        case .moving:
            phase = .resting(until: due + numbers.within(Self.rest))
            didChange = habit == .drag || habit == .lock
            return event(at: now, isMoving: false)
        }
    }

    /// The last known state, after which no interaction is open.
    func last(at now: Timestamp) -> Event { event(at: now, isMoving: false) }

    private mutating func move(at now: Timestamp) -> Event {
        didChange = true
        let number = numbers.next()
        size.width = Double(200 + number % 601)
        size.height = Double(200 + (number >> 32) % 401)
        if habit == .lock, number >> 60 == 0 { isLocked.toggle() }
        return event(at: now, isMoving: true)
    }

    private func event(at now: Timestamp, isMoving: Bool) -> Event {
        let flag: Bool? =
            switch habit {
            case .drag, .lock: isMoving
            case .discrete: false
            case .silent: nil
            }
        return .geometry(
            scene, at: now, size: size, isInteractivelyResizing: flag,
            isInterfaceOrientationLocked: habit == .lock ? isLocked : nil)
    }
}
