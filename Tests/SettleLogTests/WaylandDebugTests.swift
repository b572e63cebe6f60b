import Settle
import XCTest

@testable import SettleLog

final class WaylandDebugTests: XCTestCase {
    private func read(_ text: String) -> Imported { drain(WaylandDebugReader(ByteInput(text))) }

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

    func testWindowsBeyondTheMostAreLeftOutAndCounted() {
        let most = WaylandWindows.objectsMax
        let lines = (0..<most + 2).map { "[1.000] xdg_toplevel@\($0).configure(1, 2, array[0])\n" }
        let read = read(lines.joined() + "[2.000]  -> xdg_toplevel@0.destroy()\n" + lines[most + 1])
        XCTAssertEqual(read.events.count, most + 2)
        XCTAssert(read.notes.contains { $0.hasSuffix("were left out (2).") }, "\(read.notes)")
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
}
