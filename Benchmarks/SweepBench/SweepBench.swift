import BenchSupport
import CSettle
import Glibc
import SettleLog

/// Measures the sweep of policies on one core and prints rows for scripts/bench-report: a whole
/// recording under 2,000 policies, and logs of 500 of its events, each bound anew, under 100. A row
/// proves its work by the sum of its counts. Times are the processor's, so that other programs on the
/// machine do not count.
@main
enum SweepBench {
    static func main() {
        let words = CommandLine.arguments
        let scales: [String: (part: Int, runs: Int)] = ["full": (1, 5), "quick": (4, 3), "tiny": (200, 1)]
        guard words.count == 3, let scale = scales[words[1]] else {
            printError("usage: SweepBench full|quick|tiny LOG\n")
            exit(2)
        }
        do {
            let events = try read(words[2])
            measure("long", [Sweep(events[...])], policies: 2_000 / scale.part, runs: scale.runs)
            let sessions = stride(from: 0, to: events.count - 499, by: 500).map { Sweep(events[$0..<$0 + 500]) }
            measure("sessions", sessions, policies: 100, runs: scale.runs)
        } catch {
            printError("SweepBench: \(error)\n")
            exit(3)
        }
    }

    private static func read(_ path: String) throws -> [settle_log_event] {
        let reader = try LogReader(ByteInput(path: path))
        let batch = EventBatch()
        var events: [settle_log_event] = []
        while try reader.read(into: batch) {
            // Both have one layout: a log event is the codec's.
            for index in 0..<batch.count { events.append(unsafeBitCast(batch[index], to: settle_log_event.self)) }
        }
        return events
    }

    private static func processorNanoseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    private static func measure(_ name: String, _ logs: [Sweep], policies: Int, runs: Int) {
        var (base, all) = (settle_policy_default(), [settle_policy]())
        for index in 0..<UInt32(policies) {
            var policy = settle_policy()
            guard settle_grid_policy(&base, index, &policy) else { fatalError("the grid has fewer policies") }
            all.append(policy)
        }
        var counts = [settle_sweep_counts](repeating: settle_sweep_counts(), count: policies)
        let events = logs.reduce(0) { $0 + $1.count }
        let times = (0..<runs).map { _ in
            let start = processorNanoseconds()
            for log in logs { log.run(all, &counts) }
            return Double(processorNanoseconds() - start) / Double(events * policies)
        }
        let sum = counts.reduce(0) { $0 + $1.rebuilds.0 + $1.rebuilds.2 + $1.rebuilds.3 + $1.rebuilds.6 + $1.wasted }
        guard sum > 0 else { fatalError("nothing was decided") }
        print(
            #"{"kind":"sweep","language":"C","case":"\#(name)","events":\#(events),"policies":\#(policies),"#
                + #""ns":\#(median(times)),"sum":\#(sum)}"#)
    }
}

/// A log, and memory to bind and to decide it.
struct Sweep {
    private let original: [settle_log_event]
    private let events: UnsafeMutablePointer<settle_log_event>
    private let names: UInt32
    private let memory: UnsafeMutableRawPointer
    private let memorySize: Int
    private let connections: Int
    private let workspace: UnsafeMutableRawPointer
    private let workspaceSize: Int

    var count: Int { original.count }

    init(_ slice: ArraySlice<settle_log_event>) {
        original = Array(slice)
        events = .allocate(capacity: original.count)
        events.initialize(from: original, count: original.count)
        names = (original.filter { $0.kind != SETTLE_POINTER.rawValue }.map(\.name).max() ?? 0) + 1
        var scratch = [Bool](repeating: false, count: Int(names))
        connections = settle_sweep_connections(events, original.count, names, &scratch)
        memorySize = settle_sweep_log_size(original.count, names, connections)
        memory = .allocate(byteCount: memorySize, alignment: 64)
        var log = settle_sweep_log()
        guard settle_sweep_bind(events, original.count, names, connections, memory, memorySize, &log) == 0 else {
            fatalError("the sweep refused a log")
        }
        workspaceSize = settle_sweep_size(&log)
        workspace = .allocate(byteCount: workspaceSize, alignment: 64)
    }

    /// Binds the log and decides it under each policy.
    func run(_ policies: [settle_policy], _ counts: inout [settle_sweep_counts]) {
        events.update(from: original, count: original.count)
        var log = settle_sweep_log()
        let bound = settle_sweep_bind(events, original.count, names, connections, memory, memorySize, &log)
        let decided = settle_sweep_run(workspace, workspaceSize, &log, policies, policies.count, &counts)
        guard bound == 0, decided == 0 else { fatalError("the sweep refused a log or a policy") }
    }
}
