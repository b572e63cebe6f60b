/// Threads that share numbered items of work.
package enum Workers {
    /// The most threads.
    package static let jobsMax = 256

    /// Calls `item` once for each number below `count`, in any order, and returns when all calls
    /// have returned.
    ///
    /// - Parameters:
    ///   - jobs: The threads, the calling one included. If the system has fewer left, as many as
    ///     it has.
    ///   - start: Makes the state of a thread.
    ///   - goesOn: Called on the calling thread after each of its items, with the number of items
    ///     that were started. If it returns false, no further item starts.
    ///   - item: Does the work of a number.
    /// - Returns: Whether all items were done.
    package static func run<State>(
        count: Int, jobs: Int, start: @escaping @Sendable () -> State, goesOn: (Int) -> Bool = { _ in true },
        item: @escaping @Sendable (inout State, Int) -> Void
    ) -> Bool {
        let started = LockedValueBox(0)
        let next: @Sendable () -> Int? = {
            started.withLock { started in
                guard started < count else { return nil }
                started += 1
                return started - 1
            }
        }
        var threads: [WorkerThread] = []
        while threads.count + 1 < min(jobs, count) {
            let thread = try? WorkerThread {
                var state = start()
                while let number = next() { item(&state, number) }
            }
            guard let thread else { break }
            threads.append(thread)
        }
        var state = start()
        var isStopped = false
        while !isStopped, let number = next() {
            item(&state, number)
            isStopped = !goesOn(started.withLock { $0 })
            // A stop after the last item was started changes nothing.
            if isStopped { isStopped = started.withLock { (started: inout Int) in stop(&started, count) } }
        }
        for thread in threads { thread.join() }
        return !isStopped
    }

    /// Starts no further item; returns whether one is left.
    private static func stop(_ started: inout Int, _ count: Int) -> Bool {
        defer { started = count }
        return started < count
    }
}
