import Settle
import SettlePlatform

/// What a half of the window shows, and what it has cost so far. Its builder works on another
/// thread than the window. Any thread.
final class Half: Sendable {
    struct State: Sendable {
        /// The last picture that was finished.
        var shown: Picture?
        var rebuilds = 0
        /// Processor time of all rebuilds.
        var work = Duration.zero
        /// Sizes that wait for a rebuild.
        var waiting = 0
    }

    private let picture: JuliaPicture
    private let box = LockedValueBox(State())
    private let finished: EventDescriptor

    /// - Parameter finished: Made readable whenever a picture is finished.
    init(_ picture: JuliaPicture, finished: EventDescriptor) {
        self.picture = picture
        self.finished = finished
    }

    var state: State { box.withLock { $0 } }

    func setWaiting(_ count: Int) { box.withLock { $0.waiting = count } }

    /// Rebuilds the picture on the calling thread, one at a time.
    func rebuild(_ size: PixelSize) {
        let number = state.rebuilds + 1
        let result = picture.build(size, number: number)
        box.withLock { state in
            state.shown = result.picture
            state.rebuilds = number
            state.work += result.processorTime
        }
        finished.signal()
    }
}

/// How long the picture that is shown has been of another size than its place in the window.
/// Time is an argument.
struct LagMeter {
    /// Since when the picture has had another size; `nil` while it has the right one.
    private(set) var staleSince: Timestamp?
    /// The longest time so far that ended with the right picture.
    private(set) var longest = Duration.zero
    /// When the right picture appeared last, counted from the last change of the size.
    private(set) var caughtUpAfter: Duration?
    private var lastChange: Timestamp?

    /// Notes what the window and the picture are at a time. Nothing is stale before there is a
    /// first picture.
    ///
    /// - Parameter isChanged: Whether the place's size has just changed.
    mutating func update(place: PixelSize, shown: PixelSize?, isChanged: Bool, at now: Timestamp) {
        if isChanged { lastChange = now }
        guard let shown else { return }
        if shown != place {
            if staleSince == nil { staleSince = now }
        } else if let since = staleSince {
            longest = max(longest, since.duration(to: now))
            caughtUpAfter = (lastChange ?? since).duration(to: now)
            staleSince = nil
        }
    }

    func stale(at now: Timestamp) -> Duration { staleSince.map { $0.duration(to: now) } ?? .zero }
}
