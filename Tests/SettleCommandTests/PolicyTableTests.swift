import Foundation
import TestSupport
import XCTest

/// The tables of docs/guide/choosing-a-policy.md have the figures of this command.
final class PolicyTableTests: XCTestCase {
    private let folder = TemporaryFolder()
    override func tearDown() { folder.remove() }

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private func check(_ document: String) throws -> Running {
        try Running(
            [
                "python3", Self.root.appendingPathComponent("scripts/policy-table").path, "--check", "--document",
                document, Running.command,
            ], folder, program: "/usr/bin/env")
    }

    func testTheTablesAreCurrentAndOthersAreFound() throws {
        let document = Self.root.appendingPathComponent("docs/guide/choosing-a-policy.md").path
        let current = try check(document)
        XCTAssertEqual(current.status(), 0, current.errors)

        let text = try String(contentsOfFile: document, encoding: .utf8)
        let changes = [("| default |", "| 138 |", "| 139 |"), ("| 30 ms | at ends, the default |", "| 61 |", "| 62 |")]
        for (row, figure, wrong) in changes.prefix(isLong ? 2 : 1) {
            let line = try XCTUnwrap(text.split(separator: "\n").first { $0.contains(row) })
            let other = line.replacingOccurrences(of: figure, with: wrong)
            let changed = text.replacingOccurrences(of: line, with: other)
            XCTAssertNotEqual(changed, text)
            try changed.write(toFile: folder.file("changed.md"), atomically: true, encoding: .utf8)
            let found = try check(folder.file("changed.md"))
            XCTAssertEqual(found.status(), 1)
            XCTAssert(found.errors.contains("the table in changed.md is not current"), found.errors)
        }
    }

    /// The figures of real hands are counted anew from logs that are named, and stay as they are otherwise.
    func testFiguresOfRealHandsAreThoseOfTheLogs() throws {
        try XCTSkipUnless(isLong, "a night's: it takes 15 s")
        let made = try Running(
            [
                Self.root.appendingPathComponent("scripts/generate-hands").path, "--own", "--drags", "1000",
                folder.file("own"),
            ],
            folder, program: "/usr/bin/env")
        XCTAssertEqual(made.status(), 0, made.errors)
        let document = Self.root.appendingPathComponent("docs/guide/choosing-a-policy.md").path
        let copy = folder.file("copy.md")
        try String(contentsOfFile: document, encoding: .utf8).write(toFile: copy, atomically: true, encoding: .utf8)
        let written = try Running(
            [
                "python3", Self.root.appendingPathComponent("scripts/policy-table").path, "--document", copy, "--hands",
                folder.file("own/flag"), Running.command,
            ], folder, program: "/usr/bin/env")
        XCTAssertEqual(written.status(), 0, written.errors)
        let rows = try String(contentsOfFile: copy, encoding: .utf8).split(separator: "\n").filter {
            $0.contains("debounce, 100 ms |") || $0.contains("`prepared`** |")
        }
        XCTAssertEqual(rows.count, 10)
        for row in rows {
            let cells = row.components(separatedBy: " | ")
            XCTAssertEqual(cells[2..<6].joined(), cells[6...].joined().replacing(" |", with: ""), "our own hand, twice")
        }
        XCTAssertEqual(try check(copy).status(), 0, "without the logs they stay")
    }
}
