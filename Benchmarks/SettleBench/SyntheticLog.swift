import Settle
import SettleLog

/// A log of windows dragged in turn by a fast mouse, made from a fixed seed.
struct SyntheticLog {
    private var state: UInt64 = 1
    private var time: UInt64 = 1_000_000_000_000
    private var sizes = [(Double, Double)](repeating: (800, 600), count: SyntheticLog.windows)
    private var made = 0

    static let windows = 8
    /// Events of a drag; the last ones report its end.
    private static let drag = 512

    private mutating func random(_ bound: UInt64) -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (state >> 33) % bound
    }

    /// Appends up to `count` events to a batch.
    mutating func fill(_ batch: EventBatch, count: Int, scenes: [SceneNumber]) {
        for _ in 0..<count {
            let window = made / Self.drag % Self.windows
            // A mouse at about 1000 Hz, and a pause every so often.
            time += made % 64 == 0 ? 60_000_000 : 500_000 + random(1_000_000)
            sizes[window].0 = max(100, sizes[window].0 + Double(random(9)) - 4)
            sizes[window].1 = max(100, sizes[window].1 + Double(random(9)) - 4)
            batch.append(
                .geometry(
                    scenes[window], at: Timestamp(nanoseconds: time),
                    size: Size(width: sizes[window].0, height: sizes[window].1),
                    isInteractivelyResizing: made % Self.drag < Self.drag - 12), at: .line(0))
            made += 1
        }
    }

    /// Writes the log in both encodings.
    static func write(events: Int, jsonl: String, binary: String) throws {
        let scenes = SceneNames()
        let numbers = (0..<windows).map { scenes.number(of: "1:\($0)") }
        let header = LogHeader(source: "synthetic", name: "benchmark")
        let writers: [any LogWriting] = [
            try JSONLinesWriter(ByteOutput(path: jsonl), header: header),
            try BinaryWriter(ByteOutput(path: binary), header: header),
        ]
        let batch = EventBatch()
        var log = SyntheticLog()
        var left = events
        while left > 0 {
            batch.removeAll()
            log.fill(batch, count: min(left, EventBatch.capacity), scenes: numbers)
            for writer in writers { try writer.write(batch, scenes: scenes) }
            left -= batch.count
        }
        for writer in writers { try writer.finish() }
    }
}
