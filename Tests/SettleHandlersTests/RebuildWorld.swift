import Settle
import TestSupport

@testable import SettleHandlers

/// A model of an engine, a rebuild queue and the channels between them, in which decisions
/// and reports arrive later than they are sent. A test picks the next move. Each move
/// checks the invariants, and the first breach is kept.
struct RebuildWorld {
    enum Move: Hashable {
        /// The engine decides a rebuild for a size other than its built size.
        case decide(SceneID, Size)
        /// The engine decides a live rebuild, while no build of the scene is in flight.
        case decideLive(SceneID, Size)
        /// The oldest decision in the channel reaches the queue.
        case receiveDecision
        case end(SceneID, RebuildQueue.Outcome)
        /// The queue's report of a build's end or of a built size enters the channel to the engine.
        case sendReport(SceneID)
        /// The oldest report or flush in the channel reaches the engine.
        case receiveReport
        /// The engine decides a preview.
        case preview(SceneID, Size)
        /// The engine decides that an interaction ended.
        case endInteraction(SceneID)
        /// The running preview of a scene ends.
        case endPreview(SceneID)
        /// The time of a scene's retry has passed.
        case retryDue(SceneID)
        case remove(SceneID)
        /// The engine stops, after the queue has received its decisions.
        case endDecisions
        case stop
    }

    private struct Run {
        var number: UInt64
        var size: Size
        var isCancelled = false
        var isForgotten = false
    }

    /// What the engine sends to the queue.
    private enum Item {
        case rebuild(Rebuild)
        case preview(Size)
        case interactionEnded
    }

    /// What the queue sends to the engine.
    private enum Message {
        case finished(generation: UInt32)
        case built(Size?)
        case flush
    }

    let concurrency: Int
    private let retry: AssetRebuilder.Retry
    private let hasPreviews: Bool
    private let reportsEnds: Bool
    private(set) var queue: RebuildQueue
    private(set) var breach: String?
    private(set) var started: [SceneID] = []
    /// The built size of each scene, as the engine knows it.
    private var engineSizes: [SceneID: Size] = [:]
    /// The size of each scene, as the engine knows it.
    private var wantedSizes: [SceneID: Size] = [:]
    private var decisions: [(scene: SceneID, item: Item)] = []
    private var messages: [(scene: SceneID, message: Message)] = []
    /// The built size of each scene, by the builds' own results.
    private var builtSizes: [SceneID: Size] = [:]
    private var runs: [SceneID: Run] = [:]
    private var reports: [SceneID: Message] = [:]
    /// The rebuilds whose end the engine does not know.
    private var flights: [SceneID: UInt32] = [:]
    /// The scenes whose decisions wait, oldest first.
    private var waiting: [(scene: SceneID, rebuild: Rebuild)] = []
    private var previewRuns: [SceneID: Run] = [:]
    private var waitingPreviews: [SceneID: Size] = [:]
    /// Failures in a row, the scenes whose failure nothing has answered, and the armed retries.
    private var failures: [SceneID: Int] = [:]
    private var unanswered: Set<SceneID> = []
    private var retries: [SceneID: UInt64] = [:]
    private var removed: Set<SceneID> = []
    private var generation: UInt32 = 0
    private var isStopped = false
    private var hasNoDecisions = false

    init(
        concurrency: Int, retry: AssetRebuilder.Retry = .never, hasPreviews: Bool = false, reportsEnds: Bool = false
    ) {
        self.concurrency = concurrency
        self.retry = retry
        self.hasPreviews = hasPreviews
        self.reportsEnds = reportsEnds
        queue = RebuildQueue(concurrency: concurrency, retry: retry, reportsEnds: reportsEnds)
    }

    func moves(scenes: [SceneID], sizes: [Size], allowing rare: Bool) -> [Move] {
        var moves: [Move] = []
        for scene in scenes where !removed.contains(scene) && !isStopped && !hasNoDecisions {
            for size in sizes where size != engineSizes[scene] { moves.append(.decide(scene, size)) }
            if reportsEnds, engineSizes[scene] != nil, flights[scene] == nil {
                for size in sizes where size != engineSizes[scene] { moves.append(.decideLive(scene, size)) }
            }
            if rare { moves.append(.remove(scene)) }
            guard hasPreviews else { continue }
            moves += sizes.map { .preview(scene, $0) } + [.endInteraction(scene)]
        }
        moves += tidyMoves
        if rare, !hasNoDecisions { moves.append(.endDecisions) }
        if rare, !isStopped { moves.append(.stop) }
        return moves
    }

