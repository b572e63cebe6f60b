import Foundation
import Settle
import TestSupport
import XCTest

@testable import SettleLog

/// Every format of the list works by its name, its content and its extension, and is
/// documented. A format that is added needs a row in `samples`.
final class LogFormatTests: XCTestCase {
    private let folder = TemporaryFolder()

    /// A short log of each text format, with at least one event.
    private static let samples: [String: String] = [
        "jsonl": jsonHeader + #"{"t_ns":1,"scene":"a","width":2,"height":3}"# + "\n",
        "wayland-debug": "[ 101.001] xdg_toplevel@10.configure(400, 300, array[0])\n",
        "xev": """
        ConfigureNotify event, serial 18, synthetic NO, window 0x1c00001,
            event 0x1c00001, window 0x1c00001, (0,0), width 178, height 178,
            border_width 2, above 0x0, override NO


        """,
        "rrweb": #"[{"type":4,"data":{"href":"a","width":1,"height":2},"timestamp":3}]"#,
        "asciicast": #"{"version": 2, "width": 120, "height": 40}"# + "\n",
        "script": "H 0.000000 COLUMNS 80\nH 0.000000 LINES 24\n",
        "ttyrec": "\0\u{1}\u{2}e\0\0\0\0\u{A}\0\0\0\u{1B}[8;24;80t",
    ]

    /// What the header of each importer's log says: its clock, its unit and its source.
    private static let headers = [
        "wayland-debug": "realtime px wayland", "xev": "synthetic px xev", "rrweb": "realtime px rrweb",
        "asciicast": "monotonic cell asciicast", "script": "monotonic cell script", "ttyrec": "realtime cell ttyrec",
    ]

    private func sample(_ format: LogFormat) throws -> [UInt8] {
        if format == .settle {
            let scenes = SceneNames()
            return try written(
                as: .settle, scenes: scenes, [.connect(scenes.number(of: "a"), at: Timestamp(nanoseconds: 1))])
        }
        return Array(try XCTUnwrap(Self.samples[format.name], "the test has no log of the format \(format)").utf8)
    }

    private static func text(_ path: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    func testEveryFormatIsFoundByItsNameAndItsContent() throws {
        for format in LogFormat.allCases {
            XCTAssertEqual(LogFormat(named: format.name), format)
            let bytes = try sample(format)
            let log = readLog(bytes)
            XCTAssertEqual(log.format, format)
            XCTAssertEqual(log.faults, [], format.name)
            XCTAssertFalse(log.events.isEmpty, format.name)
            if !format.canBeWritten {
                let header = log.header
                XCTAssertEqual("\(header.clock) \(header.unit) \(header.source)", Self.headers[format.name])
            }
            assertSameEvents(readLog(bytes, format: format).events, log.events, format.name)
            XCTAssertEqual(readLog(ByteInput.pipe(bytes)).format, format)
            if let fileExtension = format.fileExtension {
                XCTAssertTrue(format.matches(path: "x." + fileExtension))
                XCTAssertFalse(format.matches(path: "x" + fileExtension))
            }
        }
        XCTAssertNil(LogFormat(named: "JSONL"))
    }

    func testNamesAndExtensionsAreDifferent() {
        let names = LogFormat.allCases.map(\.name)
        XCTAssertEqual(Set(names).count, names.count)
        let extensions = LogFormat.allCases.compactMap(\.fileExtension)
        XCTAssertEqual(Set(extensions).count, extensions.count)
        XCTAssertEqual(LogFormat.allCases.filter(\.canBeWritten), [.jsonl, .settle])
    }

    func testWhatAFormatWritesIsReadAsThat() throws {
        for format in LogFormat.allCases where format.canBeWritten {
            let path = folder.file("log")
            let writer = try format.makeWriter(ByteOutput(path: path), header: LogHeader(name: "a name"))
            try writer.finish()
            let log = readLog(try bytes(ofFile: path))
            XCTAssertEqual(log.format, format)
            XCTAssertEqual(log.header.name, "a name")
            try FileManager.default.removeItem(atPath: path)
        }
    }

    /// The header alone shows the format: a recorder must not wait for later bytes.
    func testALiveStreamOfOurOwnIsKnownByItsFirstBytes() throws {
        let binary = try written(as: .settle, scenes: SceneNames(), [])
        for (bytes, expected) in [(Array(jsonHeader.utf8), LogFormat.jsonl), (binary, .settle)] {
            var ends: [Int32] = [-1, -1]
            XCTAssertEqual(pipe(&ends), 0)
            XCTAssertEqual(write(ends[1], bytes, bytes.count), bytes.count)
            let reader = try LogReader(ByteInput(descriptor: ends[0], name: "pipe", ownsDescriptor: true))
            XCTAssertEqual(reader.format, expected)
            close(ends[1])
        }
    }

    /// A reader without a row in the list could not be found by anybody.
    func testEveryImporterIsInTheListAndInTheDocumentation() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Sources/SettleLog/Importers")
        let readers = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix("Reader.swift") }
        let importers = LogFormat.allCases.filter { !$0.canBeWritten }
        XCTAssertEqual(readers.count, importers.count, "\(readers)")
        let documentation = try Self.text("docs/reference/log-format.md")
        for format in importers {
            XCTAssert(
                documentation.contains("| `\(format)` |"), "docs/reference/log-format.md has no row for \(format)")
        }
    }

    func testWhereTheTypescriptOfAFileOfTimesMayBe() {
        let cases: [(String, [String])] = [
            ("session.timing", ["session", "session.typescript", "typescript"]), ("timing", ["typescript"]),
            ("a.b/timing", ["a.b/typescript"]), ("/t/x.y.tm", ["/t/x.y", "/t/x.y.typescript", "/t/typescript"]),
            (".tm", ["typescript"]), ("typescript", []),
        ]
        for (path, expected) in cases { XCTAssertEqual(ScriptOutput.paths(beside: path), expected, path) }
    }
}
