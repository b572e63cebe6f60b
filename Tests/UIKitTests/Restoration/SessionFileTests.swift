internal import CSettle
import XCTest

@testable import UIKit

/// The file's format, byte by byte as its table says.
final class SessionFileTests: XCTestCase {
    /// A file around any payload, made without the code under test.
    static func sealed(_ payload: [UInt8], version: UInt8 = 2) -> [UInt8] {
        let length = (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (8 * $0)) }
        let checked = [version, 0, 0, 0] + length + payload
        let crc = settle_crc32c(0, checked, checked.count)
        return Array("settleUI".utf8) + (0..<4).map { UInt8(truncatingIfNeeded: crc >> (8 * $0)) } + checked
    }

    func testTheFormatIsAsDocumented() throws {
        let session = try makeSession("s")
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        let expected = try Self.sealed(Array(encoder.encode(session)))
        let bytes = try SessionFile.bytes(of: session)
        // Keys have no order, so equal sessions may differ in their bytes.
        XCTAssertEqual(bytes.count, expected.count)
        XCTAssertEqual(Self.sealed(Array(bytes[24...])), bytes)
        guard case .session(let read) = SessionFile.content(of: expected) else { return XCTFail("not read") }
        XCTAssertEqual(plain(read), plain(session))
    }
}
