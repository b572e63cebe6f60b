import CSettle
import Settle
import SettleLog
import SettleSweep

/// The lags and wasted rebuilds of a replay, and those of programs without an engine, as `settle tune` counts them:
/// the events are kept while they are replayed, and swept at the end.
final class ReplayFigures {
    /// Of the policy or of a program.
    struct Row {
        var name: String
        var rebuilds: Int
        var counts: SweepCounts
    }

    /// More events are not kept: 80 MB.
    static let eventsMost = 1 << 20

    /// The programs that a replay is compared with.
    static let habits = [Habit.everySize, .throttle, .debounce]

    private let eventsMost: Int
    /// `nil` after more events than fit, and after the end.
    private var collector: LogCollector? = LogCollector()
    private var count = 0
    private(set) var rows: [Row] = []
    /// Why there are none.
    private(set) var obstacle: String?

    init(eventsMost: Int = ReplayFigures.eventsMost) { self.eventsMost = eventsMost }

    /// Keeps a log's next events.
    func add(_ events: UnsafeMutableBufferPointer<settle_event>, names: Int) {
        count += events.count
        if count <= eventsMost, collector?.add(events, names: names) ?? false { return }
        collector = nil
        obstacle = "the log has more than \(grouped(eventsMost)) events; settle tune counts them"
    }

    /// Counts, after the log's end or its fault.
    func finish(_ replay: LogReplay, policy: Policy, fault: LogError?) throws {
        guard let collector = collector.take() else { return }
        let sweep = try Sweep([policy])
        do throws(LogError) {
            let log = try BoundLog(replay.reader, collector, fault: fault)
            guard (try? sweep.add([log], jobs: 1)) == true, sweep[0].rebuilds == replay.summary.rebuilds else {
                obstacle = "there is not enough memory"
                return
            }
            rows = [Row(name: "this policy", rebuilds: sweep[0].rebuilds, counts: sweep[0])]
            for habit in Self.habits {
                let counts = sweep.counts(of: habit)
                rows.append(Row(name: habit.name, rebuilds: counts.builds, counts: counts))
            }
        } catch {
            obstacle = error.problem
        }
    }
}
