public import Settle

/// The live lane: every scene's latest geometry as an asynchronous sequence, for one
/// consumer, at most once a frame for each scene. For cheap work, such as stretching
/// what is built, while a rebuild is not due.
///
/// ```swift
/// let geometries = GeometryStream()
/// geometries.update(event)                                  // producer
/// for await geometry in geometries { … }                    // consumer
/// ```
///
/// **Buffering.** The latest geometry of each scene; newer values take the place of
/// undelivered older ones. An interaction's end that the consumer has not seen is not
/// lost to the next begin: it is delivered first, in a frame of its own. So there are
/// at most two for each scene, and a scene that disconnects takes its own along.
///
/// **Pace.** Between two deliveries of one scene lies at least `frameInterval`, never
/// less. Only changes are delivered. Scenes that are due take turns.
///
/// **Consumers.** One at a time; a second iterator while the first is in use stops the
/// program. When an iteration is left, by `break` or by cancellation, another may begin
/// and goes on where that one stopped.
///
/// **Termination.** After `finish`, or when the stream is gone, the consumer gets what
/// is undelivered, at the same pace, and then the end. Cancelling the consumer's task
/// ends its iteration at once and leaves what is undelivered.
///
/// **Threads.** `update` and `finish` never wait for the consumer. They may be called
/// from any thread, from one at a time where the order of events matters.
public final class GeometryStream: Sendable {
    let handoff: Handoff<GeometryLane>

    /// 60 frames a second.
    public static let defaultFrameInterval = Duration.nanoseconds(16_666_667)

    /// - Parameters:
    ///   - frameInterval: The least time between two deliveries of one scene.
    ///   - scenesMax: Scenes known at the same time; events of further ones are rejected.
    ///   - clock: What frames are measured on, and waited for. Not the clock of the
    ///     events' times, which are only passed on.
    public init<C: Clock<Duration>>(
        frameInterval: Duration = GeometryStream.defaultFrameInterval, scenesMax: Int = 1024,
        clock: C = SuspendingClock()
    ) {
        let start = clock.now
        let pace = Pace(
            now: { start.duration(to: clock.now) },
            sleep: { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) })
        let lane = GeometryLane(frameInterval: frameInterval, scenesMax: scenesMax)
        handoff = Handoff(lane, pace: pace, name: "a GeometryStream")
    }

    deinit { handoff.finish() }

    /// Takes geometry events, and disconnect events, which forget a scene; ignores
    /// others. Properties that an event does not state stay as they were. After
    /// `finish` it does nothing.
    public func update(_ event: Event) {
        handoff.produce { lane, isFinished in isFinished ? nil : lane.update(event) }
    }

    /// No more events follow. Finishing again does nothing.
    public func finish() { handoff.finish() }

    /// Whether `finish` was called.
    package var isFinished: Bool { handoff.isFinished }

    /// What was counted since the stream was made.
    public var statistics: GeometryStatistics { handoff.read { $0.statistics } }
}

/// What a `GeometryStream` counted.
public struct GeometryStatistics: Hashable, Sendable {
    /// Valid geometry events.
    public var updates: UInt64 = 0
    /// Updates that changed nothing.
    public var unchanged: UInt64 = 0
    /// Geometries handed to the consumer.
    public var delivered: UInt64 = 0
    /// Undelivered geometries that a newer one took the place of.
    public var superseded: UInt64 = 0
    /// Undelivered geometries of scenes that disconnected.
    public var dropped: UInt64 = 0
    /// Events with an invalid size, or of one scene more than `scenesMax`.
    public var rejected: UInt64 = 0

    public init() {}
}

extension GeometryStream: AsyncSequence {
    public typealias Element = LatestGeometry

    public func makeAsyncIterator() -> Iterator { Iterator(consumer: HandoffConsumer(handoff)) }

    /// For one task; its copies stand at the same geometry.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let consumer: HandoffConsumer<GeometryLane>

        public mutating func next() async -> LatestGeometry? { await next(isolation: nil) }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> LatestGeometry? {
            await consumer.next(isolation: actor)
        }
    }
}

@available(*, unavailable)
extension GeometryStream.Iterator: Sendable {}
