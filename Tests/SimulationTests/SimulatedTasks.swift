/// Runs tasks on the simulation's thread. The simulation chooses when a job runs, and which
/// one, in any order, as a thread pool may.
final class SimulatedTasks: TaskExecutor, @unchecked Sendable {
    private var waiting: [UnownedJob] = []

    var count: Int { waiting.count }

    func enqueue(_ job: consuming ExecutorJob) { waiting.append(UnownedJob(job)) }

    func run(_ index: Int) {
        let job = waiting.remove(at: index)
        job.runSynchronously(on: asUnownedTaskExecutor())
    }
}
