internal import Settle

/// What a buffer has for its consumer.
enum Handout<Element: Sendable>: Sendable {
    case element(Element)
    /// Nothing before this time, unless something new arrives.
    case later(Duration)
    case nothing
}

/// What a stream keeps between its producer and its consumer, without threads or time.
protocol HandoffBuffer: Sendable {
    associatedtype Element: Sendable
    mutating func take(at now: Duration) -> Handout<Element>
}

/// A clock's time since some moment. A buffer that never answers `.later` needs none.
struct Pace: Sendable {
    var now: @Sendable () -> Duration = { .zero }
    var sleep: @Sendable (_ until: Duration) async throws -> Void = { _ in }
}

/// The shell of a stream with one consumer: it suspends the consumer until the buffer
/// has something, and ends it when the producer has finished or its task is cancelled.
final class Handoff<Buffer: HandoffBuffer>: Sendable {
    private struct State: Sendable {
        var buffer: Buffer
        var isFinished = false
        /// The number of the consumer there is, `nil` for none.
        var consumer: UInt64?
        var consumers: UInt64 = 0
        var suspended: Suspended?
        /// Counts what a consumer has to look at, so that it does not suspend on what
        /// it saw before.
        var news: UInt64 = 0

        mutating func wake() -> Suspended? {
            news &+= 1
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
        /// Until there is news or the time has come.
        case wait(Duration?, news: UInt64)
    }

    private let state: Guarded<State>
    private let pace: Pace
    private let name: String

    init(_ buffer: Buffer, pace: Pace = Pace(), name: String) {
        state = Guarded(State(buffer: buffer))
        self.pace = pace
        self.name = name
    }

    func read<Result>(_ body: (Buffer) -> Result) -> Result { state.withLock { body($0.buffer) } }

    var isFinished: Bool { state.withLock { $0.isFinished } }

    var hasConsumer: Bool { state.withLock { $0.consumer != nil } }

    var hasSuspendedConsumer: Bool { state.withLock { $0.suspended != nil } }

    // MARK: Producer

    /// Changes the buffer. The body returns the time from which there is something
    /// new to take, `nil` when there is not.
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

    /// The number by which the consumer is known.
    func claim() -> UInt64 {
        let number = state.withLock { state -> UInt64? in
            guard state.consumer == nil else { return nil }
            state.consumers += 1
            state.consumer = state.consumers
            return state.consumers
        }
        guard let number else {
            fatalError("\(name) has one consumer at a time, and a second one began to iterate")
        }
        return number
    }

    /// The consumer is gone. What is buffered stays for the next one.
    func release(_ consumer: UInt64) {
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
                    case .wait(let until, let news): await wait(until: until, news: news, isolation: isolation)
                    }
                }
            }, onCancel: { release(consumer) }, isolation: isolation)
    }

    private func step(_ consumer: UInt64) -> Step {
        let now = pace.now()
        return state.withLock { state in
            guard state.consumer == consumer else { return .end }
            switch state.buffer.take(at: now) {
            case .element(let element): return .element(element)
            case .later(let time): return .wait(time, news: state.news)
            case .nothing where state.isFinished:
                state.consumer = nil
                return .end
            case .nothing: return .wait(nil, news: state.news)
            }
        }
    }

    private func wait(until: Duration?, news: UInt64, isolation: isolated (any Actor)?) async {
        let timer = until.map { until in
            Task.detached { [self, pace] in
                do { try await pace.sleep(until) } catch { return }
                wake()
            }
        }
        await withCheckedContinuation(isolation: isolation) { continuation in
            let isNews = state.withLock { state in
                precondition(state.suspended == nil, "two tasks wait for the same \(name)")
                if state.news == news { state.suspended = Suspended(continuation: continuation, until: until) }
                return state.news != news
            }
            if isNews { continuation.resume() }
        }
        timer?.cancel()
    }
}

/// A consumer's place, given up when the last copy of its iterator is gone.
final class HandoffConsumer<Buffer: HandoffBuffer>: Sendable {
    private let handoff: Handoff<Buffer>
    private let number: UInt64

    init(_ handoff: Handoff<Buffer>) {
        self.handoff = handoff
        number = handoff.claim()
    }

    deinit { handoff.release(number) }

    func next(isolation: isolated (any Actor)?) async -> Buffer.Element? {
        await handoff.next(number, isolation: isolation)
    }
}
