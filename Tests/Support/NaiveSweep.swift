public import Settle

/// What one policy decides about a log, counted the slow way: an engine of its own gets one event at
/// a time, and everything but the decisions comes from the events themselves.
public struct NaiveSweep {
    public private(set) var rebuilds: [Rebuild.Reason: Int] = [:]
    public private(set) var previews = 0
    public private(set) var wasted = 0
    /// Rebuilds of `interactionEnded` after a button's release.
    public private(set) var released = 0
    /// In nanoseconds, of all rebuilds.
    public private(set) var lags: [UInt64] = []

    /// The times of one connected scene.
    private struct Life {
        var size: Size?
        var changed: UInt64 = 0
        var ended: UInt64 = 0
        var isReleased = false
        var rebuilds: [UInt64] = []
    }

    private var lives: [SceneID: Life] = [:]

    /// Decides a log.
    ///
    /// - Parameters:
    ///   - events: The log's events. A scene's raw value is the number of its name.
    ///   - policy: The policy of all scenes.
    public init(_ events: [Event], policy: Policy) throws {
        let names = Set(events.map(\.scene)).count
        var engine = try Engine(.init(policy: policy, scenesMax: max(names, 1)))
        var connected: [SceneID: SceneID] = [:]
        var now: UInt64 = 0
        for event in events {
            var own = event
            if event.kind != .pointer {
                if connected[event.scene] == nil, event.kind != .disconnect, event.kind != .finished,
                    event.kind != .previewed,
                    event.isValid
                {
                    connected[event.scene] = try engine.connect()
                    lives[connected[event.scene]!] = Life()
                }
                own.scene = connected[event.scene] ?? SceneID(rawValue: 0)
            }
            // What is decided before the event, and by it. An event itself decides no rebuild: the
            // deadlines up to its time do, before it.
            var decided: [Decision] = []
            let rejection = engine.submit(own) { decided.append($0) }
            for decision in decided { count(decision) }
            if rejection != nil { continue }
            now = max(now, event.at.nanoseconds)
            if event.kind == .disconnect { connected[event.scene] = nil }
            if event.kind == .geometry { change(own, at: now) }
        }
        engine.finish { count($0) }
        for life in lives.values { count(wastedOf: life.rebuilds) }
        lives = [:]
    }

    private mutating func change(_ event: Event, at now: UInt64) {
        guard let size = event.rawSize, size.width != 0, size.height != 0, size != lives[event.scene]!.size else {
            return
        }
        lives[event.scene]!.size = size
        lives[event.scene]!.changed = now
    }

    private mutating func count(_ decision: Decision) {
        let at = decision.at.nanoseconds
        switch decision.kind {
        case .interactionEnded(let reason, _):
            lives[decision.scene]!.ended = at
            lives[decision.scene]!.isReleased = reason == .released
        case .preview: previews += 1
        case .rebuild(let rebuild):
            let life = lives[decision.scene]!
            rebuilds[rebuild.reason, default: 0] += 1
            if rebuild.reason == .interactionEnded, life.isReleased { released += 1 }
            lags.append(at - max(life.changed, life.ended))
            lives[decision.scene]!.rebuilds.append(at)
        default: break
        }
    }

    private mutating func count(wastedOf rebuilds: [UInt64]) {
        for (one, next) in zip(rebuilds, rebuilds.dropFirst()) where next - one <= 1_000_000_000 { wasted += 1 }
    }
}

/// The baselines of a log, counted from pairs of changes.
public struct NaiveBaselines {
    public private(set) var everyChange = 0
    public private(set) var everyChangeWasted = 0
    public private(set) var debounce = 0
    public private(set) var debounceWasted = 0

    private static let delay: UInt64 = 100_000_000

    /// - Parameter events: The log's events. A scene's raw value is the number of its name.
    public init(_ events: [Event]) {
        let inTime = events.filter { $0.kind != .pointer && $0.at <= .latest }
        for own in Dictionary(grouping: inTime, by: \.scene).values {
            // A disconnect begins another life, and is the last event of the one before.
            var life: [Event] = []
            for event in own {
                life.append(event)
                guard event.kind == .disconnect else { continue }
                count(life)
                life = []
            }
            count(life)
        }
    }

    private mutating func count(_ life: [Event]) {
        var size = Size(width: 0, height: 0)
        var changes: [Int] = []
        for (index, event) in life.enumerated() where event.kind == .geometry {
            guard let new = event.rawSize, new != size, new.width > 0, new.height > 0, new.width.isFinite,
                new.height.isFinite
            else { continue }
            size = new
            changes.append(index)
        }
        var fired: [UInt64] = []
        for (number, index) in changes.enumerated() {
            let due = life[index].at.nanoseconds + Self.delay
            let last = number + 1 < changes.count ? changes[number + 1] : life.count - 1
            let isPassed = life[(index + 1)...].prefix(last - index).contains { $0.at.nanoseconds >= due }
            let isLeft = number + 1 == changes.count && life.last!.kind != .disconnect
            if isPassed || isLeft { fired.append(due) }
        }
        let times = changes.map { life[$0].at.nanoseconds }
        everyChange += times.count
        everyChangeWasted += Self.wasted(times)
        debounce += fired.count
        debounceWasted += Self.wasted(fired)
    }

    /// Times can step back.
    private static func wasted(_ times: [UInt64]) -> Int {
        zip(times, times.dropFirst()).count { $1 >= $0 && $1 - $0 <= 1_000_000_000 }
    }
}

extension Event {
    /// Width and height as they stand in a geometry event, whatever its flags say.
    var rawSize: Size? {
        guard kind == .geometry else { return nil }
        return withUnsafeBytes(of: self) {
            Size(
                width: $0.load(fromByteOffset: 8, as: Double.self), height: $0.load(fromByteOffset: 16, as: Double.self)
            )
        }
    }
}

/// The buckets of a histogram of lags as a list: each number below 32 alone, and each power of two
/// from there to 2^40 in 32 parts of equal width.
public enum NaiveLagBuckets {
    /// The least lag of each bucket, in nanoseconds.
    public static let firsts: [UInt64] = {
        var firsts = Array(0..<UInt64(32))
        for power in 5..<40 {
            for part in 0..<UInt64(32) { firsts.append(1 << UInt64(power) + part << UInt64(power - 5)) }
        }
        return firsts + [1 << 40]
    }()

    /// The number of the bucket with a lag.
    public static func bucket(of lag: UInt64) -> Int {
        var (low, high) = (0, firsts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if firsts[middle] <= lag { low = middle } else { high = middle }
        }
        return low
    }
}
