import BenchSupport
import Glibc

/// Settle's Swift engine beside other ways to debounce in Swift. Prints JSON Lines; a hash
/// of the settled sizes checks each round.
@main
enum SwiftPeers {
    /// How much of everything; slow peers get fewer changes, which their rows state.
    struct Scale {
        var streams: Int
        var runs: Int
        var fast: Int
        var slow: Int
    }

    static func main() {
        let scale: Scale
        switch CommandLine.arguments.dropFirst().first ?? "full" {
        case "full": scale = Scale(streams: 10_000, runs: 3, fast: 2_000_000, slow: 100_000)
        case "quick": scale = Scale(streams: 10_000, runs: 3, fast: 1_000_000, slow: 40_000)
        case "tiny": scale = Scale(streams: 100, runs: 2, fast: 20_000, slow: 1_000)
        default: fail("usage: SwiftPeers full | quick | tiny")
        }
        do {
            try measure("hot", streams: 1, scale)
            try measure("many", streams: scale.streams, scale)
        } catch {
            fail("\(error)")
        }
    }

    private static func measure(_ name: String, streams: Int, _ scale: Scale) throws {
        let subjects = [
            try Subject(SettlePeer.self, streams: streams, changes: scale.fast),
            try Subject(MutexPeer.self, streams: streams, changes: scale.fast),
            try Subject(MutexClockPeer.self, streams: streams, changes: scale.fast),
            try Subject(DispatchPeer.self, streams: streams, changes: scale.slow),
            try Subject(TaskPeer.self, streams: streams, changes: scale.slow),
        ]
        // The first round only warms up; within a round the peers take turns.
        for run in -1..<scale.runs {
            for subject in subjects { try subject.round(isTimed: run >= 0) }
        }
        for subject in subjects { subject.printRow(case: name) }
    }
}

func fail(_ message: String) -> Never {
    printError("SwiftPeers: \(message)\n")
    exit(1)
}