    /// The moves that finish what has begun.
    var tidyMoves: [Move] {
        var moves: [Move] = []
        if !decisions.isEmpty { moves.append(.receiveDecision) }
        if !messages.isEmpty { moves.append(.receiveReport) }
        for scene in runs.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            moves += RebuildQueue.Outcome.allCases.map { .end(scene, $0) }
        }
        moves += previewRuns.keys.sorted { $0.rawValue < $1.rawValue }.map { .endPreview($0) }
        moves += reports.keys.sorted { $0.rawValue < $1.rawValue }.map { .sendReport($0) }
        moves += retries.keys.sorted { $0.rawValue < $1.rawValue }.map { .retryDue($0) }
        return moves
    }
}

extension RebuildWorld {
    mutating func make(_ move: Move) {
        switch move {
        case .decide(let scene, let size): decide(scene, size, .interactionEnded)
        case .decideLive(let scene, let size): decide(scene, size, .live)
        case .receiveDecision:
            let decision = decisions.removeFirst()
            receive(decision.item, decision.scene)
        case .end(let scene, let outcome): end(scene, outcome)
        case .sendReport(let scene):
            messages.append((scene, reports.removeValue(forKey: scene)!))
            let actions = queue.reported(scene)
            dropBuilt(scene)
            follow(actions)
        case .receiveReport:
            let message = messages.removeFirst()
            if !removed.contains(message.scene) { receive(message.message, message.scene) }
        case .preview(let scene, let size): decisions.append((scene, .preview(size)))
        case .endInteraction(let scene): decisions.append((scene, .interactionEnded))
        case .endPreview(let scene):
            previewRuns[scene] = nil
            dropBuilt(scene)
            follow(queue.previewed(scene))
        case .retryDue(let scene):
            unanswered.remove(scene)
            follow(queue.retryDue(scene, number: retries.removeValue(forKey: scene)!))
        case .remove(let scene): remove(scene)
        case .endDecisions: endDecisions()
        case .stop:
            isStopped = true
            waiting = []
            (waitingPreviews, unanswered) = ([:], [])
            follow(queue.stop())
        }
        check()
    }

    private mutating func decide(_ scene: SceneID, _ size: Size, _ reason: Rebuild.Reason) {
        generation += 1
        let rebuild = Rebuild(size: size, previousSize: engineSizes[scene], reason: reason, generation: generation)
        (engineSizes[scene], wantedSizes[scene], flights[scene]) = (size, size, generation)
        decisions.append((scene, .rebuild(rebuild)))
    }

    /// The engine decides at a flush if the size is not built, as outside an interaction, and
    /// nothing once it has stopped.
    private mutating func receive(_ message: Message, _ scene: SceneID) {
        switch message {
        case .finished(let generation): if flights[scene] == generation { flights[scene] = nil }
        case .built(let size): (engineSizes[scene], flights[scene]) = (size, nil)
        case .flush:
            if hasNoDecisions { return }
            if let size = wantedSizes[scene], size != engineSizes[scene] { decide(scene, size, .flush) }
        }
    }

    private mutating func receive(_ item: Item, _ scene: SceneID) {
        switch item {
        case .rebuild(let rebuild):
            note(scene, rebuild)
            unanswered.remove(scene)
            waitingPreviews[scene] = nil
            let run = runs[scene]
            follow(queue.submit(scene, rebuild))
            if rebuild.reason == .live, let run, !run.isCancelled, runs[scene]?.isCancelled == true {
                fail("a live decision cancels a build")
            }
            if retries[scene] != nil { fail("a retry stays armed after a newer decision") }
            checkPreviewEnds(scene)
        case .preview(let size):
            let run = previewRuns[scene]
            let isRunning = run.map { !$0.isCancelled && $0.size == size } ?? false
            if !isRunning, !isStopped { waitingPreviews[scene] = size }
            follow(queue.preview(scene, size))
            if let run, !isRunning, previewRuns[scene]?.number == run.number { checkPreviewEnds(scene) }
        case .interactionEnded:
            waitingPreviews[scene] = nil
            follow(queue.interactionEnded(scene))
            checkPreviewEnds(scene)
        }
    }

    private mutating func note(_ scene: SceneID, _ rebuild: Rebuild) {
        guard !isStopped else { return }
        let run = runs[scene]
        let index = waiting.firstIndex { $0.scene == scene }
        let isBuilt = isResting(scene) && builtSizes[scene] == rebuild.size
        let isRunning = run.map { !$0.isCancelled && $0.size == rebuild.size } ?? false
        if isBuilt || isRunning {
            if let index { waiting.remove(at: index) }
        } else if let index {
            waiting[index].rebuild = rebuild
        } else {
            waiting.append((scene, rebuild))
        }
    }

