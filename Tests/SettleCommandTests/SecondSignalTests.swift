import Foundation
import SettlePlatform
import TestSupport
import XCTest

/// A signal that asks for the end while another one is honoured.
final class SecondSignalTests: XCTestCase {
    /// Nobody reads what the first Ctrl-C has printed: the second one ends the command.
    func testASecondCtrlCEndsACommandThatCannotPrint() throws {
        let folder = TemporaryFolder()
        defer { folder.remove() }
        let path = folder.file("pipe")
        XCTAssertEqual(mkfifo(path, 0o600), 0)
        let pipe = open(path, O_RDWR | O_NONBLOCK)
        defer { close(pipe) }
        let bytes = [UInt8](repeating: 0, count: 4096)
        while write(pipe, bytes, bytes.count) > 0 {}
        let run = try Running(["stress", "--duration", "1h", "--rate", "100"], folder, output: path)
        // Its threads begin once the signals are its own.
        let status = "/proc/\(run.process.processIdentifier)/status"
        run.wait("threads") {
            let lines = (try? String(contentsOfFile: status, encoding: .utf8))?.split(separator: "\n") ?? []
            return lines.contains { $0.hasPrefix("Threads:") && !$0.hasSuffix("\t1") }
        }
        run.wait("the end") {
            kill(run.process.processIdentifier, SIGINT)
            usleep(20_000)
            return !run.process.isRunning
        }
        XCTAssertEqual(run.process.isRunning ? run.stop(SIGKILL) : run.status(), SIGINT)
        XCTAssertEqual(run.process.terminationReason, .uncaughtSignal)
    }
}
