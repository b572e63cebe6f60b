import Foundation
import Settle
import SettlePlatform
import TestSupport
import XCTest

@testable import SettleLoop

private func size(_ scene: SceneID, _ width: Double, at time: UInt64? = nil, resizing: Bool? = nil) -> Event {
    .geometry(
        scene, at: time.map(Timestamp.init(nanoseconds:)) ?? MonotonicClock.now,
        size: Size(width: width, height: 1), isInteractivelyResizing: resizing)
}

/// How engines begin and end: at the limits of the system and of scenes, stopped, dropped.
final class LifeTests: XCTestCase {
    // MARK: Descriptors and threads, counted in a process of its own

    private func probe(_ arguments: String...) throws -> (status: Int32, text: String) {
        let process = Process()
        process.executableURL = Bundle.main.bundleURL.appendingPathComponent("LoopProbe")
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        XCTAssertEqual(process.terminationReason, .exit, text)
        return (process.terminationStatus, text)
    }

    func testWhatCannotBeMadeUnderAnyLimitOnDescriptorsIsUndone() throws {
        let (status, text) = try probe("limits")
        XCTAssertEqual(status, 0, text)
        XCTAssert(text.hasSuffix("nothing left open\n"), text)
        XCTAssertEqual(text.split(separator: "\n").count, 1, text)
    }

    func testAnEngineThatNobodyHoldsStopsAndLeavesNoThreadOrDescriptor() throws {
        let (status, text) = try probe("drops", "1000")
        XCTAssertEqual(status, 0, text)
        let perfect = text.components(separatedBy: ": 0 threads and 0 descriptors left, 1000 decisions").count - 1
        XCTAssertEqual(perfect, 7, text)
    }

    func testAStoppedEngineThatIsStillHeldHasClosedItsLoop() throws {
        func descriptors() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
        // The first loop of a process makes libuv's own descriptors.
        try LiveEngine().stop()
        let none = try descriptors()
        let bell = try EventDescriptor()
        let ofBell = try descriptors() - none
        for isStarted in [true, false] {
            let before = try descriptors()
            let engine = try LiveEngine()
            if isStarted { try engine.start() } else { engine.runOnce() }
            let descriptor = engine.backendDescriptor
            XCTAssertGreaterThanOrEqual(fcntl(descriptor, F_GETFD), 0)
            XCTAssertGreaterThan(try descriptors(), before)
            engine.stop()
            // The bell is left, which a source may ring for as long as it lives.
            XCTAssertEqual(try descriptors(), before + ofBell)
            XCTAssertEqual(fcntl(descriptor, F_GETFD), -1)
            withExtendedLifetime((bell, engine)) {}
        }
    }

    // MARK: Dropping

    func testADroppedEngineDeliversWhatIsPendingBeforeItIsGone() throws {
        let decisions = Collected()
        weak var gone: LiveEngine?
        do {
            let engine = try LiveEngine(policy: .default) { decisions.add($0) }
            gone = engine
            try engine.start()
            let stream = engine.makeDecisionStream()
            var source = try engine.makeSource()
            source.send(size(try engine.connect(), 7))
            _ = consume source
            _ = stream
        }
        XCTAssertNil(gone)
        XCTAssertEqual(decisions.rebuildWidths, [7])
    }

    func testAStoppedEngineLetsGoOfAHandlerThatHoldsIt() throws {
        weak var gone: LiveEngine?
        do {
            let box = Locked<LiveEngine?>(nil)
            let engine = try LiveEngine { [box] _ in _ = box.value }
            _ = try engine.makeRebuilder { [engine] scene, _ in _ = engine.isPending(scene) }
            box.change { $0 = engine }
            gone = engine
            try engine.start()
            engine.stop()
        }
        XCTAssertNil(gone)
    }

    func testSourcesAndTheExecutorDoNotKeepAnEngine() throws {
        weak var gone: LiveEngine?
        var engine: LiveEngine? = try LiveEngine()
        gone = engine
        try engine!.start()
        var source = try engine!.makeSource()
        let executor = engine!.executor
        engine = nil
        XCTAssertNil(gone)
        source.send(size(SceneID(rawValue: 1), 1))
        XCTAssertFalse(executor.isIsolatingCurrentContext() ?? true)
    }

