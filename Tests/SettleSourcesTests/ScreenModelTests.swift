import CTerminal
import Foundation
import SettleClock
import SettlePlatform
import XCTest

@testable import SettleSources

/// The process that models a screen.
final class ScreenModelTests: XCTestCase {
    private func open() throws -> OpaquePointer {
        let model = screen_model_open(6, 20)
        if model == nil && errno == ENOSYS { throw LibvtermIsNotInstalled() }
        return try XCTUnwrap(model)
    }

    private func write(_ text: String, to model: OpaquePointer) {
        let bytes = Array(text.utf8)
        screen_model_write(model, bytes, bytes.count)
    }

    private func descriptors(of process: String = "self") throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count
    }

    /// What a file of the process says behind a word.
    private func said(_ word: String, in file: String, of process: Int32) throws -> String {
        let lines = try String(contentsOfFile: "/proc/\(process)/\(file)", encoding: .utf8).split(separator: "\n")
        return lines.first { $0.hasPrefix(word) }?.dropFirst(word.count).trimmingCharacters(in: .whitespaces) ?? "none"
    }

    func testItsProcessHasNothingOfThisOne() throws {
        var mask = sigset_t()
        sigemptyset(&mask)
        sigaddset(&mask, SIGUSR1)
        pthread_sigmask(SIG_BLOCK, &mask, nil)
        defer { pthread_sigmask(SIG_UNBLOCK, &mask, nil) }
        let model = try open()
        defer { screen_model_close(model) }
        // It has begun once it answers.
        write("text", to: model)
        XCTAssertTrue(screen_model_is_damaged(model))
        let process = screen_model_process(model)
        XCTAssertEqual(try descriptors(of: "\(process)"), 4, "nothing thrice, and its channel")
        XCTAssertEqual(getsid(process), process)
        XCTAssertEqual(try said("Name:", in: "status", of: process), "settle-screen")
        XCTAssertEqual(try said("SigBlk:", in: "status", of: process), "0000000000000000")
        // Above are the C library's own.
        XCTAssertEqual(try said("SigCgt:", in: "status", of: process).suffix(8), "00000000")
        XCTAssertTrue(try said("Max core file size", in: "limits", of: process).hasPrefix("0 "))
    }

    /// Also while an answer is awaited, for which there are seconds otherwise.
    func testItsEndIsKnownAtOnceAndLeavesNothing() throws {
        screen_model_close(try open())
        let before = try descriptors()
        for isPending in [false, true] {
            let model = try open()
            let process = screen_model_process(model)
            write("text\u{1B}[6n", to: model)
            XCTAssertTrue(screen_model_is_damaged(model))
            // What was painted and not taken is not shown any more, either.
            screen_model_paint(model, 6, 20, true)
            if isPending { write("more", to: model) }
            XCTAssertEqual(kill(process, SIGKILL), 0)
            let killed = MonotonicClock.now
            screen_model_paint(model, 6, 20, true)
            XCTAssertTrue(screen_model_has_failed(model))
            XCTAssertLessThan(killed.duration(to: MonotonicClock.now), .seconds(2))
            // It has no damage or answers any more, and is no zombie.
            XCTAssertFalse(screen_model_is_damaged(model))
            var count = 1
            _ = screen_model_take_answers(model, &count)
            XCTAssertEqual(count, 0)
            _ = screen_model_take_output(model, &count)
            XCTAssertEqual(count, 0)
            XCTAssertEqual(kill(process, 0), -1)
            XCTAssertEqual(try descriptors(), before)
            screen_model_close(model)
        }
    }

    func testAModelThatIsClosedEndsItsProcess() throws {
        let model = try open()
        let process = screen_model_process(model)
        screen_model_close(model)
        XCTAssertEqual(kill(process, 0), -1)
    }
}
