internal import Settle

// MARK: Previews

extension RebuildQueue {
    /// A preview runs as soon as nothing else of its scene runs, waits or is being reported, and a preparation also
    /// has a place.
    mutating func preview(_ id: SceneID, _ size: Size, generation: UInt32 = 0) -> [Action] {
        counts.previews.decided += 1
        if case .previewing(let run) = scenes[id]?.phase, !run.isCancelled, run.size == size {
            counts.previews.dropped += 1
            self[id].renumberRun(generation)
            return []
        }
        guard !isStopped else {
            counts.previews.dropped += 1
            return []
        }
        if scenes[id] == nil { scenes[id] = RebuildScene() }
        if !self[id].isFollowed {
            self[id].isFollowed = true
            followed.append(id)
        }
        dropPreview(id)
        if let prepared = self[id].prepared, prepared.size != size, !self[id].claims(prepared.size) {
            discardPrepared(id)
        }
        self[id].preview = (size, generation)
        counts.previews.waiting += 1
        if prepares { self[id].previewIndex = previewQueue.append(id) }
        switch self[id].phase {
        case .resting: return update(id)
        case .previewing(let run): return prepares && self[id].claims(run.size) ? [] : cancel(id)
        case .building, .reporting: return []
        }
    }

    /// The interaction of a scene ended. The last size that it decided, which waits, is the one to stay: it waits for no
    /// budget. What a preview shows is of no more use; what it prepares is what may be rebuilt now.
    mutating func interactionEnded(_ id: SceneID) -> [Action] {
        guard let scene = scenes[id] else { return [] }
        self[id].waitsForBudget = false
        let actions = prepares ? [] : giveUp(id)
        return scene.waitsForBudget ? actions + startNext() : actions
    }

    /// The scenes for which `follow` may have something to do.
    mutating func scenesToFollow() -> [SceneID] {
        // In place: this is asked after each pass of a live engine.
        for index in followed.indices.reversed() where !(scenes[followed[index]]?.hasPreview ?? false) {
            scenes[followed[index]]?.isFollowed = false
            followed.swapAt(index, followed.count - 1)
            followed.removeLast()
        }
        return followed
    }

    /// A scene has this size now. `isOwed`: it is interacting, or a rebuild is pending. Cancels the preview of another
    /// size, and what is kept for a rebuild that does not come. A size that comes back finds what is kept for it.
    mutating func follow(_ id: SceneID, size: Size?, isOwed: Bool) -> [Action] {
        guard let scene = scenes[id] else { return [] }
        if !isOwed, let prepared = scene.prepared, !scene.claims(prepared.size) { discardPrepared(id) }
        guard let size, isOwed else { return giveUp(id) }
        return giveUp(id, but: size)
    }

    /// Cancels a scene's preview, unless it is that of a size, or a rebuild that waits takes it over.
    private mutating func giveUp(_ id: SceneID, but size: Size? = nil) -> [Action] {
        var actions: [Action] = []
        if let preview = self[id].preview, preview.size != size {
            dropPreview(id)
            if reportsPreviews { actions.append(.reportGivenUp(id, generation: preview.generation)) }
        }
        if case .previewing(let run) = self[id].phase, run.size != size, !self[id].claims(run.size) {
            actions += cancel(id)
        }
        return actions
    }

    /// Lets go of what is kept, and cancels what is being prepared, where no rebuild waits for it.
    mutating func dropPrepared() -> [Action] {
        guard prepares else { return [] }
        return scenesToFollow().flatMap { id in
            if let prepared = self[id].prepared, !self[id].claims(prepared.size) { discardPrepared(id) }
            return giveUp(id)
        }
    }

