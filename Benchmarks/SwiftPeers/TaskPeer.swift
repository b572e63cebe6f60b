/// The common way with concurrency: every change cancels the task before it and
/// starts another that sleeps.
final class TaskPeer: Peer {
    static let name = "Task cancel + Task.sleep"
    private let settled: SettledSizes
    private var streams: [Stream]

    private struct Stream {
        var width = 0.0
        var height = 0.0
        var task: Task<Void, any Error>?
    }

    init(streams: Int, settled: SettledSizes) {
        self.settled = settled
        self.streams = .init(repeating: Stream(), count: streams)
    }

    func feed(_ round: Round) {
        let settled = settled
        for change in round.changes {
            let stream = change.stream
            guard streams[stream].width != change.width || streams[stream].height != change.height else { continue }
            streams[stream].width = change.width
            streams[stream].height = change.height
            streams[stream].task?.cancel()
            streams[stream].task = Task {
                try await Task.sleep(nanoseconds: delayNanoseconds)
                settled.settle(stream, width: change.width, height: change.height)
            }
        }
    }
}
