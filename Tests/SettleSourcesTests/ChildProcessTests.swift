import SettlePlatform
import XCTest

final class ChildProcessTests: XCTestCase {
    private func status(_ command: [String], environment: [String: String] = [:]) throws -> Int32? {
        let child = try ChildProcess(command, environment: environment)
        XCTAssertTrue(waitUntilReadable(child.descriptor, nanoseconds: 10_000_000_000))
        let status = child.exitStatus()
        XCTAssertEqual(child.exitStatus(), status, "asked again")
        return status
    }

    func testTheStatusIsThatOfAShell() throws {
        XCTAssertEqual(try status(["true"]), 0)
        XCTAssertEqual(try status(["sh", "-c", "exit 42"]), 42)
        XCTAssertEqual(try status(["sh", "-c", "kill -KILL $$"]), 137)
    }

    /// As a shell does; what the process that starts it ignores or blocks is its own affair.
    func testSignalsHaveTheirDefaultActions() throws {
        var blocked = sigset_t()
        sigemptyset(&blocked)
        sigaddset(&blocked, SIGUSR1)
        pthread_sigmask(SIG_BLOCK, &blocked, nil)
        let before = signal(SIGUSR2, SIG_IGN)
        defer {
            signal(SIGUSR2, before)
            pthread_sigmask(SIG_UNBLOCK, &blocked, nil)
        }
        XCTAssertEqual(try status(["sh", "-c", "kill -USR1 $$"]), 128 + SIGUSR1, "blocked")
        XCTAssertEqual(try status(["sh", "-c", "kill -USR2 $$"]), 128 + SIGUSR2, "ignored")
    }

    func testTheEnvironmentIsThisOneWithChanges() throws {
        XCTAssertEqual(try status(["sh", "-c", "test \"$A_NEW_ONE\" = '1=2'"], environment: ["A_NEW_ONE": "1=2"]), 0)
        XCTAssertEqual(
            try status(["sh", "-c", "test -n \"$PATH\" && test \"$HOME\" = /x"], environment: ["HOME": "/x"]), 0)
    }

    func testItsOutputMayGoToTheError() throws {
        let child = try ChildProcess(
            ["sh", "-c", "test \"$(readlink /proc/$$/fd/1)\" = \"$(readlink /proc/$$/fd/2)\""], output: 2)
        XCTAssertTrue(waitUntilReadable(child.descriptor, nanoseconds: 10_000_000_000))
        XCTAssertEqual(child.exitStatus(), 0)
    }

    func testAMissingProgramIsAnError() {
        XCTAssertThrowsError(try ChildProcess(["/there/is/none"])) {
            XCTAssertEqual("\($0)", "posix_spawnp: No such file or directory")
        }
    }

    /// The program has begun before that is known; it is ended, and nothing is left of it.
    func testWithoutADescriptorThereIsAnErrorAndNoProcess() throws {
        let other = try ChildProcess(["true"])
        XCTAssertTrue(waitUntilReadable(other.descriptor, nanoseconds: 10_000_000_000))
        var limit = rlimit()
        XCTAssertEqual(getrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit), 0)
        var none = limit
        none.rlim_cur = 0
        XCTAssertEqual(setrlimit(Int32(RLIMIT_NOFILE.rawValue), &none), 0)
        XCTAssertThrowsError(try ChildProcess(["sleep", "60"])) {
            XCTAssertEqual(($0 as? SystemError)?.code, EMFILE, "\($0)")
        }
        setrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit)
        XCTAssertEqual(other.exitStatus(), 0, "another's end is left alone")
    }

    func testAProgramThatRunsHasNoStatusYetAndCanBeSignalled() throws {
        let child = try ChildProcess(["sleep", "60"])
        XCTAssertNil(child.exitStatus())
        child.send(9)
        XCTAssertTrue(waitUntilReadable(child.descriptor, nanoseconds: 10_000_000_000))
        XCTAssertEqual(child.exitStatus(), 137)
    }
}
