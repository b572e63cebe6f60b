import Settle
import TestSupport

@testable import SettleHandlers

/// An engine, a rebuild queue and the channels between them, in which decisions and
/// returned builds take their time. A test picks the next move; after each, whatever
/// has to hold is checked, and the first breach is kept.
struct RebuildWorld {
    enum Move: Hashable {
        /// The engine decides, if the size is not what it takes for built.
        case decide(SceneID, Size)
        /// The oldest decision on its way reaches the queue.
        case takeDecision
        case end(SceneID, RebuildQueue.Outcome)
        /// What the queue wants to tell is on its way to the engine.
        case tell(SceneID)
        /// The oldest message on its way reaches the engine.
        case hear
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
    private(set) var told = 0
    /// What the engine takes for built.
    private var belief: [SceneID: Size] = [:]
    private var decisions: [(scene: SceneID, rebuild: Rebuild)] = []
    private var messages: [(scene: SceneID, size: Size?)] = []
    /// What is built, by nobody's word but the builds' own.
    private var really: [SceneID: Size] = [:]
    private var runs: [SceneID: Run] = [:]
    private var tells: [SceneID: Size?] = [:]
    /// Scenes that wait, oldest unserved decision first, and the size they wait for.
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
            for size in sizes where size != belief[scene] { moves.append(.decide(scene, size)) }
            if rare { moves.append(.remove(scene)) }
        }
        moves += tidyMoves
        if rare, !isStopped { moves.append(.stop) }
        return moves
    }

    /// The moves that bring what is under way to its end.
    var tidyMoves: [Move] {
        var moves: [Move] = []
        if !decisions.isEmpty { moves.append(.takeDecision) }
        if !messages.isEmpty { moves.append(.hear) }
        for scene in runs.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            moves += RebuildQueue.Outcome.allCases.map { .end(scene, $0) }
        }
        moves += tells.keys.sorted { $0.rawValue < $1.rawValue }.map { .tell($0) }
        return moves
    }
}

extension RebuildWorld {
    mutating func make(_ move: Move) {
        switch move {
        case .decide(let scene, let size):
            generation += 1
            let rebuild = Rebuild(
                size: size, previousSize: belief[scene], reason: .interactionEnded, generation: generation)
            belief[scene] = size
            decisions.append((scene, rebuild))
        case .takeDecision:
            let decision = decisions.removeFirst()
            note(decision.scene, decision.rebuild)
            follow(queue.submit(decision.scene, decision.rebuild))
        case .end(let scene, let outcome): end(scene, outcome)
        case .tell(let scene):
            messages.append((scene, tells.removeValue(forKey: scene)!))
            let actions = queue.reported(scene)
            dropBuilt(scene)
            follow(actions)
        case .hear:
            let message = messages.removeFirst()
            if !removed.contains(message.scene) { belief[message.scene] = message.size }
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
        let place = waiting.firstIndex { $0.scene == scene }
        let isBuilt = run == nil && tells[scene] == nil && really[scene] == rebuild.size
        let isOnItsWay = run.map { !$0.isCancelled && $0.size == rebuild.size } ?? false
        if isBuilt || isOnItsWay {
            if let place { waiting.remove(at: place) }
        } else if let place {
            waiting[place].rebuild = rebuild
        } else {
            waiting.append((scene, rebuild))
        }
    }

    private mutating func end(_ scene: SceneID, _ outcome: RebuildQueue.Outcome) {
        let run = runs.removeValue(forKey: scene)!
        if outcome == .returned, !run.isForgotten { really[scene] = run.size }
        let actions = queue.ended(scene, outcome)
        dropBuilt(scene)
        follow(actions)
    }

    private mutating func dropBuilt(_ scene: SceneID) {
        waiting.removeAll { $0.scene == scene && $0.rebuild.size == really[scene] }
    }

    /// The engine decides nothing for the scene any more, and what it had decided is
    /// taken before the removal, as both come from one thread.
    private mutating func remove(_ scene: SceneID) {
        while decisions.contains(where: { $0.scene == scene }) { make(.takeDecision) }
        removed.insert(scene)
        waiting.removeAll { $0.scene == scene }
        runs[scene]?.isForgotten = true
        (really[scene], belief[scene]) = (nil, nil)
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
                if tells[scene] != nil || runs[scene] != nil { fail("tells of a scene that is busy") }
                if size != really[scene] { fail("tells what is not so") }
                tells[scene] = .some(size)
                told += 1
            }
        }
    }

    private mutating func begin(_ scene: SceneID, _ rebuild: Rebuild, _ number: UInt64) {
        for (id, _) in waiting where runs[id] == nil && tells[id] == nil { dropBuilt(id) }
        let free = waiting.first { runs[$0.scene] == nil && tells[$0.scene] == nil }
        if free?.scene != scene || free?.rebuild != rebuild {
            fail("starts another than the oldest, or not its latest")
        }
        if runs[scene] != nil { fail("two builds of one scene") }
        if runs.count >= concurrency { fail("too many builds") }
        if really[scene] == rebuild.size { fail("builds what is built") }
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
        let isStuck = runs.count + tells.count < concurrency
        if isStuck, waiting.contains(where: { runs[$0.scene] == nil && tells[$0.scene] == nil }) {
            fail("a scene waits although there is room")
        }
    }

    /// Brings everything to its end; then the engine and the builds must agree.
    mutating func settle(_ pick: ([Move]) -> Move) {
        let wasStopped = isStopped
        while case let moves = tidyMoves, !moves.isEmpty {
            make(pick(moves))
            if breach != nil { return }
        }
        if !queue.isIdle { fail("not idle: \(queue.statistics)") }
        // What was decided but not taken before the stop is known to be lost.
        if !wasStopped, belief != really { fail("the engine believes \(belief), really \(really)") }
    }
}

extension SceneID {
    static let s = SceneID(rawValue: 1)
    static let t = SceneID(rawValue: 2)
    static let u = SceneID(rawValue: 3)
}
