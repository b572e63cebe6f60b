import TestSupport
import UIKit
import XCTest

/// Whatever ends the process or fills the disk, the state is the old or the new.
final class RestorationCrashTests: XCTestCase {
    func testKilledAtAnyTimeTheStateIsTheLastOrTheOneBefore() throws {
        let seed: UInt64 = 11
        var random = SplitMix64(seed: seed)
        let folder = TemporaryFolder()
        for round in 0..<15 {
            let writer = try Writer("store", folder.path)
            var said = writer.waitForFirstWords()
            usleep(UInt32(random.below(20_000)))
            writer.kill()
            for line in writer.lines() { said += Data("\(line)\n".utf8) }
            let last = try XCTUnwrap(
                String(decoding: said, as: UTF8.self).split(separator: "\n").compactMap { Int($0) }.last)
            let complaint = try Writer.complaint(about: folder.path, lastSaid: last)
            XCTAssertNil(complaint, "round \(round), seed \(seed)")
        }
    }

    func testTheCheckSeesAWriterThatWritesInPlace() throws {
        let folder = TemporaryFolder()
        let writer = try Writer("tear", folder.path)
        XCTAssertEqual(String(decoding: writer.waitForFirstWords(), as: UTF8.self), "1\n")
        writer.kill()
        let complaint = try XCTUnwrap(Writer.complaint(about: folder.path, lastSaid: 1))
        XCTAssert(complaint.contains("cannot be restored"), complaint)
    }

    /// Each state that a killed writer can leave, in turn: nothing, then a growing
    /// temporary file beside the old state, then the new one renamed.
    func testEveryStepOfAWriteCanBeTheLast() throws {
        let model = TemporaryFolder()
        let (old, new) = (try makeSession("s", "old"), try makeSession("s", "new"))
        try RestorationStore(folder: model.path).store(new)
        let newBytes = try bytes(model.file("s.session"))

        let folder = TemporaryFolder()
        try RestorationStore(folder: folder.path).store(old)
        for written in Array(stride(from: 0, to: newBytes.count, by: 13)) + [newBytes.count] {
            try write(newBytes[..<written], to: folder.file("s.session.partial"))
            let content = try RestorationStore(folder: folder.path).load()
            XCTAssertEqual(plain(content.sessions), plain([old]))
            XCTAssertEqual(content.faults, [])
            XCTAssertEqual(try files(in: folder.path), ["s.session"])
        }
        try write(newBytes, to: folder.file("s.session"))
        XCTAssertEqual(plain(try RestorationStore(folder: folder.path).load().sessions), plain([new]))
    }

    func testAFullDiskIsReportedAndTheOlderStateStays() throws {
        let folder = TemporaryFolder()
        let small = try makeSession("writer", content: 10_000)
        try RestorationStore(folder: folder.path).store(small)
        let said = try Writer("starve", folder.path).lines()
        XCTAssertEqual(said.count, 1)
        XCTAssert(said[0].hasPrefix(folder.file("writer.session") + ": cannot write: File too large"), said[0])
        XCTAssert(said[0].contains("the previously stored state is kept"), said[0])
        XCTAssertEqual(try files(in: folder.path), ["writer.session"])
        XCTAssertEqual(plain(try RestorationStore(folder: folder.path).load().sessions), plain([small]))
    }

    func testAFolderOfAnotherUserIsReportedAndKept() throws {
        let folder = TemporaryFolder()
        try RestorationStore(folder: folder.path).store(makeSession("s"))
        chmod(folder.path, 0o000)
        defer { chmod(folder.path, 0o700) }
        let said = try Writer("open", folder.path).lines()
        XCTAssertEqual(said.count, 1)
        XCTAssert(said[0].hasPrefix("\(folder.path): cannot open the folder"), said[0])
        XCTAssert(said[0].contains("give this user the right"), said[0])
        chmod(folder.path, 0o700)
        XCTAssertEqual(try RestorationStore(folder: folder.path).load().sessions.count, 1)
    }

    func testAnotherProcessKeepsTheFolderUntilItEnds() throws {
        let folder = TemporaryFolder()
        let writer = try Writer("store", folder.path)
        XCTAssertFalse(writer.waitForFirstWords().isEmpty)
        XCTAssertThrowsError(try RestorationStore(folder: folder.path)) {
            XCTAssertEqual(($0 as? UISystem.RestorationError)?.kind, .inUse)
        }
        writer.kill()
        XCTAssertEqual(try RestorationStore(folder: folder.path).load().sessions.count, 1)
    }
}
