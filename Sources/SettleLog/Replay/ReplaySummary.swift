public import Settle

/// Counts of a replay.
public struct ReplaySummary: Sendable {
    /// Events that were submitted.
    public var events = 0
    /// Pointer events among them.
    public var pointerEvents = 0
    /// Different scene names among the events.
    public var scenes = 0
    /// The earliest time of an event, `nil` without events.
    public var first: Timestamp?
    /// The latest time of an event, `nil` without events.
    public var last: Timestamp?
    /// Interactions that began.
    public var interactions = 0
    /// Interactions that never ended in the log.
    public var openInteractions = 0
    /// Rebuilds; a reason without any is absent.
    public var rebuildsByReason: [Rebuild.Reason: Int] = [:]
    /// Decisions that the orientation lock changed.
    public var lockChanges = 0
    /// Rebuilds of a program that rebuilds at every changed size, for comparison.
    public var everyChange = 0
    /// Rebuilds of a program that debounces changed sizes by a fixed 100 ms, for comparison.
    public var fixedDebounce = 0
    /// Events rejected for a size that is negative or not finite.
    public var rejectedSizes = 0
    /// Events rejected because their scene is not connected.
    public var rejectedScenes = 0
    /// Events rejected for one pointer button too many.
    public var rejectedEvents = 0
    /// Events that were earlier than a previous one.
    public var regressions = 0

    private var sceneIsSeen: [Bool] = []
    /// The scene of the last event: events come in runs of one scene.
    private var latestScene = -1

    /// All rebuilds.
    public var rebuilds: Int { rebuildsByReason.values.reduce(0, +) }

    /// The time from the earliest event to the latest; zero without events.
    public var span: Duration {
        guard let first, let last else { return .zero }
        return last.duration(since: first)
    }

    @inline(__always)
    mutating func add(_ event: LogEvent) {
        events += 1
        let at = event.at
        if let first, let last {
            if at < first { self.first = at }
            if at > last { self.last = at }
        } else {
            (first, last) = (at, at)
        }
        if event.kind == .pointer {
            pointerEvents += 1
        } else if event.name.index != latestScene {
            see(event.name.index)
        }
    }

    private mutating func see(_ scene: Int) {
        latestScene = scene
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

/// Counts the rebuilds of two common ways of handling resizes on the same events, for
/// comparison. A disconnect drops a scene's size and cancels its timer.
struct PeerCounts {
    /// The fixed debounce's delay.
    static let debounceDelay: UInt64 = 100_000_000

    private(set) var everyChange = 0
    /// Firings of a timer that each changed size restarts. Like common debounce timers it
    /// ignores interactions and does not compare sizes.
    private(set) var fixedDebounce = 0
    private var scenes: [Scene] = []

    private struct Scene {
        var width = 0.0
        var height = 0.0
        /// When the timer fires; `.max` when it is not running.
        var fires = UInt64.max

        /// Applies an event; the results are counts of 0 or 1.
        ///
        /// - Returns: Whether the timer fired before the event, and whether the event changes
        ///   the size, which restarts the timer.
        @inline(__always)
        mutating func apply(_ event: LogEvent) -> (fired: Int, changed: Int) {
            let at = event.at.nanoseconds
            let fired = fires <= at ? 1 : 0
            if fired == 1 { fires = .max }
            if event.kind == .disconnect {
                self = Scene()
                return (fired, 0)
            }
            // Size.isStated, inlined: a call would cost 5 % of a replay.
            guard let size = event.size, size.width != width || size.height != height, size.width > 0,
                size.height > 0, size.width.isFinite, size.height.isFinite
            else { return (fired, 0) }
            width = size.width
            height = size.height
            fires = at + PeerCounts.debounceDelay
            return (fired, 1)
        }
    }

    @inline(__always)
    mutating func add(_ event: LogEvent) {
        let kind = event.kind
        guard kind == .geometry || kind == .disconnect else { return }
        let scene = event.name.index
        if scene >= scenes.count {
            scenes.append(contentsOf: repeatElement(Scene(), count: scene + 1 - scenes.count))
        }
        let (fired, changed) = scenes[scene].apply(event)
        fixedDebounce += fired
        everyChange += changed
    }

    mutating func finish() {
        fixedDebounce += scenes.count { $0.fires != .max }
    }
}
