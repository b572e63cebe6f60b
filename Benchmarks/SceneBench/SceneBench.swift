import Settle
import UIKit

/// The cost of a callback in an app with 10,000 scenes under drag, and of an event without
/// a callback. Prints JSON Lines.
///
/// Counts allocations if Benchmarks/Preload/allocations.c is preloaded.
///
/// usage: SceneBench [tiny | quick | full] [CASE...]
/// Cases are the names in the output; without any, all are measured.
@main
@MainActor enum SceneBench {
    static func main() throws {
        let scale = CommandLine.arguments.dropFirst().first ?? "full"
        let (scenes, events, runs) =
            switch scale {
            case "tiny": (512, 1 << 12, 1)
            case "quick": (10_000, 1 << 18, 3)
            default: (10_000, 1 << 21, 7)
            }
        Allocations.check()
        let cases = Set(CommandLine.arguments.dropFirst(2))
        func isAsked(_ name: String) -> Bool { cases.isEmpty || cases.contains(name) }
        var app = try BenchApp(scenes: scenes)
        for subject in Subject.allCases where isAsked(subject.rawValue) {
            switch subject {
            case .controller, .marks: app = try BenchApp(scenes: scenes, hasControllers: true)
            case .margins: app = try BenchApp(scenes: scenes, hasControllers: true, usesMargins: true)
            default: break
            }
            try subject.prepare(app)
            // The first round lets arrays grow to their size.
            _ = app.run(subject, events: min(events, 4 * scenes / Subject.batch * Subject.batch))
            let all = (0..<runs).map { _ in app.run(subject, events: events) }
            // A callback allocates its geometry, and nothing else is allocated, except by a debug build
            // for closures in a layout.
            let isExact = !_isDebugAssertConfiguration() || !subject.laysOut
            for run in all where isExact && run.allocations ?? 0 > run.callbacks {
                fatalError("\(subject): \(run.allocations!) allocations for \(run.callbacks) callbacks")
            }
            let times = all.map(\.nanosecondsPerEvent)
            let allocations = all.compactMap(\.allocations).max().map(String.init) ?? "null"
            print(
                #"{"kind":"scenes","language":"Swift","case":"\#(subject.rawValue)","peer":"UIKit","scenes":\#(scenes),"#
                    + #""events":\#(events),"runs":\#(times),"ns":\#(times.sorted()[runs / 2]),"#
                    + #""callbacks":\#(all[0].callbacks),"allocations":\#(allocations),"hash":"\#(all[0].hash)"}"#)
        }
        ConstraintBench.report(events: events, runs: runs, isAsked)
        if isAsked("splitMemory") { try SplitBench.reportMemory() }
        try SplitBench.report(scenes: scenes, events: events / 4, runs: runs, isAsked)
    }
}

/// What is measured.
enum Subject: String, CaseIterable {
    /// Each event has a new size, and its callback comes at once.
    case delivered
    /// The same, with batches of 256 events of 256 scenes.
    case together
    /// Batches of 256 events of 16 scenes: one callback for sixteen events.
    case coalesced
    /// Each event repeats the known size.
    case unchanged
    /// Each event has a new size for a scene in the background.
    case background
    /// Each event has a new size, for a window with a view controller, whose view is laid out.
    case controller
    /// No events: `setNeedsLayout` of a view in each scene.
    case marks
    /// Each event has a new size, for a view controller with a view that four constraints tie to
    /// the margins' guide.
    case margins

    /// Whether it lays out, or marks, the view of a view controller.
    var laysOut: Bool { self == .controller || self == .margins || self == .marks }

    @MainActor func prepare(_ app: BenchApp) throws {
        guard self == .background else { return }
        for scene in app.scenes { try app.system.bring(scene, to: .background) }
    }

    static let batch = 256

    /// The scene of event number `number`, of `count` scenes.
    func scene(_ number: Int, of count: Int) -> Int {
        guard self == .coalesced else { return number % count }
        let scenes = Subject.batch / 16
        return (number / Subject.batch * scenes + number % scenes) % count
    }

    /// The number of callbacks for so many events.
    func callbacks(_ events: Int) -> Int {
        switch self {
        case .delivered, .together, .controller, .margins: events
        case .coalesced: events / 16
        case .unchanged, .background, .marks: 0
        }
    }
}

/// Exact counts of allocations, if the counter is preloaded.
enum Allocations {
    private typealias Count = @convention(c) () -> UInt64
    private static let function: Count? = {
        dlsym(nil, "settle_allocations").map { unsafeBitCast($0, to: Count.self) }
    }()

    static var count: Int? { function.map { Int($0()) } }

    /// The resident memory of the program, in bytes.
    static var bytes: Int {
        let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
        guard fields.count > 1, let pages = Int(fields[1]) else { fatalError("/proc/self/statm cannot be read") }
        return pages * Int(getpagesize())
    }

    /// Kept, so that the allocation is not optimised away.
    nonisolated(unsafe) private static var probe: UnsafeMutableRawPointer?

    /// Stops the program if the counter misses an allocation.
    static func check() {
        guard let before = count else { return }
        probe = malloc(1)
        free(probe)
        guard count! > before else { fatalError("the preloaded counter does not count") }
    }
}
