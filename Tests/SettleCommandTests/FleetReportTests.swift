import Foundation
import TestSupport
import XCTest

/// `settle report` of a fleet's export and of its Parquet table.
final class FleetReportTests: XCTestCase {
    private let folder = TemporaryFolder()
    override func tearDown() { folder.remove() }

    private let sample = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Verification/Report/fleet.json").path

    private func run(_ words: String..., python: String? = nil) throws -> Running {
        let environment = ["SETTLE_PYTHON=\(python ?? "/nowhere")", Running.command]
        let process = try Running(environment + words, folder, program: "/usr/bin/env")
        _ = process.status()
        return process
    }

    /// The fleet in the data of a page.
    private func fleet(_ path: String) throws -> NSDictionary {
        let page = try String(contentsOfFile: path, encoding: .utf8)
        let start = try XCTUnwrap(page.range(of: "<script type=\"application/json\" id=\"settle-data\">"))
        let end = try XCTUnwrap(page.range(of: "</script>", range: start.upperBound..<page.endIndex))
        let json = try JSONSerialization.jsonObject(with: Data(page[start.upperBound..<end.lowerBound].utf8))
        return try XCTUnwrap((json as? [String: Any])?["fleet"] as? NSDictionary)
    }

    private func expected() throws -> NSDictionary {
        let json = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: sample)))
        return try XCTUnwrap(json as? NSDictionary)
    }

    private var pythons = 0

    /// A program in place of Python.
    private func python(_ body: String) throws -> String {
        let path = folder.file("python\(pythons)")
        pythons += 1
        // It is asked first whether it has the package.
        try "#!/bin/sh\n[ \"$1\" != -c ] || exit 0\n\(body)\n".write(toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        return path
    }

    private func parquet() throws -> String {
        let path = folder.file("sums of a fleet.parquet")
        try Data("PAR1 and so on".utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    func testAPageHasTheExport() throws {
        let result = try run("report", sample, "-o", folder.file("page.html"))
        XCTAssertEqual(result.status(), 0, result.errors)
        XCTAssertEqual(result.errors, "")
        XCTAssertEqual(try fleet(folder.file("page.html")), try expected())
    }

    func testParquetIsReadByThePythonPackage() throws {
        let table = try parquet()
        let program = try python("[ \"$*\" = \"-m settle json $2\" ] || [ \"$4\" = '\(table)' ] && cat '\(sample)'")
        let result = try run("report", table, "-o", folder.file("page.html"), python: program)
        XCTAssertEqual(result.status(), 0, result.errors)
        XCTAssertEqual(try fleet(folder.file("page.html")), try expected())
        let output = folder.file("out")
        try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: false)
        XCTAssertTrue(FileManager.default.createFile(atPath: "\(output)/_fleet.json", contents: Data("{}".utf8)))
        let named = try python("[ \"$4\" = '\(output)' ] && cat '\(sample)'")
        let made = try run("report", output, "-o", folder.file("output.html"), python: named)
        XCTAssertEqual(made.status(), 0, made.errors)
        XCTAssertEqual(try fleet(folder.file("output.html")), try expected())
        // Spark writes a folder.
        let parts = folder.file("parts.parquet")
        try FileManager.default.createDirectory(atPath: parts, withIntermediateDirectories: false)
        let words = try python("[ \"$1 $2 $3 $4 $#\" = \"-m settle json \(parts)/ 4\" ] && cat '\(sample)'")
        let folded = try run("report", "\(parts)/", "-o", folder.file("folder.html"), python: words)
        XCTAssertEqual(folded.status(), 0, folded.errors)
        XCTAssertEqual(try fleet(folder.file("folder.html")), try expected())
    }

    func testWithoutThePackageTheMessageNamesItAndNothingIsWritten() throws {
        let cases: [(program: String, status: Int32, words: String)] = [
            ("/nowhere", 3, "/nowhere cannot be started: No such file or directory; in a checkout, scripts/"),
            ("/bin/false", 3, "/bin/false has no package settle; in a checkout, scripts/build-wheel makes"),
            (try python("echo 'settle: no module pyarrow' >&2; exit 3"), 3, "settle: no module pyarrow"),
            (try python("exit 1"), 1, "ended with status 1"),
        ]
        for (program, status, words) in cases {
            let result = try run("report", try parquet(), "-o", folder.file("page.html"), python: program)
            XCTAssertEqual(result.status(), status)
            XCTAssert(result.errors.contains(words), result.errors)
        }
        let odd = try run("report", try parquet(), "-o", folder.file("page.html"), python: python("echo '{}'"))
        XCTAssertEqual(odd.status(), 1)
        XCTAssert(odd.errors.contains("sums of a fleet.parquet: settle is missing"), odd.errors)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.contains("html") }
        XCTAssertEqual(left, [])
    }

    func testWhatDoesNotGoWithAFleet() throws {
        let (out, log) = (folder.file("out.html"), Recordings.log("w04_mutter"))
        let cases = [
            (try run("report", sample, log, "-o", out), "give '\(log)' to another report"),
            (try run("report", log, sample, "-o", out), "give '\(log)' to another report"),
            (try run("report", sample, sample, "-o", out), "a report has one fleet or logs"),
            (try run("report", sample, "-o", folder.file("a.svg")), "whose report is a page; write it as .html"),
            (try run("report", sample, "-o", out, "--scene", "a"), "--scene is for logs"),
            (try run("report", sample, "-o", out, "--format", "jsonl"), "--format is for logs"),
            (try run("report", sample, "-o", out, "--quiet-delay", "1s"), "--quiet-delay is for logs"),
        ]
        for (result, words) in cases {
            XCTAssertEqual(result.status(), 2, result.errors)
            XCTAssert(result.errors.contains(words), result.errors)
        }
        let own = folder.file("own.json")
        try FileManager.default.copyItem(atPath: sample, toPath: own)
        let replaced = try run("report", own, "--to", "html", "--force", "-o", own)
        XCTAssertEqual(replaced.status(), 3, replaced.errors)
        XCTAssertEqual(
            try Data(contentsOf: URL(fileURLWithPath: own)), try Data(contentsOf: URL(fileURLWithPath: sample)))
        XCTAssertFalse(FileManager.default.fileExists(atPath: out))
    }
}
