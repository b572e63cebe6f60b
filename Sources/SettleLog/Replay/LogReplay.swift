public import Settle

/// Which part of a log to replay. Events outside are left out as if they were not
/// in the log; pointer events belong to no scene and are always inside.
public struct ReplayWindow: Hashable, Sendable {
    /// The scenes to keep; empty for all.
    public var scenes: Set<String>
    /// Where to start, from the log's first event.
    public var start: Duration
    /// How much to replay from there; `nil` for the rest.
    public var duration: Duration?

    public init(scenes: Set<String> = [], start: Duration = .zero, duration: Duration? = nil) {
        self.scenes = scenes
        self.start = start
        self.duration = duration
    }
}

/// Replays a log through an engine in virtual time: no loop, no clock.
///
/// ```swift
/// let replay = try LogReplay(reader, policy: .default)
/// while try replay.readNext() { replay.submit { decision, scene in … } }
/// replay.finish { decision, scene in … }
/// print(replay.summary.rebuilds)
/// ```
///
/// Use it from one thread at a time.
public final class LogReplay {
    public let reader: LogReader
    public private(set) var summary: ReplaySummary
    private var engine: Engine
    private let indices: Engine.SceneIndices
    private let batch: EventBatch
    /// The log's scene of each event in the batch, where the engine's takes its place.
    private let batchScenes: UnsafeMutableBufferPointer<SceneID>
    private var window: WindowFilter
    private var peers = PeerCounts()
    /// Each log scene's identity in the engine; 0 while it is not connected.
    private var identities: [UInt32] = []
    /// Back from an engine's index to the log's scene.
    private var logScenes: [SceneID] = []
    private var submitted = 0

    public init(_ reader: LogReader, policy: Policy, window: ReplayWindow = ReplayWindow()) throws(EngineError) {
        self.reader = reader
        let engine = try Engine(.init(policy: policy, scenesMax: Engine.scenesLimit, decisionsMax: 4096))
        indices = engine.indices
        self.engine = engine
        batch = EventBatch()
        batchScenes = .allocate(capacity: EventBatch.capacity)
        batchScenes.initialize(repeating: SceneID(rawValue: 0))
        self.window = WindowFilter(window)
        summary = ReplaySummary()
    }

    deinit { batchScenes.deallocate() }

    /// Reads the next events; false at the end of the log or of the window. What
    /// was read must be submitted before the next call.
    public func readNext() throws(LogError) -> Bool {
        precondition(submitted == batch.count, "the events that were read before are not submitted yet")
        submitted = 0
        repeat {
            guard !window.isOver, try reader.read(into: batch) else {
                batch.removeAll()
                return false
            }
            window.apply(to: batch, scenes: reader.scenes)
        } while batch.count == 0
        try connectScenes()
        return true
    }

    /// The time of the next event that was read and not submitted.
    public var nextEvent: Timestamp? { submitted < batch.count ? batch[submitted].at : nil }

    /// The time of the next armed deadline.
    public var nextDeadline: Timestamp? { engine.nextDeadline }

    /// Submits events that were read: all, or those up to a time, for a replay that
    /// keeps pace with a clock. An event behind a later one waits for it.
    public func submit(upTo time: Timestamp = .latest, deliver: (Decision, String) -> Void) {
        let start = submitted
        while submitted < batch.count, batch[submitted].at <= time { submitted += 1 }
        summary.add(batch, start..<submitted, batchScenes)
        peers.add(batch, start..<submitted, batchScenes)
        batch.withEvents { events in
            engine.submit(events.extracting(start..<submitted)) { self.take($0, deliver) }
        }
    }

    /// Fires deadlines up to a time.
    public func advance(to time: Timestamp, deliver: (Decision, String) -> Void) {
        engine.advance(to: time) { self.take($0, deliver) }
    }

    /// How long the log is, from its first event to the last that was read, also outside
    /// the window; `nil` without an event.
    public var logSpan: Duration? { window.span }

    /// Fires all armed deadlines at their own times and completes the summary.
    ///
    /// - Parameter discarding: For a replay that is given up before the log's end: what
    ///   is owed by then is not decided.
    public func finish(discarding: Bool = false, deliver: (Decision, String) -> Void) {
        if !discarding { engine.finish { self.take($0, deliver) } }
        peers.finish()
        summary.everyChange = peers.everyChange
        summary.fixedDebounce = peers.fixedDebounce
        summary.complete(engine.statistics)
    }

    private func take(_ decision: Decision, _ deliver: (Decision, String) -> Void) {
        summary.add(decision)
        deliver(decision, reader.scenes[logScenes[indices[decision.scene]]])
    }

    /// The contract's log rule: an event of an unknown or disconnected scene
    /// connects it anew.
    private func connectScenes() throws(LogError) {
        if identities.count < reader.scenes.count {
            identities.append(contentsOf: repeatElement(0, count: reader.scenes.count - identities.count))
        }
        for position in 0..<batch.count {
            let (kind, scene) = (batch[position].kind, batch[position].scene)
            batchScenes[position] = scene
            if kind == .pointer { continue }
            if identities[Int(scene.rawValue)] == 0, kind != .disconnect { try connect(scene) }
            batch[position].scene = SceneID(rawValue: identities[Int(scene.rawValue)])
            if kind == .disconnect { identities[Int(scene.rawValue)] = 0 }
        }
    }

    private func connect(_ scene: SceneID) throws(LogError) {
        do {
            let identity = try engine.connect()
            identities[Int(scene.rawValue)] = identity.rawValue
            let index = indices[identity]
            if index >= logScenes.count {
                logScenes.append(contentsOf: repeatElement(scene, count: index + 1 - logScenes.count))
            }
            logScenes[index] = scene
        } catch {
            batch.removeAll()
            throw LogError(.malformed, file: reader.name, "\(error)")
        }
    }
}

/// Applies a window to batches.
private struct WindowFilter {
    private let window: ReplayWindow
    private var bounds: ClosedRange<UInt64>?
    private var isKept: [Bool] = []
    private(set) var isOver = false
    private var first: Timestamp?
    private var last: Timestamp?

    var span: Duration? {
        guard let first, let last else { return nil }
        return max(last.duration(since: first), .zero)
    }

    init(_ window: ReplayWindow) {
        self.window = window
    }

    mutating func apply(to batch: EventBatch, scenes: SceneNames) {
        guard window != ReplayWindow() else { return }
        for position in 0..<batch.count { last = max(last ?? batch[position].at, batch[position].at) }
        if first == nil, batch.count > 0 { first = batch[0].at }
        for number in isKept.count..<max(scenes.count, isKept.count) {
            let name = scenes[SceneID(rawValue: UInt32(number))]
            // Names are bytes: to Swift's ==, an é of one scalar is one of two.
            isKept.append(
                window.scenes.isEmpty || window.scenes.contains { $0.utf8.elementsEqual(name.utf8) })
        }
        let bounds = bounds ?? Self.bounds(window, first: batch[0].at)
        self.bounds = bounds
        isOver = batch.count > 0 && (0..<batch.count).allSatisfy { batch[$0].at.nanoseconds > bounds.upperBound }
        batch.keep { event in
            bounds.contains(event.at.nanoseconds)
                && (event.kind == .pointer || isKept[Int(event.scene.rawValue)])
        }
    }

    private static func bounds(_ window: ReplayWindow, first: Timestamp) -> ClosedRange<UInt64> {
        let start = first.after(window.start.wholeNanoseconds)
        guard let duration = window.duration else { return start.nanoseconds...UInt64.max }
        return start.nanoseconds...start.after(duration.wholeNanoseconds).nanoseconds
    }
}
