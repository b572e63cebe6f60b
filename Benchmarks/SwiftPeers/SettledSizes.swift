import BenchSupport
import Synchronization

/// What was settled, from whichever thread a peer's timers run on.
final class SettledSizes: Sendable {
    private struct State {
        var sizes: [(width: Double, height: Double)]
        var fired = 0
    }
    private let state: Mutex<State>

    init(streams: Int) {
        state = Mutex(State(sizes: .init(repeating: (0, 0), count: streams)))
    }

    func settle(_ stream: Int, width: Double, height: Double) {
        state.withLock {
            $0.sizes[stream] = (width, height)
            $0.fired += 1
        }
    }

    func clear() {
        state.withLock {
            for stream in $0.sizes.indices { $0.sizes[stream] = (0, 0) }
            $0.fired = 0
        }
    }

    var outcome: (hash: UInt64, fired: Int) { state.withLock { (FNV1a(sizes: $0.sizes).value, $0.fired) } }
}
