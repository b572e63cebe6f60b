import Settle
import XCTest

@testable import SettleLog

/// What no case of Tests/Cases/logs shows: pieces, depth and length.
final class RrwebTests: XCTestCase {
    private func read(_ text: String) -> Imported { drain(RrwebReader(ByteInput(text))) }

    private let objects = [
        #"{"type":4,"data":{"href":"https://example.org/{","width":1000,"height":700},"timestamp":1600000000000}"#,
        #"{"data":{"source":4,"width":900.5,"height":-1},"timestamp":1600000000200.25,"type":3}"#,
    ]
    private let expected = ["geometry viewport 1000×700", "geometry viewport 900.5×-1"]

    /// However a pipe divides what is no event, it is one fault.
    func testAForeignWordInPiecesIsOneFault() {
        let imported = drain(RrwebReader(.pieces(["[\(objects[0]),comp", "res", "sed", ",\(objects[1])]"])))
        XCTAssertEqual(imported.events, expected)
        XCTAssertEqual(imported.faults.map(\.position), [.byte(UInt64(objects[0].utf8.count + 2))])
    }

    func testDeepSnapshotsAreNotDecoded() {
        let deep = String(repeating: "[", count: 2000) + String(repeating: "]", count: 2000)
        let imported = read("[\(objects[0]),{\"type\":2,\"data\":\(deep)},\(objects[1])]")
        XCTAssertEqual(imported.events, expected)
        XCTAssertEqual(imported.faults, [])
    }

    private let large = "{\"type\":4,\"data\":\"" + String(repeating: "a,]}{", count: 300_000) + "\"}"

    /// Complete in memory, and in pieces from a file.
    private func inputs(_ text: String, _ body: (ByteInput) -> Void) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "settle-rrweb-\(UUID()).json")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        for input in [ByteInput(text), try ByteInput(path: file.path)] { body(input) }
    }

    func testAnOversizedEventIsSkipped() throws {
        let shapes = [
            "[\(objects[0]),\(large),\(objects[1])]", "\(objects[0])\n\(large)\n\(objects[1])",
            "{\"events\":[\(objects[0]),\(large),\(objects[1])]}",
        ]
        for shape in shapes {
            try inputs(shape) { input in
                let imported = drain(RrwebReader(input, eventLengthMax: 100_000))
                XCTAssertEqual(imported.events, expected)
                XCTAssertEqual(imported.faults.map(\.kind), [.malformed])
                XCTAssert(imported.faults.first?.problem.contains("100000 bytes") ?? false)
            }
        }
    }

    /// A key, which may name the window, and a second element, which does not.
    func testWhatFollowsAnOversizedValueIsTakenForWhatItIs() throws {
        let window = "{\"a\":[\(objects[0])],\"x\":\(large),\"window_id\":\"w\",\"events\":[\(objects[1])]}"
        try inputs(window) { input in
            let imported = drain(RrwebReader(input, eventLengthMax: 100_000))
            XCTAssertEqual(imported.events, [expected[0], "geometry w 900.5×-1"])
            XCTAssertEqual(imported.faults.count, 1)
        }
        try inputs("[\(large),\"no window\",\(objects[1])]") { input in
            let imported = drain(RrwebReader(input, eventLengthMax: 100_000))
            XCTAssertEqual(imported.events, [expected[1]])
            XCTAssertEqual(imported.faults.map(\.problem), ["an event is larger than 100000 bytes", "no rrweb event"])
        }
    }

    /// Text in text is read to a depth that no recorder has, and no further.
    func testEventsInTextInText() {
        var text = objects[0]
        for depth in 1...5 {
            text = "[\(JSONText.quoted(text))]"
            XCTAssertEqual(read(text).events, depth <= 3 ? [expected[0]] : [], "\(depth)")
        }
    }

    func testALongNameOfAWindowIsCut() {
        for length in [255, 256, 257, 300] {
            let name = String(repeating: "é", count: 100) + String(repeating: "x", count: length - 200)
            let event = #"{"type":4,"windowId":"\#(name)","data":{"width":8,"height":7},"timestamp":1}"#
            XCTAssertEqual(read(event).events, ["geometry \(name.prefix(min(length, 256) - 100)) 8×7"])
        }
    }

    /// The end of a key is looked for as far as that of an event.
    func testAnOversizedKeyIsAFault() {
        let text = "{\"a\":[\(objects[0])],\"\(String(repeating: "k", count: 4000))\":[\(objects[1])]}"
        let pieces = stride(from: 0, to: text.utf8.count, by: 400).map { start in
            String(decoding: Array(text.utf8)[start...].prefix(400), as: UTF8.self)
        }
        XCTAssertEqual(drain(RrwebReader(.pieces(pieces))).events, expected)
        let imported = drain(RrwebReader(.pieces(pieces), eventLengthMax: 1000))
        XCTAssertEqual(imported.faults.first?.problem, "a string that does not end")
        XCTAssertEqual(imported.events.prefix(1), expected.prefix(1))
    }
}