    // MARK: Stopping

    /// More than passes of the smallest kind take: in rings, held back, and posted.
    func testADrainingStopTakesAllThatWaits() throws {
        let decisions = Collected()
        let engine = try LiveEngine(
            .init(policy: .uikit, scenesMax: 8, decisionsMax: 8, policiesMax: 1), loop: try EventLoop(),
            bounds: EngineInput.Bounds(eventsPerPiece: 2, piecesPerPass: 2)
        ) { decisions.add($0) }
        var one = try engine.makeSource(capacity: 64)
        var two = try engine.makeSource(capacity: 4)
        let scenes = try (0..<3).map { _ in try engine.connect() }
        let start = MonotonicClock.now.nanoseconds - 1000
        for step: UInt64 in 0..<50 {
            one.send(size(scenes[0], Double(step + 1), at: start + 3 * step))
            two.send(size(scenes[1], Double(step + 1), at: start + 3 * step + 1))
            engine.post(size(scenes[2], Double(step + 1), at: start + 3 * step + 2))
        }
        engine.stop(draining: true)
        let statistics = engine.statistics
        XCTAssertGreaterThan(statistics.coalesced, 0)
        XCTAssertEqual(statistics.engine.events + statistics.coalesced, 150)
        for scene in scenes {
            let widths = decisions.all.filter { $0.scene == scene }.compactMap { decision -> Double? in
                if case .rebuild(let rebuild) = decision.kind { rebuild.size.width } else { nil }
            }
            XCTAssertEqual(widths.last, 50)
        }
        // What lost nothing to a full ring was decided one by one.
        XCTAssertEqual(decisions.all.filter { $0.scene == scenes[0] }.count, 50)
        XCTAssertEqual(decisions.all.filter { $0.scene == scenes[2] }.count, 50)
    }

    /// The same by the bounds that users have: a pass takes 16,384 events.
    func testADrainingStopTakesMoreThanAPass() throws {
        let engine = try LiveEngine(policy: .uikit)
        var source = try engine.makeSource(capacity: 65_536, overload: .block)
        let scene = try engine.connect()
        for index in 0..<60_000 { source.send(size(scene, Double(1 + index % 7))) }
        engine.stop(draining: true)
        XCTAssertEqual(engine.statistics.engine.events, 60_000)
    }

    func testTheFirstStopSaysWhetherWhatWaitsIsDecided() throws {
        for isDraining in [false, true] {
            let (decisions, box) = (Collected(), Locked<LiveEngine?>(nil))
            let engine = try LiveEngine(policy: Policy(firstDelay: .seconds(1000))) { decision in
                decisions.add(decision)
                box.value?.stop(draining: isDraining)
                box.value?.stop(draining: !isDraining)
            }
            box.change { $0 = engine }
            engine.post(size(try engine.connect(), 7))
            engine.post(size(try engine.connect(), 1, resizing: true))
            engine.runOnce()
            XCTAssertEqual(decisions.rebuildWidths.contains(7), isDraining)
        }
    }

    func testAHostedEngineStoppedByAnotherThreadEndsBetweenTwoTurns() throws {
        for _ in 0..<50 {
            let (calls, inProgress) = (Locked(0), Locked(0))
            let isDone = Locked(false)
            let engine = try LiveEngine(policy: .uikit) { _ in
                inProgress.change { $0 += 1 }
                calls.change { $0 += 1 }
                usleep(20)
                XCTAssertEqual(inProgress.value, 1, "one thread at a time calls the handler")
                inProgress.change { $0 -= 1 }
            }
            let scene = try engine.connect()
            let host = Thread {
                for width in 0..<1000 {
                    engine.post(size(scene, Double(width + 1)))
                    engine.runOnce()
                }
                isDone.change { $0 = true }
            }
            host.start()
            calls.wait { $0 != 0 }
            engine.stop()
            let (callsAtStop, inProgressAtStop) = (calls.value, inProgress.value)
            isDone.wait { $0 }
            XCTAssertEqual(inProgressAtStop, 0, "stop returns after the turn")
            XCTAssertEqual(calls.value, callsAtStop, "the handler is not called after stop")
        }
    }