    private mutating func end(_ scene: SceneID, _ outcome: RebuildQueue.Outcome) {
        let run = runs.removeValue(forKey: scene)!
        if outcome == .returned, !run.isForgotten { (builtSizes[scene], failures[scene]) = (run.size, nil) }
        if outcome == .threw, !run.isForgotten, !run.isCancelled {
            failures[scene, default: 0] += 1
            let isLast = !isStopped && !hasNoDecisions && !waiting.contains { $0.scene == scene }
            if isLast { unanswered.insert(scene) }
        }
        let actions = queue.ended(scene, outcome)
        dropBuilt(scene)
        follow(actions)
    }

    private mutating func dropBuilt(_ scene: SceneID) {
        waiting.removeAll { $0.scene == scene && $0.rebuild.size == builtSizes[scene] }
    }

    /// Removes a scene. The queue receives the scene's earlier decisions first, as one thread
    /// sends both.
    private mutating func remove(_ scene: SceneID) {
        while decisions.contains(where: { $0.scene == scene }) { make(.receiveDecision) }
        removed.insert(scene)
        waiting.removeAll { $0.scene == scene }
        runs[scene]?.isForgotten = true
        (builtSizes[scene], engineSizes[scene], waitingPreviews[scene], failures[scene]) = (nil, nil, nil, nil)
        flights[scene] = nil
        unanswered.remove(scene)
        follow(queue.remove(scene))
        if retries[scene] != nil { fail("a retry stays armed for a scene that is gone") }
        checkPreviewEnds(scene)
    }

    private mutating func endDecisions() {
        while !decisions.isEmpty { make(.receiveDecision) }
        hasNoDecisions = true
        (waitingPreviews, unanswered) = ([:], [])
        let cancelled = runs.filter(\.value.isCancelled).count
        follow(queue.decisionsEnded())
        if !retries.isEmpty { fail("a retry stays armed without an engine") }
        if runs.filter(\.value.isCancelled).count != cancelled { fail("the engine's end cancels a build") }
        for scene in previewRuns.keys { checkPreviewEnds(scene) }
    }

    private mutating func follow(_ actions: [RebuildQueue.Action]) {
        for action in actions {
            switch action {
            case .build(let scene, let rebuild, let number): begin(scene, rebuild, number)
            case .cancel(let scene, let number):
                let run = runs[scene] ?? previewRuns[scene]
                if run?.number != number { fail("cancels what does not run") }
                if run?.isCancelled == true { fail("cancels twice") }
                runs[scene]?.isCancelled = true
                previewRuns[scene]?.isCancelled = true
            case .report(let scene, let size):
                if reports[scene] != nil || runs[scene] != nil { fail("a report for a scene that is busy") }
                if size != builtSizes[scene] { fail("a report of the wrong size") }
                reports[scene] = .built(size)
            case .reportEnd(let scene, let generation, _):
                if reports[scene] != nil || runs[scene] != nil { fail("a build's end is reported while one runs") }
                if !reportsEnds { fail("a build's end is reported to nobody") }
                if generation > self.generation { fail("the end of a rebuild that was not decided") }
                reports[scene] = .finished(generation: generation)
            case .reportGivenUp: fail("the end of a preview is reported to nobody")
            case .waitForBudget: fail("waits for a budget that there is not")
            case .preview(let scene, let size, let number): beginPreview(scene, size, number)
            case .retry(let scene, let delay, let number): arm(scene, delay, number)
            case .dropRetry(let number):
                guard let scene = retries.first(where: { $0.value == number })?.key else {
                    return fail("drops a retry that is not armed")
                }
                retries[scene] = nil
            case .flush(let scene):
                messages.append((scene, .flush))
                follow(queue.flushed())
            }
        }
    }

    private mutating func beginPreview(_ scene: SceneID, _ size: Size, _ number: UInt64) {
        if runs[scene] != nil { fail("a preview while a rebuild of its scene runs") }
        if reports[scene] != nil { fail("a preview while its scene is being reported") }
        if previewRuns[scene] != nil { fail("two previews of one scene") }
        if waiting.contains(where: { $0.scene == scene }) { fail("a preview before a rebuild that waits") }
        if waitingPreviews[scene] != size { fail("a preview of another size than the latest") }
        if isStopped || removed.contains(scene) { fail("a preview for what is gone") }
        waitingPreviews[scene] = nil
        previewRuns[scene] = Run(number: number, size: size)
    }

