import Settle
import SettleClock
import SettleLog
import SettlePlatform
import SettleSources

/// A source that is read on a thread of its own, and what waits to be written of it.
///
/// The source's thread decides at once. It waits for nobody but a recording whose disk is so slow
/// that `waitingMax` events wait for it; an app behind a proxy must not be slowed down by whoever
/// reads its decisions.
final class SourceSession: SourceSink, @unchecked Sendable {
    /// Events that may wait to be recorded, and decisions that may wait to be printed.
    static let waitingMax = EventBatch.capacity

    /// Until it has ended. The source's thread, once it runs.
    private var source: (any GeometrySource)?
    private let sceneNames: SceneNames
    private let stopping: EventDescriptor
    private let interval: Duration
    private let keepsEvents: Bool
    private let keepsDecisions: Bool
    /// Called on the source's thread when there are messages, and at the end.
    private let wake: @Sendable () -> Void

    private let lock = PthreadMutex()
    private let eventsArrived = PthreadCondition()
    private let eventsTaken = PthreadCondition()
    private let decisionsArrived = PthreadCondition()
    private let released = PthreadCondition()
    // Guarded by the mutex; only the batch that `takeEvents` has returned is its caller's.
    private var scenes: LiveScenes?
    private var names: [String] = []
    /// How many of the names were taken.
    private var namesTaken = 0
    private var events = EventBatch()
    private var spare = EventBatch()
    private var decisions: [(decision: Decision, scene: String)] = []
    /// Decisions for which there was no room.
    private var lost = 0
    private var messages: [String] = []
    private var refusal: LogError?
    private var ended: Result<SourceRunner.End, SourceError>?
    private var isReleased = false

    /// - Parameters:
    ///   - policy: The policy to decide by; `nil` to decide nothing.
    ///   - keepsEvents: Whether `takeEvents` is called.
    ///   - keepsDecisions: Whether `takeDecisions` is called.
    ///   - interval: See `SourceRunner`.
    init(
        _ source: any GeometrySource, policy: Policy?, keepsEvents: Bool = false, keepsDecisions: Bool = false,
        interval: Duration = .zero, wake: @escaping @Sendable () -> Void = {}
    ) throws {
        self.source = source
        sceneNames = source.scenes
        self.interval = interval
        self.keepsEvents = keepsEvents
        self.keepsDecisions = keepsDecisions
        self.wake = wake
        stopping = try EventDescriptor()
        scenes = try policy.map { try LiveScenes(policy: $0) }
        // Called with the mutex locked.
        scenes?.hasFeedback = { [unowned self] in messages.append("feedback in '\($0)': \(Feedback.advice)") }
    }

    func start() throws {
        try WorkerThread { [self] in
            let end = read()
            lock.withLock {
                isReleased = true
                released.broadcast()
                // Nobody waits for it after `giveUp`.
                if ended != nil { return }
                scenes?.finish(names: sceneNames) { decide($0, $1) }
                ended = end
                eventsArrived.signal()
                decisionsArrived.signal()
            }
            wake()
        }.detach()
    }

    /// Asks the source to end; a second call kills what it runs. Any thread.
    func stop() { stopping.signal() }

    /// Instead of `start`: ends what the source has begun, which gets two seconds for it, and is killed then.
    func abandon() {
        giveUp(SourceError("nothing follows it"))
        guard (try? start()) != nil else { return }
        for patience: UInt64 in [2_000_000_000, 1_000_000_000] {
            stop()
            if waitForRelease(until: MonotonicClock.now.after(patience)) { return }
        }
    }

    /// Waits until the source has been released. Whether it has.
    @discardableResult
    func waitForRelease(until time: Timestamp = .latest) -> Bool {
        lock.withLock {
            while !isReleased, MonotonicClock.now < time { released.wait(lock, until: time.nanoseconds) }
            return isReleased
        }
    }

    /// Reads the source to its end, and releases it: what it has opened, such as a folder, is removed
    /// before anybody knows of the end.
    private func read() -> Result<SourceRunner.End, SourceError>? {
        guard let source else { return nil }
        defer { self.source = nil }
        do throws(SourceError) {
            return .success(try SourceRunner(source, into: self, interval: interval).run(until: stopping.number))
        } catch {
            return .failure(error)
        }
    }

    /// Declares a source that does not end to have ended, so that what it has said until now is written.
    func giveUp(_ error: SourceError) {
        lock.withLock {
            if ended != nil { return }
            ended = .failure(error)
            eventsArrived.signal()
            eventsTaken.signal()
            decisionsArrived.signal()
        }
    }

    // MARK: The source's thread

    var nextDeadline: Timestamp? { lock.withLock { scenes?.nextDeadline } }

    func advance(to now: Timestamp) {
        let saysSomething = lock.withLock {
            if ended != nil { return false }
            scenes?.advance(to: now, names: sceneNames) { decide($0, $1) }
            if !decisions.isEmpty { decisionsArrived.signal() }
            return !messages.isEmpty
        }
        if saysSomething { wake() }
    }

