import Foundation
import Settle
import SettleClock
import SettleLog
import SettlePlatform
import SettleSources
import TestSupport
import XCTest

/// Collects events, and calls the test every few milliseconds.
private final class Script: SourceSink {
    var events: [LogEvent] = []
    private let step: (Script) -> Void
    init(_ step: @escaping (Script) -> Void = { _ in }) { self.step = step }

    var sizes: [Size] { events.compactMap(\.size) }
    var nextDeadline: Timestamp? { MonotonicClock.now + .milliseconds(3) }
    func receive(_ batch: EventBatch, scenes: SceneNames, news: [SourceNews]) {
        for index in 0..<batch.count { events.append(batch[index]) }
    }
    func advance(to now: Timestamp) { step(self) }
}

final class TerminalSourceTests: XCTestCase {
    private func run(
        _ command: [String], in terminal: PlayedTerminal,
        _ step: @escaping (TerminalSource, Script) -> Void = { _, _ in }
    ) throws -> (status: Int32, script: Script) {
        let source = try TerminalSource(command, terminal: terminal.program)
        let script = Script {
            _ = terminal.look()
            step(source, $0)
        }
        guard case .ended(let status) = try SourceRunner(source, into: script).run() else {
            throw SourceError("stopped")
        }
        return (status, script)
    }

    func testTheProgramHasTheSizeFromItsBeginningAndItsOutputIsShown() throws {
        let terminal = try PlayedTerminal()
        let result = try run(["stty", "size"], in: terminal)
        XCTAssertEqual(result.status, 0)
        XCTAssertEqual(terminal.look(), "24 80\r\n")
        XCTAssertEqual(result.script.sizes, [Size(width: 80, height: 24)])
        XCTAssertEqual(result.script.events.map(\.kind), [.geometry, .disconnect])
    }

    func testTheStatusIsThatOfAShell() throws {
        let terminal = try PlayedTerminal()
        XCTAssertEqual(try run(["sh", "-c", "exit 42"], in: terminal).status, 42)
        XCTAssertEqual(try run(["sh", "-c", "kill -KILL $$"], in: terminal).status, 137)
    }

    func testTheTerminalIsRawAndThenRestored() throws {
        let terminal = try PlayedTerminal()
        let before = terminal.modes
        XCTAssertFalse(terminal.isRaw)
        let wasRaw = LockedValueBox(false)
        _ = try run(["sleep", "0.05"], in: terminal) { _, _ in wasRaw.withLock { $0 = $0 || terminal.isRaw } }
        XCTAssertTrue(wasRaw.withLock { $0 })
        XCTAssertEqual(terminal.modes, before)
    }

    func testAProgramThatIsMissingIsAnErrorAndTheTerminalIsRestored() throws {
        let terminal = try PlayedTerminal()
        let before = terminal.modes
        XCTAssertThrowsError(try TerminalSource(["/there/is/none"], terminal: terminal.program)) {
            XCTAssertEqual("\($0)", "cannot start '/there/is/none': No such file or directory")
            XCTAssertEqual(($0 as? SourceError)?.shellStatus, 127)
        }
        XCTAssertThrowsError(try TerminalSource(["/etc/passwd"], terminal: terminal.program)) {
            XCTAssertEqual(($0 as? SourceError)?.shellStatus, 126)
        }
        XCTAssertEqual(terminal.modes, before)
    }

    func testWithoutAProgramItIsAnError() throws {
        let terminal = try PlayedTerminal()
        XCTAssertThrowsError(try TerminalSource([], terminal: terminal.program)) {
            XCTAssertEqual("\($0)", "no program was named; name its command")
        }
    }

