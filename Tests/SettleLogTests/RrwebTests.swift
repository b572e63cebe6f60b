import Settle
import XCTest

@testable import SettleLog

final class RrwebTests: XCTestCase {
    private func read(_ text: String) -> Imported { drain(RrwebReader(ByteInput(text))) }

    private let objects = [
        #"{"type":4,"data":{"href":"https://example.org/{","width":1000,"height":700},"timestamp":1600000000000}"#,
        #"{"type":2,"data":{"node":{"childNodes":[{"t":"}]\"\\"}]}},"timestamp":1600000000001}"#,
        #"{"type":3,"data":{"source":1,"positions":[{"x":1}]},"timestamp":1600000000002}"#,
        #"{"data":{"source":4,"width":900.5,"height":-1},"timestamp":1600000000200.25,"type":3}"#,
        #"{"type":5,"data":"any","timestamp":1600000000300}"#,
    ]
    private let expected = ["geometry viewport 1000×700", "geometry viewport 900.5×-1"]

    func testArray() {
        let imported = read("[" + objects.joined(separator: ",") + "]\n")
        XCTAssertEqual(imported.events, expected)
        XCTAssertEqual(imported.times, [1_600_000_000_000_000_000, 1_600_000_000_200_250_000])
        let before = objects[0..<3].reduce(0) { $0 + $1.utf8.count + 1 }
        XCTAssertEqual(imported.positions, [.byte(1), .byte(UInt64(1 + before))])
        XCTAssertEqual(imported.faults, [])
        XCTAssert(imported.notes.contains { $0.contains("200 ms") })
    }

    func testOtherShapes() {
        let joined = objects.joined(separator: ",\r\n  ")
        let shapes = [
            objects.joined(separator: "\n"), objects.joined(separator: "\r\n") + "\r\n", "[\n\(joined)\n]",
            "{\"events\":[\(joined)]}",
            "{ \"site\" : {\"events\":[1]}, \"n\":[2,3], \"events\" : [ \(joined) ] , \"x\":{\"y\":\"}\"} }\n",
            "[" + joined.replacing(":", with: " : ").replacing("https : ", with: "https:") + "]",
        ]
        for shape in shapes {
            let imported = read(shape)
            XCTAssertEqual(imported.events, expected, shape)
            XCTAssertEqual(imported.faults, [], shape)
            XCTAssertEqual(drain(RrwebReader(.pipe(shape))).events, expected, shape)
        }
    }

    func testEmptyInputs() {
        for text in ["", "\n", "[]", "{\"events\":[]}"] {
            XCTAssertEqual(read(text).events, [], text)
            XCTAssertEqual(read(text).faults, [], text)
        }
    }

    func testTruncationKeepsWhatStandsBefore() {
        let text = "[" + objects.joined(separator: ",") + "]"
        for cut in [1, 20, objects[4].utf8.count + 1] {
            let imported = read(String(text.dropLast(cut)))
            XCTAssertEqual(imported.events, expected)
            XCTAssertEqual(imported.faults.map(\.kind), [.truncated])
        }
        let imported = read(String(text.dropLast(20)))
        XCTAssertEqual(imported.faults[0].position, .byte(UInt64(text.utf8.count - 1 - objects[4].utf8.count)))
        XCTAssertEqual(read("{\"events\":[]").faults.map(\.kind), [.truncated])
    }

    func testMalformedEvents() {
        let faulty = [
            #"{"type":4,"data":{"width":1},"timestamp":5}"#, #"{"type":4,"data":[],"timestamp":5}"#,
            #"{"type":4,"data":{"width":1,"height":1}}"#, #"{"type":4,"data":{"width":1,"height":1},"timestamp":-1}"#,
            #"{"type":4,"data":{"width":1,"height":1},"timestamp":1e300}"#, #"{"data":{}}"#, #"{"type":"4"}"#,
            #"{"type":4]"#, "17", "\"packed, ] } string\"", "true",
        ]
        for object in faulty {
            let imported = read("[\(objects[0]),\(object),\(objects[3])]")
            XCTAssertEqual(imported.events, expected, object)
            XCTAssertEqual(imported.faults.map(\.kind), [.malformed], object)
            XCTAssertEqual(imported.faults.first?.position, .byte(UInt64(objects[0].utf8.count + 2)), object)
        }
    }

    /// However a pipe divides what is no event, it is one fault.
    func testAForeignWordInPiecesIsOneFault() {
        let imported = drain(RrwebReader(.pieces(["[\(objects[0]),comp", "res", "sed", ",\(objects[3])]"])))
        XCTAssertEqual(imported.events, expected)
        XCTAssertEqual(imported.faults.map(\.position), [.byte(UInt64(objects[0].utf8.count + 2))])
    }

    func testALineCutInAStringCostsOnlyItself() {
        let imported = read(objects[0] + "\n{\"type\":3,\"da\n" + objects[3] + "\n")
        XCTAssertEqual(imported.events, expected)
        XCTAssertEqual(imported.faults.map(\.kind), [.malformed])
    }

    func testDeepSnapshotsAreNotDecoded() {
        let deep = String(repeating: "[", count: 2000) + String(repeating: "]", count: 2000)
        let imported = read("[\(objects[0]),{\"type\":2,\"data\":\(deep)},\(objects[3])]")
        XCTAssertEqual(imported.events, expected)
        XCTAssertEqual(imported.faults, [])
    }

    /// Found complete in memory, and in pieces from a file.
    func testAnOversizedEventIsSkipped() throws {
        let large = "{\"type\":4,\"data\":\"" + String(repeating: "a,]}{", count: 300_000) + "\"}"
        let shapes = [
            "[\(objects[0]),\(large),\(objects[3])]", "\(objects[0])\n\(large)\n\(objects[3])",
            "{\"events\":[\(objects[0]),\(large),\(objects[3])]}",
        ]
        for shape in shapes {
            let file = FileManager.default.temporaryDirectory.appending(path: "settle-rrweb-\(UUID()).json")
            try Data(shape.utf8).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            for input in [ByteInput(shape), try ByteInput(path: file.path)] {
                let imported = drain(RrwebReader(input, eventLengthMax: 100_000))
                XCTAssertEqual(imported.events, expected)
                XCTAssertEqual(imported.faults.map(\.kind), [.malformed])
                XCTAssert(imported.faults.first?.problem.contains("100000 bytes") ?? false)
            }
        }
    }
}
