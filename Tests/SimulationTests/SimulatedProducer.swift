import Settle
import TestSupport

@testable import SettleLoop

/// A simulated thread that sends events through its own source, in steps.
struct SimulatedProducer {
    let number: Int
    let traits: Scenario.Producer
    let channel: SourceChannel
    /// Its own scenes. No other producer sends events for them, but any thread may post some.
    var scenes: [SceneID] = []
    var disconnected: [SceneID] = []
    /// All sent events, in order.
    private(set) var sent: [Event] = []
    /// The sent events that wait for space in the ring of a blocking source.
    private(set) var pending: [Event] = []
    private(set) var isAsleep = false
    private var lastTime: UInt64 = 0
    private let skew: UInt64

    init(number: Int, traits: Scenario.Producer, channel: SourceChannel, _ random: inout SplitMix64) {
        self.number = number
        self.traits = traits
        self.channel = channel
        skew = UInt64(1 + random.below(10)) * Scenario.millisecond
    }

    /// Whether the producer waits for space in its ring.
    var isBlocked: Bool { !pending.isEmpty }

    /// Returns the time by the producer's clock.
    mutating func stamp(_ now: UInt64, _ random: inout SplitMix64) -> Timestamp {
        var time = now
        switch traits.clock {
        case .honest: time = max(now, lastTime + 1)
        case .coarse: break
        case .behind: time = now - min(now, skew)
        case .stepping:
            if random.chance(30) { time = lastTime }
            if random.chance(10) { time = now - min(now, UInt64(random.below(20)) * Scenario.millisecond) }
        case .ahead: time = now + skew
        }
        lastTime = max(lastTime, time)
        return Timestamp(nanoseconds: time)
    }

    /// Sends without waiting. A blocking producer continues in `resume`.
    mutating func send(_ events: [Event]) {
        sent += events
        switch traits.overload {
        case .coalesce: events.withUnsafeBufferPointer { channel.send($0.baseAddress!, count: $0.count) }
        case .block:
            pending = events
            isAsleep = false
            push(channel.push)
        }
    }

    /// One step of a blocked producer: it tries again, or announces that it waits and sleeps.
    mutating func resume(mayRetry: Bool) {
        noticeRoom()
        if isAsleep { return }
        if mayRetry { return push(channel.push) }
        let before = pending.count
        push(channel.pushBeforeWaiting)
        isAsleep = pending.count == before
        if !isAsleep { channel.awakeFromWaiting() }
    }

    /// Wakes up if the loop has signalled free space.
    mutating func noticeRoom() {
        guard isAsleep, channel.waitForSpace(milliseconds: 0) else { return }
        isAsleep = false
        channel.awakeFromWaiting()
    }

    private mutating func push(_ body: (UnsafePointer<Event>, Int) -> Int) {
        let pushed = pending.withUnsafeBufferPointer { body($0.baseAddress!, $0.count) }
        pending.removeFirst(pushed)
    }
}
