import Foundation
import Settle
import SettleClock
import SettleLog
import SettlePlatform
import TestSupport
import XCTest

@testable import SettleSources

/// How a program in a played terminal ends, read by read.
final class TerminalEndsTests: XCTestCase {
    /// Reads the source until a condition holds, and returns what it said.
    private func read(
        _ source: TerminalSource, _ terminal: PlayedTerminal, until isEnough: ([SourceNews], [LogEvent]) -> Bool
    ) throws -> [SourceNews] {
        let batch = EventBatch()
        var (news, events) = ([SourceNews](), [LogEvent]())
        for _ in 0..<20_000 where !isEnough(news, events) {
            waitUntilReadable(source.descriptor, nanoseconds: 1_000_000)
            batch.removeAll()
            news += try source.read(into: batch)
            for index in 0..<batch.count { events.append(batch[index]) }
            _ = terminal.look()
        }
        XCTAssertTrue(isEnough(news, events), "\(news) \(events) \(terminal.look().debugDescription)")
        return news
    }

    /// A process that has ended, and that nobody has asked for.
    private func isZombie(_ process: Int32) -> Bool {
        let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        return stat.flatMap { $0.split(separator: ")").last }?.hasPrefix(" Z") == true
    }

    /// What is found in the program's last output is said, too.
    func testWhatIsFoundInTheLastOutputIsSaid() throws {
        try needLibvterm(HeldScreen(WindowSize(rows: 6, columns: 20)))
        let terminal = try PlayedTerminal()
        let others = Children.all()
        let source = try TerminalSource(
            [
                "sh", "-c",
                "stty raw -echo; printf '\\033[?1049hready'; head -c 1 >/dev/null; printf '\\033[4h'; exit 3",
            ],
            terminal: terminal.program, holding: .fullScreen)
        let leader = try XCTUnwrap(Children.all().subtracting(others).first { !isZombie($0) })
        _ = try read(source, terminal) { _, _ in terminal.look().contains("ready") }
        terminal.resize(rows: 10, columns: 40)
        pthread_kill(pthread_self(), SIGWINCH)
        _ = try read(source, terminal) { _, events in events.contains { $0.size?.width == 40 } }
        // The key passes with one read, and the next one comes when the program has ended.
        terminal.type("x")
        var news = try source.read(into: EventBatch())
        for _ in 0..<20_000 where !isZombie(leader) { usleep(1000) }
        news += try read(source, terminal) { news, _ in news.contains(.ended(status: 3)) }
        XCTAssertEqual(
            news,
            [
                .message("a size that is held back is not hidden: the program inserts characters (mode 4)"),
                .ended(status: 3),
            ])
    }

    /// After a signal, the last output is waited for as long as the terminal takes some of it.
    func testATerminalThatReadsSlowlyGetsTheLastOutput() throws {
        let terminal = try PlayedTerminal()
        let others = Children.all()
        let source = try TerminalSource(
            ["sh", "-c", "trap '' TERM HUP; printf ready; head -c 75000 /dev/zero; exit 5"], terminal: terminal.program)
        let leader = try XCTUnwrap(Children.all().subtracting(others).first)
        let batch = EventBatch()
        for _ in 0..<20_000 where kill(leader, 0) == 0 {
            waitUntilReadable(source.descriptor, nanoseconds: 1_000_000)
            batch.removeAll()
            _ = try source.read(into: batch)
        }
        XCTAssertEqual(kill(leader, 0), -1)
        XCTAssertTrue(source.stop())
        let end = MonotonicClock.now + .milliseconds(1200)
        var (bytes, count, status) = ([UInt8](repeating: 0, count: 4096), 0, nil as Int32?)
        func look() {
            var rest = bytes.count
            while rest > 0, case let more = SettlePlatform.read(terminal.user, &bytes, rest), more > 0 {
                (count, rest) = (count + more, rest - more)
            }
        }
        while status == nil {
            look()
            batch.removeAll()
            for case .ended(let ended) in try source.read(into: batch) { status = ended }
            if MonotonicClock.now < end { usleep(80_000) }
        }
        for _ in 0..<20 { look() }
        XCTAssertEqual(count, 75_005)
        XCTAssertEqual(status, 5)
    }
}
