internal import Settle

// MARK: Steps

extension RebuildQueue {
    /// A newer decision cancels the running build, unless that builds this very size, or the decision is a live
    /// one: its scene changes on, so a build that is nearly done is worth more than one that begins.
    mutating func supersede(_ id: SceneID, _ run: RebuildScene.Run, by rebuild: Rebuild) -> [Action] {
        if !run.isCancelled, run.size == rebuild.size {
            if dequeue(id) != nil { counts.superseded += 1 }
            counts.skipped += 1
            return []
        }
        enqueue(id, rebuild)
        return rebuild.reason == .live ? [] : cancel(id)
    }

    /// Cancels what runs for a scene, once.
    mutating func cancel(_ id: SceneID) -> [Action] {
        guard let run = self[id].run, !run.isCancelled else { return [] }
        self[id].cancelRun()
        return [.cancel(id, run: run.number)]
    }

    mutating func dropRetry(_ id: SceneID) -> [Action] {
        guard let number = self[id].dropRetry() else { return [] }
        counts.retrying -= 1
        return [.dropRetry(number: number)]
    }

    /// The decision waits, and supersedes one that waited before it.
    mutating func enqueue(_ id: SceneID, _ rebuild: Rebuild) {
        let isLive = rebuild.reason == .live && liveBudget != nil
        if self[id].waiting == nil {
            self[id].index = queue.append(id)
            self[id].waitsForBudget = isLive
        } else {
            counts.superseded += 1
            self[id].waitsForBudget = self[id].waitsForBudget && isLive
        }
        self[id].waiting = rebuild
    }

    mutating func dequeue(_ id: SceneID) -> Rebuild? {
        guard let waiting = self[id].waiting, let index = self[id].index else { return nil }
        queue.remove(at: index)
        (self[id].waiting, self[id].index, self[id].waitsForBudget) = (nil, nil, false)
        return waiting
    }

    /// The time of a build or a preparation counts for the live budget.
    mutating func pay(for time: Duration) {
        if let liveBudget { paid = max(paid, now - time) + time * 100 / liveBudget }
    }

    /// A scene has begun to rest, or what it waits for has changed.
    mutating func update(_ id: SceneID) -> [Action] {
        if case .resting = self[id].phase { return rest(id) + startNext() }
        return startNext()
    }

    mutating func rest(_ id: SceneID) -> [Action] {
        if let waiting = self[id].waiting, waiting.size == self[id].built {
            _ = dequeue(id)
            counts.skipped += 1
        }
        guard let scene = scenes[id], scene.waiting == nil else { return [] }
        if reportsEnds, let end = scene.endToReport {
            reporting += 1
            self[id].beginReportOfEnd()
            return [.reportEnd(id, generation: end.generation, cost: end.cost)]
        }
        if scene.mustReport {
            reporting += 1
            self[id].beginReport()
            return [.report(id, scene.built)]
        }
        var actions = armRetry(id)
        if prepares, let preview = scene.preview, preview.size == scene.built {
            // Its size is not owed any more: the rebuild of another one has failed.
            dropPreview(id)
            if reportsPreviews { actions.append(.reportGivenUp(id, generation: preview.generation)) }
        }
        if scene.preview != nil { return prepares ? actions : actions + [beginPreview(id)] }
        if scene.decided == nil, scene.prepared == nil { scenes[id] = nil }
        return actions
    }

    /// Arms a retry if the last build failed. Its failure has been reported by then, so the flush
    /// comes after the report.
    mutating func armRetry(_ id: SceneID) -> [Action] {
        let scene = self[id]
        guard scene.needsRetry, !isStopped, !hasNoDecisions, let delay = retry.delay(afterFailures: scene.failures)
        else { return [] }
        retries += 1
        counts.retrying += 1
        self[id].armRetry(retries)
        return [.retry(id, after: delay, number: retries)]
    }

    /// Starts builds up to the concurrency. A waiting scene that still builds, reports or previews
    /// is passed over. There are hardly more that build or report than the concurrency, but any
    /// number may wait for the end of a cancelled preview or for the budget, and they keep their places meanwhile.
    mutating func startNext() -> [Action] {
        var actions: [Action] = []
        var next = queue.first
        var isHeldBack = false
        while hasPlace, let index = next {
            next = queue.index(after: index)
            let id = queue[index]
            guard self[id].isResting else { continue }
            if self[id].waitsForBudget, running > 0 || paid > now {
                isHeldBack = true
                continue
            }
            guard let rebuild = dequeue(id) else { continue }
            running += 1
            runs += 1
            counts.started += 1
            var run = RebuildScene.Run(number: runs, size: rebuild.size)
            if let prepared = self[id].prepared.take() {
                counts.previews.used += 1
                held -= 1
                (run.asset, run.preparedCost) = (prepared.asset, prepared.cost)
            }
            self[id].phase = .building(run)
            actions.append(.build(id, rebuild, run: runs))
        }
        if prepares { actions += hasPlace ? startPreparations() : giveWay(from: next) }
        // The end of a build that runs looks again.
        if isHeldBack, running == 0, wait == nil {
            waits += 1
            wait = (paid, waits)
            actions.append(.waitForBudget(paid - now, number: waits))
        }
        return actions
    }
}
