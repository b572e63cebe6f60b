import Glibc
import Settle
import SettleLoop

/// usage: gates SCENARIO ROUNDS
///
/// The Swift counterpart of `core_gates.c`: the same work in every round, so that the
/// difference between two numbers of rounds is the instructions and allocations of the
/// events alone. Prints a sum over the decisions as a proof of work.
@main
enum Gates {
    static let eventsPerRound = 1 << 15
    private static let batch = 256

    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let rounds = Int(arguments[2]), rounds > 0 else { usage() }
        switch arguments[1] {
        case "engine": try engine(rounds) { _ in }
        // An allocation per round, which the gate must find.
        case "planted": try engine(rounds) { boxes.append(Box(round: $0)) }
        case "hosted": try live(rounds, isHosted: true)
        case "threaded": try live(rounds, isHosted: false)
        default: usage()
        }
        print("events \(eventsPerRound) sum \(sum)")
    }

    private static func usage() -> Never {
        print("usage: gates engine | planted | hosted | threaded ROUNDS")
        exit(2)
    }

    private final class Box {
        let round: Int
        init(round: Int) { self.round = round }
    }
    nonisolated(unsafe) private static var boxes: [Box] = []
    nonisolated(unsafe) private static var sum = 0

    private static func add(_ decision: Decision) {
        guard case .rebuild(let rebuild) = decision.kind else { return }
        sum += Int(rebuild.size.width)
    }

    /// A drag a batch, with its begin, its end and a decision for both.
    private static func drags(_ scenes: [SceneID]) -> [Event] {
        (0..<eventsPerRound).map { index in
            .geometry(
                scenes[index / batch % scenes.count], at: Timestamp(nanoseconds: 0),
                size: Size(width: Double(400 + index % 997), height: 300),
                isInteractivelyResizing: index % batch < batch - 1)
        }
    }

    /// Straight into the engine, in virtual time.
    private static func engine(_ rounds: Int, behindRound: (Int) -> Void) throws {
        boxes.reserveCapacity(rounds)
        var engine = try Engine(policy: .uikit)
        var events = drags(try (0..<10).map { _ in try engine.connect() })
        var now: UInt64 = 0
        for round in 0..<rounds {
            for first in stride(from: 0, to: events.count, by: batch) {
                for index in first..<first + batch {
                    now += 1_000_000
                    events[index].at = Timestamp(nanoseconds: now)
                }
                engine.submit(events.span.extracting(first..<first + batch)) { add($0) }
            }
            behindRound(round)
        }
        guard engine.statistics.events == rounds * events.count else { fatalError("events were lost") }
    }

    /// Through a source's ring and the loop to the handler, on this thread's turns of
    /// the loop or on a thread of its own.
    private static func live(_ rounds: Int, isHosted: Bool) throws {
        let engine = try LiveEngine(policy: .uikit) { add($0) }
        var events = drags(try (0..<10).map { _ in try engine.connect() })
        var source = try engine.makeSource(overload: .block)
        if !isHosted { try engine.start() }
        for _ in 0..<rounds {
            for first in stride(from: 0, to: events.count, by: batch) {
                let now = MonotonicClock.now
                for index in first..<first + batch { events[index].at = now }
                source.send(events.span.extracting(first..<first + batch))
                if isHosted { engine.runOnce() }
            }
        }
        engine.stop()
        guard engine.statistics.engine.events == rounds * events.count else { fatalError("events were lost") }
    }
}
