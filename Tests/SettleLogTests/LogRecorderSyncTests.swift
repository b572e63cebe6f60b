import Foundation
import Settle
import SettlePlatform
import TestSupport
import XCTest

@testable import SettleLog

/// The order in which a recorder, or an output, has things put on the disk: what a failure of the
/// system leaves depends on it.
final class LogRecorderSyncTests: XCTestCase {
    private let folder = TemporaryFolder()
    override func tearDown() { folder.remove() }

    private var path: String { folder.file("log") }

    /// The path of a link to a file in another folder, which does not exist yet.
    private func link() throws -> (path: String, target: String) {
        try FileManager.default.createDirectory(atPath: folder.file("other"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: "other/log")
        return (folder.file("link"), folder.file("other/log"))
    }

    /// The calls in their order, and which of them fail. Used by one thread.
    private final class Calls: @unchecked Sendable {
        var made: [String] = []
        var failing: Set<String> = []
        private let folder: String

        init(folder: String) { self.folder = folder }

        func drain() -> [String] {
            defer { made = [] }
            return made
        }

        private func fails(_ call: String) -> Bool {
            made.append(call)
            errno = EIO
            return failing.contains(call)
        }

        private func isTheFolder(_ descriptor: Int32) -> Bool {
            var (wanted, found) = (stat(), stat())
            return stat(folder, &wanted) == 0 && fstat(descriptor, &found) == 0 && wanted.st_ino == found.st_ino
        }

        var fileCalls: FileCalls {
            FileCalls(
                write: { self.fails("write") ? -1 : SettlePlatform.write($0, $1, $2) },
                datasync: { self.fails("sync") ? -1 : fdatasync($0) },
                truncate: { self.fails("cut") ? -1 : ftruncate($0, off_t($1)) },
                syncFolder: { descriptor in
                    self.fails(self.isTheFolder(descriptor) ? "sync folder" : "sync another folder")
                        ? -1 : fsync(descriptor)
                },
                // A failing one closes, too.
                close: { descriptor in
                    let closed = close(descriptor)
                    return self.fails("close") ? -1 : closed
                })
        }
    }

    private func recorder(
        _ calls: Calls, _ opening: LogRecorder.Opening = .new, sync: LogRecorder.Sync = .flush, path: String? = nil
    ) throws -> LogRecorder {
        try LogRecorder(
            path: path ?? self.path, header: LogHeader(source: "test"), opening: opening, flushInterval: .zero,
            sync: sync,
            calls: calls.fileCalls, wasMadeSafe: { calls.made.append("\($0.events) safe") })
    }

    private func append(_ recorder: LogRecorder) throws {
        try recorder.append(
            .geometry(recorder.scene(named: "a"), at: Timestamp(nanoseconds: 1), size: Size(width: 1, height: 1)))
    }

    func testANewLogAndItsNameAreOnTheDiskBeforeItTakesEvents() throws {
        let calls = Calls(folder: folder.path)
        let recorder = try recorder(calls)
        XCTAssertEqual(calls.drain(), ["cut", "write", "sync", "sync folder"])
        try append(recorder)
        XCTAssertEqual(calls.drain(), ["write", "sync", "1 safe"])
        try recorder.finish()
        XCTAssertEqual(calls.drain(), ["write", "sync", "close"], "the index makes no more events safe")
    }

    func testALogWhoseNameMayBeLostIsRefused() throws {
        let calls = Calls(folder: folder.path)
        calls.failing = ["sync folder"]
        XCTAssertThrowsError(try recorder(calls)) {
            XCTAssertEqual(($0 as? LogError)?.kind, .io(code: EIO))
            XCTAssert("\($0)".contains("cannot write its folder to the disk"), "\($0)")
        }
        XCTAssertNotEqual(access(path, F_OK), 0, "nothing is left of it")
    }

    func testAFailedStartThroughALinkRemovesItsTargetAndKeepsTheLink() throws {
        let (path, target) = try link()
        for call in ["write", "sync", "sync folder"] {
            let calls = Calls(folder: folder.file("other"))
            calls.failing = [call]
            XCTAssertThrowsError(try recorder(calls, path: path), call)
            XCTAssertEqual(try FileManager.default.destinationOfSymbolicLink(atPath: path), "other/log", call)
            XCTAssertNotEqual(access(target, F_OK), 0, "\(call): nothing is left of it")
        }
    }

    func testAFailedStartLeavesAnExistingLogItsWholeChunksOrNothingWhereItIsReplaced() throws {
        for call in ["sync", "sync folder"] {
            let calls = Calls(folder: folder.path)
            try append(recorder(calls, .replacing))
            let whole = try bytes(ofFile: path)
            calls.failing = [call]
            XCTAssertThrowsError(try recorder(calls, .appending), call)
            XCTAssertEqual(try bytes(ofFile: path), whole, call)
            XCTAssertThrowsError(try recorder(calls, .replacing), call)
            XCTAssertEqual(try bytes(ofFile: path), [], call)
        }
    }

    func testTheFolderOfALinksTargetIsOnTheDisk() throws {
        let (path, target) = try link()
        for opening in [LogRecorder.Opening.new, .replacing, .appending] {
            let calls = Calls(folder: folder.file("other"))
            let recorder = try recorder(calls, opening, path: path)
            XCTAssertEqual(calls.made.last, "sync folder", "\(opening)")
            try recorder.finish()
            XCTAssertEqual(access(target, F_OK), 0)
        }
    }

    func testACutBehindAFailedWriteIsOnTheDiskBeforeAnythingIsCalledSafe() throws {
        let calls = Calls(folder: folder.path)
        let recorder = try recorder(calls)
        try append(recorder)
        _ = calls.drain()
        calls.failing = ["write"]
        XCTAssertThrowsError(try append(recorder)) { XCTAssert("\($0)".contains("1 events are safe"), "\($0)") }
        XCTAssertEqual(calls.drain(), ["write", "cut", "sync"])
    }

    func testACutThatMayNotBeOnTheDiskLeavesWhatWasSafeBefore() throws {
        let calls = Calls(folder: folder.path)
        let recorder = try recorder(calls, sync: .interval(.seconds(1)))
        let before = recorder.safe
        try append(recorder)
        calls.failing = ["write", "sync"]
        XCTAssertThrowsError(try append(recorder)) { XCTAssert("\($0)".contains("0 events are safe"), "\($0)") }
        XCTAssertEqual(recorder.safe, before)
    }

    func testATornEndIsCutOnTheDiskBeforeTheLogGoesOn() throws {
        let calls = Calls(folder: folder.path)
        try append(recorder(calls))
        let whole = try bytes(ofFile: path)
        try Data(whole + Array("CHN".utf8)).write(to: URL(fileURLWithPath: path))
        _ = calls.drain()
        let recorder = try recorder(calls, .appending)
        XCTAssertEqual(recorder.cutBytes, 3)
        XCTAssertEqual(calls.drain(), ["cut", "sync", "sync folder"])
        XCTAssertEqual(try bytes(ofFile: path), whole)
    }

    func testWithoutSyncTheDiskIsNotWaitedFor() throws {
        let calls = Calls(folder: folder.path)
        let recorder = try recorder(calls, sync: .never)
        try append(recorder)
        try recorder.finish()
        XCTAssertEqual(calls.drain().filter { $0.hasPrefix("sync") }, [])
    }

    /// The disk may be full, or a server gone, only then. What was synced is safe; nothing is done with the number of
    /// the descriptor, which may be another file's by now.
    func testAFailedCloseSaysWhy() throws {
        for (sync, problem) in [
            (LogRecorder.Sync.flush, "1 events are safe in its first "),
            (.interval(.seconds(1)), "1 events are safe in "),
            (.never, "nothing was synced, so events may be missing"),
        ] {
            let calls = Calls(folder: folder.path)
            let recorder = try recorder(calls, .replacing, sync: sync)
            try append(recorder)
            _ = calls.drain()
            calls.failing = ["close"]
            XCTAssertThrowsError(try recorder.finish()) {
                XCTAssertEqual(($0 as? LogError)?.kind, .io(code: EIO), "\(sync): \($0)")
                XCTAssert("\($0)".contains("\(String(cString: strerror(EIO))); \(problem)"), "\(sync): \($0)")
            }
            XCTAssertEqual(calls.drain().last, "close", "\(sync)")
            XCTAssertEqual(recorder.failure?.kind, .io(code: EIO))
        }
    }

    func testAnEventWhoseFileIsGoneCountsAsLost() throws {
        let recorder = try recorder(Calls(folder: folder.path))
        try append(recorder)
        unlink(path)
        XCTAssertThrowsError(try append(recorder)) {
            XCTAssert("\($0)".hasSuffix(", and 2 received after them are lost"), "\($0)")
        }
    }

    // MARK: Outputs

    private func output(_ calls: Calls) throws -> ByteOutput {
        var fileCalls = calls.fileCalls
        let (sync, syncFolder, path) = (fileCalls.datasync, fileCalls.syncFolder, path)
        fileCalls.datasync = {
            calls.made.append(access(path, F_OK) == 0 ? "named" : "nameless")
            return sync($0)
        }
        fileCalls.syncFolder = {
            calls.made.append(access(path, F_OK) == 0 ? "named" : "nameless")
            return syncFolder($0)
        }
        let output = try ByteOutput(OutputFile(path), by: fileCalls) { create throws(LogError) in try create() }
        try output.write("content")
        return output
    }

    func testAnOutputIsOnTheDiskBeforeItGetsItsName() throws {
        let calls = Calls(folder: folder.path)
        try output(calls).finish()
        XCTAssertEqual(calls.made, ["write", "nameless", "sync", "close", "named", "sync folder"])
    }

    func testWhatCouldNotBeWrittenIsNotWrittenLater() throws {
        let calls = Calls(folder: folder.path)
        let output = try output(calls)
        calls.failing = ["write"]
        XCTAssertThrowsError(try output.flush())
        calls.failing = []
        try output.flush()
        XCTAssertEqual(calls.made, ["write"])
    }

    func testAnOutputThatIsNotOnTheDiskGetsNoName() throws {
        for call in ["write", "sync", "close"] {
            let calls = Calls(folder: folder.path)
            calls.failing = [call]
            XCTAssertThrowsError(try output(calls).finish(), call) {
                XCTAssertEqual(($0 as? LogError)?.kind, .io(code: EIO), call)
            }
            XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder.path), [], call)
        }
    }
}
