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
        /// The oldest decision in the channel reaches the queue.
        case receiveDecision
        case end(SceneID, RebuildQueue.Outcome)
        /// The queue's report of a built size enters the channel to the engine.
        case sendReport(SceneID)
        /// The oldest report in the channel reaches the engine.
        case receiveReport
        case remove(SceneID)
        case stop
    }

    private struct Run {
        var number: UInt64
        var size: Size
        var isCancelled = false
        var isForgotten = false
    }

    let concurrency: Int
    private(set) var queue: RebuildQueue
    private(set) var breach: String?
    private(set) var started: [SceneID] = []
    /// The built size of each scene, as the engine knows it.
    private var engineSizes: [SceneID: Size] = [:]
    private var decisions: [(scene: SceneID, rebuild: Rebuild)] = []
    private var messages: [(scene: SceneID, size: Size?)] = []
    /// The built size of each scene, by the builds' own results.
    private var builtSizes: [SceneID: Size] = [:]
    private var runs: [SceneID: Run] = [:]
    private var reports: [SceneID: Size?] = [:]
    /// The scenes whose decisions wait, oldest first.
    private var waiting: [(scene: SceneID, rebuild: Rebuild)] = []
    private var removed: Set<SceneID> = []
    private var generation: UInt32 = 0
    private var isStopped = false

    init(concurrency: Int) {
        self.concurrency = concurrency
        queue = RebuildQueue(concurrency: concurrency)
    }

    func moves(scenes: [SceneID], sizes: [Size], allowing rare: Bool) -> [Move] {
        var moves: [Move] = []
        for scene in scenes where !removed.contains(scene) && !isStopped {
            for size in sizes where size != engineSizes[scene] { moves.append(.decide(scene, size)) }
            if rare { moves.append(.remove(scene)) }
        }
        moves += tidyMoves
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
        moves += reports.keys.sorted { $0.rawValue < $1.rawValue }.map { .sendReport($0) }
        return moves
    }
}

extension RebuildWorld {
    mutating func make(_ move: Move) {
        switch move {
        case .decide(let scene, let size):
            generation += 1
            let rebuild = Rebuild(
                size: size, previousSize: engineSizes[scene], reason: .interactionEnded, generation: generation)
            engineSizes[scene] = size
            decisions.append((scene, rebuild))
        case .receiveDecision:
            let decision = decisions.removeFirst()
            note(decision.scene, decision.rebuild)
            follow(queue.submit(decision.scene, decision.rebuild))
        case .end(let scene, let outcome): end(scene, outcome)
        case .sendReport(let scene):
            messages.append((scene, reports.removeValue(forKey: scene)!))
            let actions = queue.reported(scene)
            dropBuilt(scene)
            follow(actions)
        case .receiveReport:
            let message = messages.removeFirst()
            if !removed.contains(message.scene) { engineSizes[message.scene] = message.size }
        case .remove(let scene): remove(scene)
        case .stop:
            isStopped = true
            waiting = []
            follow(queue.stop())
        }
        check()
    }

    private mutating func note(_ scene: SceneID, _ rebuild: Rebuild) {
        guard !isStopped else { return }
        let run = runs[scene]
        let index = waiting.firstIndex { $0.scene == scene }
        let isBuilt = run == nil && reports[scene] == nil && builtSizes[scene] == rebuild.size
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
        if outcome == .returned, !run.isForgotten { builtSizes[scene] = run.size }
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
        (builtSizes[scene], engineSizes[scene]) = (nil, nil)
        follow(queue.remove(scene))
    }

    private mutating func follow(_ actions: [RebuildQueue.Action]) {
        for action in actions {
            switch action {
            case .build(let scene, let rebuild, let number): begin(scene, rebuild, number)
            case .cancel(let scene, let number):
                if runs[scene]?.number != number { fail("cancels a build that does not run") }
                if runs[scene]?.isCancelled == true { fail("cancels twice") }
                runs[scene]?.isCancelled = true
            case .report(let scene, let size):
                if reports[scene] != nil || runs[scene] != nil { fail("a report for a scene that is busy") }
                if size != builtSizes[scene] { fail("a report of the wrong size") }
                reports[scene] = .some(size)
            }
        }
    }

    private mutating func begin(_ scene: SceneID, _ rebuild: Rebuild, _ number: UInt64) {
        for (id, _) in waiting where runs[id] == nil && reports[id] == nil { dropBuilt(id) }
        let free = waiting.first { runs[$0.scene] == nil && reports[$0.scene] == nil }
        if free?.scene != scene || free?.rebuild != rebuild {
            fail("starts another than the oldest, or not its latest")
        }
        if runs[scene] != nil { fail("two builds of one scene") }
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
        if isStuck, waiting.contains(where: { runs[$0.scene] == nil && reports[$0.scene] == nil }) {
            fail("a scene waits although a build may start")
        }
    }

    /// Finishes what has begun. Then the engine's sizes must be the built ones.
    mutating func finish(_ pick: ([Move]) -> Move) {
        let wasStopped = isStopped
        while case let moves = tidyMoves, !moves.isEmpty {
            make(pick(moves))
            if breach != nil { return }
        }
        if !queue.isIdle { fail("not idle: \(queue.statistics)") }
        // A stopped queue drops decisions that it has not received, so the sizes may differ.
        if !wasStopped, engineSizes != builtSizes { fail("the engine has \(engineSizes), built is \(builtSizes)") }
    }
}

extension SceneID {
    static let s = SceneID(rawValue: 1)
    static let t = SceneID(rawValue: 2)
    static let u = SceneID(rawValue: 3)
}
