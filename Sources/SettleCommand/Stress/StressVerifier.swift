import Settle

/// Verifies every decision of a run.
///
/// It identifies scenes by their numbers in the run, allocates only for violations, and keeps
/// the first `violationsKept` of them.
struct StressVerifier {
    private var scenes: [Scene]
    private var latest = Timestamp(nanoseconds: 0)
    private(set) var violations: [String] = []
    private(set) var violationsCount = 0

    static let violationsKept = 20

    private let policy: Policy
    private let lateLimit: Duration?

    private struct Scene {
        var isInteracting = false
        var built = Size.zero
        /// The size previewed last in the interaction.
        var previewed: Size?
        /// The size previewed last since the last rebuild.
        var prepared: Size?
        /// The number of previews.
        var previews: UInt32 = 0
        /// Why the last interaction since the last rebuild ended.
        var end: Decision.EndReason?
        var generation: UInt32 = 0
        /// When the last rebuild was decided.
        var rebuiltAt = Timestamp.zero
    }

    /// - Parameters:
    ///   - scenes: How many; their numbers are below it.
    ///   - policy: What previews and live rebuilds keep to.
    ///   - lateLimit: The longest lateness of a decision; `nil` for no bound.
    init(scenes: Int, policy: Policy = .default, lateLimit: Duration? = nil) {
        self.policy = policy
        self.lateLimit = lateLimit
        self.scenes = Array(repeating: Scene(), count: scenes)
    }

    /// Checks a decision. Called in the order of delivery.
    ///
    /// - Parameters:
    ///   - delivered: The time of delivery; `nil` at the end of the run, where pending
    ///     rebuilds are decided ahead of their deadlines.
    ///   - lastBuild: For a live rebuild, the scene's last build that ended.
    mutating func check(
        _ decision: Decision, scene: Int, delivered: Timestamp?, lastBuild: StressBuilder.Build? = nil
    ) {
        if let delivered, delivered < decision.at {
            fault(scene, "a decision of \(decision.at.duration(since: delivered).text) later was delivered early")
        }
        if let lateLimit, let delivered, delivered > decision.at, delivered.duration(since: decision.at) > lateLimit {
            let late = delivered.duration(since: decision.at)
            fault(scene, "a decision was delivered \(late.text) late; the limit is \(lateLimit.text)")
        }
        if decision.at < latest { fault(scene, "a decision is earlier than the one before it") }
        latest = max(latest, decision.at)
        switch decision.kind {
        case .interactionBegan:
            if scenes[scene].isInteracting { fault(scene, "an interaction began within another") }
            scenes[scene].isInteracting = true
            scenes[scene].previewed = nil
        case .interactionEnded(let reason, _):
            if !scenes[scene].isInteracting { fault(scene, "an interaction ended that had not begun") }
            scenes[scene].isInteracting = false
            scenes[scene].end = reason
        case .rebuild(let rebuild):
            if rebuild.reason == .live { checkLive(at: decision.at, scene, lastBuild) }
            checkRebuild(rebuild, scene)
            scenes[scene].rebuiltAt = decision.at
        case .preview(let size, let generation): checkPreview(size, generation, scene)
        default: break
        }
    }

    private mutating func checkRebuild(_ rebuild: Rebuild, _ scene: Int) {
        if scenes[scene].isInteracting, rebuild.reason != .live {
            fault(scene, "a rebuild for \(rebuild.size) within an interaction")
        }
        if rebuild.size == scenes[scene].built { fault(scene, "\(rebuild.size) is built again") }
        if rebuild.generation != scenes[scene].generation + 1 {
            fault(scene, "generation \(rebuild.generation) follows \(scenes[scene].generation)")
        }
        if rebuild.isPrepared, policy.pauseSharePercent == nil || rebuild.size != scenes[scene].prepared {
            fault(scene, "a rebuild for \(rebuild.size) says that it is prepared")
        }
        checkReason(rebuild.reason, scene)
        scenes[scene].built = rebuild.size
        scenes[scene].previewed = nil
        scenes[scene].prepared = nil
        scenes[scene].end = nil
        scenes[scene].generation = rebuild.generation
    }

