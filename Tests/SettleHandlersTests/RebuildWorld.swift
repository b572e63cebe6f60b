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
        case endPreview(SceneID, RebuildQueue.Outcome)
        /// The queue is shown a scene's size, and whether a rebuild of it is owed.
        case follow(SceneID, Size?, isOwed: Bool)
        /// Memory is short.
        case dropPrepared
        /// The time of a scene's retry has passed.
        case retryDue(SceneID)
        case remove(SceneID)
        /// The engine stops, after the queue has received its decisions.
        case endDecisions
        case stop
    }

    struct Run {
        var number: UInt64
        var size: Size
        /// How long it took to prepare what it shows.
        var preparedCost = Duration.zero
        var isCancelled = false
        var isForgotten = false
    }

    /// What the engine sends to the queue.
    enum Item {
        case rebuild(Rebuild)
        case preview(Size)
        case interactionEnded
    }

    /// What the queue sends to the engine.
    enum Message {
        case finished(generation: UInt32)
        case previewed
        case built(Size?)
        case flush
    }

    let concurrency: Int
    let retry: AssetRebuilder.Retry
    let hasPreviews: Bool
    let reportsEnds: Bool
    /// Previews prepare what a rebuild shows.
    let prepares: Bool
    var queue: RebuildQueue
    var breach: String?
    private(set) var started: [SceneID] = []
    /// The built size of each scene, as the engine knows it.
    var engineSizes: [SceneID: Size] = [:]
    /// The size of each scene, as the engine knows it.
    var wantedSizes: [SceneID: Size] = [:]
    var decisions: [(scene: SceneID, item: Item)] = []
    var messages: [(scene: SceneID, message: Message)] = []
    /// The built size of each scene, by the builds' own results.
    var builtSizes: [SceneID: Size] = [:]
    var runs: [SceneID: Run] = [:]
    var reports: [SceneID: Message] = [:]
    /// The rebuilds whose end the engine does not know.
    var flights: [SceneID: UInt32] = [:]
    /// The scenes whose decisions wait, oldest first.
    var waiting: [(scene: SceneID, rebuild: Rebuild)] = []
    var previewRuns: [SceneID: Run] = [:]
    var waitingPreviews: [SceneID: Size] = [:]
    /// What is kept of each scene, and what became of all that was made: an asset is its number.
    /// Whether the preview that is ending was cancelled.
    var lastPreviewCancelled = false
    /// What builds were given to show and have not taken.
    var takers: [SceneID: Int] = [:]
    var kept: [SceneID: (size: Size, asset: Int)] = [:]
    var (assets, used, discarded): (Int, Set<Int>, Set<Int>) = (0, [], [])
    /// Failures in a row, the scenes whose failure nothing has answered, and the armed retries.
    var failures: [SceneID: Int] = [:]
    var unanswered: Set<SceneID> = []
    var retries: [SceneID: UInt64] = [:]
    var removed: Set<SceneID> = []
    var generation: UInt32 = 0
    var isStopped = false
    var hasNoDecisions = false
    var tally = Tally()

    init(
        concurrency: Int, retry: AssetRebuilder.Retry = .never, hasPreviews: Bool = false, reportsEnds: Bool = false,
        prepares: Bool = false
    ) {
        self.concurrency = concurrency
        self.retry = retry
        self.hasPreviews = hasPreviews || prepares
        self.prepares = prepares
        self.reportsEnds = reportsEnds
        queue = RebuildQueue(
            concurrency: concurrency, retry: retry, reportsEnds: reportsEnds, reportsPreviews: prepares,
            prepares: prepares)
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
        case .endPreview(let scene, let outcome): endPreview(scene, outcome)
        case .follow(let scene, let size, let isOwed):
            // The engine is ahead of the queue as long as a decision is under way.
            if decisions.contains(where: { $0.scene == scene }) { return }
            followSize(scene, size, isOwed)
        case .dropPrepared:
            for scene in kept.keys where !isClaimed(scene, kept[scene]!.size) { kept[scene] = nil }
            waitingPreviews = [:]
            follow(queue.dropPrepared())
            for scene in previewRuns.keys { checkPreviewEnds(scene) }
        case .retryDue(let scene):
            unanswered.remove(scene)
            tally.counts.retried += 1
            follow(queue.retryDue(scene, number: retries.removeValue(forKey: scene)!))
        case .remove(let scene): remove(scene)
        case .endDecisions: endDecisions()
        case .stop:
            isStopped = true
            tally.counts.dropped += UInt64(waiting.count)
            waiting = []
            (waitingPreviews, unanswered, kept) = ([:], [], [:])
            follow(queue.stop())
        }
        check()
    }

    mutating func decide(_ scene: SceneID, _ size: Size, _ reason: Rebuild.Reason) {
        generation += 1
        let rebuild = Rebuild(size: size, previousSize: engineSizes[scene], reason: reason, generation: generation)
        (engineSizes[scene], wantedSizes[scene], flights[scene]) = (size, size, generation)
        decisions.append((scene, .rebuild(rebuild)))
    }

    /// The engine decides at a flush if the size is not built, as outside an interaction, and
    /// nothing once it has stopped.
    mutating func receive(_ message: Message, _ scene: SceneID) {
        switch message {
        case .finished(let generation): if flights[scene] == generation { flights[scene] = nil }
        case .previewed: break
        case .built(let size): (engineSizes[scene], flights[scene]) = (size, nil)
        case .flush:
            if hasNoDecisions { return }
            if let size = wantedSizes[scene], size != engineSizes[scene] { decide(scene, size, .flush) }
        }
    }

    mutating func receive(_ item: Item, _ scene: SceneID) {
        switch item {
        case .rebuild(let rebuild):
            note(scene, rebuild)
            unanswered.remove(scene)
            waitingPreviews[scene] = nil
            if kept[scene]?.size != rebuild.size { kept[scene] = nil }
            let run = runs[scene]
            follow(queue.submit(scene, rebuild))
            if rebuild.reason == .live, let run, !run.isCancelled, runs[scene]?.isCancelled == true {
                fail("a live decision cancels a build")
            }
            if retries[scene] != nil { fail("a retry stays armed after a newer decision") }
            checkPreviewEnds(scene)
        case .preview(let size):
            tally.counts.previews.decided += 1
            let run = previewRuns[scene]
            let isRunning = run.map { !$0.isCancelled && $0.size == size } ?? false
            if !isRunning, !isStopped {
                waitingPreviews[scene] = size
                if let old = kept[scene], old.size != size, !isClaimed(scene, old.size) { kept[scene] = nil }
            }
            follow(queue.preview(scene, size))
            if let run, !isRunning, previewRuns[scene]?.number == run.number { checkPreviewEnds(scene) }
        case .interactionEnded:
            if !prepares { waitingPreviews[scene] = nil }
            follow(queue.interactionEnded(scene))
            if !prepares { checkPreviewEnds(scene) }
        }
    }

    mutating func note(_ scene: SceneID, _ rebuild: Rebuild) {
        tally.counts.decided += 1
        guard !isStopped else {
            tally.counts.dropped += 1
            return
        }
        let run = runs[scene]
        let index = waiting.firstIndex { $0.scene == scene }
        let isBuilt = isResting(scene) && builtSizes[scene] == rebuild.size
        let isRunning = run.map { !$0.isCancelled && $0.size == rebuild.size } ?? false
        if isBuilt { kept[scene] = nil }
        if isBuilt || isRunning { tally.counts.skipped += 1 }
        if index != nil { tally.counts.superseded += 1 }
        if isBuilt || isRunning {
            if let index { waiting.remove(at: index) }
        } else if let index {
            waiting[index].rebuild = rebuild
        } else {
            waiting.append((scene, rebuild))
        }
    }

    mutating func end(_ scene: SceneID, _ outcome: RebuildQueue.Outcome) {
        // One that was cancelled early has not taken what was prepared.
        if !runs[scene]!.isCancelled || outcome == .returned { take(scene) }
        takers[scene] = nil
        let run = runs.removeValue(forKey: scene)!
        noteEnd(of: run, scene, outcome)
        if outcome == .returned, !run.isForgotten { (builtSizes[scene], failures[scene]) = (run.size, nil) }
        if outcome == .threw, !run.isForgotten, !run.isCancelled {
            failures[scene, default: 0] += 1
            let isLast = !isStopped && !hasNoDecisions && !waiting.contains { $0.scene == scene }
            if isLast { unanswered.insert(scene) }
        }
        let actions = queue.ended(scene, outcome, after: run.time)
        dropBuilt(scene)
        follow(actions)
    }

    mutating func dropBuilt(_ scene: SceneID) {
        let count = waiting.count
        waiting.removeAll { $0.scene == scene && $0.rebuild.size == builtSizes[scene] }
        if waiting.count < count { (kept[scene], tally.counts.skipped) = (nil, tally.counts.skipped + 1) }
    }

    /// Removes a scene. The queue receives the scene's earlier decisions first, as one thread
    /// sends both.
    mutating func remove(_ scene: SceneID) {
        while decisions.contains(where: { $0.scene == scene }) { make(.receiveDecision) }
        removed.insert(scene)
        tally.counts.dropped += UInt64(waiting.count { $0.scene == scene })
        tally.costs[scene] = nil
        waiting.removeAll { $0.scene == scene }
        runs[scene]?.isForgotten = true
        (builtSizes[scene], engineSizes[scene], waitingPreviews[scene], failures[scene]) = (nil, nil, nil, nil)
        (flights[scene], kept[scene]) = (nil, nil)
        previewRuns[scene]?.isForgotten = true
        unanswered.remove(scene)
        follow(queue.remove(scene))
        if retries[scene] != nil { fail("a retry stays armed for a scene that is gone") }
        checkPreviewEnds(scene)
    }

    mutating func endDecisions() {
        while !decisions.isEmpty { make(.receiveDecision) }
        hasNoDecisions = true
        (waitingPreviews, unanswered) = ([:], [])
        kept = kept.filter { isClaimed($0.key, $0.value.size) }
        let cancelled = runs.filter(\.value.isCancelled).count
        follow(queue.decisionsEnded())
        if !retries.isEmpty { fail("a retry stays armed without an engine") }
        if runs.filter(\.value.isCancelled).count != cancelled { fail("the engine's end cancels a build") }
        for scene in previewRuns.keys { checkPreviewEnds(scene) }
    }

    mutating func follow(_ actions: [RebuildQueue.Action]) {
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
            case .reportEnd(let scene, let generation, let cost):
                if cost != tally.costs[scene] ?? .zero { fail("reports \(cost) for \(tally.costs)") }
                if reports[scene] != nil || runs[scene] != nil { fail("a build's end is reported while one runs") }
                if !reportsEnds { fail("a build's end is reported to nobody") }
                if generation > self.generation { fail("the end of a rebuild that was not decided") }
                reports[scene] = .finished(generation: generation)
            case .reportGivenUp(let scene, _):
                if !prepares { fail("the end of a preview is reported to nobody") }
                if let size = waitingPreviews.removeValue(forKey: scene), size != builtSizes[scene] {
                    fail("reports a preview as given up that can begin")
                }
            case .reportPreview(let scene, _, let cost, let isKept):
                if !isResting(scene) { fail("a preview's end is reported for a scene that is busy") }
                if !prepares { fail("the end of a preview is reported to nobody") }
                if cost != .zero, cost != tally.lastPreview { fail("reports \(cost) for a preview") }
                if isKept == lastPreviewCancelled { fail("reports as kept what was given up, or the other way") }
                // It was kept already, so it waits no more.
                if cost == .zero, isKept { waitingPreviews[scene] = nil }
                reports[scene] = .previewed
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

    mutating func beginPreview(_ scene: SceneID, _ size: Size, _ number: UInt64) {
        if !isResting(scene) { fail("a preview of a scene that is busy") }
        if waiting.contains(where: { $0.scene == scene }) { fail("a preview before a rebuild that waits") }
        if prepares, places >= concurrency { fail("too many preparations") }
        if let kept = kept[scene], kept.size == size { fail("prepares what is kept") }
        if waitingPreviews[scene] != size { fail("a preview of another size than the latest") }
        if isStopped || removed.contains(scene) { fail("a preview for what is gone") }
        waitingPreviews[scene] = nil
        previewRuns[scene] = Run(number: number, size: size)
        tally.counts.previews.started += 1
    }

    mutating func begin(_ scene: SceneID, _ rebuild: Rebuild, _ number: UInt64) {
        for (id, _) in waiting where isResting(id) { dropBuilt(id) }
        let free = waiting.first { isResting($0.scene) }
        if free?.scene != scene || free?.rebuild != rebuild {
            fail("starts another than the oldest, or not its latest")
        }
        if !isResting(scene) { fail("a build of a scene that is busy") }
        if places >= concurrency { fail("too many builds") }
        if builtSizes[scene] == rebuild.size { fail("builds what is built") }
        if isStopped || removed.contains(scene) { fail("builds for what is gone") }
        waiting.removeAll { $0.scene == scene }
        let made = kept.removeValue(forKey: scene)
        runs[scene] = Run(
            number: number, size: rebuild.size, preparedCost: made.map { cost(ofAsset: $0.asset) } ?? .zero)
        started.append(scene)
        noteBegin(isPrepared: made != nil)
        if made.map({ $0.size != rebuild.size }) ?? false { fail("keeps what is of another size") }
        // A task that is cancelled early takes nothing.
        takers[scene] = made?.asset
    }

    mutating func endPreview(_ scene: SceneID, _ outcome: RebuildQueue.Outcome) {
        let run = previewRuns.removeValue(forKey: scene)!
        lastPreviewCancelled = run.isCancelled
        defer { lastPreviewCancelled = false }
        assets += 1
        notePreviewEnd(of: run, scene, outcome)
        if prepares, outcome == .returned, !run.isCancelled { kept[scene] = (run.size, assets) }
        let asset = prepares && outcome == .returned ? assets : nil
        if asset == nil { discarded.insert(assets) }
        let actions = queue.previewEnded(
            scene, outcome, after: tally.lastPreview, asset: asset, problem: "no \(assets)")
        dropBuilt(scene)
        follow(actions)
    }

    mutating func followSize(_ scene: SceneID, _ size: Size?, _ isOwed: Bool) {
        if let old = kept[scene], !isOwed, !isClaimed(scene, old.size) { kept[scene] = nil }
        if waitingPreviews[scene] != size || !isOwed { waitingPreviews[scene] = nil }
        follow(queue.follow(scene, size: size, isOwed: isOwed))
        if let run = previewRuns[scene], run.size != size || !isOwed { checkPreviewEnds(scene) }
    }
}