    private mutating func arm(_ scene: SceneID, _ delay: Duration, _ number: UInt64) {
        if runs[scene] != nil || reports[scene] != nil { fail("a retry is armed before its scene rests") }
        if !unanswered.contains(scene) { fail("a retry is armed without a failure") }
        if retries[scene] != nil { fail("two retries of one scene") }
        if retry.delay(afterFailures: failures[scene] ?? 0) != delay { fail("a retry after a wrong delay") }
        retries[scene] = number
    }

    private mutating func begin(_ scene: SceneID, _ rebuild: Rebuild, _ number: UInt64) {
        for (id, _) in waiting where isResting(id) { dropBuilt(id) }
        let free = waiting.first { isResting($0.scene) }
        if free?.scene != scene || free?.rebuild != rebuild {
            fail("starts another than the oldest, or not its latest")
        }
        if runs[scene] != nil { fail("two builds of one scene") }
        if previewRuns[scene] != nil { fail("a build while a preview of its scene runs") }
        if runs.count >= concurrency { fail("too many builds") }
        if builtSizes[scene] == rebuild.size { fail("builds what is built") }
        if isStopped || removed.contains(scene) { fail("builds for what is gone") }
        waiting.removeAll { $0.scene == scene }
        runs[scene] = Run(number: number, size: rebuild.size)
        started.append(scene)
    }
}

// MARK: Checks

extension RebuildWorld {
    private mutating func fail(_ text: String) { breach = breach ?? text }

    private func isResting(_ scene: SceneID) -> Bool {
        runs[scene] == nil && reports[scene] == nil && previewRuns[scene] == nil
    }

    private mutating func check() {
        let counts = queue.statistics
        if counts.decided
            != counts.started + counts.superseded + counts.skipped + counts.dropped + UInt64(counts.waiting)
        {
            fail("decided does not add up: \(counts)")
        }
        if counts.started != counts.finished + counts.cancelled + counts.failed + UInt64(counts.running) {
            fail("started does not add up: \(counts)")
        }
        if counts.running != runs.count { fail("\(runs.count) builds run: \(counts)") }
        if counts.waiting != waiting.count { fail("\(waiting.count) scenes wait: \(counts)") }
        let isStuck = runs.count + reports.count < concurrency
        if isStuck, waiting.contains(where: { isResting($0.scene) }) {
            fail("a scene waits although a build may start")
        }
        checkPreviews(counts.previews)
        checkRetries(counts)
    }

    private mutating func checkPreviewEnds(_ scene: SceneID) {
        if previewRuns[scene]?.isCancelled == false, !isStopped { fail("an outdated preview is not cancelled") }
    }

    private mutating func checkPreviews(_ counts: AssetRebuilder.Previews) {
        if counts.decided != counts.started + counts.dropped + UInt64(counts.waiting) {
            fail("previews do not add up: \(counts)")
        }
        if counts.running != previewRuns.count { fail("\(previewRuns.count) previews run: \(counts)") }
        if counts.waiting != waitingPreviews.count { fail("\(waitingPreviews.count) previews wait: \(counts)") }
        for scene in waitingPreviews.keys where isResting(scene) && !waiting.contains(where: { $0.scene == scene }) {
            fail("a preview waits for nothing")
        }
    }

    private mutating func checkRetries(_ counts: AssetRebuilder.Statistics) {
        if counts.retrying != retries.count { fail("\(retries.count) retries are armed: \(counts)") }
        for scene in unanswered where runs[scene] == nil && reports[scene] == nil {
            let isDue = retry.delay(afterFailures: failures[scene] ?? 0) != nil
            if isDue != (retries[scene] != nil) { fail("a failure has \(isDue ? "no" : "a needless") retry") }
        }
    }

    /// Finishes what has begun. Then the engine's sizes must be the built ones.
    mutating func finish(_ pick: ([Move]) -> Move) {
        let wasStopped = isStopped
        while case let moves = tidyMoves, !moves.isEmpty {
            make(pick(moves))
            if breach != nil { return }
        }
        if !queue.isIdle || queue.statistics.retrying > 0 { fail("not idle: \(queue.statistics)") }
        // A stopped queue drops decisions that it has not received, so the sizes may differ.
        if !wasStopped, engineSizes != builtSizes { fail("the engine has \(engineSizes), built is \(builtSizes)") }
        if !wasStopped, reportsEnds, !flights.isEmpty { fail("the engine waits for the end of \(flights)") }
    }
}

extension SceneID {
    static let s = SceneID(rawValue: 1)
    static let t = SceneID(rawValue: 2)
    static let u = SceneID(rawValue: 3)
}