    func testAHostsHandlerMayCallRunOnce() throws {
        let count = Locked(0)
        let box = Locked<LiveEngine?>(nil)
        let engine = try LiveEngine(policy: .uikit) { _ in
            count.change { $0 += 1 }
            box.value?.runOnce()
        }
        box.change { $0 = engine }
        engine.post(size(try engine.connect(), 1))
        engine.runOnce()
        engine.stop()
        XCTAssertEqual(count.value, 1)
    }

    func testAHostIsWokenForWhatWasSentBeforeItsFirstTurn() throws {
        let decisions = Collected()
        let engine = try LiveEngine(policy: .uikit) { decisions.add($0) }
        var waiting = pollfd(fd: engine.backendDescriptor, events: Int16(POLLIN), revents: 0)
        XCTAssertEqual(poll(&waiting, 1, 0), 0)
        engine.post(size(try engine.connect(), 1))
        XCTAssertEqual(poll(&waiting, 1, 0), 1)
        engine.runOnce()
        XCTAssertEqual(decisions.rebuildWidths, [1])
        engine.stop()
    }

    // MARK: The limit of scenes

    func testConnectingAtTheLimitSucceedsAfterADisconnect() throws {
        for isStarted in [false, true] {
            let engine = try LiveEngine(.init(policy: .uikit, scenesMax: 4))
            if isStarted { try engine.start() }
            var scenes = try (0..<4).map { _ in try engine.connect() }
            XCTAssertThrowsError(try engine.connect()) { XCTAssertEqual($0 as? EngineError, .tooManyScenes(4)) }
            for _ in 0..<5000 {
                engine.disconnect(scenes.removeFirst())
                scenes.append(try engine.connect())
            }
            engine.stop()
            XCTAssertEqual(engine.statistics.engine.rejected, 0)
            XCTAssertEqual(engine.statistics.engine.events, 5000)
        }
    }

    func testADisconnectThatWaitsFreesItsScenesPolicy() throws {
        for isStarted in [false, true] {
            let engine = try LiveEngine(.init(policy: .uikit, scenesMax: 4, policiesMax: 2))
            if isStarted { try engine.start() }
            let lasting = try engine.connect()
            func policy(_ number: Int) -> Policy { Policy(firstDelay: .milliseconds(number)) }
            var scene = try engine.connect(policy: policy(0))
            XCTAssertThrowsError(try engine.connect(policy: policy(1))) {
                XCTAssertEqual($0 as? EngineError, .tooManyPolicies(2))
            }
            var source = try engine.makeSource()
            for number in 1...500 {
                // Posted, or a source's.
                if number % 2 == 0 { engine.disconnect(scene) } else { source.send(.disconnect(scene, at: engine.now)) }
                scene = try engine.connect(policy: policy(number))
            }
            engine.disconnect(scene)
            try engine.setPolicy(policy(501), of: lasting)
            XCTAssertThrowsError(try engine.connect(policy: policy(1))) {
                XCTAssertEqual($0 as? EngineError, .tooManyPolicies(2))
            }
            engine.stop()
            XCTAssertEqual(engine.statistics.engine.rejected, 0)
            XCTAssertEqual(engine.statistics.engine.events, 501)
        }
    }

