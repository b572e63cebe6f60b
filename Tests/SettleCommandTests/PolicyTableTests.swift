import Foundation
import TestSupport
import XCTest

/// The table of docs/guide/choosing-a-policy.md has the figures of this command.
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

    func testTheTableIsCurrentAndAnotherIsFound() throws {
        let document = Self.root.appendingPathComponent("docs/guide/choosing-a-policy.md").path
        let current = try check(document)
        XCTAssertEqual(current.status(), 0, current.errors)

        let text = try String(contentsOfFile: document, encoding: .utf8)
        let row = try XCTUnwrap(text.split(separator: "\n").first { $0.contains("| default |") })
        let changed = text.replacingOccurrences(of: row, with: row.replacingOccurrences(of: "| 138 |", with: "| 139 |"))
        XCTAssertNotEqual(changed, text)
        try changed.write(toFile: folder.file("changed.md"), atomically: true, encoding: .utf8)
        let other = try check(folder.file("changed.md"))
        XCTAssertEqual(other.status(), 1)
        XCTAssert(other.errors.contains("the table in changed.md is not current"), other.errors)
    }
}
