import SettlePlatform
import XCTest

@testable import SettleSources

final class ByteQueueTests: XCTestCase {
    /// A pipe whose ends do not block, closed by `body`'s end.
    private func withPipe(_ body: (_ reading: Int32, _ writing: Int32) throws -> Void) rethrows {
        var ends: [Int32] = [0, 0]
        XCTAssertEqual(pipe(&ends), 0)
        defer { for end in ends { close(end) } }
        for end in ends { XCTAssertEqual(fcntl(end, F_SETFL, O_NONBLOCK), 0) }
        try body(ends[0], ends[1])
    }

    func testAReaderThatStaysBehindMakesTheQueueNotGrow() throws {
        withPipe { reading, writing in
            var queue = ByteQueue()
            var (given, taken, sizeMax) = (0, 0, 0)
            var piece = [UInt8](repeating: 0, count: 4096)
            let rounds = 500
            for round in 0..<rounds {
                while !queue.isFull {
                    // 251 is no divisor of any buffer's size.
                    queue.bytes += (given..<given + (1 << 14)).map { UInt8($0 % 251) }
                    given += 1 << 14
                }
                // The pipe alone takes the first ones.
                XCTAssertEqual(queue.write(to: writing), round == 0 ? .moved : .blocked)
                sizeMax = max(sizeMax, queue.bytes.count)
                let count = read(reading, &piece, piece.count)
                for byte in piece[..<max(0, count)] {
                    if byte != UInt8(taken % 251) { return XCTFail("byte \(taken) is \(byte)") }
                    taken += 1
                }
            }
            XCTAssertEqual(taken, rounds * 4096)
            // What waits, the last read, and what was written since the queue was shortened.
            XCTAssertLessThan(sizeMax, 2 * ByteQueue.capacity + (1 << 14))
        }
    }

    func testAnEmptyQueueKeepsNothing() throws {
        withPipe { reading, writing in
            var queue = ByteQueue()
            queue.bytes = [1, 2, 3]
            XCTAssertEqual(queue.write(to: writing), .moved)
            XCTAssertTrue(queue.isEmpty)
            XCTAssertEqual(queue.bytes, [])
            XCTAssertEqual(queue.written, 3)
        }
    }
}
