import TestSupport
import XCTest

@testable import UIKit

/// What the store stores, and what it does with damaged files and hostile names.
final class RestorationStoreTests: XCTestCase {
    private var folder: TemporaryFolder!

    // XCTest keeps the test itself, and so a folder that it holds, until the process ends.
    override func setUp() { folder = TemporaryFolder() }
    override func tearDown() { folder = nil }

    func testSessionsComeBackEachItsOwn() throws {
        let bare = StoredSession(persistentIdentifier: "bare", role: "role")
        let sessions = try [makeSession("a", "one"), makeSession("b", "two"), bare]
        let path = folder.file("made/on/the/way")
        do {
            let store = try RestorationStore(folder: path)
            for session in sessions.reversed() { try store.store(session) }
        }
        let store = try RestorationStore(folder: path)
        XCTAssertEqual(plain(try store.load().sessions), plain(sessions))
        for session in sessions {
            XCTAssertEqual(plain(try store.session(session.persistentIdentifier)), plain(session))
        }
        XCTAssertNil(try store.session("c"))

        let changed = try makeSession("a", "three")
        try store.store(changed)
        try store.remove("b")
        try store.remove("never there")
        XCTAssertEqual(plain(try store.load().sessions), plain([changed, bare]))
        XCTAssertEqual(try store.load().faults, [])
    }

    func testTheFolderIsForThisUserOnly() throws {
        let path = folder.file("own")
        try RestorationStore(folder: path).store(makeSession("s"))
        for (place, mode) in [(path, 0o700), ("\(path)/s.session", 0o600)] {
            let attributes = try FileManager.default.attributesOfItem(atPath: place)
            XCTAssertEqual(attributes[.posixPermissions] as? Int, mode, place)
        }
    }

    func testOneStoreAtATime() throws {
        let store = try RestorationStore(folder: folder.path)
        XCTAssertThrowsError(try RestorationStore(folder: folder.path)) {
            XCTAssertEqual(($0 as? UISystem.RestorationError)?.kind, .inUse)
        }
        store.close()
        try RestorationStore(folder: folder.path).store(makeSession("s"))
        XCTAssertThrowsError(try store.store(makeSession("late"))) {
            XCTAssertEqual(($0 as? UISystem.RestorationError)?.kind, .io(code: EBADF))
        }
        XCTAssertThrowsError(try store.load())
    }

    func testHostileIdentifiersNameFilesInTheFolderOnly() throws {
        let hostile = [
            "../x", "/etc/passwd", ".", "..", "a/b", "a\u{0}b", "%2E", "a b", "s.session", "s.session.partial", "S",
            "s", "ü", "🪟", String(repeating: "/", count: SessionFileName.identifierBytesMax),
        ]
        let path = folder.file("within")
        let store = try RestorationStore(folder: path)
        for (number, identifier) in hostile.enumerated() { try store.store(makeSession(identifier, "\(number)")) }
        XCTAssertEqual(try files(in: folder.path), ["within"])
        XCTAssertEqual(try files(in: path).count, hostile.count)
        for (number, identifier) in hostile.enumerated() {
            XCTAssertEqual(plain(try store.session(identifier)), plain(try makeSession(identifier, "\(number)")))
        }
        XCTAssertEqual(try Set(store.load().sessions.map(\.persistentIdentifier)), Set(hostile))
        XCTAssertEqual(try store.session("u\u{308}")?.persistentIdentifier, "ü", "equal strings are one session")

        for identifier in ["", String(repeating: "x", count: SessionFileName.identifierBytesMax + 1)] {
            XCTAssertThrowsError(try store.store(makeSession(identifier))) {
                XCTAssertEqual(($0 as? UISystem.RestorationError)?.kind, .identifier)
            }
        }
        XCTAssertEqual(try files(in: path).count, hostile.count)
    }

    /// Puts each damaged content in place of `s` and asks for everything.
    private func expectDamageToBeSetAside(_ damaged: some Sequence<[UInt8]>) throws {
        let other = try makeSession("other")
        let store = try RestorationStore(folder: folder.path)
        try store.store(other)
        let path = folder.file("s.session")
        for content in damaged {
            try write(content, to: path)
            let found = try store.load()
            XCTAssertEqual(plain(found.sessions), plain([other]))
            XCTAssertEqual(found.faults.map(\.kind), [.corrupt(setAside: path + ".corrupt")])
            XCTAssertEqual(found.faults.first?.location, path)
            XCTAssertEqual(try bytes(path + ".corrupt"), content, "it was set aside as it was")
            XCTAssertNil(try store.session("s"))
            try FileManager.default.removeItem(atPath: path + ".corrupt")
        }
    }

    private func goodBytes() throws -> [UInt8] {
        try SessionFile.bytes(of: StoredSession(persistentIdentifier: "s", role: "r", userInfo: nil))
    }

