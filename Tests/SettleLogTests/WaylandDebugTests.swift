import Settle
import XCTest

@testable import SettleLog

final class WaylandDebugTests: XCTestCase {
    private func read(_ text: String) -> Imported { drain(WaylandDebugReader(ByteInput(text))) }

    private let session = """
        [   1000.000]  -> xdg_surface@9.get_toplevel(new id xdg_toplevel@10)
        [   1000.010]  -> wl_data_source@10.offer("not xdg_toplevel@10.configure(1, 2, array[0])")
        [   1001.260] xdg_toplevel@10.configure(0, 0, array[0])
        [   1001.295] xdg_surface@9.configure(1)
        [   1117.037] xdg_toplevel@10.configure(400, 300, array[4])
        [   1118.000] wl_pointer@8.button(16, 1447410, 272, 1)
        [   1119.250] xdg_toplevel@10.configure(-5, 301, array[8])
        [   1200.000]  -> xdg_toplevel@10.destroy()

        """

    func testSession() {
        let imported = read(session)
        XCTAssertEqual(
            imported.events,
            [
                "connect xdg_toplevel@10", "geometry xdg_toplevel@10 0×0", "geometry xdg_toplevel@10 400×300",
                "geometry xdg_toplevel@10 -5×301", "disconnect xdg_toplevel@10",
            ])
        XCTAssertEqual(
            imported.times, [1_001_260_000, 1_001_260_000, 1_117_037_000, 1_119_250_000, 1_200_000_000])
        XCTAssertEqual(imported.positions, [.line(3), .line(3), .line(5), .line(7), .line(8)])
        XCTAssertEqual(imported.faults, [])
        XCTAssert(imported.notes.contains { $0.hasPrefix("The states of the configure events (3)") })
        XCTAssert(imported.notes.contains { $0.hasPrefix("The pointer button events (1)") })
    }

    func testNewerPrintingReadsTheSame() {
        let newer = session.replacing("@", with: "#").replacing("] ", with: "] {Default Queue} ")
        let colored = session.split(separator: "\n").map { "\u{1B}[32m" + $0.replacing("xdg", with: "\u{1B}[0mxdg") }
        XCTAssertEqual(read(newer).events, read(session).events)
        XCTAssertEqual(read(newer).times, read(session).times)
        XCTAssertEqual(read(colored.joined(separator: "\n")).events, read(session).events)
        XCTAssertEqual(read(session.replacing("\n", with: "\r\n")).events, read(session).events)
    }

    func testDiscardedAndOtherMessagesAreNoEvents() {
        let imported = read(
            """
            [   1.000] discarded [zombie]@10.[event 0](0 fd, 20 byte)
            [   1.001] {Default Queue} discarded xdg_toplevel#10.configure(1, 2, array[0])
            [   1.003] xdg_toplevel@10.close()
            [   1.004] xdg_toplevel@10.configure_bounds(1920, 1080)
            """)
        XCTAssertEqual(imported.events, [])
        XCTAssertEqual(imported.faults, [])
        XCTAssertFalse(imported.notes.contains { $0.contains("no protocol messages") })
    }

    func testStampsWrap() {
        let imported = read(
            """
            [4294967.290] xdg_toplevel@10.configure(1, 1, array[0])
            [      0.004] xdg_toplevel@10.configure(2, 2, array[0])
            [4294967.295] xdg_toplevel@10.configure(3, 3, array[0])
            [      0.010] xdg_toplevel@10.configure(4, 4, array[0])
            [      0.008] xdg_toplevel@10.configure(5, 5, array[0])
            [3000000.000] xdg_toplevel@10.configure(6, 6, array[0])
            [      1.000] xdg_toplevel@10.configure(7, 7, array[0])
            """)
        let wrapMicroseconds: UInt64 = 1 << 32
        let expectedMicroseconds = [
            wrapMicroseconds - 6, wrapMicroseconds + 4, wrapMicroseconds - 1, wrapMicroseconds + 10,
            wrapMicroseconds + 8, wrapMicroseconds + 3_000_000_000,
            2 * wrapMicroseconds + 1000,
        ]
        XCTAssertEqual(imported.times, expectedMicroseconds.map { $0 * 1000 })
    }

