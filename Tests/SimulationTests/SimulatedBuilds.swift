import Settle

/// What an app's builds do: they take their time, fail, give up when they are asked to or
/// do not, and write down what is really built.
final class SimulatedBuilds: @unchecked Sendable {
    struct GivenUp: Error {}

    private struct Build {
        var number: Int
        var scene: SceneID
        var size: Size
        var isCancelled = false
        var continuation: CheckedContinuation<Bool, Never>?
    }

    private let concurrency: Int
    private var running: [Build] = []
    private var numbers = 0
    private(set) var started = 0
    /// Failures that the rebuilder has reported.
    var failed: UInt64 = 0
    private(set) var really: [SceneID: Size] = [:]
    private(set) var breach: String?
    /// Scenes of which the rebuilder has been told that they are gone.
    var gone: Set<SceneID> = []

    init(concurrency: Int) {
        self.concurrency = concurrency
    }

    /// The builds that can end now, as numbers.
    var waiting: [Int] { running.filter { $0.continuation != nil }.map(\.number) }

    func isCancelled(_ number: Int) -> Bool { running.first { $0.number == number }?.isCancelled ?? false }

    /// The body of the rebuilder's builds.
    func build(_ scene: SceneID, _ rebuild: Rebuild) async throws {
        numbers += 1
        started += 1
        let number = numbers
        if running.contains(where: { $0.scene == scene }) { fail("two builds of one scene run") }
        if running.count >= concurrency { fail("more than \(concurrency) builds run") }
        if really[scene] == rebuild.size { fail("builds what is built") }
        running.append(Build(number: number, scene: scene, size: rebuild.size))
        let isBuilt = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in change(number) { $0.continuation = continuation } }
        } onCancel: {
            change(number) { $0.isCancelled = true }
        }
        running.removeAll { $0.number == number }
        if !isBuilt { throw GivenUp() }
        if !gone.contains(scene) { really[scene] = rebuild.size }
    }

    func end(_ number: Int, isBuilt: Bool) {
        var continuation: CheckedContinuation<Bool, Never>?
        change(number) { continuation = $0.continuation.take() }
        continuation?.resume(returning: isBuilt)
    }

    private func change(_ number: Int, _ body: (inout Build) -> Void) {
        guard let index = running.firstIndex(where: { $0.number == number }) else { return }
        body(&running[index])
    }

    private func fail(_ problem: String) { breach = breach ?? problem }
}
