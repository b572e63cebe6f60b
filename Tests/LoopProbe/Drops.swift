import Dispatch
import Settle
import SettleLoop
import SettlePlatform

/// Engines that are released without a stop.
extension LoopProbe {
    private final class Holder: @unchecked Sendable {
        private let lock = PthreadMutex()
        private var held: LiveEngine?
        private var count = 0
        /// Only for the main thread.
        var source: EventSource?

        var engine: LiveEngine? {
            get { lock.withLock { held } }
            // The old engine is released after the mutex is unlocked.
            set { _ = lock.withLock { exchange(&held, with: newValue) } }
        }
        var decisions: Int { lock.withLock { count } }
        func decided() { lock.withLock { count += 1 } }

        private func exchange(_ held: inout LiveEngine?, with engine: LiveEngine?) -> LiveEngine? {
            defer { held = engine }
            return held
        }
    }

    /// Runs each job where it is enqueued, so that no thread pool changes the number of threads.
    private final class InlineExecutor: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    private static func size(_ scene: SceneID) -> Event {
        .geometry(scene, at: MonotonicClock.now, size: Size(width: 8, height: 6))
    }

    /// Ways to create one engine and to release it. Each returns the number of decisions.
    private static let ways: [(name: String, run: @Sendable () throws -> Int)] = [
        ("never started", { try drop { _ in } }),
        ("while it runs", { try drop { try $0.start() } }),
        ("hosted", { try drop { $0.runOnce() } }),
        ("a source outlives it", { try dropBeforeItsSource() }),
        ("by its handler", { try dropInHandler() }),
        ("with a rebuilder", { try dropWithRebuilder() }),
        ("stopped by its handler, which holds it", { try stopInHandler() }),
    ]

    /// A rebuild that is pending when the engine is released is decided and delivered before the
    /// release ends.
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
        // No loop applies these events, and `send` does not wait for free capacity.
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
            _ = try engine.makeRebuilder(.init(executor: InlineExecutor())) { _, _ in }
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
            let memory = addresses
            for _ in 0..<count { decisions += try run() }
            // /proc/self/task lists a thread for a moment after it was joined.
            waitUntil { (threads, descriptors) == before }
            let left = (threads - before.0, descriptors - before.1)
            say("\(name): \(left.0) threads and \(left.1) descriptors left, \(decisions) decisions")
            // A thread that nobody has joined or detached keeps 8 MiB of addresses.
            let more = (addresses - memory) >> 20
            if more > 4 * count, more > 400 { say("\(name): \(more) MiB more addresses") }
            if left != (0, 0) || decisions != count || more > 4 * count && more > 400 { isWhole = false }
        }
        return isWhole
    }
}
