import Foundation
import SettlePlatform
import XCTest

@testable import SettleLog

/// What an interruption leaves of an input.
final class ByteInputTests: XCTestCase {
    /// Its other end is closed, so it interrupts from the beginning.
    private func interruption() -> FileHandle {
        let pipe = Pipe()
        pipe.fileHandleForWriting.closeFile()
        return pipe.fileHandleForReading
    }

    func testAWriterThatNeverStopsIsReadFourTimesAfterAnInterruption() throws {
        let interruption = interruption()
        let input = try ByteInput(path: "/dev/zero", interruption: interruption.fileDescriptor)
        var reads = 0
        while reads < 10, try input.more() {
            reads += 1
            input.consume(input.available.count)
        }
        XCTAssertEqual(reads, 4)
        XCTAssertFalse(try input.more(), "an input that ended has no more")
    }

    func testTheWholeInputIsGivenUpToItsBound() throws {
        for most in 2...4 {
            let pipe = Pipe()
            try pipe.fileHandleForWriting.write(contentsOf: Array("all".utf8))
            try pipe.fileHandleForWriting.close()
            let inputs = [
                ByteInput(bytes: Array("all".utf8), name: "memory"),
                ByteInput(
                    descriptor: pipe.fileHandleForReading.fileDescriptor, name: "pipe", ownsDescriptor: false),
            ]
            for input in inputs {
                XCTAssertEqual(try input.contents(atMost: most), most < 3 ? nil : Array("all".utf8), "\(most)")
            }
            withExtendedLifetime(pipe) {}
        }
    }

    func testAFileMayHaveTheDescriptorOfStandardInput() throws {
        let before = dup(0)
        defer {
            dup2(before, 0)
            close(before)
        }
        close(0)
        let input = try ByteInput(path: "/dev/zero")
        XCTAssertEqual(try input.take(3), [0, 0, 0])
        XCTAssertEqual(fcntl(0, F_GETFD), FD_CLOEXEC, "it has that descriptor")
    }

    func testWhatAPipeHoldsIsReadAfterAnInterruptionAndNothingIsWaitedFor() throws {
        let (interruption, pipe) = (interruption(), Pipe())
        try pipe.fileHandleForWriting.write(contentsOf: Array("held".utf8))
        let input = ByteInput(
            descriptor: pipe.fileHandleForReading.fileDescriptor, name: "pipe", ownsDescriptor: false,
            interruption: interruption.fileDescriptor)
        XCTAssertEqual(try input.take(10), Array("held".utf8))
        withExtendedLifetime(pipe) {}
    }
}
