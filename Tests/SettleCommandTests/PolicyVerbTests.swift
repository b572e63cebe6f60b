import Foundation
import TestSupport
import XCTest

/// Policies that clients ask for.
final class PolicyVerbTests: XCTestCase {
    private let folder = TemporaryFolder()
    override func tearDown() { folder.remove() }

    private func run(_ arguments: [String]) throws -> (status: Int32, output: String, errors: String) {
        let process = try Running(arguments, folder)
        return (process.status(), process.output, process.errors)
    }

    /// `send` asks for a policy, or passes on what the log asks for.
    func testASenderAsksForAPolicy() throws {
        let log = folder.file("x.jsonl")
        func write(policy: String) throws {
            try """
            {"settle":"events","version":1\(policy)}
            {"t_ns":1,"scene":"a","width":3,"height":4}

            """.write(toFile: log, atomically: true, encoding: .utf8)
        }
        try write(policy: "")
        let socket = folder.file("s")
        let server = try Running(["serve", socket, "--first-delay", "2s"], folder)
        server.wait("listening") { server.errors.contains("listening on") }
        let file = folder.file("p.json")
        XCTAssertEqual(try run(["policy", "--first-delay", "30ms", file]).status, 0)
        for (number, arguments) in [["--policy", file], ["--policy", "default"]].enumerated() {
            XCTAssertEqual(try run(["send", "--rate", "1"] + arguments + [socket, log]).status, 0)
            server.wait("its rebuild") { server.output.contains(#""scene":"\#(number + 1):a","kind":"rebuild""#) }
        }
        try write(policy: #","policy":{"firstDelay":"1ms"}"#)
        let info = try run(["info", log])
        XCTAssert(info.output.contains("  policy   firstDelay 1 ms, "), info.output)
        XCTAssertEqual(try run(["convert", log, folder.file("x.settle")]).status, 0)
        XCTAssertEqual(try run(["send", socket, folder.file("x.settle")]).status, 0)
        server.wait("its rebuild") { server.output.contains(#""scene":"3:a","kind":"rebuild""#) }

        for (asked, message) in [
            (#"{"firstDelay":"11s"}"#, "policy: firstDelay is 11s; this server allows its clients at most 10s"),
            (#"{"interactionTimeout":null}"#, "policy: interactionTimeout cannot be none; the server's is 10s"),
        ] {
            try write(policy: #","policy":\#(asked)"#)
            let refused = try run(["send", socket, log])
            XCTAssertEqual(refused.status, 3)
            XCTAssert(refused.errors.contains("the server answered: dropped: \(message)"), refused.errors)
        }
        XCTAssertEqual(try run(["send", "--policy", "uikit", socket, log]).status, 3)
        try write(policy: #","policy":{"firstDely":"1s"}"#)
        let unknown = try run(["send", socket, log])
        XCTAssertEqual(unknown.status, 1)
        XCTAssert(unknown.errors.contains("line 1: the header cannot be read: policy: firstDely is no"), unknown.errors)
        // That of the option is asked for, not that of the log.
        try write(policy: #","policy":{"firstDelay":"11s"}"#)
        XCTAssertEqual(try run(["send", "--policy", "default", socket, log]).status, 0)
        server.wait("its rebuild") { server.output.split(separator: "\n").count == 4 }
        XCTAssertEqual(server.stop(), 0)
        XCTAssertEqual(server.output.split(separator: "\n").count, 4, server.output)
    }
}
