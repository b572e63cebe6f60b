import Settle
import XCTest

@testable import SettleLog

final class AsciicastTests: XCTestCase {
    private let version2 = #"""
        {"version": 2, "width": 96, "height": 26, "timestamp": 1506410422, "title": "bashing :)", "env": {"x": [1]}}
        [1.234567, "o", "foo [2.0, \"r\", \"1x1\"]"]
        [2.0,      "r", "80x24"]
        [2.345678, "\u0072", "81x24"]
        [3, "m", "r"]

        """#

    private let version3 = """
        {"version": 3, "term": {"cols": 80, "rows": 24, "type": "xterm"}}
        # a comment
        [0.5, "o", "hello "]
        [0.5, "r", "100x30"]
        [1e-1, "o", "x"]
        [0.0, "r", "-1x0"]
        [0.1, "x", "0"]
        """

    private func read(_ text: String) throws -> Imported { drain(try AsciicastReader(ByteInput(text))) }

    func testVersion2() throws {
        let reader = try AsciicastReader(ByteInput(version2))
        XCTAssertEqual(
            reader.header, LogHeader(clock: "monotonic", unit: "cell", source: "asciicast", name: "bashing :)"))
        let imported = drain(reader)
        XCTAssertEqual(imported.events, ["96×26", "80×24", "81×24"].map { "geometry terminal \($0)" })
        XCTAssertEqual(imported.times, [0, 2_000_000_000, 2_345_678_000])
        XCTAssertEqual(imported.positions, [.line(1), .line(3), .line(4)])
        XCTAssertEqual(imported.faults, [])
    }

    func testVersion3CountsIntervals() throws {
        let imported = try read(version3)
        XCTAssertEqual(imported.events, ["80×24", "100×30", "-1×0"].map { "geometry terminal \($0)" })
        XCTAssertEqual(imported.times, [0, 1_000_000_000, 1_100_000_000])
        XCTAssertEqual(imported.faults, [])
        XCTAssertEqual(try read(version3.replacing("\n", with: "\r\n")).events, imported.events)
    }

    func testMalformedLines() throws {
        let imported = try read(
            """
            {"version":3,"term":{"cols":80,"rows":24}}
            [1, "r", "100 by 30"]
            [1, "r", 5]
            [-1, "r", "1x1"]
            [-1, "o", "x"]
            [1e300, "r", "1x1"]
            [9e9, "o", "x"]
            [1, "r", "99999999999999999999x1"]
            nonsense
            [1, "r", "7x7"]
            [1, "r", "8x
            """)
        XCTAssertEqual(imported.events, ["geometry terminal 80×24", "geometry terminal 7×7"])
        XCTAssertEqual(imported.times.last, 4_000_000_000)
        XCTAssertEqual(imported.faults.map(\.position), [2, 3, 4, 5, 6, 7, 8, 9, 11].map { .line($0) })
        XCTAssertEqual(imported.faults.last?.kind, .truncated)
    }

    func testCommentsAreOfVersion3() throws {
        XCTAssertEqual(try read("{\"version\":2,\"width\":1,\"height\":2}\n# a comment\n").faults.count, 1)
    }

    func testHeaderFaults() {
        let faults: [(String, LogError.Kind, String)] = [
            ("", .truncated, "empty"),
            ("{\"version\":1,\"width\":80,\"height\":24,\"stdout\":[]}\n", .malformed, "version 1"),
            ("{\n  \"version\": 1,\n", .malformed, "version 1"),
            ("{\"version\":4}\n", .newerVersion, "newer"),
            ("{\"version\":3.5}\n", .newerVersion, "newer"),
            ("{\"version\":0}\n", .malformed, "unknown"),
            ("{\"version\":\"2\"}\n", .malformed, "header"),
            ("{\"version\":2,\"width\":80}\n", .malformed, "size"),
            ("{\"version\":3,\"term\":[80,24]}\n", .malformed, "size"),
            ("{\"version\":3,\"ter", .truncated, "header"),
            ("[1, \"r\", \"80x24\"]\n", .malformed, "header"),
        ]
        for (text, kind, word) in faults {
            XCTAssertThrowsError(try AsciicastReader(ByteInput(text)), text) { error in
                let error = error as? LogError
                XCTAssertEqual(error?.kind, kind, text)
                XCTAssert(error?.problem.contains(word) ?? false, "\(text): \(String(describing: error))")
            }
        }
    }

    func testDamage() {
        survive(version2, seed: 43) { try AsciicastReader($0) }
        survive(version3, seed: 44) { try AsciicastReader($0) }
    }
}
