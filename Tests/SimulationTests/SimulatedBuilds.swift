import Settle

/// Simulates an app's builds. They last, fail, obey or ignore a cancellation, and record the
/// sizes that are built.
final class SimulatedBuilds: @unchecked Sendable {
    struct NotBuilt: Error {}

    /// What a preparation made.
    final class Asset: Sendable {
        let scene: SceneID
        let size: Size
        fileprivate let number: Int
        private let builds: SimulatedBuilds

        fileprivate init(_ scene: SceneID, _ size: Size, _ number: Int, _ builds: SimulatedBuilds) {
            (self.scene, self.size, self.number, self.builds) = (scene, size, number, builds)
        }

        deinit { builds.kept[number] = nil }
    }

    private struct Build {
        var number: Int
        var scene: SceneID
        var size: Size
        var isPreview = false
        var isCancelled = false
        var continuation: CheckedContinuation<Bool, Never>?
    }

    private let concurrency: Int
    private var running: [Build] = []
    private var numbers = 0
    private(set) var started = 0
    private(set) var previewed = 0
    private(set) var prepared = 0
    /// What is prepared and not shown, by its number.
    fileprivate var kept: [Int: (scene: SceneID, size: Size)] = [:]
    private var shown: Set<Int> = []
    /// Preparations that were cancelled while they ran.
    private var givenUp: Set<Int> = []
    /// The failures that the rebuilder has reported.
    var failed: UInt64 = 0
    private(set) var built: [SceneID: Size] = [:]
    private(set) var breach: String?
    /// The scenes whose disconnect the rebuilder knows.
    var disconnected: Set<SceneID> = []

    init(concurrency: Int) {
        self.concurrency = concurrency
    }

    /// The numbers of the builds that can end now.
    var waiting: [Int] { running.filter { $0.continuation != nil }.map(\.number) }

    func isCancelled(_ number: Int) -> Bool { running.first { $0.number == number }?.isCancelled ?? false }

    /// The rebuilder's build closure.
    func build(_ scene: SceneID, _ rebuild: Rebuild) async throws {
        numbers += 1
        started += 1
        let number = numbers
        if running.contains(where: { $0.scene == scene }) { fail("two builds of one scene run") }
        if running.count(where: { !$0.isPreview }) >= concurrency { fail("more than \(concurrency) builds run") }
        if built[scene] == rebuild.size { fail("a build of the size that is built already") }
        let isBuilt = await run(Build(number: number, scene: scene, size: rebuild.size))
        if !isBuilt { throw NotBuilt() }
        if !disconnected.contains(scene) { built[scene] = rebuild.size }
    }

    /// The rebuilder's preview closure. It builds nothing.
    func preview(_ scene: SceneID, _ size: Size) async {
        numbers += 1
        previewed += 1
        if running.contains(where: { $0.scene == scene }) { fail("a preview while something of its scene runs") }
        if disconnected.contains(scene) { fail("a preview of a scene that is gone") }
        _ = await run(Build(number: numbers, scene: scene, size: size, isPreview: true))
    }

    /// The rebuilder's closure that prepares, for a preview or for a rebuild that finds nothing.
    func prepare(_ scene: SceneID, _ size: Size) async throws -> Asset {
        numbers += 1
        prepared += 1
        let number = numbers
        checkPlaces(scene)
        if kept.values.contains(where: { $0.scene == scene && $0.size == size }) { fail("what is kept is made again") }
        if kept.values.contains(where: { $0.scene == scene }) { fail("more than one size is kept of a scene") }
        let isMade = await run(Build(number: number, scene: scene, size: size, isPreview: true))
        if !isMade { throw NotBuilt() }
        kept[number] = (scene, size)
        return Asset(scene, size, number, self)
    }

    /// The rebuilder's closure that shows what was prepared.
    func show(_ scene: SceneID, _ rebuild: Rebuild, _ asset: Asset) async throws {
        numbers += 1
        started += 1
        checkPlaces(scene)
        if asset.scene != scene || asset.size != rebuild.size { fail("shows what was made for another size") }
        if !shown.insert(asset.number).inserted { fail("shows the same twice") }
        if Task.isCancelled { fail("shows in a task that was cancelled") }
        if givenUp.contains(asset.number) { fail("shows what was given up") }
        if built[scene] == rebuild.size { fail("shows the size that is built already") }
        kept[asset.number] = nil
        let isShown = await run(Build(number: numbers, scene: scene, size: rebuild.size))
        if !isShown { throw NotBuilt() }
        if !disconnected.contains(scene) { built[scene] = rebuild.size }
    }

    /// Whether something is kept for a scene.
    func isKept(_ scene: SceneID) -> Bool { kept.values.contains { $0.scene == scene } }

    /// The previews that run and were not cancelled.
    var previews: [(scene: SceneID, size: Size)] {
        running.filter { $0.isPreview && !$0.isCancelled }.map { ($0.scene, $0.size) }
    }

    private func checkPlaces(_ scene: SceneID) {
        if running.contains(where: { $0.scene == scene }) { fail("two builds of one scene run") }
        if running.count >= concurrency { fail("more than \(concurrency) builds run") }
    }

    private func run(_ build: Build) async -> Bool {
        let number = build.number
        running.append(build)
        defer {
            if isCancelled(number), build.isPreview { givenUp.insert(number) }
            running.removeAll { $0.number == number }
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in change(number) { $0.continuation = continuation } }
        } onCancel: {
            change(number) { $0.isCancelled = true }
        }
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
