import Dispatch

/// The common way with Dispatch: every change cancels the work item before it and
/// schedules another.
final class DispatchPeer: Peer {
    static let name = "DispatchWorkItem cancel + asyncAfter"
    private let queue = DispatchQueue(label: "settle")
    private let settled: SettledSizes
    private var streams: [Stream]

    private struct Stream {
        var width = 0.0
        var height = 0.0
        var item: DispatchWorkItem?
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
            streams[stream].item?.cancel()
            let item = DispatchWorkItem { settled.settle(stream, width: change.width, height: change.height) }
            streams[stream].item = item
            queue.asyncAfter(deadline: .now() + .nanoseconds(Int(delayNanoseconds)), execute: item)
        }
    }
}
