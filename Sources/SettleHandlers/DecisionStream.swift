public import Settle

/// The decisions of an engine as an asynchronous sequence, for one consumer.
///
/// ```swift
/// let decisions = DecisionStream()
/// engine.submit(event) { decision in decisions.yield(decision) }     // producer
/// for await decision in decisions { … }                              // consumer
/// ```
///
/// **Buffering.** Up to `capacity` undelivered decisions are kept, in order. When the consumer
/// falls further behind, a newer rebuild of a scene supersedes its older undelivered one, a
/// newer lock value the older one, and the begin of an interaction the scene's whole
/// undelivered interaction before it. An undelivered preview is superseded by a newer one, by a
/// rebuild, and by its interaction's end. Nothing else is dropped, so each scene's last rebuild,
/// lock value and end arrive, and there are never more than `capacity` + 6 decisions per
/// scene. Superseded decisions are counted. Decisions are never changed: whoever was not given the preview
/// of a rebuild that is prepared builds it as any other.
///
/// **Consumers.** One at a time. While there is one, a second iteration ends at once and is
/// counted in `statistics.refusedConsumers`. When an iteration ends, by `break` or by
/// cancellation, another may begin and continues where it ended.
///
/// **Termination.** After `finish`, or when the stream is gone, the consumer gets what is
/// buffered, and then the end. Cancelling the consumer's task ends its iteration at once and
/// keeps what is buffered.
///
/// **Threads.** `yield` and `finish` never wait for the consumer. They may be called from any
/// thread, from one at a time where the order of decisions matters.
public final class DecisionStream: Sendable {
    let storage: StreamStorage<DecisionBuffer>

    /// - Parameter capacity: How many decisions are buffered before newer ones supersede older
    ///   ones.
    /// - Precondition: `capacity` is not negative.
    public init(capacity: Int = 1024) {
        storage = StreamStorage(DecisionBuffer(capacity: capacity))
    }

    deinit { storage.finish() }

    /// Passes a decision to the consumer. After `finish`, it is dropped and counted.
    public func yield(_ decision: Decision) {
        storage.produce { buffer, isFinished in
            guard !isFinished else {
                buffer.drop()
                return nil
            }
            buffer.append(decision)
            return .zero
        }
    }

    /// Ends the sequence. Idempotent.
    public func finish() { storage.finish() }

    /// Whether `finish` was called.
    package var isFinished: Bool { storage.isFinished }

    /// What was counted since the stream was made.
    public var statistics: Statistics {
        var statistics = storage.read { $0.statistics }
        statistics.refusedConsumers = storage.refusedConsumers
        return statistics
    }

    /// What a stream counted. Every decision yielded is in one of the first four.
    public struct Statistics: Hashable, Sendable {
        /// Delivered to the consumer.
        public var delivered: UInt64 = 0
        /// Superseded by a newer one while the buffer was full.
        public var superseded: UInt64 = 0
        /// Yielded after the end.
        public var dropped: UInt64 = 0
        /// In the buffer now.
        public var waiting = 0
        /// Iterations that ended at once, because the stream had a consumer.
        public var refusedConsumers: UInt64 = 0

        public init() {}
    }
}

extension DecisionStream: AsyncSequence {
    public typealias Element = Decision

    /// Begins an iteration. While there is another, it ends at once.
    public func makeAsyncIterator() -> Iterator { Iterator(consumer: StreamConsumer(storage)) }

    /// For one task. Its copies share one position.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let consumer: StreamConsumer<DecisionBuffer>

        public mutating func next() async -> Decision? { await next(isolation: nil) }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> Decision? {
            await consumer.next(isolation: actor)
        }
    }
}

@available(*, unavailable)
extension DecisionStream.Iterator: Sendable {}
