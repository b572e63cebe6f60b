import CSettle
import Settle
import TestSupport
import XCTest

@_spi(Careful) @testable import SettleLog

/// The C function that reads plain lines: what is plain, what it reads, and nothing behind its bytes.
final class PlainLinesTests: XCTestCase {
    /// The names that the table of these tests has.
    private static let names = [
        "a", "é", "12345678", "123456789", "a name of more than sixteen bytes", "",
        "a name of more than sixteen bytes, too",
    ]

    private struct Plain {
        var lines: Int
        var used: Int
        var events: [settle_log_event]
    }

    /// Reads from memory that ends before an inaccessible page.
    private func read(
        _ bytes: [UInt8], lineMax: Int = 1 << 20, capacity: Int = 8, names: [String] = names
    ) -> Plain {
        let memory = GuardedMemory(byteCount: bytes.count)
        UnsafeMutableRawBufferPointer(start: memory.start, count: bytes.count).copyBytes(from: bytes)
        let table = SceneNames()
        for name in names { _ = table.number(of: name) }
        let stride = MemoryLayout<settle_log_event>.stride
        let out = GuardedMemory(byteCount: capacity * stride)
        let events = out.start.bindMemory(to: settle_log_event.self, capacity: capacity)
        var used = -1
        let lines = table.withTable {
            settle_log_read_json_lines(
                memory.start.assumingMemoryBound(to: UInt8.self), bytes.count, lineMax, $0, events, capacity, &used)
        }
        return Plain(lines: lines, used: used, events: (0..<min(lines, capacity)).map { events[$0] })
    }

    /// So many bytes behind a line that it can be read.
    private static let more = String(repeating: " ", count: 64)

