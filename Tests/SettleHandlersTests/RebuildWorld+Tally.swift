import Settle

@testable import SettleHandlers

extension RebuildWorld {
    /// What the queue has to count, and the costs that it has to report. Each build and each preview takes another time.
    struct Tally {
        /// But for what runs, waits and is held now.
        var counts = AssetRebuilder.Statistics()
        /// What each scene's last build took that was not cancelled, with what was prepared for it.
        var costs: [SceneID: Duration] = [:]
        /// What the preview took that is ending, or that ended last.
        var lastPreview = Duration.zero
    }

    func cost(ofAsset asset: Int) -> Duration { .microseconds(asset) }

    mutating func noteBegin(isPrepared: Bool) {
        tally.counts.started += 1
        if isPrepared { tally.counts.previews.used += 1 }
    }

    /// Notes a build's end, and reports an error to the queue first, as the rebuilder does.
    mutating func noteEnd(of run: Run, _ scene: SceneID, _ outcome: RebuildQueue.Outcome) {
        tally.counts.timeSpent += run.time
        let isFailure = outcome == .threw && !run.isCancelled
        if outcome == .threw {
            if queue.failed(scene, run: run.number + 1, "another") { fail("another build fails") }
            let isNoted = queue.failed(scene, run: run.number, "no \(run.number)")
            if isNoted != isFailure { fail("a cancelled build fails, or a failed one does not") }
        }
        if isFailure {
            tally.counts.failed += 1
            tally.counts.lastFailure = "scene \(scene.rawValue) at \(run.size): no \(run.number)"
        } else if outcome == .threw {
            tally.counts.cancelled += 1
        } else {
            tally.counts.finished += 1
        }
        if !run.isForgotten, isFailure || outcome == .returned { tally.costs[scene] = run.time + run.preparedCost }
    }

    /// Notes the end of the preview that made the last asset.
    mutating func notePreviewEnd(of run: Run, _ scene: SceneID, _ outcome: RebuildQueue.Outcome) {
        tally.lastPreview = cost(ofAsset: assets)
        if prepares { tally.counts.timeSpent += tally.lastPreview }
        if run.isCancelled {
            tally.counts.previews.givenUp += 1
        } else if outcome == .returned {
            tally.counts.previews.kept += 1
        } else {
            tally.counts.previews.failed += 1
            tally.counts.lastFailure = "scene \(scene.rawValue) at \(run.size), prepared: no \(assets)"
        }
    }

    mutating func checkTally(_ counts: AssetRebuilder.Statistics) {
        var expected = tally.counts
        (expected.running, expected.waiting, expected.retrying) = (runs.count, waiting.count, retries.count)
        let previews = expected.previews
        expected.previews.running = previewRuns.count
        expected.previews.waiting = waitingPreviews.count
        expected.previews.held = kept.count
        expected.previews.dropped = previews.decided - previews.started - UInt64(waitingPreviews.count)
        if counts != expected { fail("counts \(counts) rather than \(expected)") }
    }
}

extension RebuildWorld.Run {
    /// How long it takes.
    var time: Duration { .nanoseconds(number) }
}
