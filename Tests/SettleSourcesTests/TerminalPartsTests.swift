import CTerminal
import Foundation
import SettlePlatform
import TestSupport
import XCTest

@testable import SettleSources

/// The modes of the user's terminal, the program on its own one, and the signals between them.
final class TerminalPartsTests: XCTestCase {
    /// The modes of a terminal, and the same without echo.
    private func modes(_ terminal: PlayedTerminal) -> (usual: termios, silent: termios) {
        var modes = termios()
        tcgetattr(terminal.program, &modes)
        var silent = modes
        silent.c_lflag &= ~tcflag_t(ECHO)
        return (modes, silent)
    }

    func testTheModesAreThoseThatTheUserHadLast() throws {
        let terminal = try PlayedTerminal()
        var (usual, silent) = modes(terminal)
        let before = terminal.modes
        XCTAssertEqual(terminal_modes_open(terminal.program), 0)
        XCTAssertEqual(terminal_modes_open(terminal.program), -1)
        XCTAssertEqual(errno, EBUSY)
        var kept = termios()
        XCTAssertEqual(terminal_modes_raw(&kept), 0)
        XCTAssertEqual(kept.c_lflag, usual.c_lflag)
        XCTAssertTrue(terminal.isRaw)
        // Raw again: that is no mode of the user's.
        XCTAssertEqual(terminal_modes_raw(&kept), 0)
        XCTAssertEqual(kept.c_lflag, usual.c_lflag)
        terminal_modes_restore()
        XCTAssertEqual(terminal.modes, before)
        // The user changes them while this process is stopped.
        tcsetattr(terminal.program, TCSANOW, &silent)
        XCTAssertEqual(terminal_modes_raw(&kept), 0)
        XCTAssertEqual(kept.c_lflag, silent.c_lflag)
        XCTAssertTrue(terminal.isRaw)
        terminal_modes_close()
        XCTAssertEqual(terminal.modes, [before[0], before[1], before[2], UInt32(silent.c_lflag)])
        tcsetattr(terminal.program, TCSANOW, &usual)
        // Nobody's terminal any more.
        terminal_modes_restore()
        XCTAssertEqual(terminal_modes_open(terminal.program), 0)
        terminal_modes_close()
        XCTAssertEqual(terminal.modes, before)
    }

    /// A program that has stopped itself is continued; whoever leads its session follows it.
    func testAProgramStopsAndIsContinued() throws {
        let program = try TerminalProgram(modes: termios(), size: WindowSize(rows: 24, columns: 80))
        try program.start(["sh", "-c", "kill -STOP $$; exit 7"], streams: [0, 1, 2])
        func wait(_ state: TerminalProgram.State) {
            for _ in 0..<10_000 where program.state != state {
                usleep(1000)
                program.update()
            }
            XCTAssertEqual(program.state, state)
        }
        program.resume()
        wait(.stopped)
        XCTAssertFalse(isReadable(program.endDescriptor))
        program.resume()
        XCTAssertEqual(program.state, .running)
        wait(.ended(7))
        XCTAssertTrue(isReadable(program.endDescriptor))
        program.update()
        XCTAssertEqual(program.state, .ended(7))
    }

    func testAProgramThatCannotStartLeavesNoChild() throws {
        let before = Children.all()
        for _ in 0..<3 {
            let program = try TerminalProgram(modes: termios(), size: WindowSize())
            XCTAssertThrowsError(try program.start(["/there/is/none"], streams: [0, 1, 2])) {
                XCTAssertEqual($0 as? SystemError, SystemError(call: "execvp", code: ENOENT))
            }
        }
        XCTAssertEqual(Children.all().subtracting(before), [])
    }

    /// As under nohup.
    func testASignalThatIsIgnoredIsNotRead() throws {
        let former = signal(SIGQUIT, SIG_IGN)
        defer { signal(SIGQUIT, former) }
        do {
            let signals = try TerminalSignals([SIGQUIT, SIGTERM])
            for number in [SIGQUIT, SIGTERM] { pthread_kill(pthread_self(), number) }
            XCTAssertEqual(signals.next(), SIGTERM)
            XCTAssertNil(signals.next())
        }
        var mask = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &mask)
        XCTAssertEqual(sigismember(&mask, SIGTERM), 0)
    }

    func testATerminalThatIsNoneLeavesNoDescriptor() throws {
        let file = open("/dev/null", O_RDWR)
        defer { close(file) }
        func descriptors() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
        let before = try descriptors()
        for _ in 0..<3 { XCTAssertThrowsError(try UserTerminal(file)) }
        XCTAssertEqual(try descriptors(), before)
        // And takes no terminal's place.
        let terminal = try PlayedTerminal()
        withExtendedLifetime(try UserTerminal(terminal.program)) { XCTAssertTrue(terminal.isRaw) }
        XCTAssertFalse(terminal.isRaw)
    }
}

/// The children of this process, those that have ended and were not asked for among them.
enum Children {
    static func all(named name: String? = nil) -> Set<Int32> {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap(Int32.init) ?? []
        return Set(
            processes.filter { process in
                // The name, which may contain anything, is in brackets.
                guard let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
                    let begin = stat.firstIndex(of: "("), let end = stat.lastIndex(of: ")")
                else { return false }
                return stat[end...].split(separator: " ")[2] == "\(getpid())"
                    && (name == nil || stat[begin..<end].dropFirst() == name!)
            })
    }
}
