import Settle
import SettleLog
import SettleLoop

/// A client of the socket server, whatever it sends: it is read or dropped with a
/// reason, and leaves neither a scene nor a held button behind.
enum StreamJudge {
    /// Fewer bytes than events that its source's ring holds, as nobody takes them
    /// before the stream's end.
    private static let bytesMax = 4000

    static func run(_ bytes: [UInt8]) {
        if bytes.count > bytesMax { return }
        do {
            try leavesNothing(bytes)
        } catch {
            demand(false, "an engine can be had: \(error)")
        }
    }

    private static func leavesNothing(_ bytes: [UInt8]) throws {
        let engine = try LiveEngine()
        defer { engine.stop(draining: false) }
        // Before the stream, so that its times are not earlier than the stream's.
        let start = MonotonicClock.now
        let window = try engine.connect()
        let reader = try StreamReader(Pieces.input(bytes), client: "fuzz", engine: engine, names: StreamNames())
        switch reader.run() {
        case .complete(let events):
            demand(events <= bytes.count, "no more events than bytes: \(events)")
        case .faulty(let reason, let events):
            demand(events <= bytes.count && !reason.isEmpty, "a stream is dropped with a reason: '\(reason)'")
        }
        engine.runOnce()
        demand(engine.statistics.engine.scenes == 1, "a stream's scenes leave with it")

        // With a button held, the second size would begin an interaction.
        engine.post(.geometry(window, at: start, size: Size(width: 1, height: 1)))
        engine.post(.flush(window, at: start))
        engine.post(.geometry(window, at: start, size: Size(width: 2, height: 2)))
        engine.runOnce()
        demand(engine.isPending(window) && !engine.isInteracting(window), "a stream's buttons are released")
    }
}
