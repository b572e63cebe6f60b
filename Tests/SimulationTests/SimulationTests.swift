import Foundation
import TestSupport
import XCTest

/// Runs simulated worlds: only a few of those that `scripts/simulate` runs, as debug builds
/// are slow. For a seed that fails, it prints the command that runs it again.
///
/// SETTLE_SEED runs one seed and prints its trace. SETTLE_SEEDS is the number of seeds, and
/// SETTLE_FROM the first one.
final class SimulationTests: XCTestCase {
    private let folder = SimulationTests.makeFolder()

    override func tearDown() { try? FileManager.default.removeItem(atPath: folder) }

    /// In memory if possible, which is faster.
    private static func makeFolder() -> String {
        let shared = "/dev/shm"
        let hasShared = FileManager.default.isWritableFile(atPath: shared)
        let parent = hasShared ? shared : FileManager.default.temporaryDirectory.path
        let folder = "\(parent)/settle-simulation-\(UUID().uuidString)"
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }

    private func setting(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    func testWhateverHappensTheContractHolds() throws {
        if let seed = setting("SETTLE_SEED") { return try show(seed) }
        let (from, count) = (setting("SETTLE_FROM") ?? 0, setting("SETTLE_SEEDS") ?? 300)
        var tally = Tally()
        for seed in from..<from + count {
            let world = try Simulation(seed: seed, folder: folder)
            if let breach = world.run() {
                print("simulation: seed \(seed) after \(world.step) steps: \(breach)")
                print("simulation: to see it again: scripts/simulate --seed \(seed)")
                print("simulation: \(tally.worlds) passed, 1 failed")
                return XCTFail("seed \(seed): \(breach)")
            }
            tally.add(world)
            if tally.worlds % 500 == 0, setting("SETTLE_PROGRESS") != nil {
                FileHandle.standardError.write(Data("\r\(tally.worlds) of \(count) worlds".utf8))
            }
        }
        for line in tally.lines { print("simulation: \(line)") }
        print("simulation: \(tally.worlds) passed, 0 failed")
    }

    /// What happens in some worlds, of which `Tests/Cases/simulation/aftermath.txt` keeps numbers.
    func testTheSameHappensAsBefore() throws {
        var numbers: [(number: String, title: String)] = []
        for first in stride(from: UInt64(0), to: 200, by: 10) {
            var aftermath = Aftermath()
            for seed in first..<first + 10 {
                let world = try Simulation(seed: seed, folder: folder)
                _ = world.run()
                aftermath.note("\(world.trace.hash)")
            }
            numbers.append((aftermath.number, "the ten worlds from \(first) on"))
        }
        let file = Recordings.folder.deletingLastPathComponent().appending(path: "Cases/simulation/aftermath.txt")
        for fault in try Aftermath.faults(numbers, file: file) { XCTFail(fault) }
    }

    private func show(_ seed: UInt64) throws {
        let world = try Simulation(seed: seed, folder: folder, isPrinted: true)
        print(world.scenario)
        let breach = world.run()
        print("simulation: seed \(seed) after \(world.step) steps: \(breach ?? "holds"), hash \(world.trace.hash)")
        XCTAssertNil(breach)
    }

    func testTheSameSeedDoesTheSame() throws {
        for seed: UInt64 in 0..<20 {
            let hashes = try (0..<2).map { _ in
                let simulation = try Simulation(seed: seed, folder: folder)
                _ = simulation.run()
                return simulation.trace.hash
            }
            XCTAssertEqual(hashes[0], hashes[1], "seed \(seed)")
        }
    }
}