    /// What a scene's source sent before is applied before its disconnect frees its slot, and
    /// decisions keep their order and are delivered on the loop's thread.
    func testAScenesLastEventsAreAppliedBeforeItsSlotIsFree() throws {
        let decisions = Collected()
        let box = Locked<LiveEngine?>(nil)
        let engine = try LiveEngine(.init(policy: .default, scenesMax: 1)) { decision in
            XCTAssert(box.value!.executor.isCurrent)
            decisions.add(decision)
        }
        box.change { $0 = engine }
        var source = try engine.makeSource()
        var widths: [Double] = []
        for width in 1...20 {
            let scene = try engine.connect()
            source.send(size(scene, Double(width), resizing: true))
            source.send(size(scene, Double(width), resizing: false))
            engine.post(.flush(scene, at: MonotonicClock.now))
            engine.disconnect(scene)
            widths.append(Double(width))
        }
        XCTAssertEqual(decisions.all, [])
        engine.runOnce()
        XCTAssertEqual(decisions.rebuildWidths, widths)
        XCTAssertEqual(decisions.all.map(\.at), decisions.all.map(\.at).sorted())
        XCTAssertEqual(decisions.all.count, 60)
        engine.stop()
    }

    func testAnEngineThatCannotBeMadeSaysWhy() throws {
        do throws(LoopError) {
            _ = try LiveEngine(policy: Policy(lockDelay: .seconds(-1)))
            XCTFail("an engine with a negative delay")
        } catch {
            let refusal = EngineError.durationOutOfRange(
                name: "lockDelay", value: .seconds(-1), most: Policy.longestDelay)
            XCTAssertEqual(error, .engine(refusal))
            XCTAssertEqual("\(error)", "\(refusal)")
        }
    }

    /// What connecting decided in the loop's place wakes the loop, which delivers it.
    func testWhatConnectingDecidesIsDeliveredWithoutAnotherEvent() throws {
        let decisions = Collected()
        let engine = try LiveEngine(.init(policy: .default, scenesMax: 1)) { decisions.add($0) }
        let scene = try engine.connect()
        engine.runOnce()
        engine.post(size(scene, 1, resizing: true))
        engine.disconnect(scene)
        _ = try engine.connect()
        var waiting = pollfd(fd: engine.backendDescriptor, events: Int16(POLLIN), revents: 0)
        XCTAssertEqual(poll(&waiting, 1, 0), 1)
        engine.runOnce()
        XCTAssertEqual(decisions.all.count, 2)
        engine.stop()
    }

    /// The same where a handler connects, while the loop is awake and nobody rings.
    func testWhatAHandlersConnectingDecidesIsDelivered() throws {
        let kinds = Locked<[Decision.Kind]>([])
        let box = Locked<LiveEngine?>(nil)
        let engine = try LiveEngine(.init(policy: .default, scenesMax: 1)) { decision in
            kinds.change { $0.append(decision.kind) }
            guard case .interactionBegan = decision.kind, let engine = box.value else { return }
            engine.disconnect(decision.scene)
            XCTAssertNotNil(try? engine.connect())
        }
        box.change { $0 = engine }
        engine.post(size(try engine.connect(), 1, resizing: true))
        engine.runOnce()
        XCTAssertEqual(kinds.value.count, 1)
        var waiting = pollfd(fd: engine.backendDescriptor, events: Int16(POLLIN), revents: 0)
        XCTAssertEqual(poll(&waiting, 1, 0), 1)
        engine.runOnce()
        XCTAssertEqual(kinds.value.count, 2)
        engine.stop()
    }

    // MARK: Jobs

    func testTheLoopDoesNotSleepOverAJobThatComesWhileItIsAwake() throws {
        let isDone = Locked(false)
        let engine = try LiveEngine()
        let executor = engine.executor
        Task.detached(executorPreference: executor) {
            // What is left of the task comes back as a job while the loop is awake, so that
            // nobody rings for it.
            for _ in 0..<10 { await Task.yield() }
            isDone.change { $0 = true }
        }
        var waiting = pollfd(fd: engine.backendDescriptor, events: Int16(POLLIN), revents: 0)
        XCTAssertEqual(poll(&waiting, 1, 10_000), 1)
        var turns = 0
        while turns < 100, poll(&waiting, 1, 0) == 1 {
            engine.runOnce()
            turns += 1
        }
        XCTAssert(isDone.value, "after \(turns) turns the loop sleeps and a job waits")
        XCTAssertLessThan(turns, 100, "the loop does not sleep")
        engine.stop()
    }
}
