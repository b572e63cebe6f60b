import Settle

/// Settle's engine from Swift: batches of 256 events, a closure for the decisions.
/// Time is an argument, so a round's events are 100 ns apart on their own clock.
final class SettlePeer: Peer {
    static let name = "settle Engine"
    private var engine: Engine
    private let scenes: [SceneID]
    /// The streams' numbers.
    private let streams: SceneTable<Int>
    private let settled: SettledSizes
    private var events: [Event] = []
    private var now: UInt64 = 1_000_000_000_000

    init(streams: Int, settled: SettledSizes) throws {
        let delay = Duration.nanoseconds(Int64(delayNanoseconds))
        var engine = try Engine(.init(policy: .fixed(delay), scenesMax: streams))
        scenes = try (0..<streams).map { _ in try engine.connect() }
        var table = engine.makeSceneTable(of: Int.self)
        for (stream, scene) in scenes.enumerated() { table[scene] = stream }
        self.streams = table
        self.engine = engine
        self.settled = settled
    }

    func prepare(_ round: Round) {
        events = round.changes.enumerated().map { index, change in
            .geometry(
                scenes[change.stream], at: Timestamp(nanoseconds: now + UInt64(index) * 100),
                size: Size(width: change.width, height: change.height))
        }
        now += UInt64(events.count) * 100 + 2 * delayNanoseconds
    }

    func feed(_ round: Round) {
        let (settled, streams) = (settled, streams)
        let batch = events
        let events = batch.span
        var start = 0
        while start < events.count {
            let end = min(start + batchSize, events.count)
            engine.submit(events.extracting(start..<end)) { settle($0, streams, settled) }
            start = end
        }
    }

    func finish() {
        let (settled, streams) = (settled, streams)
        engine.advance(to: Timestamp(nanoseconds: now)) { settle($0, streams, settled) }
    }
}

private func settle(_ decision: Decision, _ streams: SceneTable<Int>, _ settled: SettledSizes) {
    guard case .rebuild(let rebuild) = decision.kind, let stream = streams[decision.scene] else { return }
    settled.settle(stream, width: rebuild.size.width, height: rebuild.size.height)
}
