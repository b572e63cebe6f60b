import Foundation
import TestSupport
import XCTest

/// The output of `settle tune --json`.
struct TuneJSON: Decodable {
    var logs: Int
    var complete: Bool?
    var choice: Int?
    struct Near: Decodable, Equatable {
        var p95Lag: Int?
        var wasted: Int?
        var policy: Int

        private enum CodingKeys: String, CodingKey {
            case wasted, policy
            case p95Lag = "p95Lag_ns"
        }

        var options: [String] {
            (p95Lag.map { ["--p95-lag", "\($0)ns"] } ?? []) + (wasted.map { ["--wasted", "\($0)"] } ?? [])
        }
    }

    var nearest: [Near]

    init(_ text: String) throws {
        self = try JSONDecoder().decode(TuneJSON.self, from: Data(text.utf8))
    }
}

/// Runs `settle tune` in a folder of a test's own.
class TuneTestCase: XCTestCase {
    let folder = TemporaryFolder()
    override func tearDown() { folder.remove() }

    func run(_ arguments: [String], verb: String = "tune") throws -> (status: Int32, output: String, errors: String) {
        let run = try Running([verb] + arguments, folder)
        return (run.status(), run.output, run.errors)
    }

    @discardableResult
    func write(_ text: String, _ name: String) throws -> String {
        let path = folder.file(name)
        try FileManager.default.createDirectory(
            at: URL(fileURLWithPath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    /// Policies of different figures, so that a test need not try the whole grid.
    func somePolicies(_ delays: [String] = ["0s", "50ms", "100ms", "500ms"]) throws -> String {
        var text = ""
        for end in delays {
            for first in delays {
                text +=
                    #"{"reportedEndDelay":"\#(end)","releasedEndDelay":"\#(end)","discreteDelay":"\#(first)"#
                    + #"","firstDelay":"\#(first)"}"# + "\n"
            }
        }
        return try write(text, "some.jsonl")
    }

    let header = #"{"settle":"events","version":1}"# + "\n"
    let w04 = Recordings.log("w04_mutter")
    let w08 = Recordings.log("w08_mutter_real")
}
