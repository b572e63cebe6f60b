import CTerminal
import Settle
import TestSupport
import XCTest

@testable import SettleSources

/// Programs that draw at random, in windows that change at random: a number of all that goes to the terminal and to the
/// program is kept in Tests/Cases/sources/screens.txt, for Debian's libvterm.
final class HeldScreenAftermathTests: XCTestCase {
    func testTheSameIsShownAsBefore() throws {
        let probe = HeldScreen(WindowSize(rows: 6, columns: 20))
        try needLibvterm(probe)
        var numbers: [(number: String, title: String)] = []
        for first in stride(from: UInt64(0), to: 160, by: 10) {
            var aftermath = Aftermath()
            for seed in first..<first + 10 {
                var session = ScreenSession(seed: seed)
                for line in session.run() { aftermath.note(line) }
            }
            numbers.append((aftermath.number, "the ten sessions from \(first) on"))
        }
        let file = Recordings.folder.deletingLastPathComponent().appending(path: "Cases/sources/screens.txt")
        for fault in try Aftermath.faults(numbers, file: file) { XCTFail(fault) }
    }

    func testTerminalsThatCutRowsAreKnownByTheirVariables() {
        for (variables, wraps) in [
            ([:], true), (["TERM": "xterm"], true), (["TERM": "linux"], false),
            (["XTERM_VERSION": "XTerm(379)"], false),
            (["STY": "1.pts-0.host"], false), (["TMUX": "/tmp/tmux", "TERM": "linux"], true),
            (["TMUX": "/tmp/tmux", "XTERM_VERSION": "XTerm(379)", "STY": "1"], true),
        ] as [([String: String], Bool)] {
            XCTAssertEqual(HeldScreen.wrapsRows { variables[$0] }, wraps, "\(variables)")
        }
    }
}

/// A program and its window, of one seed.
private struct ScreenSession {
    private var dice: SplitMix64
    private let time = Locked<UInt64>(1_000_000_000)
    private let screen: HeldScreen
    private let sizes: [WindowSize]
    private var program: WindowSize
    private var window: WindowSize
    private var output: [UInt8] = []
    private var log: [String] = []

    /// Text that is drawn, and characters that are cut anywhere by reads.
    private static let texts = [
        "text", "a row that is longer than most windows are", "\r\n", "\r\n", "\r\n", "\t", "\r", "\u{8}", " ", "中文",
        "─┐",
        "e\u{301}", "é", "£", "\r\nexactly sixteen.\r\n\u{1B}[A\r", "\r\ntwelve chars\u{1B}[1A\r", "\u{85}", "\u{9F}x",
        "😀", "\u{E}lqk\u{F}", "\u{E}", "\u{F}", "\u{7}",
    ]
    /// Pens, of which neighbours differ in one thing.
    private static let pens = [
        "0", "1", "3", "4", "4:3", "21", "24", "5", "7", "9", "22;23;25;27;29", "31", "94", "38;5;200", "48;5;17",
        "103",
        "38;2;1;2;3", "38;2;1;2;4", "48;2;9;8;7", "39;49",
    ].map { "\u{1B}[\($0)m" }
    /// Sequences that draw, or change how is drawn.
    private static let drawing = [
        "H", "3;5H", "9;40H", "J", "1J", "2J", "3J", "K", "2K", "A", "2A", "3A\r", "2B", "C", "b", "3b", "2@", "P", "L",
        "M",
        "S", "T", "r", "2r", "2;4r", ";3r", "?6h", "?6l", "?7l", "?7h", "?25l", "?25h", "?5h", "?5l", "?45h", "?2026h",
        "?2026l", "20h", "20l", "?1049h", "?1049l", "?47h", "?1047l", "?1049;25h", "?25;1049l", "?7;1004;25h",
        "?7;2004;1l",
        "2 @", "3\"q",
    ].map { "\u{1B}[\($0)" }
    /// What passes, and what only seems to draw or to pass.
    private static let passing = [
        "[c", "[>c", "[6n", "[?6n", "[?62n", "[5n", "[?1004h", "[?1004;2004l", "[2 q", "[!p", "[!q", "[?2026$p",
        "[4\"p",
        "[18t", "=", ">", "(0", ")0", "(B", ")B", "7", "8", "D", "M", "#8", "]0;quick\u{7}", "]0;q\u{1B}\\",
        "P0;1q~\u{1B}\\",
        "P+q544e\u{1B}\\", "_Gq\u{1B}\\", "Xq\u{18}", "Ptmux;\u{1B}\u{1B}[6n\u{1B}\\", "]0;cut\u{1A}", "[3\u{18}",
        "[1\u{1B}[1m",
    ].map { "\u{1B}\($0)" }
    /// What ends what the model knows; rarely.
    private static let losing = ["\u{1B}c", "\u{1B}[4h", "\u{1B}[4lx", "\u{1B}[4l\u{1B}[2J", "\u{1B}c"]