    func receive(_ batch: EventBatch, scenes names: SceneNames, news: [SourceNews]) {
        if batch.count == 0, news.isEmpty { return }
        let saysSomething = lock.withLock {
            for index in self.names.count..<names.count {
                self.names.append(names[SceneNumber(rawValue: UInt32(index))])
            }
            if ended != nil { return false }
            for index in 0..<batch.count { receive(batch[index], names) }
            for item in news { receive(item, names) }
            if !decisions.isEmpty { decisionsArrived.signal() }
            if events.count > Self.waitingMax / 2 { eventsArrived.signal() }
            return !messages.isEmpty
        }
        if saysSomething { wake() }
    }

    /// Called with the mutex locked.
    private func receive(_ event: LogEvent, _ names: SceneNames) {
        while events.isFull, ended == nil {
            eventsArrived.signal()
            eventsTaken.wait(lock)
        }
        // What is said after `giveUp` is neither recorded nor printed.
        if ended != nil { return }
        if keepsEvents {
            events.append(event)
            if events.count == 1 { eventsArrived.signal() }
        }
        guard let scenes, refusal == nil else { return }
        do throws(LogError) {
            try scenes.add(event, names: names) { decide($0, $1) }
        } catch {
            refusal = error
            messages.append("\(error); nothing more is decided")
        }
    }

    private func receive(_ item: SourceNews, _ names: SceneNames) {
        switch item {
        case .title(let scene, let title): scenes?.setTitle(title, of: scene, names: names)
        case .message(let text): messages.append(text)
        case .ended: break
        }
    }

    private func decide(_ decision: Decision, _ scene: SceneNumber) {
        if !keepsDecisions { return }
        if decisions.count < Self.waitingMax, lost == 0 {
            decisions.append((decision, names[Int(scene.rawValue)]))
        } else {
            lost += 1
        }
    }

    // MARK: Any other thread

    /// How the source ended; `nil` while it is read.
    var end: Result<SourceRunner.End, SourceError>? { lock.withLock { ended } }

    /// What is to be said since the last call.
    func takeMessages() -> [String] {
        lock.withLock {
            defer { messages = [] }
            return messages
        }
    }

    /// Waits for an event, for the source's end, or until a time. More events may follow the first one
    /// within the pause, unless many wait then.
    ///
    /// - Parameter pause: In nanoseconds; it ends at `time`, too.
    /// - Returns: The events since the last call, in a batch that is valid until the next one; the names
    ///   of the scenes that are new since then; and whether no more follow.
    func takeEvents(until time: Timestamp, pause: UInt64) -> (events: EventBatch, names: [String], isLast: Bool) {
        lock.withLock {
            while ended == nil, events.count == 0, MonotonicClock.now < time {
                eventsArrived.wait(lock, until: time.nanoseconds)
            }
            let pauseEnd = min(time, MonotonicClock.now.after(pause))
            while ended == nil, events.count <= Self.waitingMax / 2, MonotonicClock.now < pauseEnd {
                eventsArrived.wait(lock, until: pauseEnd.nanoseconds)
            }
            spare.removeAll()
            swap(&events, &spare)
            eventsTaken.signal()
            defer { namesTaken = names.count }
            return (spare, Array(names[namesTaken...]), ended != nil)
        }
    }

    /// Waits for decisions or for the source's end, and returns the decisions since the last call.
    ///
    /// - Returns: The decisions; how many are lost, which are those after the first loss; and whether no
    ///   more follow.
    func takeDecisions() -> (decisions: [(decision: Decision, scene: String)], lost: Int, isLast: Bool) {
        lock.withLock {
            while ended == nil, decisions.isEmpty { decisionsArrived.wait(lock) }
            defer { decisions = [] }
            return (decisions, lost, ended != nil)
        }
    }

    /// The scenes as they are now; `nil` if nothing is decided.
    func table() -> LiveTable? {
        lock.withLock {
            scenes.map {
                let now = MonotonicClock.now
                return LiveTable(
                    rows: $0.rows(at: now), total: $0.total(at: now), events: $0.events, windows: $0.windows)
            }
        }
    }
}

/// What a table of live scenes shows at one moment.
struct LiveTable {
    var rows: [LiveScenes.Row]
    /// Of all scenes, also of those that are gone.
    var total: LiveScenes.Counts
    var events: Int
    /// As many have there been.
    var windows: Int

    /// What all of it comes to, in a line.
    var totals: String {
        let seen = "\(counted(windows, "window")), \(counted(events, "event"))"
        if events == 0 { return seen }
        return seen + ": \(counted(total.saved, "rebuild")) saved, \(grouped(total.settle)) with Settle instead of"
            + " \(grouped(total.naive)) at every size; \(grouped(total.debounce)) with a 100 ms debounce"
    }
}
