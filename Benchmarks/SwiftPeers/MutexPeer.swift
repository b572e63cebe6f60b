import Dispatch
import Synchronization

/// What a careful author writes by hand in Swift: a change stores the deadline under a mutex,
/// and sets a Dispatch timer only if none is set. When the timer fires, it reads the deadline
/// again. Reads the clock once per batch.
class MutexPeer: Peer {
    class var name: String { "hand-written lazy re-arm: Mutex and Dispatch" }
    fileprivate let streams: [MutexStream]

    required init(streams: Int, settled: SettledSizes) {
        let queue = DispatchQueue(label: "settle")
        self.streams = (0..<streams).map { MutexStream($0, queue: queue, settled: settled) }
    }

    func feed(_ round: Round) {
        var start = 0
        while start < round.changes.count {
            let end = min(start + batchSize, round.changes.count)
            let deadline = DispatchTime.now().uptimeNanoseconds + delayNanoseconds
            for index in start..<end {
                let change = round.changes[index]
                streams[change.stream].change(width: change.width, height: change.height, deadline: deadline)
            }
            start = end
        }
    }
}

/// The same for changes that arrive one by one, as in callbacks: reads the clock once per change.
final class MutexClockPeer: MutexPeer {
    override class var name: String { "lazy re-arm: Mutex, clock read per change" }

    override func feed(_ round: Round) {
        for change in round.changes {
            let deadline = DispatchTime.now().uptimeNanoseconds + delayNanoseconds
            streams[change.stream].change(width: change.width, height: change.height, deadline: deadline)
        }
    }
}

private final class MutexStream: Sendable {
    private struct State {
        var width = 0.0
        var height = 0.0
        var builtWidth = 0.0
        var builtHeight = 0.0
        var deadline: UInt64 = 0
        var isArmed = false
    }

    private let state = Mutex(State())
    private let number: Int
    private let queue: DispatchQueue
    private let settled: SettledSizes

    init(_ number: Int, queue: DispatchQueue, settled: SettledSizes) {
        self.number = number
        self.queue = queue
        self.settled = settled
    }

    func change(width: Double, height: Double, deadline: UInt64) {
        let arms = state.withLock {
            guard $0.width != width || $0.height != height else { return false }
            $0.width = width
            $0.height = height
            $0.deadline = deadline
            let arms = !$0.isArmed
            $0.isArmed = true
            return arms
        }
        if arms { arm(deadline) }
    }

    private func arm(_ deadline: UInt64) {
        queue.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: deadline)) { self.expire() }
    }

    private func expire() {
        let now = DispatchTime.now().uptimeNanoseconds
        let (again, size) = state.withLock { state -> (UInt64?, (Double, Double)?) in
            if state.deadline > now { return (state.deadline, nil) }
            state.isArmed = false
            if state.width == state.builtWidth && state.height == state.builtHeight { return (nil, nil) }
            state.builtWidth = state.width
            state.builtHeight = state.height
            return (nil, (state.width, state.height))
        }
        if let again { arm(again) }
        if let size { settled.settle(number, width: size.0, height: size.1) }
    }
}
