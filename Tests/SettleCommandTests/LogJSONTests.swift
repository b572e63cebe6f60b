import Foundation
import SettlePlatform
import TestSupport
import XCTest

/// `info --json` and `validate --json`, and hints for what is easily confused.
final class LogJSONTests: XCTestCase {
    private let folder = TemporaryFolder()
    override func tearDown() { folder.remove() }

    private func write(_ text: String, _ name: String) throws -> String {
        try text.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
        return folder.file(name)
    }

    private func run(_ arguments: String..., input: String? = nil) throws -> (
        status: Int32, output: String, errors: String
    ) {
        let run = try Running(arguments, folder)
        return (run.status(), run.output, run.errors)
    }

    private func object(_ text: String) throws -> NSDictionary {
        try XCTUnwrap(JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary, text)
    }

    private static let header =
        #"{"settle":"events","version":1,"source":"x\"y","name":"n","policy":{"quietDelay":"70ms"}}"# + "\n"

    private static let faulty =
        header + """
            {"t_ns":1000000,"scene":"a \\"b\\"","width":640.5,"height":480,"resizing":true}
            {"t_ns":2000000,"scene":"a \\"b\\"","kind":"finished","generation":1,"cost_ns":7}
            {"t_ns":2000000,"scene":"a \\"b\\"","kind":"previewed","generation":1,"cost_ns":8}
            {"t_ns":900000,"kind":"pointer","button":1,"pressed":true}
            {"t_ns":3000000,"scene":"none","kind":"disconnect"}
            {"t_ns":4000000,

            """

    // MARK: Hints

    private func log(events: Int, every nanoseconds: Int, scenes: Int = 1) -> String {
        (0..<events).reduce(Self.header) { text, number in
            text
                + #"{"t_ns":\#(number * nanoseconds),"scene":"\#(number % scenes)","width":\#(800 + number),"height":6}"#
                + "\n"
        }
    }

    func testTimesOfAnotherUnitAreNoticed() throws {
        let hint = "t_ns counts nanoseconds"
        // A drag at 60 Hz in milliseconds, and one at 1000 Hz in microseconds; both binary as well.
        for every in [16, 1000] {
            let text = try write(log(events: 40, every: every), "\(every).jsonl")
            let binary = folder.file("\(every).settle")
            XCTAssertEqual(try run("convert", text, binary).status, 0)
            for path in [text, binary] {
                for verb in ["info", "replay"] {
                    XCTAssert(try run(verb, path).output.contains(hint), "\(verb) \(path)")
                }
                XCTAssert(try run("info", "--json", path).output.contains(hint))
                XCTAssert(try run("replay", "--json", path).output.contains(hint))
                let validated = try run("validate", path)
                XCTAssertEqual(validated.status, 0, "it is no fault")
                XCTAssert(validated.errors.contains(hint), validated.errors)
            }
        }
        // The fastest mouse; a few sizes at once; a screen's worth of scenes at once.
        for (name, text) in [
            ("mouse", log(events: 40, every: 125_000)), ("few", log(events: 9, every: 10)),
            ("scenes", log(events: 90, every: 100, scenes: 10)),
        ] {
            let path = try write(text, "\(name).jsonl")
            for verb in ["info", "replay", "validate"] {
                let said = try run(verb, path)
                XCTAssertFalse((said.output + said.errors).contains(hint), "\(verb): \(name)")
            }
        }
    }

    func testSwappedWordsOfSendAreNoticed() throws {
        let (log, path) = (Recordings.log("w04_mutter"), folder.file("s"))
        let socket = try UnixDomainSocket()
        defer { socket.close() }
        try socket.bind(to: path)
        let swapped = try run("send", log, path)
        XCTAssertEqual(swapped.status, 2)
        XCTAssert(swapped.errors.contains("in this order: settle send '\(path)' '\(log)'\n"), swapped.errors)
        let twice = try run("send", log, log)
        XCTAssertEqual(twice.status, 2)
        XCTAssert(twice.errors.contains("'\(log)' is no socket"), twice.errors)
        // The same for the verbs of logs.
        let info = try run("info", path)
        XCTAssertEqual(info.status, 3)
        XCTAssert(info.errors.contains("is a socket, not a file"), info.errors)
    }
}
