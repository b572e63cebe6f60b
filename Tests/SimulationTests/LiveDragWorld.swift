import TestSupport

@testable import Settle
@testable import SettleHandlers
@testable import SettleLoop

/// A person who drags scenes, in a live engine with a rebuilder whose builds take time: what they work, and
/// how old the size is that is shown. Clocks, waiting and threads are simulated.
final class LiveDragWorld: @unchecked Sendable {
    struct Failure: Error {}

    struct Build {
        var scene: Int
        var reason: Rebuild.Reason
        var start: UInt64
        var end: UInt64
        var isCancelled = false
    }

    static let millisecond: UInt64 = 1_000_000

    /// What a build of so many before it takes, in nanoseconds, and whether it fails.
    private let cost: (_ number: Int, _ now: UInt64) -> (nanoseconds: UInt64, fails: Bool)
    private let loop = SimulatedLoop(time: 1)
    private let clock = ManualClock(now: Timestamp(nanoseconds: 1))
    private let tasks = SimulatedTasks()
    private var engine: LiveEngine!
    private var rebuilder: AssetRebuilder!
    private var source: EventSource!
    private var scenes: [SceneID] = []
    /// Each scene's width, and until when each of its widths was the present one.
    private var widths: [Double] = []
    private var replaced: [[Double: UInt64]] = []
    private var shown: [Double] = []
    private(set) var builds: [Build] = []
    /// The ages of the shown size while the scenes are dragged, in nanoseconds, sampled every millisecond.
    private(set) var ages: [UInt64] = []
    private var random = SplitMix64(seed: 1)

    init(
        _ policy: Policy, scenes count: Int = 1, budget: Int? = nil, concurrency: Int = 2,
        cost: @escaping (_ number: Int, _ now: UInt64) -> (nanoseconds: UInt64, fails: Bool)
    ) throws {
        self.cost = cost
        engine = try LiveEngine(.init(policy: policy), loop: loop) { _ in }
        rebuilder = try engine.makeRebuilder(
            .init(concurrency: concurrency, executor: tasks, liveBudgetPercent: budget), clock: clock
        ) { [weak self] in try await self?.build($0, $1) }
        source = try engine.makeSource()
        for _ in 0..<count {
            scenes.append(try engine.connect())
            widths.append(500)
            replaced.append([:])
            shown.append(0)
        }
    }

    private func build(_ scene: SceneID, _ rebuild: Rebuild) async throws {
        let (number, index) = (builds.count, scenes.firstIndex(of: scene)!)
        let (nanoseconds, fails) = cost(number, loop.time)
        builds.append(Build(scene: index, reason: rebuild.reason, start: loop.time, end: .max))
        defer { builds[number].end = loop.time }
        do {
            try await clock.sleep(until: Timestamp(nanoseconds: loop.time + nanoseconds))
        } catch {
            builds[number].isCancelled = true
            throw error
        }
        if fails { throw Failure() }
        shown[index] = rebuild.size.width
    }

    // MARK: Running

    /// Shows the scenes at their first sizes.
    func show() {
        send(isInteractivelyResizing: nil)
        pass(to: loop.time + 1_000 * Self.millisecond)
    }

    /// Drags all scenes for so long, an event each every `period`, and lets go.
    func drag(seconds: Int, period: UInt64) {
        let end = loop.time + UInt64(seconds) * 1_000 * Self.millisecond
        var (next, sample) = (loop.time, loop.time)
        while next < end {
            for index in scenes.indices {
                replaced[index][widths[index]] = loop.time
                widths[index] += 1
            }
            send(isInteractivelyResizing: true)
            next += period
            while sample < next {
                pass(to: sample)
                noteAges()
                sample += Self.millisecond
            }
            pass(to: next)
        }
        send(isInteractivelyResizing: false)
        pass(to: loop.time)
    }

    /// Lets what was begun come to its end.
    func rest() { pass(to: loop.time + 1_000 * Self.millisecond) }

    private func send(isInteractivelyResizing flag: Bool?) {
        for (index, scene) in scenes.enumerated() {
            let size = Size(width: widths[index], height: 400)
            source.send(
                .geometry(
                    scene, at: Timestamp(nanoseconds: loop.time), size: size, isInteractivelyResizing: flag))
        }
    }

    private func noteAges() {
        for index in scenes.indices {
            let isPresent = shown[index] == widths[index]
            ages.append(isPresent ? 0 : loop.time - (replaced[index][shown[index]] ?? 0))
        }
    }

    /// Lets everything happen at its time up to `end`.
    private func pass(to end: UInt64) {
        while true {
            act()
            let next = [loop.timer, clock.deadlines.first].compactMap { $0?.nanoseconds }.min()
            guard let next, next <= end else { break }
            loop.time = max(loop.time, next)
            clock.advance(to: Timestamp(nanoseconds: loop.time))
        }
        loop.time = max(loop.time, end)
        clock.advance(to: Timestamp(nanoseconds: loop.time))
        act()
    }

    /// Everything that happens at the present time.
    private func act() {
        while true {
            if tasks.count > 0 {
                tasks.run(random.below(tasks.count))
            } else if loop.wouldWake {
                engine.runOnce(lead: 0)
            } else {
                return
            }
        }
    }

    // MARK: Results

    var isIdle: Bool {
        rebuilder.statistics.running + rebuilder.statistics.waiting == 0 && builds.allSatisfy { $0.end != .max }
    }

    /// Whether each scene's last size is shown.
    var isShown: Bool { shown == widths }

    func lives(longerThan nanoseconds: UInt64 = 0) -> Int {
        builds.count { $0.reason == .live && $0.end - $0.start > nanoseconds }
    }

    /// The most that live builds work within any so many seconds, in nanoseconds.
    func mostWork(within seconds: UInt64) -> UInt64 {
        let live = builds.filter { $0.reason == .live }
        var most: UInt64 = 0
        for first in live {
            let end = first.start + seconds * 1_000 * Self.millisecond
            // Builds are in the order of their starts.
            let work = live.reduce(UInt64(0)) { sum, build in
                build.start < first.start || build.start > end ? sum : sum + min(build.end, end) - build.start
            }
            most = max(most, work)
        }
        return most
    }

    /// The age that a percentage of the samples does not exceed, in nanoseconds.
    func age(percent: Int) -> UInt64 { ages.sorted()[min(ages.count * percent / 100, ages.count - 1)] }
}