    /// What the other parser finds in a line: an event or a fault.
    private func careful(_ line: String) -> LogEvent? {
        let named = Self.names.map { #"{"t_ns":0,"scene":"\#($0)"}"# }.joined(separator: "\n")
        let log = readLog(jsonHeader + named + "\n" + line + "\n", format: .carefulJSONL)
        return log.events.dropFirst(Self.names.count).first?.event
    }

    private func assertPlain(_ line: String, _ isPlain: Bool, file: StaticString = #filePath, at: UInt = #line) {
        let plain = read(Array((line + "\n" + Self.more).utf8))
        XCTAssertEqual(plain.lines, isPlain ? 1 : 0, line, file: file, line: at)
        XCTAssertEqual(plain.used, isPlain ? line.utf8.count + 1 : 0, line, file: file, line: at)
        guard isPlain, let event = plain.events.first, let expected = careful(line) else {
            return XCTAssert(!isPlain, "the other parser refuses \(line)", file: file, line: at)
        }
        XCTAssertEqual(LogEvent(event), expected, line, file: file, line: at)
    }

    func testEveryKindAndKeyIsPlain() {
        for line in [
            #"{"t_ns":1,"scene":"a"}"#,
            #"{"t_ns":9223372036854775807,"scene":"a","width":400,"height":300}"#,
            #"{"t_ns":12345678,"scene":"é","width":0,"height":12345678,"resizing":true}"#,
            #"{"t_ns":123456789012,"scene":"12345678","width":0.5,"height":300.25,"resizing":false}"#,
            #"{"t_ns":1234567890123456,"scene":"123456789","resizing":true,"locked":true}"#,
            #"{"t_ns":0,"scene":"a name of more than sixteen bytes","locked":false,"orientation":"portrait"}"#,
            #"{"t_ns":0,"scene":"","orientation":"portraitUpsideDown"}"#,
            #"{"t_ns":2,"scene":"a","orientation":"landscapeLeft","kind":"geometry"}"#,
            #"{"t_ns":2,"scene":"a","orientation":"landscapeRight"}"#,
            #"{"t_ns":2,"scene":"a","kind":"connect"}"#,
            #"{"kind":"disconnect","scene":"a","t_ns":2}"#,
            #"{"t_ns":2,"kind":"pointer","button":4294967295,"pressed":true}"#,
            #"{"t_ns":2,"kind":"pointer","pressed":false,"button":1}"#,
            #"{"height":2,"width":1,"scene":"a","t_ns":3}"#,
            #"{"resizing":true,"t_ns":3,"scene":"a"}"#,
            #"{"t_ns":12345678901234567,"scene":"a name of more than sixteen bytes, too"}"#,
        ] {
            assertPlain(line, true)
        }
    }

    func testSpacesAndUnknownKeysArePlain() {
        for line in [
            #"{"t_ns": 1, "scene": "a", "width": 400, "height": 300, "resizing": true}"#,
            #"{"t_ns":1, "scene":"a"}"#, #"{"t_ns":1,"scene": "a"}"#, #"{"t_ns":1,"scene":"a", "locked":true }"#,
            #"{"t_ns":1,"scene":"a","width": 1,"height":1}"#, #"{"t_ns":1,"scene":"a","width":1,"height": 1}"#,
            #"{"t_ns":1,"scene":"a","width":1,"locked":true,"height":1}"#, #"{"t_ns":1,"scene":"a","resizing": true}"#,
            #"{"t_ns":1,"locked":true,"scene":"a","height":1,"width":1}"#,
            "\t{ \"t_ns\":\t1 , \"scene\": \"a\" }",
            "{\"t_ns\":1,\"scene\":\"a\"} \t\r",
            "{\"t_ns\":1,\"scene\":\"a\"}\r",
            #"{"t_ns":1,"serial":12,"scene":"a","x":"text, of more than eight bytes","y":true,"z":false,"n":null}"#,
            #"{"":1.5,"scene":"a","":"","t_ns":1}"#,
            #"{"extra":1,"extra":2,"t_ns":1,"scene":"a"}"#,
            #"{"scenes":"b","t_n":"5","widths":1,"t_ns":1,"scene":"a"}"#,
        ] {
            assertPlain(line, true)
        }
        // Strings are read eight bytes at a time: their ends at every place.
        for count in 0...25 {
            let text = String(repeating: "y", count: count)
            assertPlain(#"{"t_ns":1,"\#(text)":"\#(text)","scene":"a"}"#, true)
        }
    }

    func testWhatIsUnusualIsLeft() {
        for line in [
            "", " ", "# comment", "{", "{}", "not json", "[1]", "\u{FEFF}{\"t_ns\":1,\"scene\":\"a\"}",
            #"{"t_ns":1,"scene":"b"}"#, #"{"t_ns":1,"scene":"12345679"}"#, #"{"t_ns":1,"scene":"1234567"}"#,
            #"{"t_ns":1,"scene":"123456780"}"#, #"{"t_ns":1,"scene":"a name of more than sixteen bites"}"#,
            #"{"t_ns":1,"scene":"\u0061"}"#, #"{"t_ns":1,"scene":"1234567\u0038"}"#, #"{"\u0074_ns":1,"scene":"a"}"#,
            #"{"t_ns":1,"scene":a}"#, #"{"t_ns":1,"scene":"a}"#, "{\"t_ns\":1,\"scene\":\"a\u{1}\"}",
            #"{"t_ns" :1,"scene":"a"}"#, #"{"t_ns":1,"t_ns":2,"scene":"a"}"#, #"{"t_ns":1,"scene":"a","scene":"a"}"#,
            #"{"t_ns":1,"scene":"a","resizing":true,"resizing":false}"#,
            #"{"t_ns":1,"scene":"a","width":1}"#, #"{"t_ns":1,"scene":"a","height":1}"#,
            #"{"t_ns":1,"scene":"a","width":1,"heigh":1}"#,
            #"{"scene":"a"}"#, #"{"t_ns":1}"#, #"{"t_ns":1,"scene":"a"}x"#, #"{"t_ns":1,"scene":"a"}}"#,
            #"{"t_ns":1,"scene":"a""#, #"{"t_ns":1,"scene":"a",}"#, #"{"t_ns":1 "scene":"a"}"#,
            #"{"t_ns":1,,"scene":"a"}"#,
            #",{"t_ns":1,"scene":"a"}"#, #"{,"t_ns":1,"scene":"a"}"#, #"{"t_ns":1,{"scene":"a"}"#,
            #"{"t_ns":01,"scene":"a"}"#, #"{"t_ns":-1,"scene":"a"}"#, #"{"t_ns":1.0,"scene":"a"}"#,
            #"{"t_ns":1e3,"scene":"a"}"#, #"{"t_ns":,"scene":"a"}"#, #"{"t_ns":"1","scene":"a"}"#,
            #"{"t_ns":9223372036854775808,"scene":"a"}"#, #"{"t_ns":12345678901234567890,"scene":"a"}"#,
            #"{"t_ns":1,"scene":"a","resizing":1}"#, #"{"t_ns":1,"scene":"a","resizing":True}"#,
            #"{"t_ns":1,"scene":"a","resizing":falsy}"#, #"{"t_ns":1,"scene":"a","locked":null}"#,
            #"{"t_ns":1,"scene":"a","orientation":"sideways"}"#, #"{"t_ns":1,"scene":"a","orientation":1}"#,
            #"{"t_ns":1,"scene":"a","kind":"explode"}"#, #"{"t_ns":1,"scene":"a","kind":1}"#,
            #"{"t_ns":1,"scene":"a","kind":"pointer"}"#, #"{"t_ns":1,"kind":"pointer","button":1}"#,
            #"{"t_ns":1,"scene":"a","kind":"pointer","button":1,"pressed":true}"#,
            #"{"t_ns":1,"kind":"pointer","button":4294967296,"pressed":true}"#,
            #"{"t_ns":1,"kind":"pointer","button":1.5,"pressed":true}"#,
            #"{"t_ns":1,"kind":"pointer","button":1,"pressed":0}"#,
            #"{"t_ns":1,"scene":"a","kind":"connect","width":1,"height":1}"#,
            #"{"t_ns":1,"scene":"a","button":1}"#, #"{"t_ns":1,"scene":"a","pressed":true}"#,
            #"{"t_ns":1,"scene":"a","x":{}}"#, #"{"t_ns":1,"scene":"a","x":[1]}"#, #"{"t_ns":1,"scene":"a","x":-1}"#,
            #"{"t_ns":1,"scene":"a","x":nul}"#, #"{"t_ns":1,"scene":"a","x":"\n"}"#, #"{"t_ns":1,"scene":"a","x":tru}"#,
            #"{"t_ns":1,"scene":"a","é":1}"#, #"{"t_ns":1,"scene":"a","x":"é"}"#, #"{"t_ns":1,"scene":"a","x":}"#,
            #"{"t_ns":1,"scene":"a","x" :1}"#, #"{"t_ns":1,"scene":"a",x:1}"#, #"{"t_ns":1,"scene":"a","x"}"#,
        ] {
            assertPlain(line, false)
        }
    }

    func testLengthsArePlainWhereTheyAreExact() {
        let plain = [
            "0", "1", "9999999", "12345678", "123456789012345", "9007199254740992", "0.1", "0.5", "412.3333333333333",
            "1.000000000000001", "900719925474.0992", "0.000001", "100.0", "0.0", "1234567.5", "12345678.5",
        ]
        let left = [
            "00", "01", "00.5", ".5", "1.", "1.e3", "1e3", "1E3", "-1", "-0", "+1", "9007199254740993",
            "9.007199254740993",
            "412.33333333333331", "12345678901234567", "12345678901234567890", "1e999", "NaN", "0x10", "1.2.3", "",
        ]
        for text in plain { assertPlain(#"{"t_ns":1,"scene":"a","width":\#(text),"height":1}"#, true) }
        for text in left { assertPlain(#"{"t_ns":1,"scene":"a","width":\#(text),"height":1}"#, false) }
        var random = SplitMix64(seed: 1)
        for _ in 0..<1000 {
            let digits = Int.random(in: 1...16, using: &random)
            var text = String((0..<digits).map { _ in Character(String(Int.random(in: 0...9, using: &random))) })
            if digits > 1 {
                text.insert(".", at: text.index(text.startIndex, offsetBy: Int.random(in: 1..<digits, using: &random)))
            }
            let read = read(Array((#"{"t_ns":1,"scene":"a","width":1,"height":\#(text)}"# + "\n" + Self.more).utf8))
            guard read.lines == 1 else { continue }
            XCTAssertEqual(read.events[0].height.bitPattern, Double(text)?.bitPattern, text)
        }
    }

    func testNothingBehindTheBytesIsRead() {
        let line =
            #"{"t_ns":123456789,"scene":"a name of more than sixteen bytes","x":"y","width":1.5,"height":2,"#
            + #""orientation":"portraitUpsideDown","kind":"geometry"}"# + "\n"
        let bytes = Array((line + line).utf8)
        // Any number of bytes, also one that ends within a line.
        for count in 0...bytes.count {
            let plain = read(Array(bytes.prefix(count)))
            XCTAssert(plain.lines <= count / line.utf8.count)
            XCTAssertEqual(plain.used, plain.lines * line.utf8.count)
        }
        XCTAssertEqual(read(bytes + Array(Self.more.utf8)).lines, 2)
        // Each value close to the end, where what comes before needs no more bytes than it has.
        for line in [
            #"{"t_ns":1234567890123456789,"scene":"a","resizing":true,"width":1}"#, #"{"scene":"a","t_ns":1}"#,
            #"{"scene":"12345678","kind":"connect"}"#, #"{"n":null,"t":true,"f":false,"s":"12345678","d":1.5}"#,
        ] {
            for count in 0...line.utf8.count { XCTAssertEqual(read(Array(line.utf8.prefix(count))).lines, 0) }
        }
        // A string that never ends.
        for start in [#"{"t_ns":1,"scene":""#, #"{""#, #"{"x":""#] {
            XCTAssertEqual(read(Array((start + String(repeating: "y", count: 100)).utf8)).lines, 0)
        }
        for start in ["", "{", #"{"t_ns":"#, #"{"t_ns":1"#, #"{"t_ns":1,"#, #"{"t_ns":1,"scene":"a"}"#] {
            for spaces in 0..<40 {
                XCTAssertEqual(read(Array((start + String(repeating: " ", count: spaces)).utf8)).lines, 0)
            }
        }
    }

    func testTheCapacityAndTheLengthOfLinesAreKept() {
        let line = #"{"t_ns":1,"scene":"a"}"#
        let bytes = Array(String(repeating: line + "\n", count: 20).utf8)
        for capacity in 0...8 {
            let plain = read(bytes, capacity: capacity)
            XCTAssertEqual(plain.lines, capacity)
            XCTAssertEqual(plain.used, capacity * (line.utf8.count + 1))
        }
        XCTAssertEqual(read(bytes, lineMax: line.utf8.count).lines, 8)
        XCTAssertEqual(read(bytes, lineMax: line.utf8.count - 1).lines, 0)
        XCTAssertEqual(read(Array((line + "\r\n" + Self.more).utf8), lineMax: line.utf8.count).lines, 0)
        // SIZE_MAX.
        XCTAssertEqual(read(Array((line + "x\n" + Self.more).utf8), lineMax: -1).lines, 0)
    }

    func testNamesAreFoundByTheirBytes() {
        let table = SceneNames()
        let names =
            (0..<3000).map { "scene \($0 * 7919 % 3001)\(String(repeating: "x", count: $0 % 20))" } + [
                "", "\0", "\0\0",
            ]
        let numbers = names.map { table.number(of: $0).rawValue }
        XCTAssertEqual(Set(numbers).count, names.count)
        func found(_ name: String) -> UInt32 {
            table.withTable { table in
                Array(name.utf8).withUnsafeBufferPointer { settle_log_find_name(table, $0.baseAddress, $0.count) }
            }
        }
        XCTAssertEqual(names.map(found), numbers)
        XCTAssertEqual(Int(found("scene")), SETTLE_LOG_NO_NAME)
        table.remove(numbers.prefix(1500).map(SceneNumber.init(rawValue:)))
        XCTAssert(names.prefix(1500).allSatisfy { Int(found($0)) == SETTLE_LOG_NO_NAME })
        XCTAssertEqual(names.dropFirst(1500).map(found), Array(numbers.dropFirst(1500)))
        for name in names { XCTAssertEqual(table[table.number(of: name)], name) }
        XCTAssertEqual(table.count, names.count)
    }
}
