import TestSupport

@testable import Settle
@testable import SettleHandlers
@testable import SettleLoop

/// The checks of the invariants, by the moment at which they must hold.
extension Invariants {
    /// After each step: no wake-up is lost, and the next deadline has a timer.
    mutating func checkStep(of live: LiveEngine, loop: SimulatedLoop, producers: [SimulatedProducer]) {
        guard breach == nil else { return }
        if let breach = consumers.breach { return fail(breach) }
        for producer in producers where producer.isAsleep && producer.channel.isEmpty {
            fail("producer \(producer.number) waits although its ring is empty")
        }
        if loop.isRung { return }
        if !live.loop.input.isEmpty { fail("events wait and the loop sleeps") }
        if let deadline = oracle.nextDeadline {
            guard let timer = loop.timer else { return fail("a deadline at \(deadline) and no timer") }
            if timer > deadline { fail("the timer goes off at \(timer), the deadline is \(deadline)") }
        }
    }

    /// After each pass: exactly the contract's decisions up to its start.
    mutating func checkPass(of live: LiveEngine, startedAt start: UInt64) {
        passes += 1
        // A slow pass may apply events that were sent after its start.
        compare(with: min(live.loop.input.engine.now, Timestamp(nanoseconds: start)))
        if live.loop.input.isEmpty, live.loop.input.engine.now.nanoseconds < start {
            fail("the engine stands at \(live.loop.input.engine.now), although nothing waits at \(start)")
        }
        let statistics = live.loop.input.engine.statistics
        if Oracle.Counts(statistics) != oracle.counts { fail("counted \(statistics), the oracle \(oracle.counts)") }
        if statistics.decisions != delivered.count { fail("\(delivered.count) of \(statistics.decisions) delivered") }
        if !mayBeOutOfOrder, statistics.regressions > 0 { fail("an event was applied after a later one or a deadline") }
        for scene in oracle.sortedScenes {
            if live.isPending(scene) != oracle.isPending(scene) { fail("pending is wrong for \(scene)") }
            if live.isInteracting(scene) != oracle.isInteracting(scene) { fail("interacting is wrong for \(scene)") }
        }
    }

    /// After each pass: no preview runs on for a size that its scene does not have any more, unless a rebuild of it has
    /// been decided since.
    mutating func checkPreviews(of builds: SimulatedBuilds, in live: LiveEngine) {
        for preview in builds.previews where live.loop.input.engine.size(of: preview.scene) != preview.size {
            if oracle.isPreviewedLast(preview.scene, preview.size) {
                fail("a preview of \(preview.size) runs on, \(preview.scene) has another size")
            }
        }
    }

    /// When nothing more can happen: all sent events were applied or coalesced, no rebuild is
    /// pending, and the engine has the last state that each scene's producer sent.
    mutating func checkRest(of live: LiveEngine, _ producers: [SimulatedProducer]) {
        if let deadline = oracle.nextDeadline { fail("at rest there is a deadline at \(deadline)") }
        for scene in oracle.sortedScenes where scenes[scene]?.policy.interactionTimeout != nil {
            if live.isInteracting(scene) { fail("the watchdog leaves \(scene) in an interaction") }
        }
        for scene in oracle.sortedScenes where scenes[scene]?.policy.liveSharePercent != nil && oracle.isInFlight(scene)
        {
            fail("at rest the engine waits for the end of a build of \(scene)")
        }
        for scene in oracle.sortedScenes where scenario.hasPreviews && oracle.isPreviewInFlight(scene) {
            fail("at rest the engine waits for the end of a preview of \(scene)")
        }
        checkAllApplied(producers)
        intended.finish()
        if intended.sortedScenes != oracle.sortedScenes { fail("other scenes are connected than was sent") }
        for scene in oracle.sortedScenes where isComparable(scene, in: live) {
            if live.isInteracting(scene) != intended.isInteracting(scene) {
                fail("the engine and the producer of \(scene) disagree on whether it is being resized")
            }
        }
        for scene in oracle.sortedScenes where scenes[scene]?.isLocked != intended.lastLock(of: scene) {
            fail("the engine and the producer of \(scene) disagree on its lock")
        }
    }

