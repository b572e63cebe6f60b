public import Settle

/// What a replay came to.
public struct ReplaySummary: Sendable {
    public var events = 0
    public var pointerEvents = 0
    /// Different scene names among the events.
    public var scenes = 0
    public var first: Timestamp?
    public var last: Timestamp?
    public var interactions = 0
    /// Interactions that never ended in the log.
    public var openInteractions = 0
    public var rebuildsByReason: [Rebuild.Reason: Int] = [:]
    public var lockChanges = 0
    /// Rebuilds of a handler that rebuilds at every changed size.
    public var everyChange = 0
    /// Rebuilds of a debounce timer of `PeerCounts.debounce` after each changed size.
    public var fixedDebounce = 0
    public var rejectedSizes = 0
    public var rejectedScenes = 0
    public var rejectedEvents = 0
    /// Events that were earlier than one before them.
    public var regressions = 0

    private var sceneIsSeen: [Bool] = []

    public var rebuilds: Int { rebuildsByReason.values.reduce(0, +) }

    public var span: Duration {
        guard let first, let last else { return .zero }
        return last.duration(since: first)
    }

    mutating func add(_ event: LogEvent) {
        events += 1
        let at = event.at
        if let first, let last {
            if at < first { self.first = at }
            if at > last { self.last = at }
        } else {
            (first, last) = (at, at)
        }
        if event.kind == .pointer { pointerEvents += 1 } else { see(event.name.index) }
    }

    private mutating func see(_ scene: Int) {
        if scene >= sceneIsSeen.count {
            sceneIsSeen.append(contentsOf: repeatElement(false, count: scene + 1 - sceneIsSeen.count))
        }
        if sceneIsSeen[scene] { return }
        sceneIsSeen[scene] = true
        scenes += 1
    }

    mutating func add(_ decision: Decision) {
        switch decision.kind {
        case .interactionBegan:
            interactions += 1
            openInteractions += 1
        case .interactionEnded: openInteractions -= 1
        case .rebuild(let rebuild): rebuildsByReason[rebuild.reason, default: 0] += 1
        case .lockChanged: lockChanges += 1
        }
    }

    mutating func complete(_ statistics: Engine.Statistics, _ peers: PeerCounts) {
        everyChange = peers.everyChange
        fixedDebounce = peers.fixedDebounce
        rejectedSizes = Int(statistics.rejectedSizes)
        rejectedScenes = Int(statistics.rejectedScenes)
        rejectedEvents = Int(statistics.rejectedEvents)
        regressions = Int(statistics.regressions)
    }
}

/// What two usual ways of handling resizes would have rebuilt on the same events,
/// for comparison. A disconnect forgets a scene's size and cancels its timer.
struct PeerCounts {
    /// The fixed debounce's delay.
    static let debounceDelay: UInt64 = 100_000_000

    private(set) var everyChange = 0
    /// Firings of a timer that each changed size restarts. It knows of no
    /// interaction and compares with nothing, as such timers do.
    private(set) var fixedDebounce = 0
    private var scenes: [Scene] = []

    private struct Scene {
        var width = 0.0
        var height = 0.0
        /// When the timer fires; `.max` when it is not running.
        var fires = UInt64.max

        mutating func fireIfDue(at now: Timestamp) -> Bool {
            guard fires <= now.nanoseconds else { return false }
            fires = .max
            return true
        }

        /// Whether the event changes the size, which restarts the timer.
        mutating func apply(_ event: LogEvent) -> Bool {
            if event.kind == .disconnect {
                self = Scene()
                return false
            }
            guard let size = event.size, size.width > 0, size.height > 0, size.width.isFinite,
                size.height.isFinite, size.width != width || size.height != height
            else { return false }
            width = size.width
            height = size.height
            fires = event.at.nanoseconds + PeerCounts.debounceDelay
            return true
        }
    }

    mutating func add(_ event: LogEvent) {
        let kind = event.kind
        guard kind == .geometry || kind == .disconnect else { return }
        let scene = event.name.index
        if scene >= scenes.count {
            scenes.append(contentsOf: repeatElement(Scene(), count: scene + 1 - scenes.count))
        }
        fixedDebounce += scenes[scene].fireIfDue(at: event.at) ? 1 : 0
        everyChange += scenes[scene].apply(event) ? 1 : 0
    }

    mutating func finish() {
        fixedDebounce += scenes.count { $0.fires != .max }
    }
}
