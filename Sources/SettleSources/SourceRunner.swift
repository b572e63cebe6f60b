public import Settle
internal import SettleClock
public import SettleLog
internal import SettlePlatform

/// Receives what a source reads, on the thread that runs the source.
public protocol SourceSink: AnyObject {
    /// Receives events in order, and what the source says besides.
    ///
    /// - Parameters:
    ///   - batch: The events. They may be changed; the batch is reused afterwards.
    ///   - scenes: The names of their scenes, which belong to the calling thread.
    ///   - news: What the source says besides.
    func receive(_ batch: EventBatch, scenes: SceneNames, news: [SourceNews])

    /// When `advance` is to be called next; `nil` for never.
    var nextDeadline: Timestamp? { get }

    /// Called when everything that the source had before a time has been received.
    func advance(to now: Timestamp)
}

extension SourceSink {
    public var nextDeadline: Timestamp? { nil }

    /// Does nothing.
    public func advance(to now: Timestamp) {}
}

/// Reads a source until it ends, or until somebody stops it.
public final class SourceRunner {
    /// Why a run ended.
    public enum End: Hashable, Sendable {
        /// The descriptor for stopping became readable.
        case stopped
        /// The source ended; see `SourceNews.ended(status:)`.
        case ended(status: Int32)
    }

    private let source: any GeometrySource
    private let sink: any SourceSink
    private let interval: UInt64
    private let batch = EventBatch()

    /// - Parameters:
    ///   - source: What to read.
    ///   - sink: What receives the events.
    ///   - interval: The least time between two reads, so that a flood costs fewer system calls; at
    ///     most a second. An event is stamped up to this much later. Zero for a source through
    ///     which an app is connected, since it would wait, too.
    public init(_ source: any GeometrySource, into sink: any SourceSink, interval: Duration = .zero) {
        self.source = source
        self.sink = sink
        self.interval = min(interval, .seconds(1)).wholeNanoseconds
    }

    /// Reads the source on the calling thread, which waits in `poll`.
    ///
    /// Events are stamped after the time to which the sink then advances was sampled. So a
    /// sink that submits them to an engine, and advances the engine, decides what a replay of
    /// the same events does.
    ///
    /// - Parameter stop: A pipe or an eventfd that becomes readable when the run is to end; a negative number
    ///   for none. A source that runs a program is asked to end it first, and read on; its
    ///   `stop` is called again when it is written to again.
    /// - Throws: What the source throws, after the sink has received the events before.
    public func run(until stop: Int32 = -1) throws(SourceError) -> End {
        var isStopped = stop >= 0 && isReadable(stop)
        while true {
            let now = MonotonicClock.now
            batch.removeAll()
            let news: [SourceNews]
            do throws(SourceError) {
                news = try source.read(into: batch)
            } catch {
                sink.receive(batch, scenes: source.scenes, news: [])
                throw error
            }
            let isMore = batch.isFull
            sink.receive(batch, scenes: source.scenes, news: news)
            if !isMore { sink.advance(to: now) }
            for case .ended(let status) in news { return .ended(status: status) }
            if isStopped {
                guard source.stop() else { return .stopped }
                drainCounter(stop)
            }
            // With more to read, the look at `stop` takes no time.
            isStopped = isMore ? stop >= 0 && isReadable(stop) : wait(until: stop, readAt: now)
        }
    }

    /// Waits until the source is to be read again, or something is due.
    ///
    /// - Returns: Whether `stop` is readable.
    private func wait(until stop: Int32, readAt last: Timestamp) -> Bool {
        let next = [sink.nextDeadline, source.nextWake].compactMap { $0 }.min()
        if waitUntilReadable(source.descriptor, or: stop, nanoseconds: next.map(Self.rest) ?? -1) { return true }
        let rest = Self.rest(until: last.after(interval))
        return rest > 0 && waitUntilReadable(stop, nanoseconds: rest)
    }

    /// The nanoseconds until a time; 0 if it has passed.
    private static func rest(until time: Timestamp) -> Int64 {
        max(0, Int64(clamping: time.nanoseconds) - Int64(clamping: MonotonicClock.now.nanoseconds))
    }
}
