import Settle
import XCTest

@testable import SettleLog

/// Headers; what is read of the lines is in Tests/Cases/logs.
final class AsciicastTests: XCTestCase {
    func testAHeaderHasAName() throws {
        let text = "{\"version\":2,\"width\":96,\"height\":26,\"title\":\"bashing :)\"}\n"
        XCTAssertEqual(
            try AsciicastReader(ByteInput(text)).header,
            LogHeader(clock: "monotonic", unit: "cell", source: "asciicast", name: "bashing :)"))
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
}
