import Settle
import UIKit

/// Split views in windows under drag: three columns and an inspector, each with a view that four
/// constraints tie to the margins' guide.
@MainActor struct SplitBench {
    private let system: UISystem
    private let scenes: [UIWindowScene]
    private let splits: [UISplitViewController]

    private enum Case: String, CaseIterable {
        /// Each event has a new size of a window, and its callback comes at once.
        case split
        /// Batches of 256 events of 16 windows: one callback for sixteen events.
        case splitCoalesced
        /// Each move of a separator has a new width of the primary column.
        case separator
    }

    private init(scenes count: Int) throws {
        (system, scenes) = try BenchApp.launch(scenes: count)
        splits = scenes.map { scene in
            let split = UISplitViewController(style: .tripleColumn)
            for column in [UISplitViewController.Column.primary, .supplementary, .secondary, .inspector] {
                split.setViewController(BenchController(usesMargins: true), for: column)
            }
            split.show(.inspector)
            let window = UIWindow(windowScene: scene)
            window.rootViewController = split
            window.makeKeyAndVisible()
            return split
        }
        for scene in scenes { try system.resize(scene, to: CGSize(width: 1300, height: 700)) }
    }

    /// - Returns: Nanoseconds per event, and allocations in all.
    private func run(_ what: Case, events count: Int, round: Int) throws -> (nanoseconds: Double, allocations: Int?) {
        let batch = Subject.batch
        let now = system.now.nanoseconds
        let isTogether = what == .splitCoalesced
        let events = (0..<count).map { number in
            let scene = isTogether ? (number / batch * 16 + number % 16) % scenes.count : number % scenes.count
            let width = 1200 + (round * 31 + number / scenes.count + number % batch) % 200
            return Event.geometry(
                system.identity(of: scenes[scene]), at: Timestamp(nanoseconds: now + UInt64(number) * 100),
                size: Size(width: Double(width), height: 700), isInteractivelyResizing: true)
        }
        let separators = splits.map { system.separators(of: $0)[0] }
        if what == .separator {
            for scene in scenes { try system.endResize(scene) }
            for separator in separators { try system.beginDrag(separator) }
        }
        let allocations = Allocations.count
        let start = ContinuousClock.now
        switch what {
        case .split: for event in events { system.submit(event) }
        case .splitCoalesced:
            let span = events.span
            for first in stride(from: 0, to: count, by: batch) {
                system.submit(span.extracting(first..<min(first + batch, count)))
            }
        case .separator:
            for number in 0..<count {
                let x = 220 + (round * 17 + number / scenes.count) % 90
                try system.drag(separators[number % scenes.count], to: CGFloat(x))
            }
        }
        let took = ContinuousClock.now - start
        let made = Allocations.count.map { $0 - allocations! }
        if what == .separator { for separator in separators { system.endDrag(separator) } }
        guard splits.allSatisfy({ $0.isShowing(.inspector) && $0.displayMode == .twoBesideSecondary }) else {
            fatalError("\(what): a column was hidden")
        }
        return (took / .nanoseconds(1) / Double(count), made)
    }

    /// The bytes that a split view with three columns and an inspector takes, with plain view
    /// controllers, once it was shown.
    static func reportMemory() throws {
        let (_, scenes) = try BenchApp.launch(scenes: 2_000)
        let windows = scenes.map { UIWindow(windowScene: $0) }
        for window in windows { window.makeKeyAndVisible() }
        let before = Allocations.bytes
        for window in windows {
            let split = UISplitViewController(style: .tripleColumn)
            for column in [UISplitViewController.Column.primary, .supplementary, .secondary, .inspector] {
                split.setViewController(UIViewController(), for: column)
            }
            split.show(.inspector)
            window.rootViewController = split
        }
        let bytes = (Allocations.bytes - before) / windows.count
        guard bytes > 0 else { fatalError("split views took no memory") }
        print(#"{"kind":"splitMemory","bytes_per_split":\#(bytes)}"#)
    }

    /// Prints the medians of those that are asked for.
    static func report(scenes: Int, events: Int, runs: Int, _ isAsked: (String) -> Bool) throws {
        let cases = Case.allCases.filter { isAsked($0.rawValue) }
        guard !cases.isEmpty else { return }
        let bench = try SplitBench(scenes: scenes)
        for what in cases {
            _ = try bench.run(what, events: min(events, 4 * scenes / Subject.batch * Subject.batch), round: 1000)
            let all = try (0..<runs).map { try bench.run(what, events: events, round: $0) }
            let times = all.map(\.nanoseconds).sorted()
            let allocations = all.compactMap(\.allocations).max().map(String.init) ?? "null"
            print(
                #"{"kind":"splits","language":"Swift","case":"\#(what.rawValue)","peer":"UIKit","scenes":\#(scenes),"#
                    + #""events":\#(events),"runs":\#(runs),"ns":\#(times[runs / 2]),"allocations":\#(allocations)}"#)
        }
    }
}
