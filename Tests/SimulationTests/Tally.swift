@testable import SettleLoop

/// Sums over all worlds without a breach, which show how much they exercise the engine.
struct Tally {
    private(set) var worlds = 0
    /// Over the traces of all worlds, in order.
    private(set) var hash: UInt64 = 0
    private var moves = 0
    private var decisions = 0
    private var passes = 0
    private var sleeps: UInt64 = 0
    private var sent = 0
    private var merged: UInt64 = 0
    private var orderly = 0
    private var builds = 0
    private var reports = 0
    private var ends = 0
    private var lives = 0
    private var retries: UInt64 = 0
    private var previews = 0
    private var previewed = 0
    private var previewsKept = 0
    private var previewsGivenUp = 0
    private var prepared = 0
    private var preparations = 0
    private var used: UInt64 = 0
    private var shown: UInt64 = 0
    private var superseded: UInt64 = 0
    private var recorded = 0
    private var crashes = 0
    private var faults = 0

    mutating func add(_ world: Simulation) {
        worlds += 1
        hash = (hash ^ world.trace.hash) &* 0x100_0000_01B3
        moves += world.trace.count
        decisions += world.invariants.delivered.count
        passes += world.invariants.passes
        sleeps += world.live.statistics.sleeps
        sent += world.producers.reduce(0) { $0 + $1.sent.count }
        merged += world.producers.reduce(0) { $0 + $1.channel.coalesced }
        orderly += world.invariants.mayBeOutOfOrder ? 0 : 1
        builds += world.builds.started
        reports += world.invariants.reports
        ends += world.invariants.ends
        lives += world.invariants.lives
        retries += world.invariants.retries
        previews += world.invariants.delivered.count { if case .preview = $0.kind { true } else { false } }
        previewed += world.builds.previewed
        previewsKept += world.invariants.previewsKept
        previewsGivenUp += world.invariants.previewsGivenUp
        prepared += world.invariants.prepared
        preparations += world.builds.prepared
        used += world.rebuilder.statistics.previews.used
        shown += world.invariants.consumers.shownCount
        superseded += world.invariants.consumers.superseded
        recorded += world.recorder.recorded
        crashes += world.recorder.crashes
        faults += world.recorder.faults
    }

    var lines: [String] {
        [
            "\(decisions) decisions are the oracle's: in order, none early, no rebuild but a live one within an interaction, no size"
                + " twice in a row",
            "\(sent) events were sent and are accounted for; \(merged) were coalesced, and no last state or end was lost",
            "\(orderly) worlds had clocks in order, and no event was applied after a later one or a later deadline",
            "\(sleeps) times the loop slept in \(passes) passes, each time with a timer for the next deadline and no wake-up lost",
            "\(builds) builds: at most one per scene at a time, within the bound; \(reports) built sizes were reported, and the last sizes are built",
            "\(lives) live rebuilds were decided on \(ends) reported ends of builds, and none was left in flight",
            "\(retries) failed builds were retried by a flush; \(previews) previews were decided, and \(previewed) ran, none "
                + "beside a build of its scene",
            "\(previewsKept) previews were reported as kept and \(previewsGivenUp) as given up, none was left in flight, "
                + "and \(prepared) rebuilds were prepared",
            "\(preparations) assets were prepared and \(used) kept until their rebuild: each shown once at most, for its own "
                + "size, none that was given up, none made twice",
            "\(superseded) decisions and geometries were superseded in full buffers and \(shown) shown, and no last one lost",
            "\(crashes) crashes and \(faults) faults met recordings of \(recorded) events, and all acknowledged ones were there",
            "\(moves) moves, hash \(String(hash, radix: 16))",
        ]
    }
}
