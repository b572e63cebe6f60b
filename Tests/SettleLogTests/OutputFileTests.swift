import Foundation
import SettlePlatform
import TestSupport
import XCTest

@testable import SettleLog

/// The rule of outputs for each kind of file; OutputTests has it of every verb.
final class OutputFileTests: XCTestCase {
    private let folder = TemporaryFolder()
    override func tearDown() { folder.remove() }

    private func open(_ file: OutputFile) throws(LogError) -> OutputFile.Opened {
        try file.open { create throws(LogError) in try create() }
    }

    /// Where an output is written, or why it is refused. Closes it.
    private func place(_ file: OutputFile) -> String {
        do throws(LogError) {
            let opened = try open(file)
            defer { if opened.isOwned { close(opened.descriptor) } }
            if let temporary = opened.temporary {
                unlink(temporary.path)
                return "beside"
            }
            return opened.made == nil ? "in place" : "made"
        } catch {
            XCTAssertEqual(error.file, file.name)
            return error.problem
        }
    }

    func testWhereAnOutputIsWritten() throws {
        let paths = ["file", "fifo", "socket", "none", "no/folder", "readonly"].map(folder.file)
        let (file, fifo, socket, none, lost, readOnly) = (paths[0], paths[1], paths[2], paths[3], paths[4], paths[5])
        for path in [file, readOnly] { try Data("older".utf8).write(to: URL(fileURLWithPath: path)) }
        XCTAssertEqual(chmod(readOnly, 0o444), 0)
        XCTAssertEqual(mkfifo(fifo, 0o600), 0)
        let (reader, bound) = (SettlePlatform.open(fifo, O_RDONLY | O_NONBLOCK), try UnixDomainSocket())
        let writer = SettlePlatform.open(fifo, O_WRONLY)
        try bound.bind(to: socket)
        defer {
            for descriptor in [reader, writer] { close(descriptor) }
            bound.close()
        }
        let exists = "there is such a file already; it is left alone"
        let notRegular = "is no regular file, which a recording needs"
        for (output, expected) in [
            (OutputFile(none), "beside"), (OutputFile(none, replaces: true), "beside"),
            (OutputFile(file), exists), (OutputFile(file, isWatched: true), exists),
            (OutputFile(file, replaces: true), "beside"),
            (OutputFile(file, replaces: true, isRecording: true), "beside"),
            (OutputFile(fifo), "in place"), (OutputFile(fifo, isWatched: true), "in place"),
            (OutputFile(fifo, isRecording: true), notRegular),
            (OutputFile(socket), "cannot write: No such device or address"),
            (OutputFile(lost), "cannot write: No such file or directory"),
            (OutputFile(lost, isWatched: true), "cannot write: No such file or directory"),
            (OutputFile(folder.path, replaces: true), "is a directory; name a file"),
            (OutputFile(readOnly, replaces: true), "is read-only; it is left alone"),
            (OutputFile("-"), "in place"), (OutputFile("/dev/fd/\(writer)"), "in place"),
            (OutputFile("/dev/fd/\(reader)"), "is not open for writing"),
        ] {
            XCTAssertEqual(place(output), expected, "\(output)")
        }
        XCTAssertEqual(try String(contentsOfFile: file, encoding: .utf8), "older")
        XCTAssertEqual(place(OutputFile(none, isWatched: true)), "made")
        XCTAssertEqual(place(OutputFile(file, replaces: true, isWatched: true)), "in place")
        XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: file)), Data())
    }

    func testAnOutputIsNoneOfItsInputs() throws {
        let paths = ["first", "second", "third"].map(folder.file)
        for path in paths { XCTAssert(FileManager.default.createFile(atPath: path, contents: nil)) }
        let identities = paths.map { FileIdentity(path: $0)! }
        for isWatched in [false, true] {
            for (number, path) in paths.enumerated() {
                var file = OutputFile(path, replaces: true, input: identities[0], isWatched: isWatched)
                file.inputs.append(identities[1])
                let isInput = "is the input itself, which it would destroy; name another file"
                XCTAssertEqual(place(file), number < 2 ? isInput : isWatched ? "in place" : "beside", path)
            }
        }
    }

    func testAWatchedFileHasOneWriter() throws {
        let inUse = "another process is writing into it; name another file"
        for isNew in [true, false] {
            let path = folder.file("watched \(isNew)")
            if !isNew { XCTAssert(FileManager.default.createFile(atPath: path, contents: nil)) }
            let watched = OutputFile(path, replaces: true, isWatched: true)
            let first = try open(watched)
            XCTAssertEqual(write(first.descriptor, "first", 5), 5)
            XCTAssertEqual(place(watched), inUse)
            XCTAssertEqual(place(OutputFile(path, replaces: true)), "beside")
            XCTAssertEqual(try String(contentsOfFile: path, encoding: .utf8), "first", "it is left alone")
            close(first.descriptor)
            XCTAssertEqual(place(watched), "in place")
        }
    }

    func testAFileGetsItsNameAndItsModeWhenItIsComplete() throws {
        func complete(_ file: OutputFile, meanwhile: String? = nil) throws -> String? {
            let opened = try open(file)
            XCTAssertEqual(write(opened.descriptor, "newer", 5), 5)
            close(opened.descriptor)
            if let meanwhile { try Data(meanwhile.utf8).write(to: URL(fileURLWithPath: file.path)) }
            var problem: String?
            do throws(LogError) { try file.rename(opened.temporary!) } catch { problem = error.problem }
            XCTAssertFalse(FileManager.default.fileExists(atPath: opened.temporary!.path))
            return problem
        }
        let path = folder.file("file")
        XCTAssertNil(try complete(OutputFile(path)))
        XCTAssertEqual(try String(contentsOfFile: path, encoding: .utf8), "newer")
        try Data("older".utf8).write(to: URL(fileURLWithPath: path))
        XCTAssertEqual(chmod(path, 0o642), 0)
        XCTAssertNil(try complete(OutputFile(path, replaces: true)))
        XCTAssertEqual(try String(contentsOfFile: path, encoding: .utf8), "newer")
        var status = stat()
        XCTAssertEqual(stat(path, &status), 0)
        XCTAssertEqual(status.st_mode & 0o777, 0o642)
        XCTAssertEqual(
            try complete(OutputFile(folder.file("other")), meanwhile: "theirs"),
            "there is such a file already; it is left alone")
        XCTAssertEqual(try String(contentsOfFile: folder.file("other"), encoding: .utf8), "theirs")
    }

    /// Its name is there from the beginning on; what somebody may have read of it stays.
    func testAWatchedFileStaysOnlyIfSomethingOfItWasWritten() throws {
        for (count, isFlushed, left) in [(0, false, nil), (0, true, nil), (3, false, nil), (3, true, "new")] {
            let path = folder.file("watched")
            do {
                let output = try ByteOutput(OutputFile(path, isWatched: true))
                try output.write(String("new".prefix(count)))
                if isFlushed { try output.flush() }
                try output.write("er")
            }
            XCTAssertEqual(try? String(contentsOfFile: path, encoding: .utf8), left, "\(count), \(isFlushed)")
        }
    }

    /// A link into another folder, to a file that is there, and to one that is not.
    func testBehindALinkAllIsInTheFolderOfItsTarget() throws {
        try FileManager.default.createDirectory(atPath: folder.file("other"), withIntermediateDirectories: true)
        try Data("older".utf8).write(to: URL(fileURLWithPath: folder.file("other/old")))
        for name in ["old", "new", "gone/new"] {
            let link = folder.file("link")
            unlink(link)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "other/\(name)")
            let file = OutputFile(link, replaces: true)
            if name == "gone/new" {
                XCTAssertThrowsError(try file.check()) {
                    XCTAssertEqual(($0 as? LogError)?.problem, "cannot write: No such file or directory")
                }
                continue
            }
            try file.check()
            let opened = try open(file)
            close(opened.descriptor)
            let temporary = try XCTUnwrap(opened.temporary)
            XCTAssertEqual(temporary.target, folder.file("other/\(name)"))
            XCTAssert(temporary.path.hasPrefix(folder.file("other/.settle-")), temporary.path)
            try file.rename(temporary)
            XCTAssertEqual(try FileManager.default.destinationOfSymbolicLink(atPath: link), "other/\(name)")
            XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: link)), Data())
        }
    }

    /// In a process without standard input, a file may get the descriptor 0.
    func testAnOutputMayHaveTheDescriptorOfStandardInput() throws {
        let (file, fifo) = (folder.file("file"), folder.file("fifo"))
        XCTAssertEqual(mkfifo(fifo, 0o600), 0)
        let reader = SettlePlatform.open(fifo, O_RDONLY | O_NONBLOCK)
        // The first name beside the file is taken, so its second one gets the descriptor.
        let taken = folder.file(".settle-\(getpid())-0.partial")
        XCTAssert(FileManager.default.createFile(atPath: taken, contents: nil))
        let before = dup(0)
        defer {
            dup2(before, 0)
            for descriptor in [reader, before] { close(descriptor) }
        }
        for output in [OutputFile(file), OutputFile(fifo), OutputFile(file, isWatched: true)] {
            close(0)
            XCTAssertEqual(try open(output).descriptor, 0, "\(output)")
        }
    }
}
