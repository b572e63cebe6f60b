import Settle

@testable import SettleHandlers

// MARK: Moves

extension RebuildWorld {
    func moves(scenes: [SceneID], sizes: [Size], allowing rare: Bool) -> [Move] {
        var moves: [Move] = []
        for scene in scenes where !removed.contains(scene) && !isStopped && !hasNoDecisions {
            let others = sizes.filter { $0 != engineSizes[scene] }
            moves += others.map { .decide(scene, $0) }
            if reportsEnds, engineSizes[scene] != nil, flights[scene] == nil {
                moves += others.map { .decideLive(scene, $0) }
            }
            if rare { moves.append(.remove(scene)) }
            guard hasPreviews else { continue }
            moves += sizes.map { .preview(scene, $0) } + [.endInteraction(scene)]
            if prepares, previewRuns[scene] != nil || kept[scene] != nil || waitingPreviews[scene] != nil {
                moves += sizes.map { .follow(scene, $0, isOwed: true) } + [.follow(scene, sizes[0], isOwed: false)]
            }
        }
        moves += tidyMoves
        if rare, !hasNoDecisions { moves.append(.endDecisions) }
        if rare, !isStopped { moves.append(.stop) }
        if rare, prepares { moves.append(.dropPrepared) }
        return moves
    }

    /// The moves that finish what has begun.
    var tidyMoves: [Move] {
        var moves: [Move] = []
        func add(_ scenes: some Sequence<SceneID>, _ made: (SceneID) -> [Move]) {
            moves += scenes.sorted { $0.rawValue < $1.rawValue }.flatMap(made)
        }
        if !decisions.isEmpty { moves.append(.receiveDecision) }
        if !messages.isEmpty { moves.append(.receiveReport) }
        add(runs.keys) { scene in RebuildQueue.Outcome.allCases.map { .end(scene, $0) } }
        let outcomes = prepares ? RebuildQueue.Outcome.allCases : [.returned]
        add(previewRuns.keys) { scene in outcomes.map { .endPreview(scene, $0) } }
        add(reports.keys) { [.sendReport($0)] }
        add(retries.keys) { [.retryDue($0)] }
        return moves
    }
}

// MARK: Checks

extension RebuildWorld {
    mutating func fail(_ text: String) { breach = breach ?? text }

    func isResting(_ scene: SceneID) -> Bool {
        runs[scene] == nil && reports[scene] == nil && previewRuns[scene] == nil
    }

    /// A rebuild that waits will show what is made for this size.
    func isClaimed(_ scene: SceneID, _ size: Size) -> Bool {
        waiting.contains { $0.scene == scene && $0.rebuild.size == size }
    }

    /// How many places of the concurrency are taken.
    var places: Int { runs.count + reports.count + (prepares ? previewRuns.count : 0) }

    mutating func check() {
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
        let starved = waiting.count { isResting($0.scene) }
        if starved > 0, places < concurrency { fail("a scene waits although a build may start") }
        if prepares, starved > 0 {
            let ending = reports.count + previewRuns.values.count(where: \.isCancelled)
            let isSpare = previewRuns.contains { id, run in
                !run.isCancelled && !waiting.contains { $0.scene == id }
            }
            if ending < starved, isSpare { fail("a preparation does not give way to a rebuild") }
        }
        for asset in queue.drainDiscarded() {
            guard let asset = asset as? Int else { return fail("discards what nobody made") }
            if !discarded.insert(asset).inserted || used.contains(asset) { fail("discards what is gone") }
        }
        checkPreviews(counts.previews)
        checkRetries(counts)
        checkTally(counts)
    }

    mutating func arm(_ scene: SceneID, _ delay: Duration, _ number: UInt64) {
        if runs[scene] != nil || reports[scene] != nil { fail("a retry is armed before its scene rests") }
        if !unanswered.contains(scene) { fail("a retry is armed without a failure") }
        if retries[scene] != nil { fail("two retries of one scene") }
        if retry.delay(afterFailures: failures[scene] ?? 0) != delay { fail("a retry after a wrong delay") }
        retries[scene] = number
    }

    /// The task of a build takes what was prepared for it.
    mutating func take(_ scene: SceneID) {
        if queue.takePrepared(scene, run: runs[scene]!.number + 1) != nil { fail("gives it to another run") }
        let given = queue.takePrepared(scene, run: runs[scene]!.number) as? Int
        if given != takers.removeValue(forKey: scene) { fail("shows something else than what was prepared") }
        if let given, !used.insert(given).inserted { fail("shows twice") }
        if queue.takePrepared(scene, run: runs[scene]!.number) != nil { fail("gives twice") }
    }

    mutating func checkPreviewEnds(_ scene: SceneID) {
        guard let run = previewRuns[scene], !run.isCancelled, !isStopped else { return }
        if !prepares || !isClaimed(scene, run.size) { fail("an outdated preview is not cancelled") }
    }

    mutating func checkPreviews(_ counts: AssetRebuilder.Previews) {
        if counts.decided != counts.started + counts.dropped + UInt64(counts.waiting) {
            fail("previews do not add up: \(counts)")
        }
        if counts.running != previewRuns.count { fail("\(previewRuns.count) previews run: \(counts)") }
        if counts.waiting != waitingPreviews.count { fail("\(waitingPreviews.count) previews wait: \(counts)") }
        if counts.started != counts.kept + counts.givenUp + counts.failed + UInt64(counts.running) {
            fail("previews' ends do not add up: \(counts)")
        }
        if counts.held != kept.count { fail("\(kept.count) are kept: \(counts)") }
        guard !prepares || places < concurrency else { return }
        for scene in waitingPreviews.keys where isResting(scene) && !waiting.contains(where: { $0.scene == scene }) {
            fail("a preview waits for nothing")
        }
    }

    mutating func checkRetries(_ counts: AssetRebuilder.Statistics) {
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
        if prepares, used.count + discarded.count + kept.count != assets {
            fail("of \(assets) assets \(used.count) were shown, \(discarded.count) discarded, \(kept.count) kept")
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