    /// After all interactions have ended and all scenes were flushed: each scene's last size is
    /// built.
    mutating func checkEnd(_ builds: SimulatedBuilds, _ producers: [SimulatedProducer]) {
        checkAllApplied(producers)
        intended.finish()
        for scene in oracle.sortedScenes where builds.isKept(scene) {
            fail("something is kept for \(scene), of which nothing is owed")
        }
        for scene in oracle.sortedScenes where !(scenes[scene]?.wasCancelled ?? false) {
            let (wanted, built) = (intended.lastBuild(of: scene), builds.built[scene])
            if wanted != built {
                let (wanted, built) = (wanted?.description ?? "unknown", built?.description ?? "nothing")
                fail("the size of \(scene) is \(wanted), but \(built) is built")
            }
        }
    }

    mutating func checkStop(of live: LiveEngine, isDrained: Bool, _ producers: [SimulatedProducer]) {
        if isDrained {
            oracle.finish()
            compare(with: nil)
        } else {
            compare(with: Timestamp(nanoseconds: 0))
        }
        for producer in producers where producer.isAsleep {
            fail("producer \(producer.number) waits for an engine that has stopped")
        }
    }

    mutating func checkStatistics(_ counts: AssetRebuilder.Statistics, failuresReported: UInt64) {
        if counts.retried < retries { fail("\(retries) retries of \(counts.retried) were asked for") }
        if counts.retrying != 0 { fail("\(counts.retrying) retries are left") }
        let previews = counts.previews
        if previews.decided != previews.started + previews.dropped || previews.running + previews.waiting != 0 {
            fail("previews do not add up: \(previews)")
        }
        if failuresReported != counts.failed { fail("\(failuresReported) of \(counts.failed) failures were reported") }
        let ways = counts.started + counts.superseded + counts.skipped + counts.dropped
        if counts.decided != ways || counts.waiting != 0 { fail("decided does not add up: \(counts)") }
        if counts.started != counts.finished + counts.cancelled + counts.failed || counts.running != 0 {
            fail("started does not add up: \(counts)")
        }
    }

    /// - Parameter now: `nil` when all deadlines have fired.
    private mutating func compare(with now: Timestamp?) {
        if let now, now >= oracle.now { oracle.advance(to: now) }
        let (wanted, count) = (oracle.decisions, delivered.count)
        while compared < min(count, wanted.count), delivered[compared] == wanted[compared] { compared += 1 }
        if compared < max(count, wanted.count) {
            let got = compared < count ? "\(delivered[compared])" : "nothing"
            let due = compared < wanted.count ? "\(wanted[compared])" : "nothing"
            fail("decision \(compared) is \(got), by the contract \(due)")
        }
    }

    private mutating func checkAllApplied(_ producers: [SimulatedProducer]) {
        for producer in producers {
            let (sent, applied, merged) = (producer.sent.count, applied[producer.number], producer.channel.coalesced)
            if sent != applied + Int(merged) {
                fail("producer \(producer.number) sent \(sent), \(applied) were applied and \(merged) coalesced")
            }
        }
    }

    /// Whether only the producer's flag begins and ends the scene's interactions. While the scene
    /// does not report, a button may, and whether it does depends on what is built by then.
    private func isComparable(_ scene: SceneID, in live: LiveEngine) -> Bool {
        scenario.flagPercent == 100 && scenes[scene]?.policy.interactionTimeout == nil
            && live.loop.input.engine.reportsResizing(scene)
    }
}

extension Oracle {
    fileprivate var sortedScenes: [SceneID] { connectedScenes.sorted { $0.rawValue < $1.rawValue } }

    fileprivate func lastLock(of scene: SceneID) -> Bool {
        for decision in decisions.reversed() where decision.scene == scene {
            if case .lockChanged(let isLocked) = decision.kind { return isLocked }
        }
        return false
    }

    /// Whether a size was previewed since its last rebuild.
    fileprivate func isPreviewedLast(_ scene: SceneID, _ size: Size) -> Bool {
        for decision in decisions.reversed() where decision.scene == scene {
            switch decision.kind {
            case .rebuild(let rebuild) where rebuild.size == size: return false
            case .preview(size, _): return true
            default: break
            }
        }
        return false
    }

    fileprivate func lastBuild(of scene: SceneID) -> Size? {
        for decision in decisions.reversed() where decision.scene == scene {
            if case .rebuild(let rebuild) = decision.kind { return rebuild.size }
        }
        return nil
    }
}
