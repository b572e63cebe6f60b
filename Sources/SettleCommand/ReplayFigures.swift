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
        /// With builds that take time; `nil` if their cost was not given.
        var built: BuiltFigures?
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
    ///
    /// - Parameter cost: What a build takes, to play them; `nil` not to.
    func finish(_ replay: LogReplay, policy: Policy, fault: LogError?, cost: BuildCost? = nil) throws {
        guard let collector = collector.take() else { return }
        let (sweep, played) = (try Sweep([policy]), try cost.map { try Sweep([policy], buildCost: $0) })
        do throws(LogError) {
            let log = try BoundLog(replay.reader, collector, fault: fault)
            let isCounted = (try? sweep.add([log], jobs: 1)) == true && (try? played?.add([log], jobs: 1)) != false
            guard isCounted, sweep[0].rebuilds == replay.summary.rebuilds else {
                obstacle = "there is not enough memory"
                return
            }
            let built = played.map { BuiltFigures($0[0], cost) }
            rows = [Row(name: "this policy", rebuilds: sweep[0].rebuilds, counts: sweep[0], built: built)]
            for habit in Self.habits {
                let counts = sweep.counts(of: habit)
                let built = played.map { BuiltFigures($0.counts(of: habit), cost) }
                rows.append(Row(name: habit.name, rebuilds: counts.builds, counts: counts, built: built))
            }
        } catch {
            obstacle = error.problem
        }
    }
}
