import Foundation
import Settle
import TestSupport
import XCTest

@testable import SettleLog

/// What a user may give for a log that is none as it stands.
final class ForeignContentTests: XCTestCase {
    private static let log = jsonHeader + #"{"t_ns":1,"scene":"a","width":1,"height":2}"# + "\n"

    private static func utf16(_ text: String, bigEndian: Bool, mark: Bool) -> [UInt8] {
        let units = (mark ? [0xFEFF] : []) + Array(text.utf16)
        return units.flatMap { unit in
            let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
            return bigEndian ? bytes : bytes.reversed()
        }
    }

    private static func utf32(_ text: String, bigEndian: Bool, mark: Bool) -> [UInt8] {
        let scalars = (mark ? [0xFEFF] : []) + text.unicodeScalars.map(\.value)
        return scalars.flatMap { scalar in
            withUnsafeBytes(of: bigEndian ? scalar.bigEndian : scalar.littleEndian, Array.init)
        }
    }

    /// What is unpacked, but not from a socket, nor to be mended.
    private static let packed: [(what: String, bytes: [UInt8], words: [String])] = [
        ("gzip", [0x1F, 0x8B, 8, 0, 0, 0, 0, 0], ["gzip", "'gzip -dc'"]),
        ("zstd", [0x28, 0xB5, 0x2F, 0xFD, 4, 0], ["zstd", "'zstd -dc'"]),
        ("xz", [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0, 0, 4], ["xz", "'xz -dc'"]),
        ("bzip2", Array("BZh91AY&SY".utf8), ["bzip2", "'bzip2 -dc'"]),
    ]

    private static let foreign: [(what: String, bytes: [UInt8], words: [String])] = [
        (
            "tar", Array("a.log".utf8) + [UInt8](repeating: 0, count: 252) + Array("ustar  ".utf8),
            ["tar archive", "tar -xf"]
        ),
        ("zip", [0x50, 0x4B, 3, 4, 20, 0], ["ZIP", "unzip"]),
        ("Parquet", [0x50, 0x41, 0x52, 0x31, 0x15, 0x04], ["Parquet", "settle-fleet"]),
        ("UTF-16", utf16(log, bigEndian: false, mark: true), ["UTF-16", "iconv -f UTF-16 "]),
        ("UTF-16, big-endian", utf16(log, bigEndian: true, mark: true), ["UTF-16", "iconv -f UTF-16 "]),
        ("UTF-16 without a mark", utf16(log, bigEndian: false, mark: false), ["iconv -f UTF-16LE"]),
        ("the same, big-endian", utf16(log, bigEndian: true, mark: false), ["iconv -f UTF-16BE"]),
        ("UTF-32", utf32(log, bigEndian: false, mark: true), ["UTF-32 text", "iconv -f UTF-32 "]),
        ("UTF-32, big-endian", utf32(log, bigEndian: true, mark: true), ["UTF-32 text", "iconv -f UTF-32 "]),
        ("UTF-32 without a mark", utf32(log, bigEndian: false, mark: false), ["iconv -f UTF-32LE"]),
        ("the same in UTF-32, big-endian", utf32(log, bigEndian: true, mark: false), ["iconv -f UTF-32BE"]),
    ]

    /// Every way to open a log, from memory and from a pipe.
    private func openings(_ bytes: [UInt8]) -> [(way: String, error: LogError?)] {
        var results: [(String, LogError?)] = []
        func open(_ way: String, _ body: (ByteInput) throws(LogError) -> Void) {
            for (kind, input) in [
                ("memory", ByteInput(bytes: bytes, name: "x.jsonl")), ("a pipe", ByteInput.pipe(bytes)),
            ] {
                do throws(LogError) {
                    try body(input)
                    results.append(("\(way) from \(kind)", nil))
                } catch {
                    results.append(("\(way) from \(kind)", error))
                }
            }
        }
        open("detected") { input throws(LogError) in _ = try LogReader(input) }
        for format in LogFormat.allCases {
            open(format.name) { input throws(LogError) in _ = try LogReader(input, format: format) }
        }
        open("recovery") { input throws(LogError) in
            try LogRecovery(input).run(to: ByteOutput(path: "/dev/null"))
        }
        return results
    }

