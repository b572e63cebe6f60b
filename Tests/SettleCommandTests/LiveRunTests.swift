import Foundation
import Settle
import SettleClock
import SettleLog
import SettlePlatform
import SettleProgram
import SettleSources
import TestSupport
import XCTest

@testable import SettleCommand

/// Whole live runs, of sources that do what a test says, with all that they print.
final class LiveRunTests: XCTestCase {
    /// A source that does a step each time it is read.
    private final class SteppedSource: GeometrySource {
        /// What it does, given a way to state a size, and what it says then; at last it may fail.
        typealias Step = @Sendable (_ size: (String, Double) -> Void) -> Result<[SourceNews], SourceError>
        static let kind = doing([])
        let header = LogHeader(source: "steps")
        let scenes = SceneNames()
        let descriptor: Int32
        private let bell: EventDescriptor
        private var steps: ArraySlice<Step>

        init(_ steps: [Step]) throws(SystemError) {
            bell = try EventDescriptor()
            bell.signal()
            descriptor = bell.number
            self.steps = steps[...]
        }

        static func doing(_ steps: [Step]) -> SourceKind {
            SourceKind(
                name: "steps", summary: "the test", unit: "px", hasResizingFlag: false, pointer: nil,
                timeStamps: .receipt, names: "names", problem: { nil },
                open: { _ throws(SourceError) in
                    do throws(SystemError) { return try SteppedSource(steps) } catch { throw SourceError("\(error)") }
                })
        }

        func read(into batch: EventBatch) throws(SourceError) -> [SourceNews] {
            guard let step = steps.popFirst() else { return [.ended(status: 3)] }
            let now = MonotonicClock.now
            let result = step { name, width in
                let size = Size(width: width, height: 10)
                batch.append(.geometry(scenes.number(of: name), at: now, size: size), at: .line(0))
            }
            return try result.get()
        }
    }

    private let folder = TemporaryFolder()
    override func tearDown() { folder.remove() }

    private var log: String { folder.file("log.settle") }
    private var said: String { (try? String(contentsOfFile: folder.file("err"), encoding: .utf8)) ?? "" }

    /// Runs it on a thread of its own, which alone keeps signals, with both outputs in files.
    private func run(_ run: @escaping @Sendable (EndSignal) throws -> Int32) throws -> String {
        let kept = [1, 2].map { ($0, dup($0)) }
        for (number, name) in [(1, "out"), (2, "err")] as [(Int32, String)] {
            let file = open(folder.file(name), O_WRONLY | O_CREAT | O_APPEND, 0o600)
            dup2(file, number)
            close(file)
        }
        let result = Locked("")
        let thread = try WorkerThread {
            do {
                let status = try run(try EndSignal(keeping: .each))
                result.change { $0 = "status \(status)" }
            } catch {
                result.change { $0 = text(of: error) }
            }
        }
        thread.join()
        signal(SIGPIPE, SIG_DFL)
        for (number, copy) in kept {
            dup2(copy, number)
            close(copy)
        }
        return result.value
    }

    /// Waits until something was said.
    private static func wait(_ errors: String, _ text: String) {
        let end = Date(timeIntervalSinceNow: 10)
        while Date() < end {
            if (try? String(contentsOfFile: errors, encoding: .utf8))?.contains(text) == true { return }
            sched_yield()
        }
    }

    func testARunWithAllThatIsSaidOfIt() throws {
        let steps: [SteppedSource.Step] = [
            { size in
                size("a", 20)
                return .success([.message("one")])
            },
            { size in
                for width in 1...9 { size("b", Double(10 * width)) }
                return .success([.message("two"), .ended(status: 7)])
            },
        ]
        let target = try RecordTarget(besides: WatchVerb.verb.options(["--record", log]), printsBeside: true)
        let result = try run { signal in
            try LiveRun(
                kind: SteppedSource.doing(steps), arguments: SourceArguments(command: ["app"]), policy: .default,
                target: target, endSignal: signal
            ).run()
        }
        XCTAssertEqual(result, "status 7")
        XCTAssertEqual(
            // How often a timer fired depends on the machine.
            said.replacing(try Regex("; [01] with a 100 ms debounce"), with: ""),
            """
            settle: one
            settle: two
            settle: 2 windows, 10 events: 7 rebuilds saved, 3 with Settle instead of 10 at every size
            settle: \(log): 10 events

            """)
        let printed = try String(contentsOfFile: folder.file("out"), encoding: .utf8).split(separator: "\n")
        XCTAssertEqual(printed.count, 3)
    }

    /// An app goes on without its recording; all that failed is said, and the first failure is the run's.
    func testAnAppGoesOnWithoutWhatHasFailed() throws {
        let (errors, log) = (folder.file("err"), log)
        for last in [nil, SourceError("the server is gone")] {
            unlink(log)
            unlink(errors)
            let steps: [SteppedSource.Step] = [
                { size in
                    size("a", 20)
                    unlink(log)
                    return .success([])
                },
                { size in
                    Self.wait(errors, "the app goes on")
                    size("a", 30)
                    return .success([])
                },
                { _ in last.map { .failure($0) } ?? .success([.message("the end")]) },
            ]
            let result = try run { signal in
                let options = try RecordVerb.verb.options(["--flush-interval", "0", log])
                return try LiveRun(
                    kind: SteppedSource.doing(steps), arguments: SourceArguments(command: ["app"]),
                    target: RecordTarget(log, input: nil, options, signal), endSignal: signal
                ).run()
            }
            let failure =
                "\(log): another process removed the file; 0 events are safe in its first 0 bytes, and 1 received"
                + " after them are lost"
            XCTAssertEqual(result, failure)
            XCTAssertEqual(
                said,
                "settle: \(failure); the app goes on\n"
                    + (last == nil ? "settle: the end\n" : "settle: the server is gone\n"))
        }
    }

    /// What is printed while a table is shown comes behind it, unless that is too much.
    func testErrorsAreKeptUpToAMebibyte() throws {
        func printed(_ sizes: [Int], prints: Bool = true) throws -> String {
            unlink(folder.file("err"))
            _ = try run { _ in
                let errors = DeferredErrors()
                for (number, size) in sizes.enumerated() {
                    Terminal.sayText(String(repeating: "\(number)", count: size - 1) + "\n")
                    errors?.limit()
                }
                errors?.close(prints: prints)
                Terminal.sayText("shown\n")
                errors?.close()
                return 0
            }
            return said.split(separator: "\n").map { $0.count > 100 ? "\($0.prefix(1)) * \($0.count)" : "\($0)" }
                .joined(separator: "|")
        }
        let most = 1 << 20
        XCTAssertEqual(try printed([3, 4]), "00|111|shown")
        XCTAssertEqual(try printed([3, 4], prints: false), "shown")
        XCTAssertEqual(try printed([most - 3, 3]), "0 * \(most - 4)|11|shown")
        let cut = "settle: earlier messages of more than a mebibyte are not shown"
        XCTAssertEqual(try printed([most - 3, 4, 5, 3]), "\(cut)|2222|33|shown")
        XCTAssertEqual(try printed([most + 1, most, 2, 3]), "\(cut)|33|shown")
        XCTAssertEqual(try printed([most + 1, 3], prints: false), "shown")
    }
}
