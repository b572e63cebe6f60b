import Foundation
import TestSupport
import XCTest

@testable import SettleSweep

/// The page of a report finds the front and the knee by a script of its own: Node.js runs it here.
final class PageFrontTests: XCTestCase {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Reads a list of lists of points, and prints a front and a knee of each.
    private static let script = """
        import { readFileSync } from "node:fs";
        const { Search, keep, kneeOf } = await import(process.argv[1]);
        const results = JSON.parse(readFileSync(0, "utf8")).map((points) => {
          const search = Object.create(Search.prototype, { points: { value: new Map() } });
          for (const point of points) keep(search.points, { ...point, p50: point.p50 ?? Infinity, p95: point.p95 ?? Infinity });
          return { front: search.front.map((point) => point.index), knee: kneeOf(search.front)?.index ?? null };
        });
        console.log(JSON.stringify(results));
        """

    private struct Found: Codable, Equatable {
        var front: [Int]
        var knee: Int?
    }

    private func foundByThePage(_ lists: [[ParetoFront.Point]]) throws -> [Found] {
        let input = lists.map { points in
            points.enumerated().map { index, point in
                [
                    "index": index, "rebuilds": point.rebuilds, "wasted": point.wasted, "distance": point.changes,
                    "p50": Self.nanoseconds(point.medianLag), "p95": Self.nanoseconds(point.lag),
                ] as [String: Any]
            }
        }
        let folder = TemporaryFolder()
        defer { folder.remove() }
        try JSONSerialization.data(withJSONObject: input).write(to: URL(fileURLWithPath: folder.file("in.json")))
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let page = Self.root.appendingPathComponent("Sources/SettleReport/Page/front.mjs")
        process.arguments = ["node", "--input-type=module", "-e", Self.script, "--", page.path]
        process.standardInput = FileHandle(forReadingAtPath: folder.file("in.json"))
        process.standardOutput = output
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try XCTSkipIf(process.terminationStatus == 127, "Node.js is not installed")
        XCTAssertEqual(process.terminationStatus, 0)
        return try JSONDecoder().decode([Found].self, from: text)
    }

    private static func nanoseconds(_ lag: LagBucket) -> Any {
        lag.longest.map { $0.components.seconds * 1_000_000_000 + $0.components.attoseconds / 1_000_000_000 }
            ?? NSNull()
    }

    func testThePageFindsTheSameFrontAndTheSameKnee() throws {
        var random = SplitMix64(seed: 23)
        let lists = (0..<300).map { round in
            // Few values make ties, and policies on the line between the ends.
            let (rebuilds, lags) = (
                1 + random.below(round % 2 == 0 ? 6 : 200), 1 + random.below(round % 3 == 0 ? 6 : 1153)
            )
            return (0..<1 + random.below(60)).map { _ in
                ParetoFront.Point(
                    rebuilds: random.below(rebuilds), lag: LagBucket(rawValue: UInt32(1152 - random.below(lags))),
                    wasted: random.below(2), medianLag: LagBucket(rawValue: UInt32(1152 - random.below(2))),
                    changes: random.below(2))
            }
        }
        let own = lists.map { points in
            let front = ParetoFront(points)
            return Found(front: front.indices, knee: front.knee)
        }
        let found = try foundByThePage(lists)
        XCTAssertEqual(found, own)
        XCTAssertGreaterThan(own.count { $0.knee != nil }, 50)
        XCTAssertGreaterThan(own.count { $0.knee == nil && $0.front.count > 2 }, 10)
        // The comparison finds a knee that is another.
        var planted = found
        planted[own.firstIndex { $0.knee != nil }!].knee = nil
        XCTAssertNotEqual(planted, own)
    }
}
