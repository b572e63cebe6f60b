internal import Settle
internal import SettlePlatform

/// What a stream's buffer has for its consumer.
enum Dequeued<Element: Sendable>: Sendable {
    case element(Element)
    /// Nothing before this time, unless something new arrives.
    case later(Duration)
    case nothing
}

/// What a stream buffers between its producer and its consumer, without threads or clocks.
protocol StreamBuffer: Sendable {
    associatedtype Element: Sendable
    mutating func dequeue(at now: Duration) -> Dequeued<Element>
}

/// A clock, by the time since some moment. A buffer that never answers `.later` needs none.
struct StreamClock: Sendable {
    var now: @Sendable () -> Duration = { .zero }
    var sleep: @Sendable (_ until: Duration) async throws -> Void = { _ in }
}

/// The storage of a stream with one consumer. It suspends the consumer until the buffer has
/// an element, and ends the iteration when the producer has finished or the consumer's task
/// is cancelled.
final class StreamStorage<Buffer: StreamBuffer>: Sendable {
    private struct State: Sendable {
        var buffer: Buffer
        var isFinished = false
        /// The current consumer's number, `nil` for none.
        var consumer: UInt64?
        var consumers: UInt64 = 0
        var refusedConsumers: UInt64 = 0
        var suspended: Suspended?
        /// Counts what a consumer has to look at, so that it does not suspend on an outdated
        /// look.
        var changes: UInt64 = 0

        mutating func wake() -> Suspended? {
            changes &+= 1
            return suspended.take()
        }
    }

    private struct Suspended: Sendable {
        var continuation: CheckedContinuation<Void, Never>
        var until: Duration?
    }

    private enum Step {
        case end
        case element(Buffer.Element)
        /// Until something changes or the time has come.
        case wait(Duration?, changes: UInt64)
    }

    private let state: LockedValueBox<State>
    private let clock: StreamClock

    init(_ buffer: Buffer, clock: StreamClock = StreamClock()) {
        state = LockedValueBox(State(buffer: buffer))
        self.clock = clock
    }

    func read<Result>(_ body: (Buffer) -> Result) -> Result { state.withLock { body($0.buffer) } }

    var isFinished: Bool { state.withLock { $0.isFinished } }

    /// Iterations that ended at once because there was a consumer.
    var refusedConsumers: UInt64 { state.withLock { $0.refusedConsumers } }

    /// For tests: a consumer is suspended until the buffer has an element.
    var hasSuspendedConsumer: Bool { state.withLock { $0.suspended != nil } }

    // MARK: Producer

    /// Changes the buffer. The closure returns the time from which there is a new element to
    /// dequeue, `nil` if there is none.
    func produce(_ body: (inout Buffer, _ isFinished: Bool) -> Duration?) {
        let suspended = state.withLock { state -> Suspended? in
            guard let due = body(&state.buffer, state.isFinished) else { return nil }
            if let until = state.suspended?.until, due >= until { return nil }
            return state.wake()
        }
        suspended?.continuation.resume()
    }

    func finish() {
        wake { $0.isFinished = true }
    }

    private func wake(_ body: (inout State) -> Void = { _ in }) {
        let suspended = state.withLock { state in
            body(&state)
            return state.wake()
        }
        suspended?.continuation.resume()
    }

    // MARK: Consumer

    /// Registers a consumer and returns its number; `nil` if there is one already.
    func register() -> UInt64? {
        state.withLock { state in
            guard state.consumer == nil else {
                state.refusedConsumers += 1
                return nil
            }
            state.consumers += 1
            state.consumer = state.consumers
            return state.consumers
        }
    }

    /// The consumer has gone. What is buffered stays for the next one.
    func unregister(_ consumer: UInt64) {
        let suspended = state.withLock { state -> Suspended? in
            guard state.consumer == consumer else { return nil }
            state.consumer = nil
            return state.wake()
        }
        suspended?.continuation.resume()
    }

    func next(_ consumer: UInt64, isolation: isolated (any Actor)?) async -> Buffer.Element? {
        await withTaskCancellationHandler(
            operation: {
                while true {
                    switch step(consumer) {
                    case .end: return nil
                    case .element(let element): return element
                    case .wait(let until, let changes):
                        await wait(until: until, changes: changes, isolation: isolation)
                    }
                }
            }, onCancel: { unregister(consumer) }, isolation: isolation)
    }

    private func step(_ consumer: UInt64) -> Step {
        let now = clock.now()
        return state.withLock { state in
            guard state.consumer == consumer else { return .end }
            switch state.buffer.dequeue(at: now) {
            case .element(let element): return .element(element)
            case .later(let time): return .wait(time, changes: state.changes)
            case .nothing where state.isFinished:
                state.consumer = nil
                return .end
            case .nothing: return .wait(nil, changes: state.changes)
            }
        }
    }

    private func wait(until: Duration?, changes: UInt64, isolation: isolated (any Actor)?) async {
        let timer = until.map { until in
            Task.detached { [self, clock] in
                do { try await clock.sleep(until) } catch { return }
                wake()
            }
        }
        await withCheckedContinuation(isolation: isolation) { continuation in
            let hasChanged = state.withLock { state in
                precondition(state.suspended == nil, "two tasks wait for the same stream's next element")
                if state.changes == changes { state.suspended = Suspended(continuation: continuation, until: until) }
                return state.changes != changes
            }
            if hasChanged { continuation.resume() }
        }
        timer?.cancel()
    }
}

/// One iteration of a stream. It ends when the last copy of its iterator is gone.
final class StreamConsumer<Buffer: StreamBuffer>: Sendable {
    private let storage: StreamStorage<Buffer>
    /// `nil` if the stream had a consumer already.
    private let number: UInt64?

    init(_ storage: StreamStorage<Buffer>) {
        self.storage = storage
        number = storage.register()
    }

    deinit { if let number { storage.unregister(number) } }

    func next(isolation: isolated (any Actor)?) async -> Buffer.Element? {
        guard let number else { return nil }
        return await storage.next(number, isolation: isolation)
    }
}
