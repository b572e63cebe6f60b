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
        for (row, figure, wrong) in [
            ("| default |", "| 138 |", "| 139 |"), ("| 8 ms | at the end |", "| 245 |", "| 246 |"),
        ] {
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
}