    func testSmallStepBackIsPassedOn() {
        let imported = read(
            """
            [   2.000] xdg_toplevel@1.configure(1, 1, array[0])
            [   1.000] xdg_toplevel@1.configure(2, 2, array[0])
            """)
        XCTAssertEqual(imported.times, [2_000_000, 1_000_000])
    }

    func testReusedNumbers() {
        let connect =
            "[   1.000]  -> xdg_surface@9.get_toplevel(new id xdg_toplevel@10)\n"
            + "[   1.001] xdg_toplevel@10.configure(0, 0, array[0])\n"
        let destroy = "[   2.000]  -> xdg_toplevel@10.destroy()\n"
        let proper = read(connect + destroy + connect)
        let expected = ["connect", "geometry", "disconnect", "connect", "geometry"].map {
            "\($0) xdg_toplevel@10\($0 == "geometry" ? " 0×0" : "")"
        }
        XCTAssertEqual(proper.events, expected)
        XCTAssertFalse(proper.notes.contains { $0.contains("several clients") })
        let mixed = read(connect + connect)
        XCTAssertEqual(mixed.events, expected)
        XCTAssert(mixed.notes.contains { $0.contains("several clients") })
    }

    func testFaultsNameTheLineAndReadingGoesOn() {
        let imported = read(
            """
            the program says hello
            [   1.000] xdg_toplevel@10.configure(400, oops, array[4])
            [   1.001] xdg_toplevel@10.configure(99999999999999999999, 1, array[4])
            [   1.002]  -> xdg_surface@9.get_toplevel()
            [99999999.999] xdg_toplevel@10.configure(1, 1, array[0])
            [   1.003] xdg_toplevel@10.configure(400, 300, array[4])
            [   1.004] xdg_toplevel@10.configure(40
            """)
        XCTAssertEqual(imported.events, ["geometry xdg_toplevel@10 400×300"])
        XCTAssertEqual(imported.faults.map(\.position), [.line(2), .line(3), .line(4), .line(7)])
        XCTAssertEqual(imported.faults.map(\.kind), [.malformed, .malformed, .malformed, .truncated])
        XCTAssert(
            imported.notes.contains("Lines that are no protocol messages were skipped (2, the first is line 1)."))
    }

    func testWindowsThatChooseTheirOwnSizeAreNoted() {
        func configure(_ object: Int, _ size: String) -> String {
            "[1.000] xdg_toplevel@\(object).configure(\(size), array[0])\n"
        }
        func notes(_ text: String) -> [String] {
            drain(WaylandDebugReader(ByteInput(text))).notes.filter { $0.contains("chose its own size") }
        }
        XCTAssertEqual(notes(configure(7, "0, 0") + configure(8, "0, 0") + configure(8, "0, 300")).count, 1)
        XCTAssert(notes(configure(7, "0, 0") + configure(8, "0, 0"))[0].contains("(2)"))
        // Windows begin with 0 × 0 before the compositor sends them a size.
        XCTAssertEqual(notes(configure(7, "0, 0") + configure(7, "640, 480") + configure(7, "0, 0")), [])
        XCTAssert(notes(configure(7, "640, 480") + configure(8, "0, 0"))[0].contains("(1)"))
    }

    func testEmptyInput() {
        XCTAssertEqual(read("").events, [])
        XCTAssertEqual(read("\n\n").faults, [])
    }

    func testMoreEventsThanABatchHolds() {
        let lines = """
            [   1.000]  -> xdg_surface@9.get_toplevel(new id xdg_toplevel@10)
            [   1.000] xdg_toplevel@10.configure(1, 2, array[0])

            """
        let imported = read(String(repeating: lines, count: EventBatch.capacity))
        XCTAssertEqual(imported.events.count, 3 * EventBatch.capacity - 1)
    }

    func testDamage() {
        survive(session, seed: 41) { WaylandDebugReader($0) }
    }
}
