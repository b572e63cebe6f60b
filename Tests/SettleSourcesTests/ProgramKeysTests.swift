import Settle
import TestSupport
import XCTest

@testable import SettleSources

final class ProgramKeysTests: XCTestCase {
    private let start = Timestamp(nanoseconds: 1_000_000_000)
    private let report = "\u{1B}[48;30;100;600;800t"
    private let size = WindowSize(rows: 30, columns: 100, heightPx: 600, widthPx: 800)

    /// What the program gets of parts that arrive one after the other, and the sizes taken out.
    private func pass(_ parts: [some Collection<UInt8>], isFiltered: Bool = true) -> (keys: String, sizes: [WindowSize]) {
        var keys = ProgramKeys()
        var sizes: [WindowSize] = []
        for part in parts { sizes += read(part, &keys, isFiltered: isFiltered) }
        return (String(decoding: keys.queue.bytes, as: UTF8.self), sizes)
    }

    private func read(
        _ bytes: some Collection<UInt8>, _ keys: inout ProgramKeys, isFiltered: Bool = true, at now: Timestamp? = nil
    ) -> [WindowSize] {
        Array(bytes).withUnsafeBytes { keys.read($0, isFiltered: isFiltered, at: now ?? start) }
    }

    func testAReportIsTakenOutWhereverTheReadsSplitIt() {
        let input = Array("x\u{1B}[A\(report)y\(report)".utf8)
        for first in 0...input.count {
            for second in first...input.count {
                let result = pass([input[..<first], input[first..<second], input[second...]])
                XCTAssertEqual(result.keys, "x\u{1B}[Ay")
                XCTAssertEqual(result.sizes, [size, size])
            }
        }
    }

    func testWithoutTheModeItPasses() {
        XCTAssertEqual(pass([report.utf8], isFiltered: false).keys, report)
    }

    func testFurtherPartsOfAParameterAreIgnored() {
        XCTAssertEqual(pass(["\u{1B}[48;30:1;100;600:2:3;800t".utf8]).sizes, [size])
    }

    func testWhatIsNoReportPasses() {
        for keys in [
            "\u{1B}[48;30;100;600t", "\u{1B}[48;30;100;600;800;1t", "\u{1B}[48;30;100;600;800u", "\u{1B}[48;t", "\u{1B}[49;1;1;1;1t",
            "\u{1B}[48;99999;1;1;1t", "\u{1B}[4;600;800t", "\u{1B}[48;" + String(repeating: "1", count: 80) + "t",
            "\u{1B}\u{1B}[A", "\u{1B}[48;3\u{1B}[A", "é\u{1B}é😀",
        ] {
            let result = pass([keys.utf8])
            XCTAssertEqual(result.keys, keys)
            XCTAssertEqual(result.sizes, [])
        }
        XCTAssertEqual(pass(["\u{1B}[48;3\(report)".utf8]).sizes, [size])
    }

    func testNothingIsTakenOutOfAPaste() {
        let paste = "\u{1B}[200~\(report)\u{1B}[201~"
        let result = pass([(paste + report + "z").utf8])
        XCTAssertEqual(result.keys, paste + "z")
        XCTAssertEqual(result.sizes, [size])
    }

    func testRandomBytesPassUnchanged() {
        // Many of those that begin a report, so that beginnings of all lengths occur.
        let alphabet: [UInt8] = Array("\u{1B}[48;019:tu".utf8)
        for seed in UInt64(0)..<20 {
            var random = SplitMix64(seed: seed)
            var bytes: [UInt8] = []
            for _ in 0..<10_000 {
                bytes.append(random.chance(33) ? UInt8(random.below(256)) : random.pick(alphabet))
            }
            var keys = ProgramKeys()
            var sizes: [WindowSize] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = min(rest.count, 1 + random.below(20))
                sizes += read(rest.prefix(count), &keys)
                rest = rest.dropFirst(count)
            }
            keys.stopFiltering()
            XCTAssertEqual(sizes, [], "seed \(seed)")
            XCTAssertTrue(keys.queue.bytes == bytes, "seed \(seed)")
        }
    }

    func testEscapeAlonePassesAfterAMoment() {
        var keys = ProgramKeys()
        _ = read([0x1B], &keys)
        XCTAssertTrue(keys.queue.isEmpty)
        let wake = keys.nextWake!
        XCTAssertLessThanOrEqual(start.duration(to: wake), .milliseconds(20))
        keys.passTime(at: wake - .nanoseconds(1))
        XCTAssertTrue(keys.queue.isEmpty)
        keys.passTime(at: wake)
        XCTAssertEqual(keys.queue.bytes, [0x1B])
        XCTAssertNil(keys.nextWake)
    }

    func testOurReportTearsNoKeyInTwo() {
        for key in ["\u{1B}[1;5A", "\u{1B}OP", "é", "😀", "\u{1B}[M !!", "\u{1B}]11;rgb:0\u{7}", "\u{1B}P>|x\u{1B}\\"] {
            let bytes = Array(key.utf8)
            for split in 1..<bytes.count {
                var keys = ProgramKeys()
                _ = read(bytes[..<split], &keys)
                keys.report(size)
                _ = read(bytes[split...], &keys)
                XCTAssertEqual(String(decoding: keys.queue.bytes, as: UTF8.self), key + report, "\(split)")
            }
        }
    }

    func testOurReportWaitsForThePasteToEndButNotForever() {
        var keys = ProgramKeys()
        _ = read("\u{1B}[200~some".utf8, &keys)
        keys.report(size)
        XCTAssertEqual(keys.nextWake, start + .seconds(1))
        _ = read("text\u{1B}[201~".utf8, &keys)
        XCTAssertEqual(String(decoding: keys.queue.bytes, as: UTF8.self), "\u{1B}[200~sometext\u{1B}[201~\(report)")
        _ = read("\u{1B}[200~lost".utf8, &keys)
        keys.report(size)
        keys.passTime(at: keys.nextWake!)
        XCTAssertTrue(String(decoding: keys.queue.bytes, as: UTF8.self).hasSuffix("lost\(report)"))
    }

    func testOfTwoReportsThatWaitTheLaterCounts() {
        var keys = ProgramKeys()
        _ = read("\u{1B}[1".utf8, &keys)
        keys.report(WindowSize(rows: 1, columns: 1))
        keys.report(size)
        _ = read("A".utf8, &keys)
        XCTAssertEqual(String(decoding: keys.queue.bytes, as: UTF8.self), "\u{1B}[1A\(report)")
    }

    func testSwitchingTheModeOffDropsAReportAndKeepsKeys() {
        var keys = ProgramKeys()
        _ = read("\u{1B}[4".utf8, &keys)
        keys.report(size)
        keys.stopFiltering()
        XCTAssertEqual(keys.queue.bytes, Array("\u{1B}[4".utf8))
        XCTAssertNil(keys.nextWake)
    }

    func testPixelsOfASizeThatThePastDecided() {
        XCTAssertEqual(size.resized(rows: 15, columns: 50), WindowSize(rows: 15, columns: 50, heightPx: 300, widthPx: 400))
        XCTAssertEqual(WindowSize(rows: 3, columns: 4).resized(rows: 0, columns: 5), WindowSize(rows: 0, columns: 5))
        XCTAssertTrue(WindowSize(rows: 30, columns: 100, heightPx: 900, widthPx: 1200).hasOtherFont(than: size))
        XCTAssertFalse(WindowSize(rows: 30, columns: 100, heightPx: 605, widthPx: 807).hasOtherFont(than: size))
    }
}
