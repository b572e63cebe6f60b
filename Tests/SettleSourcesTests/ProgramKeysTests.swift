import Settle
import TestSupport
import XCTest

@testable import SettleSources

final class ProgramKeysTests: XCTestCase {
    private let start = Timestamp(nanoseconds: 1_000_000_000)
    private let report = "\u{1B}[48;30;100;600;800t"
    private let size = WindowSize(rows: 30, columns: 100, heightPx: 600, widthPx: 800)

    /// What the program gets of parts that arrive one after the other, and the sizes taken out.
    private func pass(_ parts: [some Collection<UInt8>], isFiltered: Bool = true) -> (keys: String, sizes: [WindowSize])
    {
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
            "\u{1B}[48;30;100;600t", "\u{1B}[48;30;100;600;800;1t", "\u{1B}[48;30;100;600;800u", "\u{1B}[48;t",
            "\u{1B}[49;1;1;1;1t",
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
        XCTAssertEqual(keys.nextWake, start + .seconds(30))
        _ = read("text\u{1B}[201~".utf8, &keys)
        XCTAssertEqual(String(decoding: keys.queue.bytes, as: UTF8.self), "\u{1B}[200~sometext\u{1B}[201~\(report)")
        _ = read("\u{1B}[200~lost".utf8, &keys)
        keys.report(size)
        keys.passTime(at: keys.nextWake!)
        XCTAssertTrue(String(decoding: keys.queue.bytes, as: UTF8.self).hasSuffix("lost\(report)"))
    }

    func testAPasteThatTheProgramDoesNotReadIsNotTornByAReport() {
        var keys = ProgramKeys()
        _ = read("\u{1B}[200~".utf8 + [UInt8](repeating: 0x61, count: ByteQueue.capacity), &keys)
        keys.report(size)
        // The queue is full, so the terminal is not read: no time passes for it.
        XCTAssertNil(keys.nextWake)
        keys.passTime(at: start + .seconds(3600))
        _ = read("b\u{1B}[201~".utf8, &keys, at: start + .seconds(3600))
        keys.queue.bytes.removeFirst(ByteQueue.capacity)
        keys.passTime(at: start + .seconds(3600))
        XCTAssertTrue(
            String(decoding: keys.queue.bytes, as: UTF8.self).hasSuffix("aaaaaab\u{1B}[201~\(report)"))
    }

    /// A paste may pause: what looks like a report stays a part of it.
    func testAPasteThatPausesIsStillOne() {
        var keys = ProgramKeys()
        _ = read("\u{1B}[200~a".utf8, &keys)
        XCTAssertEqual(read((report + "b").utf8, &keys, at: start + .seconds(5)), [])
        XCTAssertEqual(String(decoding: keys.queue.bytes, as: UTF8.self), "\u{1B}[200~a\(report)b")
    }

    func testTimeInWhichNobodyReadsIsNoSilence() {
        var keys = ProgramKeys()
        let (begin, rest) = (report.utf8.prefix(8), report.utf8.dropFirst(8))
        _ = read([UInt8](repeating: 0x61, count: ByteQueue.capacity) + begin, &keys)
        XCTAssertEqual(read(rest, &keys, at: start + .seconds(5)), [size])
        XCTAssertEqual(keys.queue.bytes.count, ByteQueue.capacity)
    }

    func testAPasteThatTheModeDidNotSeeEndIsForgotten() {
        var keys = ProgramKeys()
        _ = read("\u{1B}[200~".utf8, &keys)
        _ = read("\u{1B}[201~".utf8, &keys, isFiltered: false)
        XCTAssertEqual(read(report.utf8, &keys), [size])
    }

    func testAKeyWhoseBytesAreLateIsNotTornByAReport() {
        for key in [
            "\u{1B}[1;5A", "\u{1B}OP", "é", "😀", "\u{1B}[M !!", "\u{1B}]52;c;YWJj\u{7}", "\u{1B}P>|x\u{1B}\\",
            "\u{1B}[48;9;9u",
        ] {
            var keys = ProgramKeys()
            var now = start
            for (index, byte) in key.utf8.enumerated() {
                _ = read([byte], &keys, at: now)
                if index == 0 { keys.report(size) }
                now = now + .milliseconds(50)
                if index + 1 < key.utf8.count { keys.passTime(at: now) }
            }
            keys.passTime(at: now)
            XCTAssertEqual(String(decoding: keys.queue.bytes, as: UTF8.self), key + report)
        }
    }