    func testASourceThatCannotBeginLeavesNothing() throws {
        let terminal = try PlayedTerminal()
        var mask = sigset_t()
        func fail(_ times: Int) {
            for _ in 0..<times {
                XCTAssertThrowsError(try TerminalSource(["/there/is/none"], terminal: terminal.program))
            }
        }
        func descriptors() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
        func heapPages() throws -> Int {
            // The sixth number is that of the pages for data.
            Int(try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")[5]) ?? 0
        }
        fail(20)
        let before = (try descriptors(), try heapPages())
        fail(100)
        XCTAssertEqual(try descriptors(), before.0)
        // A buffer for each would be 400 pages.
        XCTAssertLessThan(try heapPages() - before.1, 200)
        pthread_sigmask(SIG_BLOCK, nil, &mask)
        XCTAssertEqual(sigismember(&mask, SIGTERM), 0)
    }

    func testADescriptorThatIsNoTerminalIsAnError() throws {
        let file = open("/dev/null", O_RDWR)
        defer { close(file) }
        XCTAssertThrowsError(try TerminalSource(["true"], terminal: file)) {
            XCTAssertTrue("\($0)".hasPrefix("the terminal's modes cannot be changed: "), "\($0)")
        }
    }

    func testKeysPass() throws {
        let terminal = try PlayedTerminal()
        let isTyped = LockedValueBox(false)
        let result = try run(["cat"], in: terminal) { _, _ in
            isTyped.withLock {
                if !$0 { terminal.type("hello\r\u{4}") }
                $0 = true
            }
        }
        XCTAssertEqual(result.status, 0)
        // The first is the echo of the program's terminal.
        XCTAssertEqual(terminal.look(), "hello\r\nhello\r\n")
    }

    func testASizeReachesTheProgramWhenItIsApplied() throws {
        let terminal = try PlayedTerminal()
        let program = "trap 'stty size; exit 3' WINCH; echo ready; while :; do sleep 0.01; done"
        let isResized = LockedValueBox(0)
        let result = try run(["sh", "-c", program], in: terminal) { source, script in
            isResized.withLock { steps in
                if steps == 0, terminal.look().contains("ready") {
                    terminal.resize(rows: 30, columns: 100)
                    pthread_kill(pthread_self(), SIGWINCH)
                    steps = 1
                } else if steps > 0, script.sizes.count == 2 {
                    steps += 1
                    // Long enough for the program to have heard of it, if it did before.
                    if steps == 30 {
                        XCTAssertEqual(source.sizesGiven, 1)
                        source.apply(script.sizes[1])
                    }
                }
            }
        }
        XCTAssertEqual(result.status, 3)
        XCTAssertEqual(result.script.sizes, [Size(width: 80, height: 24), Size(width: 100, height: 30)])
        XCTAssertEqual(terminal.look(), "ready\r\n30 100\r\n")
    }

    /// Says each SIGWINCH; SIGTERM ends it.
    private static let says = [
        "sh", "-c",
        // What a shell says of its sleep that was ended is none of it.
        "exec 2>/dev/null; trap 'stty size' WINCH; trap 'exit 0' TERM; stty raw; echo ready; while :; do sleep 0.01; done",
    ]

    /// - Parameter steps: Each is done once its text is shown; then the program ends.
    private func says(
        holding: ScreenHolding, _ terminal: PlayedTerminal,
        _ steps: [(shown: String, then: (TerminalSource, Script) -> Void)]
    ) throws -> String {
        let source = try TerminalSource(Self.says, terminal: terminal.program, holding: holding)
        var done = 0
        let script = Script { script in
            guard terminal.lines().hasSuffix(done < steps.count ? steps[done].shown : "no such text") else { return }
            done += 1
            steps[done - 1].then(source, script)
        }
        XCTAssertEqual(try SourceRunner(source, into: script).run(), .ended(status: 0))
        return terminal.lines()
    }

    private func signal(_ number: Int32 = SIGWINCH) { pthread_kill(pthread_self(), number) }

    func testASignalOfTheProgramsOwnSizeIsPassedOnAtOnce() throws {
        for holding in [ScreenHolding.nothing, .fullScreen, .everything] {
            let terminal = try PlayedTerminal()
            let said = try says(
                holding: holding, terminal,
                [
                    ("ready\n", { _, _ in self.signal() }), ("24 80\n", { _, _ in self.signal() }),
                    ("24 80\n24 80\n", { _, _ in self.signal(SIGTERM) }),
                ])
            XCTAssertEqual(said, "ready\n24 80\n24 80\n")
        }
    }

    func testPixelsOfLessThanACellAreNoOtherSize() throws {
        let terminal = try PlayedTerminal()
        terminal.resize(rows: 24, columns: 80, widthPx: 800, heightPx: 480)
        var steps = 0
        let source = try TerminalSource(Self.says, terminal: terminal.program)
        let script = Script { _ in
            if steps == 0, terminal.look().contains("ready") {
                terminal.resize(rows: 24, columns: 80, widthPx: 805, heightPx: 480)
                self.signal()
                steps = 1
            } else if steps > 0 {
                steps += 1
                if steps == 10 { self.signal() }
                if steps > 10, terminal.look().contains("24 80") {
                    self.signal(SIGTERM)
                    steps = -1
                }
            }
        }
        XCTAssertEqual(try SourceRunner(source, into: script).run(), .ended(status: 0))
        XCTAssertEqual(terminal.lines(), "ready\n24 80\n")
    }

    func testWhileASizeIsHeldBackASignalWaitsForIt() throws {
        let terminal = try PlayedTerminal()
        var steps = 0
        let source = try TerminalSource(Self.says, terminal: terminal.program, holding: .fullScreen)
        let script = Script { script in
            if steps == 0, terminal.look().contains("ready") {
                terminal.resize(rows: 30, columns: 100)
                self.signal()
                steps = 1
            } else if steps > 0, script.sizes.count == 2 {
                steps += 1
                if steps == 5 { self.signal() }
                // Long enough for the program to have heard of it.
                if steps == 30 {
                    XCTAssertFalse(terminal.look().contains("24 80"))
                    source.apply(script.sizes[1])
                    // The new size was signal enough.
                    source.sizeHasRested()
                } else if steps > 30, steps < 1000, terminal.look().contains("30 100") {
                    // Nor is one owed later.
                    source.sizeHasRested()
                    steps = 1000
                } else if steps == 1030 {
                    self.signal(SIGTERM)
                }
            }
        }
        XCTAssertEqual(try SourceRunner(source, into: script).run(), .ended(status: 0))
        XCTAssertEqual(terminal.lines(), "ready\n30 100\n")
    }

    func testAWiggleIsOneSignalOnceItHasRested() throws {
        let terminal = try PlayedTerminal()
        var steps = 0
        let source = try TerminalSource(Self.says, terminal: terminal.program)
        let script = Script { script in
            if steps == 0, terminal.look().contains("ready") {
                // Nothing has changed since the beginning.
                source.sizeHasRested()
                terminal.resize(rows: 25, columns: 80)
                self.signal()
                steps = 1
            } else if steps == 1, script.sizes.count == 2 {
                // Not while another size is the terminal's.
                source.sizeHasRested()
                terminal.resize(rows: 24, columns: 80)
                self.signal()
                steps = 2
            } else if steps > 1, script.sizes.count == 3 {
                steps += 1
                if steps == 30 {
                    XCTAssertFalse(terminal.look().contains("24 80"))
                    source.sizeHasRested()
                    source.sizeHasRested()
                } else if steps == 60 {
                    self.signal(SIGTERM)
                }
            }
        }
        XCTAssertEqual(try SourceRunner(source, into: script).run(), .ended(status: 0))
        XCTAssertEqual(terminal.lines(), "ready\n24 80\n")
        XCTAssertEqual(source.sizesGiven, 1)
    }

    func testATerminalThatClosesEndsTheProgram() throws {
        let terminal = try PlayedTerminal()
        let source = try TerminalSource(["sleep", "60"], terminal: terminal.program)
        let script = Script { _ in terminal.hangUp() }
        XCTAssertThrowsError(try SourceRunner(source, into: script).run()) {
            XCTAssertEqual("\($0)", "the terminal has closed")
        }
        XCTAssertEqual(script.events.map(\.kind), [.geometry, .disconnect])
    }

    func testATerminalThatClosesIsMissedAlsoWhenItsKeysAreWaiting() throws {
        let terminal = try PlayedTerminal()
        // Reads and writes nothing, and would not end by SIGHUP.
        let program = "stty raw -echo; trap '' HUP; echo ready; sleep 10"
        let source = try TerminalSource(["sh", "-c", program], terminal: terminal.program)
        let refusals = LockedValueBox(0)
        let script = Script { _ in
            refusals.withLock { count in
                guard terminal.look().contains("ready") else { return }
                // Until the program's terminal, the source and the user's terminal take no more.
                let isTaken = terminal.type(String(repeating: "x", count: 4096))
                count = isTaken ? 0 : count + 1
                if count == 20 { terminal.hangUp() }
            }
        }
        XCTAssertThrowsError(try SourceRunner(source, into: script).run()) {
            XCTAssertEqual("\($0)", "the terminal has closed")
        }
        XCTAssertEqual(refusals.withLock { $0 }, 20)
    }

    func testTheProgramDoesNotWaitForAnotherSource() throws {
        let terminal = try PlayedTerminal()
        let isEnded = LockedValueBox(false)
        // As a server that accepts the connection and never answers.
        let source = try TerminalSource(["true"], terminal: terminal.program) {
            while !isEnded.withLock({ $0 }) { usleep(1000) }
            return nil
        }
        XCTAssertEqual(try SourceRunner(source, into: Script()).run(), .ended(status: 0))
        isEnded.withLock { $0 = true }
    }

    func testAfterASignalATerminalThatDoesNotReadIsNotWaitedForForEver() throws {
        let terminal = try PlayedTerminal()
        let before = terminal.modes
        let source = try TerminalSource(["yes"], terminal: terminal.program)
        let steps = LockedValueBox(0)
        // Nobody looks, so the terminal's buffer and ours become full.
        let script = Script { _ in
            steps.withLock { steps in
                steps += 1
                if steps == 50 { pthread_kill(pthread_self(), SIGTERM) }
            }
        }
        XCTAssertEqual(try SourceRunner(source, into: script).run(), .ended(status: 143))
        XCTAssertEqual(terminal.modes, before)
    }

    func testOfAnotherSourceOnlyTheButtonsAreMergedIn() throws {
        let terminal = try PlayedTerminal()
        let source = try TerminalSource(["sleep", "0.3"], terminal: terminal.program) { try? ButtonSource() }
        let script = Script()
        _ = try SourceRunner(source, into: script).run()
        XCTAssertEqual(script.events.map(\.kind), [.geometry, .pointer, .pointer, .disconnect])
        XCTAssertEqual(script.events[1].button, 1)
        XCTAssertEqual(script.events[1].isPressed, true)
        // The source failed with its button held.
        XCTAssertEqual(script.events[2].isPressed, false)
        XCTAssertEqual(script.events.map(\.at), script.events.map(\.at).sorted())
    }
}

/// A desktop that a window and a button are seen of, and that fails then.
private final class ButtonSource: GeometrySource {
    static let kind = TerminalSource.kind
    let header = LogHeader()
    let scenes = SceneNames()
    private let bell: EventDescriptor
    private var reads = 0
    var descriptor: Int32 { bell.number }

    init() throws {
        bell = try EventDescriptor()
        bell.signal()
    }

    func read(into batch: EventBatch) throws(SourceError) -> [SourceNews] {
        reads += 1
        if reads > 1 { throw SourceError("the display has gone") }
        batch.append(
            .geometry(scenes.number(of: "w"), at: MonotonicClock.now, size: Size(width: 9, height: 9)), at: .line(0))
        batch.append(.pointer(button: 1, at: MonotonicClock.now, isPressed: true), at: .line(0))
        return []
    }
}
