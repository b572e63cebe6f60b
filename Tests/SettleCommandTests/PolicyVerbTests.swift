import Foundation
import Settle
import SettleLog
import TestSupport
import XCTest

/// `settle policy` writes what `--policy FILE` reads.
final class PolicyVerbTests: XCTestCase {
    private let folder = TemporaryFolder()
    override func tearDown() { folder.remove() }

    private func run(_ arguments: [String], input: String? = nil) throws -> (
        status: Int32, output: String, errors: String
    ) {
        let pipe = input.map { _ in Pipe() }
        let process = try Running(arguments, folder, input: pipe)
        if let pipe, let input {
            pipe.fileHandleForWriting.write(Data(input.utf8))
            try pipe.fileHandleForWriting.close()
        }
        let status = process.status()
        return (status, process.output, process.errors)
    }

    private func written(_ arguments: String...) throws -> String {
        let result = try run(["policy"] + arguments)
        XCTAssertEqual(result.status, 0, result.errors)
        XCTAssertEqual(result.errors, "")
        return result.output
    }

    private func policy(_ text: String) throws -> Policy {
        try JSONDecoder().decode(Policy.self, from: Data(text.utf8))
    }

    func testAWrittenPolicyDecidesAsItsOptions() throws {
        let file = folder.file("p.json")
        let options = [
            ["--policy", "uikit", "--quiet-delay", "1s"],
            ["--first-delay", "80ms", "--released-end-delay", "123456789ns"],
            ["--interaction-timeout", "90ms", "--pause-delay", "20ms", "--maximum-wait", "0.3s"],
            ["--jump-delay", "none"],
        ]
        for log in [Recordings.log("r01_openbox_xdotool_xterm"), Recordings.log("w12_mutter_nasty")] {
            for options in options {
                XCTAssertEqual(try run(["policy", "--force"] + options + [file]).status, 0)
                let direct = try run(["replay", log, "--decisions", "-"] + options)
                let read = try run(["replay", log, "--decisions", "-", "--policy", file])
                XCTAssertEqual(read.status, 0, read.errors)
                XCTAssertEqual(read.output, direct.output, "\(options)")
                // Written again it is the same, also through a pipe.
                let text = try String(contentsOfFile: file, encoding: .utf8)
                XCTAssertEqual(try run(["policy", "--policy", "-"], input: text).output, text)
            }
        }
        // An option overrides the file's duration.
        let both = try policy(written("--policy", file, "--jump-delay", "7ms"))
        XCTAssertEqual(both, Policy(jumpDelay: .milliseconds(7)))
    }

    /// A policy is an input as a log is.
    func testNoVerbWritesIntoThePolicyThatItReads() throws {
        let (file, link) = (folder.file("p.json"), folder.file("link"))
        XCTAssertEqual(try run(["policy", "--lock-delay", "1s", file]).status, 0)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let replay = ["replay", Recordings.log("w04_mutter")]
        for words in [replay, replay + ["--rate", "1000000"], ["serve", folder.file("s"), "--for", "1ms"]] {
            for output in [file, link] {
                let result = try run(words + ["--policy", file, "--decisions", output, "--force"])
                XCTAssertEqual(result.status, 3, "\(words) \(output): \(result.errors)")
                XCTAssert(result.errors.contains("\(output): is the input itself"), "\(words): \(result.errors)")
                XCTAssertEqual(try String(contentsOfFile: file, encoding: .utf8), text, "\(words) \(output)")
            }
            let printing = try Running(words + ["--policy", file], folder, output: file)
            XCTAssertEqual(printing.status(), 3, "\(words): \(printing.errors)")
            XCTAssert(printing.errors.contains("standard output: is the input itself"), printing.errors)
            XCTAssertEqual(try String(contentsOfFile: file, encoding: .utf8), text, "\(words)")
        }
    }

    func testStandardInputIsTheLogOrThePolicy() throws {
        for words in [["replay", "-"], ["send", folder.file("s"), "-"]] {
            let result = try run(words + ["--policy", "-"], input: "{}")
            XCTAssertEqual(result.status, 2, "\(words)")
            XCTAssert(
                result.errors.contains("standard input is either the log or the policy"), "\(words): \(result.errors)")
        }
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
        XCTAssertEqual(server.stop(), 0)
        XCTAssertEqual(server.output.split(separator: "\n").count, 3, server.output)
    }
}
