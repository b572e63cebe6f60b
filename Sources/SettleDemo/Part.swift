import Settle
import SettleClock
import SettlePlatform

/// What a part of the window shows, and what it has cost so far. Its builder works on another
/// thread than the window. Any thread.
final class Part: Sendable {
    struct State: Sendable {
        /// The last picture that was finished.
        var shown: Picture?
        var builds = 0
        /// Processor time of all builds.
        var work = Duration.zero
        /// The pixels of each build, its processor time, and how long it took.
        var costs: [(pixels: Int, work: Duration, time: Duration)] = []
        /// Whether a size waits for its build.
        var isWaiting = false
        var meter = WrongMeter()
    }

    private let picture: JuliaPicture
    private let box = LockedValueBox(State())
    private let changed: EventDescriptor

    /// - Parameter changed: Made readable whenever a picture is finished.
    init(_ picture: JuliaPicture, changed: EventDescriptor) {
        self.picture = picture
        self.changed = changed
    }

    var state: State { box.withLock { $0 } }

    func setWaiting(_ isWaiting: Bool) { box.withLock { $0.isWaiting = isWaiting } }

    /// The picture's place in the window has another size.
    func placeChanged(to size: PixelSize, at now: Timestamp) {
        box.withLock { $0.meter.placeChanged(to: size, at: now) }
    }

    /// A drag begins.
    func takeHold() { box.withLock { $0.meter.takeHold() } }

    /// The hand let go of the window.
    func letGo(at time: Timestamp) { box.withLock { $0.meter.letGo(at: time) } }

    /// Builds the picture on the calling thread, one at a time, and shows it.
    ///
    /// - Returns: The processor time that it took: the parts compete for the processors, as programs of their own
    ///   would not.
    @discardableResult
    func build(_ size: PixelSize) -> Duration {
        let result = make(size)
        if let picture = result.picture { show(picture) }
        return result.processorTime
    }

    /// Builds the picture on the calling thread without showing it.
    func make(_ size: PixelSize, isCancelled: () -> Bool = { false }) -> JuliaPicture.Result {
        let start = MonotonicClock.now
        let number = state.builds + 1
        let result = picture.build(size, number: number, isCancelled: isCancelled)
        let end = MonotonicClock.now
        box.withLock { state in
            state.work += result.processorTime
            guard result.picture != nil else { return }
            state.builds = number
            state.costs.append((size.width * size.height, result.processorTime, start.duration(to: end)))
        }
        return result
    }

    func show(_ picture: Picture) {
        box.withLock { state in
            state.shown = picture
            state.meter.shows(picture.size, at: MonotonicClock.now)
        }
        changed.signal()
    }
}

/// How wrong the size of the picture is that is shown: the difference to its place's, as a part of that size, and that
/// part summed up over time. Time is an argument. Nothing is wrong before there is a picture.
struct WrongMeter: Sendable {
    private(set) var place: PixelSize?
    private(set) var shown: PixelSize?
    /// Since when the picture has had another size; `nil` while it has the right one.
    private(set) var staleSince: Timestamp?
    /// When the right picture appeared last, counted from the last change of the size.
    private(set) var caughtUpAfter: Duration?
    /// From letting go, or a later change, to the right picture, for each drag.
    private(set) var rightAfterAll: [Duration] = []
    var rightAfter: Duration? { rightAfterAll.last }
    private var letGo: Timestamp?
    private var sum = Duration.zero
    private var counted = Timestamp.zero
    private var lastChange = Timestamp.zero

    /// How wrong the size is now, from 0; 1 is wrong by as much as the size itself.
    var part: Double {
        guard let place, let shown else { return 0 }
        let difference = abs(place.width - shown.width) + abs(place.height - shown.height)
        return Double(difference) / Double(place.width + place.height)
    }

    /// The parts so far, each times how long it lasted.
    func wrong(at now: Timestamp) -> Duration { sum + counted.duration(to: max(now, counted)) * part }

    mutating func placeChanged(to size: PixelSize, at now: Timestamp) {
        count(now)
        if size != place { lastChange = now }
        place = size
        update(now)
    }

    mutating func shows(_ size: PixelSize, at now: Timestamp) {
        count(now)
        shown = size
        update(now)
    }

    /// A hand that takes hold again before the right picture is there leaves nothing to count.
    mutating func takeHold() { letGo = nil }

    mutating func letGo(at now: Timestamp) {
        letGo = now
        if staleSince == nil { noteRight(at: now) }
    }

    private mutating func noteRight(at now: Timestamp) {
        guard let since = letGo.take() else { return }
        let start = staleSince == nil ? since : max(since, lastChange)
        rightAfterAll.append(start.duration(to: max(now, start)))
    }

    private mutating func count(_ now: Timestamp) {
        sum = wrong(at: now)
        counted = max(now, counted)
    }

    private mutating func update(_ now: Timestamp) {
        if part > 0 {
            if staleSince == nil { staleSince = now }
        } else if staleSince != nil {
            caughtUpAfter = lastChange.duration(to: max(now, lastChange))
            noteRight(at: now)
            staleSince = nil
        }
    }

    func stale(at now: Timestamp) -> Duration { staleSince.map { $0.duration(to: max(now, $0)) } ?? .zero }
}

/// What a part has cost at a moment, or from one to another.
struct Tally: Sendable, Equatable {
    var builds = 0
    var work = Duration.zero
    var wrong = Duration.zero

    static func - (now: Tally, before: Tally) -> Tally {
        Tally(builds: now.builds - before.builds, work: now.work - before.work, wrong: now.wrong - before.wrong)
    }
}

extension Part.State {
    typealias Costs = (pixels: Int, work: Duration, time: Duration)

    func tally(at now: Timestamp) -> Tally { Tally(builds: builds, work: work, wrong: meter.wrong(at: now)) }

    /// What builds took in nanoseconds, by the least squares: a fixed part, and one for each pixel. The fixed part may
    /// be negative.
    func cost(_ figure: (Costs) -> Duration) -> (fixed: Double, perPixel: Double) {
        let points = costs.map { (x: Double($0.pixels), y: figure($0) / .nanoseconds(1)) }
        let count = max(1, Double(points.count))
        let mean = points.reduce((x: 0, y: 0)) { ($0.x + $1.x / count, $0.y + $1.y / count) }
        let spread = points.reduce(0) { $0 + ($1.x - mean.x) * ($1.x - mean.x) }
        guard spread > 0 else { return (mean.y, 0) }
        let slope = points.reduce(0) { $0 + ($1.x - mean.x) * ($1.y - mean.y) } / spread
        return (mean.y - slope * mean.x, slope)
    }
}