    func testCompressedFilesAndWideTextAreNamedWithWhatToDo() {
        for (what, bytes, words) in Self.foreign {
            for (way, error) in openings(bytes) {
                let problem = error?.problem ?? "accepted"
                XCTAssert(words.allSatisfy(problem.contains), "\(what), \(way): \(problem)")
                XCTAssertFalse(problem.contains("\n"))
            }
            let stream = Result { try LogReader(stream: ByteInput.pipe(bytes)) }
            XCTAssertThrowsError(try stream.get()) { XCTAssert("\($0)".contains(words[0]), "\(what): \($0)") }
        }
        for (what, bytes, words) in Self.packed {
            for (way, error) in openings(bytes) {
                let expected = way.hasPrefix("recovery") ? words : ["the compressed file is "]
                let problem = error?.problem ?? "accepted"
                XCTAssert(expected.allSatisfy(problem.contains), "\(what), \(way): \(problem)")
            }
            let stream = Result { try LogReader(stream: ByteInput.pipe(bytes)) }
            XCTAssertThrowsError(try stream.get()) { XCTAssert("\($0)".contains(words[1]), "\(what): \($0)") }
        }
    }

    func testAnEmptyFileIsCalledThatWithoutALine() {
        for (way, error) in openings([]) {
            XCTAssertEqual(error?.problem, "the log is empty: it has 0 bytes", way)
            XCTAssertNil(error?.position, way)
        }
        // Nor is what only looks empty a fault of line 0.
        for text in ["\u{FEFF}", "\n", "# a comment\n"] {
            let fault = readLog(text, name: "x.jsonl").faults.first
            XCTAssert(fault?.problem.hasPrefix("the log is empty") == true, "\(String(describing: fault))")
            XCTAssertNotEqual(fault?.position, .line(0))
        }
    }

    func testAByteOrderMarkIsPassedOver() {
        let cast = "{\"version\":2,\"width\":80,\"height\":24}\n[1.5, \"r\", \"90x24\"]\n"
        let rrweb = #"[{"type":4,"data":{"width":1,"height":2},"timestamp":3}]"#
        let xev = """
            ConfigureNotify event, serial 26, synthetic NO, window 0x1,
                event 0x1, window 0x1, (0,0), width 5, height 6,
                border_width 0, above 0x0, override NO

            """
        let wayland = "[100.000] xdg_toplevel@1.configure(1, 2, array[0])\n"
        for text in [Self.log, cast, rrweb, xev, wayland] {
            let (plain, marked) = (readLog(text), readLog("\u{FEFF}" + text))
            XCTAssertEqual(marked.faults, [], text)
            XCTAssertEqual(marked.format, plain.format)
            XCTAssertEqual(marked.header, plain.header)
            assertSameEvents(plain.events, marked.events, text)
            assertSameEvents(plain.events, readLog(ByteInput.pipe("\u{FEFF}" + text)).events, text)
        }
        XCTAssertEqual(readLog(Self.log).events.count, 1)
        XCTAssertNoThrow(try LogReader(stream: ByteInput("\u{FEFF}" + Self.log)))
    }

    /// Damage may look like anything: what is whole behind it is saved all the same.
    func testALogWhoseDamagedHeaderLooksCompressedIsRecovered() throws {
        let scenes = SceneNames()
        let scene = scenes.number(of: "a")
        let whole = try written(as: .settle, scenes: scenes, [.connect(scene, at: Timestamp(nanoseconds: 1))])
        for (what, bytes, _) in Self.foreign + Self.packed {
            let recovery = try LogRecovery(ByteInput(bytes: Array(bytes[..<6] + whole[6...]), name: "test"))
            try recovery.run(to: ByteOutput(path: "/dev/null"))
            XCTAssertEqual(recovery.events, 1, what)
        }
    }
}