    init(seed: UInt64) {
        dice = SplitMix64(seed: seed)
        sizes = [(6, 20), (3, 8), (5, 30), (8, 12), (4, 20), (6, 13)].map { WindowSize(rows: $0.0, columns: $0.1) }
        program = sizes[0]
        window = sizes[0]
        screen = HeldScreen(
            sizes[0], seed % 4 == 3 ? .fullScreen : .everything, wraps: seed % 2 == 0,
            clock: { [time] in Timestamp(nanoseconds: time.value) })
    }

    mutating func run() -> [String] {
        // Half of the programs are on the alternate screen first.
        if dice.chance(50) {
            read("\u{1B}[?1049h\u{1B}[2J")
        } else {
            read("\u{1B}[H\u{1B}[2Jone\r\ntwo\r\nthree\u{1B}[1A\r")
        }
        for _ in 0..<60 { step() }
        screen.finish(into: &output)
        note("finish")
        return log
    }

    private mutating func step() {
        switch dice.below(10) {
        case 0..<6:
            read((0...dice.below(5)).map { _ in piece() }.joined())
        case 6:
            window = dice.pick(sizes)
            screen.update(program: program, window: window, into: &output)
            note("window \(window)")
        case 7:
            program = dice.chance(60) ? window : dice.pick(sizes)
            screen.update(program: program, window: window, into: &output)
            note("program \(program)")
        case 8:
            screen.repaint(into: &output)
            note("repaint")
        default:
            time.change { $0 += [1, 6, 12, 60, 2000][dice.below(5)] * 1_000_000 }
            let isSilent = dice.chance(70)
            screen.passTime(at: Timestamp(nanoseconds: time.value), isSilent: isSilent, into: &output)
            note("time \(isSilent)")
        }
    }

    private mutating func piece() -> String {
        switch dice.below(20) {
        case 0..<8: dice.pick(Self.texts)
        case 8..<11: dice.pick(Self.pens) + "x"
        case 11..<17: dice.pick(Self.drawing)
        case 17, 18: dice.pick(Self.passing)
        default: dice.chance(30) ? dice.pick(Self.losing) : dice.pick(Self.drawing)
        }
    }

    /// The program writes, in reads that end anywhere.
    private mutating func read(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = dice.chance(60) ? rest.count : 1 + dice.below(rest.count)
            rest.prefix(count).withUnsafeBytes { screen.read($0, into: &output) }
            rest = rest.dropFirst(count)
            note(text)
        }
    }

    private mutating func note(_ step: String) {
        let wake = screen.nextWake.map { Int64($0.nanoseconds) - Int64(time.value) }
        let modes = String(decoding: screen.scanner.pointee.modes.restored, as: UTF8.self)
        log.append(
            [
                step, String(decoding: output, as: UTF8.self), String(decoding: screen.answers, as: UTF8.self), modes,
                "\(screen.phase) \(wake.map { "\($0)" } ?? "-") \(screen.redrawsEnded) \(screen.takeNeedsRedraw())",
                screen.notes.take().joined(separator: "\n"),
            ].map(\.debugDescription).joined(separator: " "))
        output = []
        screen.answers = []
    }
}
