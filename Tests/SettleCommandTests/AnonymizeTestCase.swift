import Foundation
import TestSupport
import XCTest

@testable import SettleCommand

/// What the tests of `settle anonymize` share: logs, a key, and the command from the outside.
class AnonymizeTestCase: XCTestCase {
    let folder = TemporaryFolder()
    override func tearDown() { folder.remove() }

    func settle(_ arguments: [String]) throws -> (status: Int32, output: String, errors: String) {
        let running = try Running(arguments, folder)
        let status = running.status()
        return (status, running.output, running.errors)
    }

    /// Anonymizes a log with the standard key unless `options` say otherwise; returns the text.
    func anonymized(_ log: String, _ options: String..., usesKey: Bool = true) throws -> String {
        let key = usesKey ? ["--key", try keyFile()] : []
        let run = try settle(["anonymize", log, "-", "--to", "jsonl"] + key + options)
        XCTAssertEqual(run.status, 0, run.errors)
        return run.output
    }

    func write(_ bytes: [UInt8], _ name: String) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: folder.file(name)))
        return folder.file(name)
    }

    /// A file with the bytes 1 to 40 or others.
    func keyFile(_ bytes: [UInt8] = Array(1...40), _ name: String = "key") throws -> String {
        try write(bytes, name)
    }

    /// A log of JSON Lines.
    func log(_ lines: [String], header: String = #"{"settle":"events","version":1}"#) throws -> String {
        try write(Array(([header] + lines).map { $0 + "\n" }.joined().utf8), "in.jsonl")
    }

    func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

    static let secrets = ["alice", "bob", "SECRET", "host", "1700000000123456789", "1023", "777"]

    /// A log with a secret wherever a log can have one.
    func secretLog() throws -> String {
        try log(
            [
                "# SECRET comment of alice",
                #"{"t_ns":1700000000123456789,"scene":"alice@host: secret","width":1023,"height":777,"SECRET":"bob"}"#,
                #"{"t_ns":1700000000123456789,"kind":"pointer","button":3,"pressed":true}"#,
                #"{"t_ns":1700000000123457000,"kind":"connect","scene":"b"}"#,
                #"{"t_ns":1700000000123457001,"scene":"b","locked":true,"orientation":"portrait","resizing":false}"#,
                #"{"t_ns":1700000000123458000,"scene":"alice@host: secret","width":1.25,"height":0}"#,
                #"{"t_ns":1700000000123458000,"scene":"b","kind":"disconnect"}"#,
            ],
            header: #"{"settle":"events","version":1,"clock":"alice's clock","unit":"SECRET","source":"host","#
                + #""name":"bob","policy":{"lockDelay":"777ms"},"SECRET":1700000000123456789}"#)
    }

    func names(_ text: String) -> [String] {
        text.matches(of: #/"scene":"([^"]*)"/#).map { String($0.1) }
    }
}
