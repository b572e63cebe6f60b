import Settle
import TestSupport
import XCTest

@testable import SettleLog

final class XevTests: XCTestCase {
    private func read(_ text: String) -> Imported { drain(XevReader(ByteInput(text))) }

    private func configure(_ width: String, _ height: String, window: String = "0xa0000c") -> String {
        """

        ConfigureNotify event, serial 18, synthetic NO, window 0x1,
            event 0x1, window \(window), (1,20), width \(width), height \(height),
            border_width 0, above 0x20032f, override NO

        """
    }

    private func button(_ name: String, _ button: Int, time: UInt64, synthetic: String = "NO") -> String {
        """

        \(name) event, serial 33, synthetic \(synthetic), window 0x1,
            root 0x2a1, subw 0x0, time \(time), (87,113), root:(88,134),
            state 0x100, button \(button), same_screen YES

        """
    }

    func testChangesAreHalfAQuietDelayApart() {
        let imported = read(configure("478", "303") + configure("478", "316") + configure("-472", "0", window: "0xb"))
        XCTAssertEqual(
            imported.events, ["geometry 0xa0000c 478×303", "geometry 0xa0000c 478×316", "geometry 0xb -472×0"])
        XCTAssertEqual(imported.times, [0, 100_000_000, 200_000_000])
        XCTAssertEqual(imported.positions, [.line(2), .line(6), .line(10)])
        XCTAssertEqual(imported.faults, [])
        XCTAssert(imported.notes.contains { $0.contains("100 ms apart, and durations") })
        XCTAssert(imported.notes.contains { $0.contains("however long apart they were") && $0.contains("missing") })
    }

    /// How many of the rebuilds of real recordings a replay of them as xev prints them
    /// finds, and how many it makes.
    func testMadeUpTimesFindMostRebuildsOfRealRecordings() throws {
        var (wanted, found, made) = (0, [0, 0], [0, 0])
        for name in ["r01_openbox_xdotool_xterm", "r02_openbox_1000hz", "r06_metacity_suite", "r10_xephyr_rotate"] {
            let truth = try rebuilds(LogReader(path: Recordings.log(name)))
            wanted += truth.count
            for (index, seesButtons) in [true, false].enumerated() {
                let text = try xevText(of: LogReader(path: Recordings.log(name)), seesButtons: seesButtons)
                let replayed = try rebuilds(LogReader(ByteInput(text), format: .xev))
                made[index] += replayed.count
                found[index] += replayed.count - replayed.difference(from: truth).insertions.count
            }
        }
        XCTAssertEqual(wanted, 107)
        XCTAssertEqual(found, [99, 73])
        XCTAssertEqual(made, [110, 75])
    }

    private func rebuilds(_ reader: LogReader) throws -> [String] {
        var rebuilds: [String] = []
        let replay = try LogReplay(reader, policy: .default)
        func receive(_ decision: Decision, _ scene: String) {
            if case .rebuild(let rebuild) = decision.kind { rebuilds.append("\(scene) \(rebuild.size)") }
        }
        while try replay.readNext() { replay.submit(deliver: receive) }
        replay.finish(deliver: receive)
        return rebuilds
    }

    /// What xev would have printed, its windows named as the log's scenes.
    private func xevText(of reader: LogReader, seesButtons: Bool) throws -> String {
        let batch = EventBatch()
        var text = ""
        while try reader.read(into: batch) {
            for index in 0..<batch.count {
                let event = batch[index]
                let time = event.at.nanoseconds / 1_000_000 % (1 << 32)
                switch event.kind {
                case .geometry:
                    let size = try XCTUnwrap(event.size)
                    text += configure("\(Int(size.width))", "\(Int(size.height))", window: reader.scenes[event.name])
                case .pointer where seesButtons:
                    text += button(event.isPressed ? "ButtonPress" : "ButtonRelease", Int(event.button), time: time)
                default: continue
                }
            }
        }
        return text
    }

