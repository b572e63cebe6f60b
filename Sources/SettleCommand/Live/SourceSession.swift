import Settle
import SettleLog
import SettlePlatform
import SettleReport
import SettleSources

/// A source that is read on a thread of its own, and what it has said since another thread looked.
///
/// The source's thread decides at once, and waits for nothing but memory: a disk or a pipe that is
/// slow must not slow down an app behind a proxy. Only when `waitingMax` events or decisions wait
/// to be written does it wait, too.
final class SourceSession: SourceSink, @unchecked Sendable {
    /// What has happened since the last `take`.
    struct News {
        var decisions: [(decision: Decision, scene: String)] = []
        var messages: [String] = []
        /// How the source ended; `nil` while it is read.
        var end: Result<SourceRunner.End, SourceError>?

        var isEmpty: Bool { decisions.isEmpty && messages.isEmpty && end == nil }
    }

    private static let waitingMax = EventBatch.capacity

    private let source: any GeometrySource
    private let stopping: EventDescriptor
    private let keepsEvents: Bool
    private let interval: Duration

    private let lock = PthreadMutex()
    private let arrived = PthreadCondition()
    private let taken = PthreadCondition()
    private var scenes: LiveScenes?
    private var news = News()
    private var events = EventBatch()
    private var spare = EventBatch()
    private var names: [String] = []
    private var refusal: LogError?
    private var thread: WorkerThread?

    /// - Parameters:
    ///   - policy: The policy to decide by; `nil` to decide nothing.
    ///   - keepsEvents: Whether `take` gives the events.
    ///   - interval: See `SourceRunner`.
    init(
        _ source: any GeometrySource, policy: Policy?, keepsEvents: Bool, interval: Duration = .zero
    ) throws {
        self.source = source
        self.interval = interval
        self.keepsEvents = keepsEvents
        stopping = try EventDescriptor()
        scenes = try policy.map { try LiveScenes(policy: $0) }
    }

    var header: LogHeader { source.header }

    func start() throws {
        thread = try WorkerThread { [self] in
            let end: Result<SourceRunner.End, SourceError>
            do throws(SourceError) {
                end = .success(try SourceRunner(source, into: self, interval: interval).run(until: stopping.number))
            } catch {
                end = .failure(error)
            }
            lock.withLock {
                scenes?.finish(names: source.scenes) { decide($0, $1) }
                news.end = end
                arrived.signal()
            }
        }
    }

    /// Asks the source to end. Any thread.
    func stop() { stopping.signal() }

    /// Waits for the source's thread.
    func join() {
        thread?.join()
        thread = nil
    }

    // MARK: The source's thread

    var nextDeadline: Timestamp? { lock.withLock { scenes?.nextDeadline } }

    func advance(to now: Timestamp) {
        lock.withLock {
            scenes?.advance(to: now, names: source.scenes) { decide($0, $1) }
            if !news.isEmpty { arrived.signal() }
        }
    }

    func receive(_ batch: EventBatch, scenes names: SceneNames, news added: [SourceNews]) {
        if batch.count == 0, added.isEmpty { return }
        lock.withLock {
            for index in self.names.count..<names.count {
                self.names.append(names[SceneNumber(rawValue: UInt32(index))])
            }
            for index in 0..<batch.count { receive(batch[index], names) }
            for item in added { receive(item, names) }
            if !news.isEmpty || events.count > Self.waitingMax / 2 { arrived.signal() }
        }
    }

    /// Called with the mutex locked.
    private func receive(_ event: LogEvent, _ names: SceneNames) {
        while events.isFull || news.decisions.count >= Self.waitingMax {
            arrived.signal()
            taken.wait(lock)
        }
        if keepsEvents { events.append(event, at: .line(0)) }
        guard let scenes, refusal == nil else { return }
        do throws(LogError) {
            try scenes.add(event, names: names) { decide($0, $1) }
        } catch {
            refusal = error
            news.messages.append("\(error); nothing more is decided")
        }
    }

    private func receive(_ item: SourceNews, _ names: SceneNames) {
        switch item {
        case .title(let scene, let title): scenes?.setTitle(title, of: scene, names: names)
        case .message(let text): news.messages.append(text)
        case .ended: break
        }
    }

    private func decide(_ decision: Decision, _ scene: SceneNumber) {
        news.decisions.append((decision, names[Int(scene.rawValue)]))
    }

    // MARK: Any other thread

    /// Waits for decisions, messages or the end, and returns what has happened since the last call.
    ///
    /// - Parameter time: Returns then at the latest, with the events that wait.
    /// - Returns: The events, in a batch that is valid until the next call, and the names of all
    ///   scenes so far.
    func take(until time: Timestamp) -> (news: News, events: EventBatch, names: [String]) {
        lock.withLock {
            while news.isEmpty, events.count <= Self.waitingMax / 2, MonotonicClock.now < time {
                arrived.wait(lock, until: time)
            }
            let news = self.news
            self.news = News()
            spare.removeAll()
            swap(&events, &spare)
            taken.signal()
            return (news, spare, names)
        }
    }

    /// The scenes as they are now; `nil` if nothing is decided.
    func table() -> LiveTable? {
        lock.withLock {
            scenes.map {
                let now = MonotonicClock.now
                return LiveTable(rows: $0.rows(at: now), total: $0.total(at: now), events: $0.events)
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
}
