public import Settle

/// The decisions of an engine as an asynchronous sequence, for one consumer.
///
/// ```swift
/// let decisions = DecisionStream()
/// engine.submit(event) { decision in decisions.yield(decision) }     // producer
/// for await decision in decisions { … }                              // consumer
/// ```
///
/// **Buffering.** Up to `capacity` undelivered decisions, each is kept, in order. When
/// the consumer falls further behind, a newer rebuild of a scene supersedes its older
/// undelivered one, a newer lock value the older, and the begin of an interaction the
/// scene's whole undelivered interaction before it. Nothing else is dropped, so each
/// scene's last rebuild, lock value and end arrive. As an engine alternates begins and
/// ends, there are never more than `capacity` + 5 for each scene. `statistics` counts what
/// was superseded. Decisions themselves are never changed.
///
/// **Consumers.** One at a time; a second iterator while the first is in use stops the
/// program. When an iteration is left, by `break` or by cancellation, another may begin
/// and goes on where that one stopped.
///
/// **Termination.** After `finish`, or when the stream is gone, the consumer gets what
/// is buffered, and then the end. Cancelling the consumer's task ends its iteration at
/// once and leaves what is buffered.
///
/// **Threads.** `yield` and `finish` never wait for the consumer. They may be called
/// from any thread, from one at a time where the order of decisions matters.
public final class DecisionStream: Sendable {
    let handoff: Handoff<DecisionBuffer>

    /// - Parameter capacity: Undelivered decisions up to which none is superseded.
    public init(capacity: Int = 1024) {
        handoff = Handoff(DecisionBuffer(capacity: capacity), name: "a DecisionStream")
    }

    deinit { handoff.finish() }

    /// Hands a decision to the consumer. After `finish` it is dropped and counted.
    public func yield(_ decision: Decision) {
        handoff.produce { buffer, isFinished in
            guard !isFinished else {
                buffer.drop()
                return nil
            }
            buffer.append(decision)
            return .zero
        }
    }

    /// No more decisions follow. Finishing again does nothing.
    public func finish() { handoff.finish() }

    /// Whether `finish` was called.
    package var isFinished: Bool { handoff.isFinished }

    /// What was counted since the stream was made.
    public var statistics: Statistics { handoff.read { $0.statistics } }

    /// Every decision yielded is in one of these.
    public struct Statistics: Hashable, Sendable {
        /// Handed to the consumer.
        public var delivered: UInt64 = 0
        /// Made pointless by a newer one while the buffer was full.
        public var superseded: UInt64 = 0
        /// Yielded after the end.
        public var dropped: UInt64 = 0
        /// In the buffer now.
        public var waiting = 0

        public init() {}
    }
}

extension DecisionStream: AsyncSequence {
    public typealias Element = Decision

    public func makeAsyncIterator() -> Iterator { Iterator(consumer: HandoffConsumer(handoff)) }

    /// For one task; its copies stand at the same decision.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let consumer: HandoffConsumer<DecisionBuffer>

        public mutating func next() async -> Decision? { await next(isolation: nil) }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> Decision? {
            await consumer.next(isolation: actor)
        }
    }
}

@available(*, unavailable)
extension DecisionStream.Iterator: Sendable {}
