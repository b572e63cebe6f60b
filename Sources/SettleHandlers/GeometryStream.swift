public import Settle

/// The live lane: every scene's latest geometry as an asynchronous sequence, for one
/// consumer, at most once per frame and scene. For cheap work, such as stretching what is
/// built, while no rebuild is due.
///
/// ```swift
/// let geometries = GeometryStream()
/// geometries.update(event)                                  // producer
/// for await geometry in geometries { … }                    // consumer
/// ```
///
/// **Buffering.** The latest geometry of each scene; a newer one supersedes an undelivered
/// older one. An interaction's end that the consumer has not seen is not hidden by the next
/// begin: it is delivered first, in a frame of its own. So there are at most two geometries
/// per scene. When a scene disconnects, its undelivered ones are dropped.
///
/// **Pace.** Between two deliveries of one scene there is at least `frameInterval`. Only
/// changes are delivered. Scenes that are due take turns.
///
/// **Consumers.** One at a time. While there is one, a second iteration ends at once and is
/// counted in `statistics.refusedConsumers`. When an iteration ends, by `break` or by
/// cancellation, another may begin and continues where it ended.
///
/// **Termination.** After `finish`, or when the stream is gone, the consumer gets what is
/// undelivered, at the same pace, and then the end. Cancelling the consumer's task ends its
/// iteration at once and keeps what is undelivered.
///
/// **Threads.** `update` and `finish` never wait for the consumer. They may be called from any
/// thread, from one at a time where the order of events matters.
public final class GeometryStream: Sendable {
    let storage: StreamStorage<GeometryLane>

    /// 60 frames a second.
    public static let defaultFrameInterval = Duration.nanoseconds(16_666_667)

    /// - Parameters:
    ///   - frameInterval: The least time between two deliveries of one scene.
    ///   - scenesMax: How many scenes are known at the same time; events of further ones are
    ///     rejected.
    ///   - clock: Frames are measured and waited for on this clock, which need not be that of
    ///     the events' times.
    /// - Precondition: `frameInterval` is not negative, and `scenesMax` is at least 1.
    public init<C: Clock<Duration>>(
        frameInterval: Duration = GeometryStream.defaultFrameInterval, scenesMax: Int = 1024,
        clock: C = SuspendingClock()
    ) {
        let start = clock.now
        let streamClock = StreamClock(
            now: { start.duration(to: clock.now) },
            sleep: { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) })
        let lane = GeometryLane(frameInterval: frameInterval, scenesMax: scenesMax)
        storage = StreamStorage(lane, clock: streamClock)
    }

    deinit { storage.finish() }

    /// Applies a geometry event, or a disconnect event, which removes the scene; ignores
    /// others. Rejects an event that is not valid (contract, rule 2). Properties that an event
    /// does not state stay as they were. After `finish`, it does nothing.
    public func update(_ event: Event) {
        storage.produce { lane, isFinished in isFinished ? nil : lane.update(event) }
    }

    /// Ends the sequence. Idempotent.
    public func finish() { storage.finish() }

    /// Whether `finish` was called.
    package var isFinished: Bool { storage.isFinished }

    /// What was counted since the stream was made.
    public var statistics: GeometryStatistics {
        var statistics = storage.read { $0.statistics }
        statistics.refusedConsumers = storage.refusedConsumers
        return statistics
    }
}

/// What a `GeometryStream` counted.
public struct GeometryStatistics: Hashable, Sendable {
    /// Valid geometry events.
    public var updates: UInt64 = 0
    /// Updates that changed nothing.
    public var unchanged: UInt64 = 0
    /// Geometries delivered to the consumer.
    public var delivered: UInt64 = 0
    /// Undelivered geometries that a newer one superseded.
    public var superseded: UInt64 = 0
    /// Undelivered geometries of scenes that disconnected.
    public var dropped: UInt64 = 0
    /// Events that an engine would reject, or of one scene more than `scenesMax`.
    public var rejected: UInt64 = 0
    /// Iterations that ended at once, because the stream had a consumer.
    public var refusedConsumers: UInt64 = 0

    public init() {}
}

extension GeometryStream: AsyncSequence {
    public typealias Element = LatestGeometry

    /// Begins an iteration. While there is another, it ends at once.
    public func makeAsyncIterator() -> Iterator { Iterator(consumer: StreamConsumer(storage)) }

    /// For one task. Its copies share one position.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let consumer: StreamConsumer<GeometryLane>

        public mutating func next() async -> LatestGeometry? { await next(isolation: nil) }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> LatestGeometry? {
            await consumer.next(isolation: actor)
        }
    }
}

@available(*, unavailable)
extension GeometryStream.Iterator: Sendable {}
