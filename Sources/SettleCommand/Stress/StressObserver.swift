import Settle
import SettleClock
import SettleLoop
import SettlePlatform
import Synchronization

/// The handler of a stress run: verifies, counts and times every decision.
///
/// The loop's thread calls `receive`. Read the results after the loop has ended.
final class StressObserver: @unchecked Sendable {
    private(set) var verifier: StressVerifier
    private(set) var counts = Counts()
    /// The lateness of decisions that a deadline made.
    private(set) var deadlines = Histogram()
    /// The lateness of decisions that an event made.
    private(set) var events = Histogram()
    /// The lateness of both, measured as if every event had been sent when it was due.
    private(set) var intended = Histogram()

    private let lags: StressLags
    /// The scenes' numbers in the run.
    private let numbers: SceneTable<Int>
    private let builder: StressBuilder?
    private let ending = Atomic<Bool>(false)

    struct Counts {
        var began = 0
        var ended = 0
        var rebuilds = 0
        /// Those of the rebuilds that were live.
        var lives = 0
        var previews = 0
        var lockChanges = 0
        /// The geometry events that rebuilds answered.
        var coalesced: UInt64 = 0
    }

    init(
        numbers: SceneTable<Int>, lags: StressLags, policy: Policy, lateLimit: Duration?, builder: StressBuilder?
    ) {
        verifier = StressVerifier(scenes: lags.count, policy: policy, lateLimit: lateLimit)
        self.numbers = numbers
        self.lags = lags
        self.builder = builder
    }

    /// Marks the end of the run: from now on, pending rebuilds are decided before their time.
    func end() { ending.store(true, ordering: .sequentiallyConsistent) }

    func receive(_ decision: Decision) {
        let now = MonotonicClock.now
        let isEnding = ending.load(ordering: .acquiring)
        guard let number = numbers[decision.scene] else { return verifier.reportUnknownScene(decision) }
        verifier.check(
            decision, scene: number, delivered: isEnding ? nil : now,
            lastBuild: decision.isLiveRebuild ? builder?.lastBuild(of: number) : nil)
        let isOfDeadline = count(decision, number)
        if isEnding || now < decision.at { return }
        let lateness = now.nanoseconds - decision.at.nanoseconds
        if isOfDeadline { deadlines.add(lateness) } else { events.add(lateness) }
        intended.add(lateness + lags[number])
    }

    /// Counts a decision, and returns whether a deadline made it.
    private func count(_ decision: Decision, _ number: Int) -> Bool {
        switch decision.kind {
        case .interactionBegan:
            counts.began += 1
            return false
        case .interactionEnded(let reason, _):
            counts.ended += 1
            return reason == .timeout
        case .rebuild(let rebuild):
            counts.rebuilds += 1
            if rebuild.reason == .live { counts.lives += 1 }
            counts.coalesced += UInt64(rebuild.coalescedEvents)
            builder?.request(number, generation: rebuild.generation)
            return true
        case .preview:
            counts.previews += 1
            return true
        case .lockChanged:
            counts.lockChanges += 1
            return true
        }
    }

    func checkEnd(_ scene: Int, sent: Size) { verifier.checkEnd(scene: scene, sent: sent) }
}

extension Decision {
    fileprivate var isLiveRebuild: Bool {
        if case .rebuild(let rebuild) = kind { rebuild.reason == .live } else { false }
    }
}

/// The send lag of each scene's last change: from its due time to its sending, in nanoseconds.
/// Safe from any thread.
final class StressLags: @unchecked Sendable {
    let count: Int
    private let lags: UnsafeMutablePointer<Atomic<UInt64>>

    init(count: Int) {
        self.count = count
        lags = .allocate(capacity: count)
        for index in 0..<count { (lags + index).initialize(to: Atomic(0)) }
    }

    deinit {
        lags.deinitialize(count: count)
        lags.deallocate()
    }

    subscript(scene: Int) -> UInt64 {
        get { lags[scene].load(ordering: .relaxed) }
        set { lags[scene].store(newValue, ordering: .relaxed) }
    }
}