    /// Rule 18: the build before has ended, and is paid for.
    private mutating func checkLive(at time: Timestamp, _ scene: Int, _ build: StressBuilder.Build?) {
        guard let share = policy.liveSharePercent else { return fault(scene, "a live rebuild without a liveShare") }
        guard let build, build.generation == scenes[scene].generation else {
            return fault(scene, "a live rebuild while the build of rebuild \(scenes[scene].generation) is in flight")
        }
        let cost = min(build.cost, .seconds(3600)).wholeNanoseconds
        var times: UInt64 = 1
        // With livePause it may have rested.
        if let limit = policy.liveLimit?.wholeNanoseconds, limit > 0, cost > limit, build.generation > 1,
            policy.livePause == nil
        {
            times = (cost - 1) / limit + 1
        }
        let (hour, percent) = (UInt64(3_600_000_000_000), UInt64(share))
        let (whole, isMore) = (times * 100).multipliedReportingOverflow(by: cost)
        let paid = build.end.after(isMore ? hour : min(hour, (whole - 1 + percent) / percent - cost))
        if time < paid {
            fault(scene, "a live rebuild \(paid.duration(since: time).text) before the last build is paid for")
        }
        let next = scenes[scene].rebuiltAt.after(policy.liveInterval.wholeNanoseconds)
        if time < next { fault(scene, "a live rebuild \(next.duration(since: time).text) early after the last one") }
    }

    /// The reasons that claim something: that nothing is built, or how an interaction ended.
    private mutating func checkReason(_ reason: Rebuild.Reason, _ scene: Int) {
        let isFirst = scenes[scene].generation == 0
        let isTrue =
            switch reason {
            case .first: isFirst
            case .interactionEnded: !isFirst && (scenes[scene].end == .reported || scenes[scene].end == .released)
            case .timeout: !isFirst && scenes[scene].end == .timeout
            case .discrete, .quiet, .live: !isFirst
            case .maximumWait, .flush: true
            }
        if !isTrue { fault(scene, "a rebuild has the wrong reason \(reason.rawValue)") }
    }

    private mutating func checkPreview(_ size: Size, _ generation: UInt32, _ scene: Int) {
        if scenes[scene].generation == 0 { fault(scene, "a preview of \(size) before the first rebuild") }
        if generation != scenes[scene].previews + 1 {
            fault(scene, "preview \(generation) follows \(scenes[scene].previews)")
        }
        scenes[scene].previews = generation
        if size == scenes[scene].built { fault(scene, "a preview of \(size), which is built") }
        // Outside an interaction a size that came back to the built one is forgotten.
        if scenes[scene].isInteracting, size == scenes[scene].previewed {
            fault(scene, "\(size) is previewed again in its interaction")
        }
        scenes[scene].previewed = size
        scenes[scene].prepared = size
    }

    /// Checks, after the last decision, that the last rebuild of a scene is for its last size.
    mutating func checkEnd(scene: Int, sent: Size) {
        if scenes[scene].built != sent {
            fault(scene, "\(sent) was sent last, and \(scenes[scene].built) is built")
        }
        if scenes[scene].isInteracting { fault(scene, "an interaction is still open at the end") }
    }

    /// For a decision about a scene that the run did not connect.
    mutating func reportUnknownScene(_ decision: Decision) {
        report("a decision is about an unknown \(decision.scene)")
    }

    private mutating func fault(_ scene: Int, _ problem: String) { report("scene \(scene): \(problem)") }

    private mutating func report(_ problem: @autoclosure () -> String) {
        violationsCount += 1
        if violations.count < Self.violationsKept { violations.append(problem()) }
    }
}
