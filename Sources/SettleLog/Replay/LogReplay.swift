public import Settle

/// The part of a log to replay. Events outside are skipped as if they were not in the log.
/// Pointer events belong to no scene: only their times decide.
public struct ReplayWindow: Hashable, Sendable {
    /// The names of the scenes to replay; empty for all. Names are equal if their UTF-8 bytes are.
    public var scenes: [String]
    /// The start, from the log's first event.
    public var start: Duration
    /// The length from `start`; `nil` for the rest of the log.
    public var duration: Duration?

    /// The whole log, unless arguments say otherwise.
    public init(scenes: [String] = [], start: Duration = .zero, duration: Duration? = nil) {
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
    /// The log.
    public let reader: LogReader
    /// Counts of what was submitted so far; complete after `finish`.
    public private(set) var summary = ReplaySummary()
    private var engine: LogEngine
    private var peers = PeerCounts()
    private var window: WindowFilter
    private let batch = EventBatch()
    /// The first event of the batch that is in the window and was not submitted.
    private var position = 0
    /// Why an event could not be submitted; the next `readNext` throws it.
    private var failure: LogError?

    /// A replay of a log from where its reader stands.
    ///
    /// - Throws: `.durationOutOfRange` for a policy that no engine accepts.
    public init(_ reader: LogReader, policy: Policy, window: ReplayWindow = ReplayWindow()) throws(EngineError) {
        self.reader = reader
        engine = try LogEngine(policy: policy, scenesMax: Engine.scenesLimit, decisionsMax: 4096)
        self.window = WindowFilter(window)
    }

    /// Reads the next events. What was read must be submitted before the next call.
    ///
    /// - Returns: False at the end of the log or of the window.
    /// - Throws: A fault of the log, after the events before it were returned; `.malformed`
    ///   when more scenes are connected than an engine can have (`Engine.scenesLimit`).
    public func readNext() throws(LogError) -> Bool {
        precondition(position == batch.count, "the events that were read before are not submitted yet")
        if let failure { throw failure }
        repeat {
            position = 0
            guard !window.isOver, try reader.read(into: batch) else {
                batch.removeAll()
                return false
            }
            window.start(batch, reader.scenes)
            position = batch.withEvents { window.next(in: $0, from: 0) }
        } while position == batch.count
        return true
    }

    /// The time of the next event that was read and not submitted, `nil` if there is none.
    public var nextEvent: Timestamp? { position < batch.count ? batch[position].at : nil }

    /// The time of the next armed deadline, `nil` if none is armed.
    public var nextDeadline: Timestamp? { engine.nextDeadline }

    /// Submits events that were read.
    ///
    /// - Parameters:
    ///   - time: Submits events up to this time, for a replay that keeps pace with a clock.
    ///     An event after one that is later than `time` waits for that one.
    ///   - deliver: Receives each decision with its scene's name, in order.
    public func submit(upTo time: Timestamp = .latest, deliver: (Decision, String) -> Void) {
        var isMore = true
        while isMore {
            do throws(EngineError) {
                isMore = try batch.withEvents { events throws(EngineError) in
                    try Self.pass(events, &position, upTo: time, &window, &engine, &summary, &peers)
                }
            } catch {
                failure = LogError(.malformed, file: reader.name, "\(error)")
                position = batch.count
                isMore = false
            }
            engine.submitAppended { self.deliver($0, $1, to: deliver) }
        }
    }

    /// The one loop over a batch: binds events, counts them, and finds the next one in the
    /// window, until the engine's block is full.
    ///
    /// - Returns: Whether events up to the time are left.
    private static func pass(
        _ events: Span<LogEvent>, _ position: inout Int, upTo time: Timestamp, _ window: inout WindowFilter,
        _ engine: inout LogEngine, _ summary: inout ReplaySummary, _ peers: inout PeerCounts
    ) throws(EngineError) -> Bool {
        var next = position
        defer { position = next }
        while next < events.count {
            let event = events[next]
            if event.at > time { return false }
            guard try engine.append(event) else { return true }
            summary.add(event)
            peers.add(event)
            next = window.next(in: events, from: next + 1)
        }
        return false
    }

    /// Fires deadlines up to a time.
    ///
    /// - Parameters:
    ///   - time: Deadlines at this time fire too.
    ///   - deliver: Receives each decision with its scene's name, in order.
    public func advance(to time: Timestamp, deliver: (Decision, String) -> Void) {
        engine.advance(to: time) { self.deliver($0, $1, to: deliver) }
    }

    /// The time from the log's first event to the last that was read, also outside the
    /// window; `nil` without an event. Known for a window only.
    public var logSpan: Duration? { window.span }

    /// Fires all armed deadlines at their own times and completes the summary. Once.
    ///
    /// - Parameters:
    ///   - discarding: For a replay that stops before the log's end: pending rebuilds are
    ///     not decided.
    ///   - deliver: Receives each decision with its scene's name, in order.
    public func finish(discarding: Bool = false, deliver: (Decision, String) -> Void) {
        if !discarding { engine.finish { self.deliver($0, $1, to: deliver) } }
        peers.finish()
        summary.complete(engine.statistics, peers)
    }

    private func deliver(_ decision: Decision, _ scene: SceneNumber, to deliver: (Decision, String) -> Void) {
        summary.add(decision)
        deliver(decision, reader.scenes[scene])
    }
}

/// Finds the events of a batch that are in a window.
package struct WindowFilter {
    private let window: ReplayWindow
    /// The window is the whole log.
    private let isWhole: Bool
    private var bounds: ClosedRange<UInt64> = 0...UInt64.max
    private var isKept: [Bool] = []
    /// All events of the batch so far are after the window.
    private var isBehind = false
    private var first: Timestamp?
    private var last: Timestamp?

    /// The batch that was looked through last is after the window, and so is what follows.
    package var isOver: Bool { isBehind }

    package var span: Duration? {
        guard let first, let last else { return nil }
        return max(last.duration(since: first), .zero)
    }

    package init(_ window: ReplayWindow) {
        self.window = window
        isWhole = window == ReplayWindow()
    }

    /// Prepares for a batch that was just read.
    package mutating func start(_ batch: EventBatch, _ scenes: SceneNames) {
        if isWhole { return }
        isBehind = true
        if first == nil {
            first = batch[0].at
            bounds = Self.bounds(window, first: batch[0].at)
        }
        for index in isKept.count..<max(scenes.count, isKept.count) {
            let name = scenes[SceneNumber(index)]
            // Names are bytes: to Swift's ==, an é of one scalar is one of two.
            isKept.append(
                window.scenes.isEmpty || window.scenes.contains { $0.utf8.elementsEqual(name.utf8) })
        }
    }

    /// The position of the next event in the window, or the batch's count. Each event is
    /// looked at once.
    @inline(__always)
    package mutating func next(in events: Span<LogEvent>, from start: Int) -> Int {
        isWhole ? start : search(events, from: start)
    }

    private mutating func search(_ events: Span<LogEvent>, from start: Int) -> Int {
        var position = start
        while position < events.count, !contains(events[position]) { position += 1 }
        return position
    }

    private mutating func contains(_ event: LogEvent) -> Bool {
        last = max(last ?? event.at, event.at)
        if event.at.nanoseconds <= bounds.upperBound { isBehind = false }
        return bounds.contains(event.at.nanoseconds)
            && (event.kind == .pointer || isKept[event.name.index])
    }

    private static func bounds(_ window: ReplayWindow, first: Timestamp) -> ClosedRange<UInt64> {
        let start = first.after(window.start.wholeNanoseconds)
        guard let duration = window.duration else { return start.nanoseconds...UInt64.max }
        return start.nanoseconds...start.after(duration.wholeNanoseconds).nanoseconds
    }
}
