import Dispatch
import Glibc
import Settle
import SettleLoop

/// Engines that nobody stops.
extension LoopProbe {
    private final class Holder: @unchecked Sendable {
        private let lock = PthreadMutex()
        private var held: LiveEngine?
        private var count = 0
        /// The main thread's.
        var source: EventSource?

        var engine: LiveEngine? {
            get { lock.withLock { held } }
            // What was held goes away without the lock.
            set { _ = lock.withLock { exchange(&held, with: newValue) } }
        }
        var decisions: Int { lock.withLock { count } }
        func decided() { lock.withLock { count += 1 } }

        private func exchange(_ held: inout LiveEngine?, with engine: LiveEngine?) -> LiveEngine? {
            defer { held = engine }
            return held
        }
    }

    /// Runs each job where it is enqueued, so that no pool's threads come and go.
    private final class Here: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    private static func size(_ scene: SceneID) -> Event {
        .geometry(scene, at: MonotonicClock.now, size: Size(width: 8, height: 6))
    }

    /// Each makes one engine and lets it go; returns how many decisions it got.
    private static let ways: [(name: String, run: @Sendable () throws -> Int)] = [
        ("never started", { try drop { _ in } }),
        ("while it runs", { try drop { try $0.start() } }),
        ("hosted", { try drop { $0.runOnce() } }),
        ("a source outlives it", { try dropBeforeItsSource() }),
        ("by its handler", { try dropInHandler() }),
        ("with a rebuilder", { try dropWithRebuilder() }),
        ("stopped by its handler, which holds it", { try stopInHandler() }),
    ]

    /// What is owed when the engine goes away is decided and delivered before it is gone.
    private static func drop(_ prepare: (LiveEngine) throws -> Void) throws -> Int {
        let holder = Holder()
        do {
            let engine = try LiveEngine { _ in holder.decided() }
            try prepare(engine)
            engine.post(size(try engine.connect()))
        }
        return holder.decisions
    }

    private static func dropBeforeItsSource() throws -> Int {
        let holder = Holder()
        do {
            let engine = try LiveEngine { _ in holder.decided() }
            try engine.start()
            holder.source = try engine.makeSource(capacity: 2, overload: .block)
            holder.source!.send(size(try engine.connect()))
        }
        // Nobody takes these, and nobody waits for room.
        for _ in 0..<4 { holder.source!.send(size(SceneID(rawValue: 1))) }
        return holder.decisions
    }

    private static func dropInHandler() throws -> Int {
        let holder = Holder()
        let mayDrop = DispatchSemaphore(value: 0)
        holder.engine = try LiveEngine(policy: .uikit) { _ in
            mayDrop.wait()
            holder.decided()
            holder.engine = nil
        }
        weak let gone = holder.engine
        try postOne(holder.engine!)
        mayDrop.signal()
        waitUntil { gone == nil }
        return holder.decisions
    }

    private static func postOne(_ engine: LiveEngine) throws {
        try engine.start()
        engine.post(size(try engine.connect()))
    }

    private static func dropWithRebuilder() throws -> Int {
        let holder = Holder()
        do {
            let engine = try LiveEngine { _ in holder.decided() }
            _ = try engine.makeRebuilder(executor: Here()) { _, _ in }
            try engine.start()
            engine.post(size(try engine.connect()))
        }
        return holder.decisions
    }

    private static func stopInHandler() throws -> Int {
        let holder = Holder()
        weak var gone: LiveEngine?
        do {
            let box = Holder()
            let engine = try LiveEngine(policy: .uikit) { _ in
                holder.decided()
                box.engine?.stop()
            }
            box.engine = engine
            gone = engine
            try postOne(engine)
        }
        waitUntil { gone == nil }
        return holder.decisions
    }

    /// Ten seconds mean that it never comes.
    private static func waitUntil(_ isSo: () -> Bool) {
        for _ in 0..<10_000 {
            if isSo() { return }
            usleep(1000)
        }
    }

    static func drops(_ count: Int) throws -> Bool {
        // libuv keeps two descriptors for the process from the first loop on.
        _ = try LoopTimer()
        // The thread sanitizer keeps a thread of its own from the first thread on.
        try WorkerThread {}.join()
        usleep(100_000)
        let before = (threads, descriptors)
        var isWhole = true
        for (name, run) in ways {
            var decisions = 0
            for _ in 0..<count { decisions += try run() }
            // A thread stands in its folder for a moment after it was joined.
            waitUntil { (threads, descriptors) == before }
            let left = (threads - before.0, descriptors - before.1)
            say("\(name): \(left.0) threads and \(left.1) descriptors left, \(decisions) decisions")
            if left != (0, 0) || decisions != count { isWhole = false }
        }
        return isWhole
    }
}
