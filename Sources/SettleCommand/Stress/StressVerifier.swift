import Settle

/// Verifies every decision of a run.
///
/// It identifies scenes by their engine's indices, allocates only for violations, and keeps
/// the first `violationsKept` of them.
struct StressVerifier {
    private var scenes: [Scene]
    private var latest = Timestamp(nanoseconds: 0)
    private(set) var violations: [String] = []
    private(set) var violationsCount = 0

    static let violationsKept = 20

    private let lateLimit: Duration?

    private struct Scene {
        var isInteracting = false
        var built = Size.zero
        var generation: UInt32 = 0
    }

    /// - Parameters:
    ///   - scenes: One more than the largest index.
    ///   - lateLimit: The longest lateness of a decision; `nil` for no bound.
    init(scenes: Int, lateLimit: Duration? = nil) {
        self.lateLimit = lateLimit
        self.scenes = Array(repeating: Scene(), count: scenes)
    }

    /// Checks a decision. Called in the order of delivery.
    ///
    /// - Parameter delivered: The time of delivery; `nil` at the end of the run, where pending
    ///   rebuilds are decided ahead of their deadlines.
    mutating func check(_ decision: Decision, index: Int, delivered: Timestamp?) {
        if let delivered, delivered < decision.at {
            fault(index, "a decision of \(decision.at.duration(since: delivered).text) later was delivered early")
        }
        if let lateLimit, let delivered, delivered > decision.at, delivered.duration(since: decision.at) > lateLimit {
            let late = delivered.duration(since: decision.at)
            fault(index, "a decision was delivered \(late.text) late; the limit is \(lateLimit.text)")
        }
        if decision.at < latest { fault(index, "a decision is earlier than the one before it") }
        latest = max(latest, decision.at)
        switch decision.kind {
        case .interactionBegan:
            if scenes[index].isInteracting { fault(index, "an interaction began within another") }
            scenes[index].isInteracting = true
        case .interactionEnded:
            if !scenes[index].isInteracting { fault(index, "an interaction ended that had not begun") }
            scenes[index].isInteracting = false
        case .rebuild(let rebuild): checkRebuild(rebuild, index)
        case .lockChanged: break
        }
    }

    private mutating func checkRebuild(_ rebuild: Rebuild, _ index: Int) {
        if scenes[index].isInteracting { fault(index, "a rebuild for \(rebuild.size) within an interaction") }
        if rebuild.size == scenes[index].built { fault(index, "\(rebuild.size) is built again") }
        if rebuild.generation != scenes[index].generation + 1 {
            fault(index, "generation \(rebuild.generation) follows \(scenes[index].generation)")
        }
        scenes[index].built = rebuild.size
        scenes[index].generation = rebuild.generation
    }

    /// Checks, after the last decision, that the last rebuild of a scene is for its last size.
    mutating func checkEnd(index: Int, sent: Size) {
        if scenes[index].built != sent {
            fault(index, "\(sent) was sent last, and \(scenes[index].built) is built")
        }
        if scenes[index].isInteracting { fault(index, "an interaction is still open at the end") }
    }

    private mutating func fault(_ index: Int, _ problem: String) {
        violationsCount += 1
        if violations.count < Self.violationsKept { violations.append("scene \(index): \(problem)") }
    }
}
