/// Runs tasks on the simulation's thread, one job when the simulation says so. Which of
/// those that wait is the simulation's choice too, as between threads.
final class SimulatedTasks: TaskExecutor, @unchecked Sendable {
    private var waiting: [UnownedJob] = []

    var count: Int { waiting.count }

    func enqueue(_ job: consuming ExecutorJob) { waiting.append(UnownedJob(job)) }

    func run(_ index: Int) {
        let job = waiting.remove(at: index)
        job.runSynchronously(on: asUnownedTaskExecutor())
    }
}
