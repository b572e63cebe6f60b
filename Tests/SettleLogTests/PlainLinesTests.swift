import CSettle
import Settle
import TestSupport
import XCTest

@_spi(Careful) @testable import SettleLog

/// The C function that reads plain lines: what it reads, and nothing behind its bytes. What is plain: Tests/Cases/lines.
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

    func testStringsEndAtEveryPlace() {
        // They are read eight bytes at a time.
        for count in 0...25 {
            let text = String(repeating: "y", count: count)
            let plain = read(Array((#"{"t_ns":1,"\#(text)":"\#(text)","scene":"a"}"# + "\n" + Self.more).utf8))
            XCTAssertEqual(
                plain.events.map(LogEvent.init), [.geometry(SceneNumber(rawValue: 0), at: Timestamp(nanoseconds: 1))])
        }
    }

    func testRandomLengthsArePlainWhereTheyAreExact() {
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