    func testAKeyThatStaysUnfinishedKeepsAReportWaitingForASecond() {
        var keys = ProgramKeys()
        _ = read("\u{1B}".utf8, &keys)
        keys.report(size)
        keys.passTime(at: keys.nextWake!)
        XCTAssertEqual(keys.queue.bytes, [0x1B])
        XCTAssertEqual(keys.nextWake, start + .seconds(1))
        keys.passTime(at: start + .seconds(1))
        XCTAssertEqual(String(decoding: keys.queue.bytes, as: UTF8.self), "\u{1B}\(report)")
        // P after an Escape that nothing followed begins no string.
        _ = read("\u{1B}".utf8, &keys, at: start + .seconds(2))
        keys.passTime(at: start + .seconds(3))
        _ = read("P".utf8, &keys, at: start + .seconds(4))
        keys.report(size)
        XCTAssertTrue(String(decoding: keys.queue.bytes, as: UTF8.self).hasSuffix("\u{1B}P\(report)"))
    }

    func testAReportThatComesByteByByteIsTakenOutOrPassesWhole() {
        for pause in [10, 50] {
            var keys = ProgramKeys()
            var sizes: [WindowSize] = []
            var now = start
            for byte in report.utf8 {
                sizes += read([byte], &keys, at: now)
                if byte == 0x1B { keys.report(WindowSize(rows: 1, columns: 1)) }
                now = now + .milliseconds(pause)
                keys.passTime(at: now)
            }
            let ours = "\u{1B}[48;1;1;0;0t"
            XCTAssertEqual(sizes, pause == 10 ? [size] : [])
            XCTAssertEqual(
                String(decoding: keys.queue.bytes, as: UTF8.self), pause == 10 ? ours : report + ours)
        }
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
        XCTAssertEqual(
            size.resized(rows: 15, columns: 50), WindowSize(rows: 15, columns: 50, heightPx: 300, widthPx: 400))
        // What is left beside the cells is the window's edge, and none of a cell's pixels.
        XCTAssertEqual(
            WindowSize(rows: 24, columns: 80, heightPx: 487, widthPx: 645).resized(rows: 48, columns: 160),
            WindowSize(rows: 48, columns: 160, heightPx: 960, widthPx: 1280))
        XCTAssertEqual(WindowSize(rows: 3, columns: 4).resized(rows: 0, columns: 5), WindowSize(rows: 0, columns: 5))
        XCTAssertTrue(WindowSize(rows: 30, columns: 100, heightPx: 900, widthPx: 1200).hasOtherFont(than: size))
        XCTAssertFalse(WindowSize(rows: 30, columns: 100, heightPx: 605, widthPx: 807).hasOtherFont(than: size))
    }

    func testAReportThatIsLateOrFalseChangesNoSize() {
        var known = TerminalSize()
        known.update(asked: WindowSize(rows: 40, columns: 120))
        known.update(asked: WindowSize(rows: 40, columns: 120), reported: size)
        XCTAssertEqual(known.size, WindowSize(rows: 40, columns: 120))
        known.update(asked: WindowSize(rows: 40, columns: 120, heightPx: 800, widthPx: 1200), reported: size)
        XCTAssertEqual(known.size, WindowSize(rows: 40, columns: 120, heightPx: 800, widthPx: 1200))
    }

    func testAReportIsBelievedWhereTheTerminalKnowsNoSize() {
        var known = TerminalSize()
        known.update(asked: WindowSize())
        XCTAssertEqual(known.size, WindowSize())
        known.update(asked: WindowSize(), reported: size)
        XCTAssertEqual(known.size, size)
        known.update(asked: WindowSize())
        XCTAssertEqual(known.size, size)
        known.update(asked: WindowSize(rows: 1, columns: 2))
        XCTAssertEqual(known.size, WindowSize(rows: 1, columns: 2))
    }

    func testPixelsThatOnlyReportsKnowStayAndOthersMayVanish() {
        var known = TerminalSize()
        known.update(asked: WindowSize(rows: 30, columns: 100), reported: size)
        XCTAssertEqual(known.size, size)
        known.update(asked: WindowSize(rows: 15, columns: 50))
        XCTAssertEqual(known.size, WindowSize(rows: 15, columns: 50, heightPx: 300, widthPx: 400))
        known.update(asked: size)
        known.update(asked: WindowSize(rows: 30, columns: 100))
        XCTAssertEqual(known.size, WindowSize(rows: 30, columns: 100))
        XCTAssertTrue(known.size!.hasOtherFont(than: size))
    }
}
