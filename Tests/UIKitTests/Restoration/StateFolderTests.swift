import TestSupport
import XCTest

@testable import UIKit

/// The order in which stored state is put on the disk: what a power cut leaves depends on it.
final class StateFolderTests: XCTestCase {
    private let folder = TemporaryFolder()
    override func tearDown() { folder.remove() }

    /// The calls in their order, each with what it finds, and which of them fail.
    private final class Calls {
        var made: [String] = []
        var failing: Set<String> = []

        func drain() -> [String] {
            defer { made = [] }
            return made
        }

        private func fails(_ call: String) -> Bool {
            made.append(call)
            errno = EIO
            return failing.contains(String(call.prefix { $0 != " " }))
        }

        private func call(about descriptor: Int32) -> String {
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { return "no descriptor" }
            return status.st_mode & S_IFMT == S_IFDIR ? "folder \(status.st_ino)" : "file \(status.st_size) bytes"
        }

        var folderCalls: FolderCalls {
            FolderCalls(
                synchronize: { self.fails(self.call(about: $0)) ? -1 : fsync($0) },
                rename: { self.fails("rename \($1) \($2)") ? -1 : renameat($0, $1, $0, $2) })
        }
    }

    private func inode(_ path: String) throws -> Int {
        try XCTUnwrap(FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int)
    }

    func testContentIsOnTheDiskBeforeItsNameAndTheNameBeforeTheCallReturns() throws {
        let calls = Calls()
        let state = try StateFolder(path: folder.path, by: calls.folderCalls)
        for size in [100, 70_000, 3] {
            try state.replace("a", with: [UInt8](repeating: 1, count: size), by: "a.partial")
            assertText(calls.drain(), "file \(size) bytes, rename a.partial a, folder \(try inode(folder.path))")
        }
        try state.remove("a")
        XCTAssertEqual(calls.drain(), ["folder \(try inode(folder.path))"])
    }

    func testTheNamesOfNewFoldersAreOnTheDisk() throws {
        let calls = Calls()
        _ = try StateFolder(path: folder.file("one/two"), by: calls.folderCalls)
        XCTAssertEqual(calls.drain(), ["folder \(try inode(folder.path))", "folder \(try inode(folder.file("one")))"])
        _ = try StateFolder(path: folder.file("one/two"), by: calls.folderCalls)
        XCTAssertEqual(calls.drain(), [], "they were there before")
    }

    func testWhatCannotBePutOnTheDiskIsReported() throws {
        let calls = Calls()
        let state = try StateFolder(path: folder.path, by: calls.folderCalls)
        try state.replace("a", with: [1], by: "a.partial")
        for (call, problem, kept) in [
            ("file", "cannot write", [1]), ("rename", "cannot write", [1]),
            ("folder", "changed, but a power failure may undo that", [2]),
        ] as [(String, String, [UInt8])] {
            calls.failing = [call]
            XCTAssertThrowsError(try state.replace("a", with: [2], by: "a.partial"), call) {
                XCTAssertEqual(($0 as? UISystem.RestorationError)?.kind, .io(code: EIO), call)
                XCTAssert("\($0)".contains(problem), "\($0)")
            }
            XCTAssertEqual(try files(in: folder.path), ["a"], call)
            XCTAssertEqual(try bytes(folder.file("a")), kept, call)
        }
    }
}