    /// The preview of a `.preview` ended after `time`, with what it prepared.
    mutating func previewEnded(
        _ id: SceneID, _ outcome: Outcome = .returned, after time: Duration = .zero, asset: (any Sendable)? = nil,
        problem: String = ""
    ) -> [Action] {
        guard case .previewing(let run) = scenes[id]?.phase else {
            preconditionFailure("nothing is previewed for \(id)")
        }
        counts.previews.running -= 1
        let isKept = outcome == .returned && !run.isCancelled
        if isKept {
            counts.previews.kept += 1
        } else if run.isCancelled {
            counts.previews.givenUp += 1
        } else {
            counts.previews.failed += 1
            counts.lastFailure = "scene \(id.rawValue) at \(run.size), prepared: \(problem)"
        }
        if prepares {
            preparing.removeAll { $0 == id }
            counts.timeSpent += time
            pay(for: time)
            if isKept, let asset {
                self[id].prepared = RebuildScene.Prepared(size: run.size, cost: time, asset: asset)
                held += 1
            } else {
                discard(asset)
            }
        }
        // A rebuild that waits has ended the preview's flight.
        if reportsPreviews, !run.isForgotten, self[id].waiting == nil {
            // One that failed is over as well: the rebuild makes it anew, and no other preview of its size.
            return [report(id, run.generation, cost: time, isKept: !run.isCancelled)]
        }
        self[id].phase = .resting
        return update(id)
    }

    /// What the task of a build was given to show, at most once.
    mutating func takePrepared(_ id: SceneID, run number: UInt64) -> (any Sendable)? {
        guard case .building(let run) = scenes[id]?.phase, run.number == number else { return nil }
        return self[id].takeAsset()
    }

    /// What nobody needs any more.
    mutating func drainDiscarded() -> [any Sendable] {
        if discarded.isEmpty { return [] }
        defer { discarded = [] }
        return discarded
    }
}

// MARK: Steps

extension RebuildQueue {
    mutating func beginPreview(_ id: SceneID) -> Action {
        let (size, generation) = takePreview(id)!
        runs += 1
        counts.previews.running += 1
        counts.previews.started += 1
        if prepares { preparing.append(id) }
        self[id].phase = .previewing(RebuildScene.Run(number: runs, size: size, generation: generation))
        return .preview(id, size, run: runs)
    }

    /// Begins the preparations that wait, oldest first, while there are places.
    mutating func startPreparations() -> [Action] {
        var actions: [Action] = []
        var next = previewQueue.first
        while hasPlace, let index = next {
            next = previewQueue.index(after: index)
            let id = previewQueue[index]
            guard self[id].isResting, self[id].waiting == nil, let preview = self[id].preview else { continue }
            if self[id].prepared?.size == preview.size {
                // Made already, and kept since.
                dropPreview(id)
                if reportsPreviews { actions.append(report(id, preview.generation, cost: .zero, isKept: true)) }
            } else {
                actions.append(beginPreview(id))
            }
        }
        return actions
    }

    /// Cancels as many preparations as there are rebuilds without a place, from this one in the queue on.
    mutating func giveWay(from first: LinkedQueue<SceneID>.Index?) -> [Action] {
        if preparing.isEmpty { return [] }
        var actions: [Action] = []
        // Reports soon end as well.
        var (next, ending) = (first, reporting + preparing.count { self[$0].run?.isCancelled == true })
        while let index = next {
            next = queue.index(after: index)
            guard self[queue[index]].isResting, !self[queue[index]].waitsForBudget else { continue }
            if ending > 0 {
                ending -= 1
                continue
            }
            guard let id = preparing.first(where: { self[$0].run?.isCancelled == false && self[$0].waiting == nil })
            else { break }
            actions += cancel(id)
        }
        return actions
    }

    /// The scene is busy until the report has arrived.
    private mutating func report(_ id: SceneID, _ generation: UInt32, cost: Duration, isKept: Bool) -> Action {
        self[id].phase = .reporting
        reporting += 1
        return .reportPreview(id, generation: generation, cost: cost, isKept: isKept)
    }

    /// The preview that waits, which waits no more.
    private mutating func takePreview(_ id: SceneID) -> (size: Size, generation: UInt32)? {
        guard let preview = self[id].preview.take() else { return nil }
        if let index = self[id].previewIndex.take() { previewQueue.remove(at: index) }
        counts.previews.waiting -= 1
        return preview
    }

    mutating func dropPreview(_ id: SceneID) {
        if takePreview(id) != nil { counts.previews.dropped += 1 }
    }

    mutating func discardPrepared(_ id: SceneID) {
        guard let prepared = self[id].prepared.take() else { return }
        held -= 1
        discard(prepared.asset)
    }

    /// Keeps it until the lock is released: its end may be long, or call the rebuilder.
    mutating func discard(_ asset: (any Sendable)?) {
        if let asset { discarded.append(asset) }
    }
}