    func testServerTimesMoveTheClock() {
        let imported = read(
            configure("1", "1") + configure("2", "2") + button("ButtonPress", 1, time: 5000) + configure("3", "3")
                + configure("4", "4") + button("ButtonRelease", 1, time: 5300) + configure("5", "5")
                + button("ButtonPress", 3, time: 5301) + configure("6", "6") + button("ButtonPress", 2, time: 5302))
        XCTAssertEqual(
            imported.events.filter { $0.hasPrefix("pointer") },
            ["pointer 1 down", "pointer 1 up", "pointer 3 down", "pointer 2 down"])
        XCTAssertEqual(imported.times.map { $0 / 1_000_000 }, [0, 100, 100, 200, 300, 400, 400, 401, 401, 402])
    }

    func testServerTimesWrapAndNeverGoBack() {
        let imported = read(
            button("ButtonPress", 1, time: 0xFFFF_FFF0) + button("ButtonRelease", 1, time: 0x10)
                + button("ButtonPress", 1, time: 0x8) + button("ButtonRelease", 1, time: 0x7000_0000, synthetic: "YES")
                + button("ButtonPress", 1, time: 99_999_999_999))
        XCTAssertEqual(imported.times.map { $0 / 1_000_000 }, [0, 32, 32, 32, 32])
    }

    func testDestroyAndOtherRecords() {
        let imported = read(
            """
            Outer window is 0x1, inner window is 0x2

            KeyPress event, serial 28, synthetic NO, window 0x1,
                root 0x2a1, subw 0x0, time 100, (1,1), root:(1,1),
                state 0x0, keycode 36 (keysym 0xff0d, Return), same_screen YES,
                XLookupString gives 1 bytes: (0d) "\r"
                XFilterEvent returns: False

            UnmapNotify event, serial 30, synthetic NO, window 0x1,
                event 0x1, window 0xb, from_configure NO

            DestroyNotify event, serial 30, synthetic NO, window 0x1,
                event 0x1, window 0xb

            """)
        XCTAssertEqual(imported.events, ["disconnect 0xb"])
        XCTAssertEqual(imported.faults, [])
        XCTAssert(imported.notes.contains { $0.hasSuffix("(1, the first is line 1).") })
    }

    func testOneLineRecordsAndCRLF() {
        let text = configure("478", "303") + button("ButtonPress", 1, time: 7)
        let expected = ["geometry 0xa0000c 478×303", "pointer 1 down"]
        XCTAssertEqual(read(text.replacing("\n", with: "\r\n")).events, expected)
        XCTAssertEqual(read(text.replacing(",\n", with: ", ")).events, expected)
        XCTAssertEqual(read(String(text.dropLast())).events, expected)
    }

    func testMalformedNumbers() {
        let imported = read(
            configure("wide", "303") + configure("1", "2") + configure("99999999999999999999", "1")
                + button("ButtonPress", 99_999_999_999, time: 5) + configure("3", "4"))
        XCTAssertEqual(imported.events, ["geometry 0xa0000c 1×2", "geometry 0xa0000c 3×4"])
        XCTAssertEqual(imported.faults.map(\.position), [.line(2), .line(10), .line(14)])
        XCTAssertEqual(Set(imported.faults.map(\.kind)), [.malformed])
    }

    /// Cut anywhere, the last record is either complete or a truncation, never another size.
    func testEveryCut() {
        let text = configure("1", "2") + configure("478", "303")
        let firstLength = configure("1", "2").utf8.count
        for length in (firstLength + 2)..<text.utf8.count {
            let imported = read(String(decoding: text.utf8.prefix(length), as: UTF8.self))
            XCTAssertEqual(imported.events.first, "geometry 0xa0000c 1×2")
            if length == text.utf8.count - 1 {
                XCTAssertEqual(imported.events.last, "geometry 0xa0000c 478×303", "only the newline is missing")
            } else {
                XCTAssertEqual(imported.events.count, 1)
                XCTAssertEqual(imported.faults.map(\.kind), [.truncated], "\(length) bytes")
                XCTAssertEqual(imported.faults.first?.position, .line(6))
            }
        }
    }

    func testEmptyInput() {
        XCTAssertEqual(read("").events, [])
        XCTAssertEqual(read("").faults, [])
    }

    func testDamage() {
        let text = configure("478", "303") + button("ButtonPress", 1, time: 7) + configure("479", "304")
        survive(text, seed: 42) { XevReader($0) }
    }
}
