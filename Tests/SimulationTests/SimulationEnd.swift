import Settle
import TestSupport

@testable import SettleLoop

/// The end of a world.
extension Simulation {
    /// Lets everything finish without failures. Then no rebuild may be pending.
    func finish() {
        isEnding = true
        failPercent = 0
        guard quiesce() else { return invariants.fail("the world does not come to rest") }
        invariants.checkRest(of: live, producers)
        if breach != nil { return }
        // Release all buttons, end all interactions and flush all scenes.
        let at = Timestamp(nanoseconds: loop.time)
        for index in producers.indices {
            for button in 0..<2 { post(.pointer(button: UInt32(10 * index + button), at: at, isPressed: false)) }
            for scene in producers[index].scenes {
                post(.geometry(scene, at: at, isInteractivelyResizing: false))
                post(.flush(scene, at: at))
            }
        }
        guard quiesce() else { return invariants.fail("the world does not come to rest again") }
        invariants.checkEnd(builds, producers)
        invariants.consumers.finish(at: loop.time)
        stop(draining: random.chance(50))
        recorder.finish()
        trace.note("the log", recorder.digest)
    }

    func stopAtOnce() {
        isEnding = true
        stop(draining: random.chance(50))
        recorder.crash(losesPower: random.chance(50))
        trace.note("the log", recorder.digest)
    }

    private func stop(draining: Bool) {
        (isInPass, isDraining) = (true, draining)
        live.stop(draining: draining)
        isInPass = false
        if draining, !live.loop.input.isEmpty { invariants.fail("a draining stop leaves events behind") }
        for index in producers.indices { producers[index].noticeRoom() }
        invariants.checkStop(of: live, isDrained: draining, producers)
        let hasStopped = Flag()
        Task(executorPreference: tasks) { [rebuilder] in
            await rebuilder!.stop()
            hasStopped.isSet = true
        }
        for _ in 0..<100_000 where !hasStopped.isSet || tasks.count > 0 {
            if tasks.count > 0 { runTask() } else { endBuild() }
        }
        if !hasStopped.isSet { invariants.fail("the rebuilder does not stop") }
        invariants.checkStatistics(rebuilder.statistics, failuresReported: builds.failed)
    }

    private final class Flag: @unchecked Sendable { var isSet = false }

    /// Advances the time until nothing more happens; false if that takes too many steps.
    private func quiesce() -> Bool {
        for _ in 0..<20_000 {
            if breach != nil { return true }
            var isQuiet = true
            for index in producers.indices where producers[index].isBlocked {
                invariants.mayBeOutOfOrder = true
                producers[index].resume(mayRetry: random.chance(50))
                isQuiet = false
            }
            if loop.wouldWake {
                runLoop()
                // Shortly before a deadline, the loop reads the clock repeatedly.
                loop.time += scenario.lead / 4
                isQuiet = false
            }
            if tasks.count > 0 {
                runTask()
                isQuiet = false
            } else if !builds.waiting.isEmpty {
                endBuild()
                isQuiet = false
            }
            checkStep()
            clock.advance(to: Timestamp(nanoseconds: loop.time))
            guard isQuiet, tasks.count == 0 else { continue }
            guard let next = (clock.deadlines + [loop.timer].compactMap { $0 }).min() else { return true }
            loop.time = max(loop.time, next.nanoseconds)
        }
        return false
    }
}
