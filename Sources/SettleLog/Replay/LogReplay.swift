package import CSettle
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
    public let reader: LogReader
    /// Counts of what was submitted so far; complete after `finish`.
    public private(set) var summary = ReplaySummary()
    private var engine: LogEngine
    private var baselines: BaselineCounter?
    private var window: WindowFilter
    private let batch = EventBatch()
    /// The next events of the batch that are in the window and were not submitted; empty at the
    /// batch's end.
    private var next = 0..<0
    /// Why an event could not be submitted; the next `readNext` throws it.
    private var failure: LogError?
    /// Receives the events before they are submitted, and how many names the log has so far.
    package var observe: ((UnsafeMutableBufferPointer<settle_event>, Int) -> Void)?

    /// A replay of a log from where its reader stands.
    ///
    /// - Parameters:
    ///   - reader: The log.
    ///   - policy: The policy of all scenes.
    ///   - window: The part of the log to replay.
    ///   - countsBaselines: Whether the summary has `everyChange` and `fixedDebounce`, which cost
    ///     0.7 times the instructions of the rest. Otherwise they are `nil`.
    /// - Throws: `.durationOutOfRange` for a policy that no engine accepts.
    public init(
        _ reader: LogReader, policy: Policy, window: ReplayWindow = ReplayWindow(), countsBaselines: Bool = true
    ) throws(EngineError) {
        self.reader = reader
        engine = try LogEngine(policy: policy, scenesMax: Engine.scenesLimit, decisionsMax: 4096)
        self.window = WindowFilter(window)
        baselines = countsBaselines ? BaselineCounter() : nil
    }

    /// Reads the next events. What was read must be submitted before the next call.
    ///
    /// - Returns: False at the end of the log or of the window.
    /// - Throws: A fault of the log, after the events before it were returned; `.malformed`
    ///   when more scenes are connected than an engine can have (`Engine.scenesLimit`).
    public func readNext() throws(LogError) -> Bool {
        precondition(next.isEmpty, "the events that were read before are not submitted yet")
        if let failure { throw failure }
        repeat {
            guard !window.isOver, try reader.read(into: batch) else { return false }
            window.start(batch, reader.scenes)
            next = window.next(in: batch, from: 0)
        } while next.isEmpty
        return true
    }

    /// The time of the next event that was read and not submitted, `nil` if there is none.
    public var nextEvent: Timestamp? { next.isEmpty ? nil : batch[next.lowerBound].at }

    /// The time of the next armed deadline, `nil` if none is armed.
    public var nextDeadline: Timestamp? { engine.nextDeadline }

    /// Submits events that were read.
    ///
    /// - Parameters:
    ///   - time: Submits events up to this time, for a replay that keeps pace with a clock.
    ///     An event after one that is later than `time` waits for that one.
    ///   - deliver: Receives each decision with its scene's name, in order.
    public func submit(upTo time: Timestamp = .latest, deliver: (Decision, String) -> Void) {
        defer { summary.take(engine.counts) }
        do throws(EngineError) {
            while !next.isEmpty {
                let part = time == .latest ? next : next.lowerBound..<firstEvent(in: next, after: time)
                if part.isEmpty { return }
                try submit(part) { self.deliver($0, $1, to: deliver) }
                next = part.upperBound..<next.upperBound
                if next.isEmpty { next = window.next(in: batch, from: part.upperBound) }
            }
        } catch {
            failure = LogError(.malformed, file: reader.name, "\(error)")
            next = 0..<0
        }
    }

    private func submit(_ part: Range<Int>, deliver: (Decision, SceneNumber) -> Void) throws(EngineError) {
        let events = batch.events.extracting(part)
        let names = reader.scenes.count
        observe?(events, names)
        // Submitting replaces the names that the baselines need.
        if baselines != nil, names > Engine.scenesLimit {
            // Any event may be of a scene too many, and it counts no more than those behind it.
            for index in events.indices {
                try engine.submit(LogEvent(events[index]), deliver: deliver)
                baselines?.add(events.extracting(index..<index + 1), names: names)
            }
        } else {
            baselines?.add(events, names: names)
            try engine.submit(events, deliver: deliver)
        }
    }

    /// The position of the first event that is later than a time, or the end of the range.
    private func firstEvent(in range: Range<Int>, after time: Timestamp) -> Int {
        range.first { batch[$0].at > time } ?? range.upperBound
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
        summary.complete(engine.statistics, baselines?.finish())
    }

    private func deliver(_ decision: Decision, _ scene: SceneNumber, to deliver: (Decision, String) -> Void) {
        summary.add(decision, scene)
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
    /// The events of the batch that were looked at.
    private var looked = 0

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
        looked = 0
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

    /// The next events in the window, from a position on; empty at the batch's end. Each event is
    /// looked at once.
    package mutating func next(in batch: EventBatch, from start: Int) -> Range<Int> {
        if isWhole { return start..<batch.count }
        var first = max(start, looked)
        while first < batch.count, !contains(batch[first]) { first += 1 }
        var end = first
        while end < batch.count, end == first || contains(batch[end]) { end += 1 }
        looked = end + 1
        return first..<end
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
