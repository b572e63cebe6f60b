import Settle
import TestSupport
import XCTest

@testable import SettleLog

/// How good the times are that the reader makes up; what it reads: Tests/Cases/logs.
final class XevTests: XCTestCase {
    private func configure(_ width: String, _ height: String, window: String = "0xa0000c") -> String {
        """

        ConfigureNotify event, serial 18, synthetic NO, window 0x1,
            event 0x1, window \(window), (1,20), width \(width), height \(height),
            border_width 0, above 0x20032f, override NO

        """
    }

    private func button(_ name: String, _ button: Int, time: UInt64) -> String {
        """

        \(name) event, serial 33, synthetic NO, window 0x1,
            root 0x2a1, subw 0x0, time \(time), (87,113), root:(88,134),
            state 0x100, button \(button), same_screen YES

        """
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
}
