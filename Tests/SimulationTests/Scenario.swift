import Settle
import SettleHandlers
import SettleLog
import TestSupport

@testable import SettleLoop

/// The random parameters of a simulated world.
struct Scenario {
    enum Clock: CaseIterable {
        /// The time of sending. Sending takes a nanosecond, so no two times are equal.
        case honest
        /// The time of sending, so that times may equal each other and deadlines.
        case coarse
        /// Behind the loop's clock by a constant.
        case behind
        /// Sometimes goes back, or stands still.
        case stepping
        /// Ahead of the loop's clock by a constant.
        case ahead
    }

    struct Producer {
        var overload: Overload
        var capacity: Int
        var clock: Clock
        var sendsMost: Int
    }

    static let millisecond: UInt64 = 1_000_000

    let policy: Policy
    let scenesMax: Int
    let decisionsMax: Int
    let producers: [Producer]
    let steps: Int
    let bounds: EngineInput.Bounds
    /// How often the loop runs when it has something to do.
    let loopPercent: Int
    /// How often a producer acts during a pass.
    let meanwhilePercent: Int
    /// Whether time passes during a pass.
    let isLoopSlow: Bool
    let lead: UInt64
    let flagPercent: Int
    let pointerPercent: Int
    let badPercent: Int
    let concurrency: Int
    let liveBudget: Int?
    let failPercent: Int
    let obeyPercent: Int
    let endBuildPercent: Int
    let retry: AssetRebuilder.Retry
    let hasPreviews: Bool
    /// Previews prepare what a rebuild shows.
    let prepares: Bool
    let bufferCapacity: Int
    let frameInterval: Duration
    let recording: Recording

    struct Recording {
        var flushInterval: Duration
        var sync: LogRecorder.Sync
        var faultPercent: Int
    }

    init(_ random: inout SplitMix64) {
        policy = Scenario.policy(&random)
        scenesMax = 1 + random.below(5)
        decisionsMax = random.pick([1, 2, 3, 64])
        let isHonest = random.chance(50)
        producers = (0..<1 + random.below(4)).map { _ in
            Producer(
                overload: random.chance(isHonest ? 80 : 50) ? .coalesce : .block,
                capacity: random.pick([1, 2, 4, 4, 8, 16]),
                clock: isHonest ? random.pick([.honest, .coarse]) : random.pick(Clock.allCases),
                sendsMost: random.pick([1, 3, 12]))
        }
        steps = 60 + random.below(160)
        bounds = EngineInput.Bounds(eventsPerPiece: random.pick([1, 2, 512]), piecesPerPass: random.pick([1, 3, 32]))
        loopPercent = random.pick([100, 60, 20, 5])
        meanwhilePercent = random.pick([0, 10, 60])
        isLoopSlow = !isHonest && random.chance(50)
        lead = random.pick([0, 0, WakeLead().nanoseconds])
        flagPercent = random.pick([0, 30, 100])
        pointerPercent = random.pick([0, 0, 10])
        badPercent = random.pick([0, 0, 3])
        concurrency = 1 + random.below(3)
        liveBudget = random.chance(25) ? random.pick([5, 50, 100]) : nil
        failPercent = random.pick([0, 20, 60])
        obeyPercent = random.pick([0, 50, 100])
        endBuildPercent = random.pick([5, 30, 80])
        retry = random.pick([
            .never, .backoff(first: .zero, limit: .milliseconds(5), attempts: 2),
            .backoff(first: .milliseconds(2), limit: .milliseconds(30), attempts: 5),
        ])
        hasPreviews = random.chance(60)
        prepares = hasPreviews && random.chance(60)
        bufferCapacity = random.pick([0, 1, 3, 100])
        frameInterval = .milliseconds(random.pick([0, 1, 16]))
        recording = Recording(
            flushInterval: .milliseconds(random.pick([0, 2, 20])),
            sync: random.pick([.never, .flush, .interval(.milliseconds(10))]),
            faultPercent: random.pick([0, 2, 10]))
    }

    /// Delays of a few milliseconds, often zero or equal, so that deadlines coincide.
    static func policy(_ random: inout SplitMix64) -> Policy {
        func delay() -> Duration { .milliseconds(random.pick([0, 1, 2, 3, 5, 8, 20])) }
        func limit(_ percent: Int) -> Duration? { random.chance(percent) ? delay() : nil }
        return Policy(
            firstDelay: random.chance(50) ? .zero : delay(), reportedEndDelay: delay(), releasedEndDelay: delay(),
            discreteDelay: delay(), quietDelay: delay(), jumpDelay: limit(50), calmDelay: delay(), lockDelay: delay(),
            pauseDelay: limit(60), pauseSharePercent: random.chance(30) ? random.pick([5, 50, 100]) : nil,
            maximumWait: limit(30),
            interactionTimeout: random.chance(20) ? .milliseconds(random.pick([2, 9, 30])) : nil,
            liveSharePercent: random.chance(50) ? random.pick([5, 30, 60, 100]) : nil, liveLimit: limit(80),
            liveInterval: .milliseconds(random.pick([0, 0, 1, 5])), livePause: limit(50))
    }

    /// Whether all producers use the loop's clock and passes take no time: then the loop must
    /// apply events in the order of sending.
    var isInOrder: Bool {
        !isLoopSlow && producers.allSatisfy { $0.clock == .honest || $0.clock == .coarse }
    }
}
