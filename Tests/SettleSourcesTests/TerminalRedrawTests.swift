import Foundation
import Settle
import SettleClock
import SettleLog
import SettlePlatform
import TestSupport
import XCTest

@testable import SettleSources

/// Collects events, and does each step once it may be done, one in a turn.
private final class Steps: SourceSink {
    typealias Step = (mayBegin: (Steps) -> Bool, begin: (Steps) -> Void)

    let terminal: PlayedTerminal
    var events: [LogEvent] = []
    private(set) var turns = 0
    private var steps: [Step]
    /// Turns since the last step.
    private(set) var rest = 0

    init(_ terminal: PlayedTerminal, _ steps: [Step]) { (self.terminal, self.steps) = (terminal, steps) }

    var shown: String { terminal.look() }
    var sizes: [Size] { events.compactMap(\.size) }
    var builds: [(generation: UInt32, cost: Duration)] {
        events.compactMap { $0.event(for: SceneID(rawValue: 0)).build }
    }
    var nextDeadline: Timestamp? { MonotonicClock.now + .milliseconds(3) }

    func receive(_ batch: EventBatch, scenes: SceneNames, news: [SourceNews]) {
        for index in 0..<batch.count { events.append(batch[index]) }
    }

    func advance(to now: Timestamp) {
        turns += 1
        rest += 1
        _ = terminal.look()
        if rest == 5000 {
            XCTFail("\(steps.count) steps are left; shown: \(shown.debugDescription)")
            terminal.hangUp()
        }
        guard let step = steps.first, step.mayBegin(self) else { return }
        steps.removeFirst()
        rest = 0
        step.begin(self)
    }
}

/// Programs in a played terminal that draw again, ask for reports, and lose their terminal.
final class TerminalRedrawTests: XCTestCase {
    private func signal(_ number: Int32) { pthread_kill(pthread_self(), number) }

    /// Says each SIGWINCH with its number and its size; SIGTERM ends it.
    private func counting(first: String = "") -> [String] {
        [
            "sh", "-c",
            "exec 2>/dev/null; n=0; trap 'n=$((n+1)); echo $n: $(stty size)' WINCH; trap 'exit 0' TERM; stty raw -echo;"
                + " printf '\(first)ready'; while :; do sleep 0.01; done",
        ]
    }

    func testARedrawIsReportedOnceWithItsRebuild() throws {
        let terminal = try PlayedTerminal()
        let source = try TerminalSource(counting(), terminal: terminal.program)
        let steps = Steps(
            terminal,
            [
                (
                    { $0.shown.contains("ready") },
                    { _ in
                        // The size that it has.
                        source.apply(Size(width: 80, height: 24), generation: 1)
                        terminal.resize(rows: 30, columns: 100)
                        self.signal(SIGWINCH)
                    }
                ),
                ({ $0.sizes.count == 2 }, { source.apply($0.sizes[1], generation: 2) }),
                // Later turns report nothing more.
                ({ $0.builds.count > 1 && $0.rest > 5 }, { _ in self.signal(SIGTERM) }),
            ])
        XCTAssertEqual(try SourceRunner(source, into: steps).run(), .ended(status: 0))
        XCTAssertEqual(terminal.lines(), "ready1: 30 100\n")
        XCTAssertEqual(steps.builds.map(\.generation), [1, 2])
        XCTAssertEqual(steps.builds.map { $0.cost == .zero }, [true, false])
        XCTAssertEqual([source.sizesReceived, source.sizesGiven], [2, 2])
    }

    /// Another font is no resize: the program has it at once.
    func testAnotherFontIsGivenToTheProgram() throws {
        let terminal = try PlayedTerminal()
        terminal.resize(rows: 24, columns: 80, widthPx: 800, heightPx: 480)
        let source = try TerminalSource(counting(), terminal: terminal.program)
        let steps = Steps(
            terminal,
            [
                (
                    { $0.shown.contains("ready") },
                    { _ in
                        terminal.resize(rows: 24, columns: 80, widthPx: 1600, heightPx: 960)
                        self.signal(SIGWINCH)
                    }
                ), ({ $0.shown.contains("1: 24 80") }, { _ in self.signal(SIGTERM) }),
            ])
        XCTAssertEqual(try SourceRunner(source, into: steps).run(), .ended(status: 0))
        XCTAssertEqual(steps.sizes, [Size(width: 80, height: 24)])
    }

    /// Only a terminal that answers knows mode 2048, and all requests before have one answer: of the program's own size.
    func testReportsAreForATerminalThatAnswers() throws {
        for (answers, requests) in [(false, 1), (true, 1), (true, 2)] {
            let request = String(repeating: "\\033[?2048h", count: requests)
            let terminal = try PlayedTerminal()
            let source = try TerminalSource(
                ["sh", "-c", "stty raw -echo; printf '\(request)ready'; exec cat -v"], terminal: terminal.program)
            let report = "\u{1B}[48;30;100;0;0t"
            let steps = Steps(
                terminal,
                [
                    (
                        { $0.shown.contains("ready") },
                        { _ in
                            terminal.resize(rows: 30, columns: 100)
                            if answers { terminal.type(report + report) }
                            self.signal(SIGWINCH)
                        }
                    ), ({ $0.sizes.count == 2 && $0.rest > 3 }, { source.apply($0.sizes[1]) }),
                    ({ $0.rest > 3 }, { _ in terminal.type("end") }),
                    ({ $0.shown.hasSuffix("end") }, { _ in _ = source.stop() }),
                ])
            XCTAssertEqual(try SourceRunner(source, into: steps).run(), .ended(status: 129))
            let said = terminal.look().replacing("\u{1B}[?2048h", with: "")
            XCTAssertEqual(said, "ready" + (answers ? "^[[48;24;80;0;0t^[[48;30;100;0;0t" : "") + "end")
        }
    }