    func testAFlippedByteIsNoticedWhereverItIs() throws {
        let good = try goodBytes()
        try expectDamageToBeSetAside(
            good.indices.lazy.map { index in
                var bytes = good
                bytes[index] ^= 1 << UInt8(index % 8)
                return bytes
            })
    }

    func testATornFileIsNoticedAtEveryLength() throws {
        let good = try goodBytes()
        try expectDamageToBeSetAside(good.indices.lazy.map { Array(good[..<$0]) })
        try expectDamageToBeSetAside([good + [0], good + good])
    }

    /// Damage with a valid checksum, as an attacker can make it.
    func testAHostilePropertyListIsSetAsideAndNeverTraps() throws {
        let good = try goodBytes()
        var random = SplitMix64(seed: 5)
        var restored = 0
        for index in 24..<good.count {
            var payload = Array(good[24...])
            payload[index - 24] = UInt8(random.below(256))
            if case .session = SessionFile.content(of: SessionFileTests.sealed(payload)) { restored += 1 }
        }
        XCTAssertGreaterThan(restored, 0, "the seal is right, so harmless changes are read")
        XCTAssertLessThan(restored, good.count - 24, "and harmful ones are refused")
    }

    func testSetAsideFilesAreNumberedAndBounded() throws {
        let store = try RestorationStore(folder: folder.path)
        for number in 1...RestorationStore.setAsideMax + 1 {
            try write([UInt8(number)], to: folder.file("s.session"))
            let fault = try XCTUnwrap(store.load().faults.first)
            let aside = folder.file(number == 1 ? "s.session.corrupt" : "s.session.corrupt-\(number)")
            let expected = number <= RestorationStore.setAsideMax ? aside : nil
            XCTAssertEqual(fault.kind, .corrupt(setAside: expected))
        }
        XCTAssertEqual(try bytes(folder.file("s.session")), [UInt8(RestorationStore.setAsideMax + 1)])
        // State can be stored all the same.
        try store.store(makeSession("s"))
        XCTAssertEqual(try store.load().sessions.count, 1)
    }

    func testANewerVersionStaysAsItIs() throws {
        let path = folder.file("s.session")
        let newer = SessionFileTests.sealed(Array("what comes".utf8), version: 3)
        try write(newer, to: path)
        let content = try RestorationStore(folder: folder.path).load()
        XCTAssertEqual(content.faults.map(\.kind), [.newerVersion])
        XCTAssertEqual(try bytes(path), newer)
    }

    func testAFileUnderAnothersNameIsNotRestored() throws {
        let store = try RestorationStore(folder: folder.path)
        try store.store(makeSession("a"))
        try FileManager.default.copyItem(atPath: folder.file("a.session"), toPath: folder.file("b.session"))
        let content = try store.load()
        XCTAssertEqual(content.sessions.map(\.persistentIdentifier), ["a"])
        XCTAssertEqual(content.faults.map(\.kind), [.corrupt(setAside: folder.file("b.session.corrupt"))])
    }

    func testTooMuchStateIsReportedAndTheOlderStays() throws {
        let store = try RestorationStore(folder: folder.path)
        let small = try makeSession("s")
        try store.store(small)
        XCTAssertThrowsError(try store.store(makeSession("s", content: SessionFile.bytesMax))) {
            XCTAssertEqual(($0 as? UISystem.RestorationError)?.kind, .tooLarge)
        }
        XCTAssertEqual(plain(try store.session("s")), plain(small))
        // The same bound when reading: a file that was blown up from outside.
        truncate(folder.file("s.session"), SessionFile.bytesMax + 1)
        XCTAssertEqual(try store.load().faults.map(\.kind), [.corrupt(setAside: folder.file("s.session.corrupt"))])
    }

    func testWhatIsNotAFileDoesNotBlock() throws {
        let store = try RestorationStore(folder: folder.path)
        try store.store(makeSession("good"))
        mkfifo(folder.file("pipe.session"), 0o600)
        mkdir(folder.file("folder.session"), 0o700)
        mkdir(folder.file("folder.session.partial"), 0o700)
        symlink("/dev/zero", folder.file("link.session"))
        let content = try store.load()
        XCTAssertEqual(content.sessions.map(\.persistentIdentifier), ["good"])
        XCTAssertEqual(content.faults.count, 3)
        store.close()
        XCTAssertEqual(try RestorationStore(folder: folder.path).load().sessions.count, 1)
    }

    func testAFileWhereTheFolderShouldBe() throws {
        let path = folder.file("file")
        try write([1], to: path)
        for place in [path, path + "/below"] {
            XCTAssertThrowsError(try RestorationStore(folder: place)) {
                XCTAssertEqual(($0 as? UISystem.RestorationError)?.kind, .io(code: ENOTDIR))
                XCTAssert("\($0)".hasPrefix("\(place): cannot open"), "\($0)")
            }
        }
        XCTAssertEqual(try bytes(path), [1])
    }
}