    /// Whoever attaches to the terminal sees the picture, and a picture that is lost is asked for anew.
    func testAHeldScreenIsPaintedAgainAndItsLossAsksTheProgram() throws {
        try needLibvterm(HeldScreen(WindowSize(rows: 6, columns: 20)))
        let terminal = try PlayedTerminal()
        let source = try TerminalSource(
            counting(first: "\\033[?1049h\\033[2J"), terminal: terminal.program, holding: .fullScreen)
        func pictures(_ steps: Steps) -> Int { steps.shown.components(separatedBy: "\u{1B}[?2026l").count - 1 }
        var painted = 0
        let others = Children.all(named: "settle-screen")
        let steps = Steps(
            terminal,
            [
                (
                    { $0.shown.contains("ready") },
                    { _ in
                        terminal.resize(rows: 10, columns: 40)
                        self.signal(SIGWINCH)
                    }
                ),
                (
                    { $0.sizes.count == 2 && $0.rest > 5 },
                    {
                        painted = pictures($0)
                        self.signal(SIGWINCH)
                    }
                ),
                (
                    { pictures($0) > painted && $0.rest > 5 },
                    { steps in
                        XCTAssertFalse(steps.shown.contains("1: "))
                        let models = Children.all(named: "settle-screen").subtracting(others)
                        XCTAssertEqual(models.count, 1)
                        for model in models { kill(model, SIGKILL) }
                        // The loss is noticed with the next output or size.
                        terminal.resize(rows: 11, columns: 40)
                        self.signal(SIGWINCH)
                    }
                ), ({ $0.shown.contains("1: 24 80") }, { _ in self.signal(SIGTERM) }),
            ])
        XCTAssertEqual(try SourceRunner(source, into: steps).run(), .ended(status: 0))
        XCTAssertEqual(steps.sizes.count, 3)
    }

    /// A shell has its own modes in between.
    func testAProcessThatIsContinuedHasARawTerminal() throws {
        let terminal = try PlayedTerminal()
        var usual = termios()
        tcgetattr(terminal.program, &usual)
        let before = terminal.modes
        let source = try TerminalSource(counting(), terminal: terminal.program)
        let steps = Steps(
            terminal,
            [
                (
                    { $0.shown.contains("ready") },
                    { _ in
                        XCTAssertTrue(terminal.isRaw)
                        tcsetattr(terminal.program, TCSANOW, &usual)
                        // The signal of this size went to the shell.
                        terminal.resize(rows: 30, columns: 100)
                        self.signal(SIGCONT)
                    }
                ), ({ $0.terminal.isRaw && $0.rest > 3 }, { _ in self.signal(SIGTERM) }),
            ])
        XCTAssertEqual(try SourceRunner(source, into: steps).run(), .ended(status: 0))
        XCTAssertEqual(steps.sizes, [Size(width: 80, height: 24), Size(width: 100, height: 30)])
        XCTAssertEqual(terminal.modes, before)
    }

    func testTheEndOfTheTerminalReachesTheProgram() throws {
        let folder = TemporaryFolder()
        let terminal = try PlayedTerminal()
        let file = folder.file("said")
        let source = try TerminalSource(
            ["sh", "-c", "trap 'echo hung up >\(file); exit' HUP; printf ready; while :; do sleep 0.01; done"],
            terminal: terminal.program)
        let steps = Steps(terminal, [({ $0.shown.contains("ready") }, { _ in terminal.hangUp() })])
        XCTAssertThrowsError(try SourceRunner(source, into: steps).run())
        for _ in 0..<10_000 where !FileManager.default.fileExists(atPath: file) { usleep(1000) }
        XCTAssertTrue(FileManager.default.fileExists(atPath: file))
        withExtendedLifetime(source) {}
    }

    /// While the terminal does not take the last output, nothing is done again and again.
    func testAnEndThatIsNotWrittenIsWaitedForWithoutWork() throws {
        let terminal = try PlayedTerminal()
        let others = Children.all()
        let source = try TerminalSource(["sh", "-c", "yes | head -c 50000; exit 5"], terminal: terminal.program)
        let batch = EventBatch()
        let leader = try XCTUnwrap(Children.all().subtracting(others).first)
        func isOver() -> Bool { kill(leader, 0) != 0 }
        for _ in 0..<10_000 where !isOver() {
            waitUntilReadable(source.descriptor, nanoseconds: 1_000_000)
            batch.removeAll()
            for case .ended in try source.read(into: batch) { XCTFail("it ended with output left") }
        }
        XCTAssertTrue(isOver())
        // What waits for the terminal is the terminal's turn.
        batch.removeAll()
        _ = try source.read(into: batch)
        XCTAssertFalse(isReadable(source.descriptor))
        var status: Int32?
        while status == nil {
            _ = terminal.look()
            waitUntilReadable(source.descriptor, nanoseconds: 1_000_000)
            batch.removeAll()
            for case .ended(let ended) in try source.read(into: batch) { status = ended }
        }
        XCTAssertEqual(status, 5)
        XCTAssertEqual(terminal.lines().utf8.count, 50_000)
    }
}
